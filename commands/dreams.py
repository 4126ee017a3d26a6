"""What a dream brought, as the command line tells it: the days' stories first, then what else changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commands.terminal import write, write_line

if TYPE_CHECKING:
    from managers.sleep.changes import Change
    from managers.sleep.cost import DreamCost
    from managers.sleep.report import DreamReport
    from managers.storage.errors import Lang
    from ui.locales import Texts

_NOTHING: dict[Lang, str] = {"ja": "新しく夢に見ることはありませんでした。", "en": "There was nothing new to dream of."}
_TITLES: dict[Lang, tuple[str, str]] = {
    "ja": ("変わった記憶({count}件):", "変わるはずの記憶({count}件):"),
    "en": ("Memories that changed ({count}):", "Memories that would change ({count}):"),
}
_TAKEN_AWAY: dict[Lang, str] = {"ja": "(取り下げ)", "en": "(taken away)"}
_COST: dict[Lang, str] = {
    "ja": "{days}日分の夢を見ます。モデル「{mind}」にたずねるのは{calls}回ほど、およそ{tokens}トークンです。",
    "en": "Days to dream of: {days}. The model “{mind}” will be asked about {calls} times: some {tokens} tokens.",
}
_NAMED = frozenset({"entity", "question", "resolution"})
"""A goal's target is its id, and an insight's is its topic, which its text says."""


def write_cost(cost: DreamCost, lang: Lang) -> None:
    """Write what a dream is going to cost, before it begins; nothing where no model is asked."""
    if cost.calls:
        write_line(_COST[lang].format(days=cost.days, mind=cost.mind, calls=cost.calls, tokens=f"{cost.tokens:,}"))


def write_dream(report: DreamReport, t: Texts, *, dry_run: bool) -> None:
    """Write a dream's report for people."""
    told = report.told
    for story in told.stories:
        write_line(story.target)
        write(f"  {story.text}\n")
    if told.count:
        write_line(_TITLES[t.lang][dry_run].format(count=told.count))
        for change in (*told.stories, *told.changed):
            write_line(f"  {_line(change, t)}")
    elif not report.failures:
        write_line(_NOTHING[t.lang])


def _line(change: Change, t: Texts) -> str:
    kind, text = t(f"dreams.what_{change.what}"), change.text or _TAKEN_AWAY[t.lang]
    if change.what == "episode":
        return f"{kind}  {change.target}"
    return f"{kind}  {change.target}: {text}" if change.what in _NAMED else f"{kind}  {text}"
