"""What the room "Dreams" shows: how it stands with the sleep, and the diary night by night."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, Final, get_args

from managers.memory.confidence import day_of
from managers.memory.goals import GoalsMeta
from managers.sleep.cost import DreamCost
from managers.sleep.diary import DiaryPage, DreamNight, NightChange
from managers.sleep.review import Why
from managers.sleep.scheduler import SleepStatus
from ui.components.times import clock_time, day_name, when
from ui.locales import Texts
from ui.rooms.history.view import change_name

_SOON: Final = timedelta(minutes=1)
_BUILT_IN: Final = "built-in"
_TASKS: Final = frozenset({"episode", "entities", "questions", "answers", "period", "reflection"})
_WHYS: Final = frozenset(get_args(Why))
_NAMED: Final = frozenset({"entity", "question", "resolution", "episode", "period"})
"""A goal's target is an id and an insight's is its topic, which its text says: names and days say more."""
_PLACES: Final = {"entity": "memories/people", "episode": "memories/days", "period": "memories/days"}
_LEVELS: Final = frozenset({1, 2, 3})


@dataclass(frozen=True, slots=True)
class Sleeping:
    """How it stands with a persona's sleep.

    Attributes:
        dreams_by_itself: it falls asleep in the quiet hours.
        waiting: the days that wait for a dream.
        meta: when it last reflected.
    """

    status: SleepStatus
    dreams_by_itself: bool
    waiting: Sequence[date]
    meta: GoalsMeta
    nights: Sequence[DreamNight]
    cost: DreamCost

    @property
    def fresh(self) -> list[DreamNight]:
        """The nights that the last dream here brought."""
        report = self.status.report
        entries = set(report.entries) if report and not self.status.is_running else set()
        return [night for night in self.nights if night.entry is not None and night.entry.id in entries]


def state(shown: Sleeping, now: datetime, t: Texts) -> dict[str, Any]:
    """Return in words whether it dreams, how the last dream ended, and when the next one comes."""
    status = shown.status
    told = [_next(shown, now, t), _waiting(shown, t), _cost(shown.cost, t), _reached(shown.meta, now, t)]
    facts = [] if status.is_running else told
    return {
        "outcome": _outcome(shown, now, t),
        "problems": [] if status.is_running else _problems(status, t),
        "facts": [fact for fact in facts if fact],
    }


def nights(page: DiaryPage, fresh: Sequence[DreamNight], now: datetime, t: Texts) -> list[dict[str, Any]]:
    """Return a page of the diary, the newest night first."""
    keys = {night.key for night in fresh}
    return [_night(night, now, t, is_fresh=night.key in keys) for night in page.nights]


def _outcome(shown: Sleeping, now: datetime, t: Texts) -> str:
    status = shown.status
    if status.is_running:
        if status.stopping:
            return t("dreams.stopping")
        return t("dreams.running_day", done=status.days_done, days=status.days) if status.days else t("dreams.running")
    time = when(status.ended_at, now, t) if status.ended_at else ""
    if status.outcome == "done":
        if shown.fresh and all(night.undone for night in shown.fresh):
            return t("dreams.done_undone", time=time)
        count = sum(night.told.count for night in shown.fresh if not night.undone)
        return t("dreams.done", time=time, count=count or (status.report.told.count if status.report else 0))
    if status.outcome == "never":
        return t("dreams.last", time=when(shown.nights[0].time, now, t)) if shown.nights else t("dreams.never")
    return t(f"dreams.{status.outcome}", time=time)


def _problems(status: SleepStatus, t: Texts) -> list[str]:
    sentences = [status.error.sentence(t.lang)] if status.error else []
    if status.report is not None:
        sentences += [notice.sentence(t.lang) for notice in status.report.notices]
    return list(dict.fromkeys(sentences))


def _next(shown: Sleeping, now: datetime, t: Texts) -> str:
    if not shown.dreams_by_itself:
        return t("dreams.off")
    coming = shown.status.next_at
    if coming is None:
        return ""
    return t("dreams.next_now") if coming - now < _SOON else t("dreams.next", time=_coming(coming, now, t))


def _coming(coming: datetime, now: datetime, t: Texts) -> str:
    if (coming.date() - now.date()).days == 1:
        return f"{t('dreams.tomorrow')} {clock_time(coming)}"
    return f"{day_name(coming.date(), now.date(), t)} {clock_time(coming)}"


def _waiting(shown: Sleeping, t: Texts) -> str:
    count = len(shown.waiting)
    if not count:
        return t("dreams.none_waiting") if shown.nights else ""
    return t("dreams.one_waiting") if count == 1 else t("dreams.waiting", count=count)


def _cost(cost: DreamCost, t: Texts) -> str:
    if not cost.calls:
        return ""
    return t("dreams.cost", days=cost.days, mind=cost.mind, calls=cost.calls, tokens=f"{cost.tokens:,}")


def _reached(meta: GoalsMeta, now: datetime, t: Texts) -> str:
    dates = (meta.last_level1_date, meta.last_level2_date, meta.last_level3_date)
    if not any(dates):
        return ""
    day, week, month = (day_name(one, now.date(), t) if one else t("dreams.not_yet") for one in dates)
    return t("dreams.reached", day=day, week=week, month=month)


# The diary


def _night(night: DreamNight, now: datetime, t: Texts, *, is_fresh: bool) -> dict[str, Any]:
    """Return a night as the diary shows it; what a fresh one changed stands open."""
    told = night.told
    return {
        "key": night.key,
        "when": when(night.time, now, t),
        "level": t(f"dreams.level_{night.level}") if night.level in _LEVELS else "",
        "stories": [(_story_day(one, now, t) if len(told.stories) > 1 else "", one.text) for one in told.stories],
        "dreamt": night.insight.log_entry if night.insight else "",
        "concluded": _concluded(night, t),
        "changed": [
            *(_change(one, t, is_told=True) for one in told.stories),
            *(_change(one, t) for one in told.changed),
        ],
        "about": _about(night, now, t),
        "entry": night.entry.id if night.entry else "",
        "is_undone": night.undone,
        "is_fresh": is_fresh,
    }


def _story_day(story: NightChange, now: datetime, t: Texts) -> str:
    day = day_of(story.target)
    return day_name(day, now.date(), t) if day else story.target  # a record written by hand


def _concluded(night: DreamNight, t: Texts) -> list[tuple[str, str]]:
    insight = night.insight
    if insight is None:
        found = next((change.text for change in night.changes if change.what == "insight"), "")
        rows = [("concluded", found)]
    else:
        rows = [("concluded", insight.insight), ("strategy", insight.strategy)]
    return [(t(f"dreams.{key}"), text) for key, text in rows if text]


def _about(night: DreamNight, now: datetime, t: Texts) -> list[str]:
    parts = []
    if night.days:
        names = [day_name(day, now.date(), t) for day in dict.fromkeys([night.days[0], night.days[-1]])]
        days = names[0] if len(names) == 1 else t("dreams.read_days", first=names[0], last=names[1])
        parts.append(t("dreams.read", days=days, count=night.messages))
    if night.mind:
        parts.append(t("dreams.by", mind=t("mind.builtin_name") if night.mind == _BUILT_IN else night.mind))
    if night.failed:
        tasks = [t(f"dreams.task_{task}") for task in dict.fromkeys(night.failed) if task in _TASKS]
        parts.append(t("dreams.failed_tasks", tasks=", ".join(tasks)))
    for one in night.left_out:
        why = t(f"dreams.why_{one.why}") if one.why in _WHYS else ""
        parts.append(t("dreams.left_out", item=one.item, why=why).rstrip())
    return parts


def _change(one: NightChange, t: Texts, *, is_told: bool = False) -> dict[str, str]:
    """Return a memory that a night changed; `place` is where it is opened, `evidence` a message that it rests on."""
    return {
        "kind": change_name(one.what, t),
        "target": one.target if one.what in _NAMED else "",
        "place": f"{_PLACES[one.what]}/{one.target}" if one.what in _PLACES and "/" not in one.target else "",
        "text": "" if is_told else one.text or t("dreams.taken_away"),
        "evidence": one.evidence[0] if one.evidence else "",
    }
