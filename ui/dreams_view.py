"""What the room "Dreams" shows: pure functions from nights and statuses to HTML. Everything remembered is escaped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from html import escape

from managers.memory.goals import GoalsMeta
from managers.sleep.diary import DiaryPage, DreamNight, NightChange
from managers.sleep.scheduler import SleepStatus
from ui.charts import table_link
from ui.csv_files import table_address
from ui.heart_view import change_name, moment, place_fold
from ui.locales import Texts
from ui.presenters import persona_address
from ui.times import clock_time, day_name, when

_SOON = timedelta(minutes=1)
_BUILT_IN = "built-in"
_TASKS = frozenset({"episode", "entities", "questions", "answers", "reflection"})


@dataclass(frozen=True, slots=True)
class Sleeping:
    """How it stands with a persona's sleep."""

    status: SleepStatus
    dreams_by_itself: bool
    waiting: Sequence[date]
    meta: GoalsMeta
    last: str = ""


def sleep_state(shown: Sleeping, now: datetime, t: Texts) -> str:
    """Return whether it dreams, how the last dream ended, and when the next one comes."""
    status = shown.status
    resting = [_next(shown, now, t), _waiting(shown, t), _reached(shown.meta, now, t)]
    lines = [] if status.is_running else resting
    facts = "".join(f"<li>{escape(line)}</li>" for line in lines if line)
    mood = "asleep" if status.is_running else "awake"
    return (
        f'<div class="sleeping {mood}"><span class="moon" aria-hidden="true"></span>'
        f'<div><p class="outcome" role="status">{escape(_outcome(shown, now, t))}</p>{_problems(status, t)}'
        f"{_progress(status, t)}<ul>{facts}</ul>{_switch(shown, t)}</div></div>"
    )


def _switch(shown: Sleeping, t: Texts) -> str:
    """Return the way to the switch, where it does not fall asleep by itself."""
    if shown.dreams_by_itself:
        return ""
    return (
        '<button type="button" class="small" data-to-room="settings" data-to-group="sleep" '
        f'data-to-part="option-sleep-dreaming">{escape(t("dreams.to_switch"))}</button>'
    )


def _outcome(shown: Sleeping, now: datetime, t: Texts) -> str:
    status = shown.status
    if status.is_running:
        if status.stopping:
            return t("dreams.stopping")
        return t("dreams.running_day", done=status.days_done, days=status.days) if status.days else t("dreams.running")
    time = when(status.ended_at, now, t) if status.ended_at else ""
    if status.outcome == "done":
        return t("dreams.done", time=time, count=len(status.report.changes) if status.report else 0)
    if status.outcome == "never":
        return t("dreams.last", time=moment(shown.last, now, t)) if shown.last else t("dreams.never")
    return t(f"dreams.{status.outcome}", time=time)


def _problems(status: SleepStatus, t: Texts) -> str:
    sentences = [] if status.is_running or status.error is None else [status.error.sentence(t.lang)]
    if not status.is_running and status.report is not None:
        sentences += [notice.sentence(t.lang) for notice in status.report.notices]
    return "".join(f'<p class="problem">{escape(sentence)}</p>' for sentence in dict.fromkeys(sentences))


def _progress(status: SleepStatus, t: Texts) -> str:
    if not status.is_running:
        return ""
    value = f' value="{status.days_done}" max="{status.days}"' if status.days else ""
    return f'<progress aria-label="{escape(t("dreams.progress"))}"{value}></progress>'


def _next(shown: Sleeping, now: datetime, t: Texts) -> str:
    if not shown.dreams_by_itself:
        return t("dreams.off")
    coming = shown.status.next_at
    if coming is None:
        return ""
    return t("dreams.next_now") if coming - now < _SOON else t("dreams.next", time=_coming(coming, now, t))


def _coming(coming: datetime, now: datetime, t: Texts) -> str:
    days = (coming.date() - now.date()).days
    if days == 1:
        return f"{t('dreams.tomorrow')} {clock_time(coming)}"
    return f"{day_name(coming.date(), now.date(), t)} {clock_time(coming)}"


def _waiting(shown: Sleeping, t: Texts) -> str:
    return t("dreams.waiting", count=len(shown.waiting)) if shown.waiting else t("dreams.none_waiting")


def _reached(meta: GoalsMeta, now: datetime, t: Texts) -> str:
    dates = (meta.last_level1_date, meta.last_level2_date, meta.last_level3_date)
    if not any(dates):
        return ""
    day, week, month = (day_name(one, now.date(), t) if one else t("dreams.not_yet") for one in dates)
    return t("dreams.reached", day=day, week=week, month=month)


# The diary


def diary(page: DiaryPage, persona: str, now: datetime, t: Texts) -> str:
    """Return a page of the diary, night by night, with the ways to the pages beside it."""
    if not page.nights:
        return f'<p class="quiet">{escape(t("dreams.empty"))}</p>'
    nights = "".join(_night(night, persona, now, t) for night in page.nights)
    save = table_link(table_address(persona, "dreams", t), t)
    return f'<ol class="nights">{nights}</ol>{_pager(page, t)}{save}'


def _pager(page: DiaryPage, t: Texts) -> str:
    if page.pages < 2:  # noqa: PLR2004  # nothing to turn
        return ""
    said = t("dreams.pages", number=page.number + 1, pages=page.pages, total=f"{page.total:,}")
    return (
        f'<nav class="pager">{_turn("newer", page.number - 1, t, enabled=page.number > 0)}<span>{escape(said)}</span>'
        f"{_turn('older', page.number + 1, t, enabled=page.number < page.pages - 1)}</nav>"
    )


def _turn(way: str, number: int, t: Texts, *, enabled: bool) -> str:
    off = "" if enabled else " disabled"
    label = escape(t(f"dreams.{way}"))
    return f'<button type="button" class="small" data-action="turn" data-page="{number}"{off}>{label}</button>'


def _night(night: DreamNight, persona: str, now: datetime, t: Texts) -> str:
    level = t(f"dreams.level_{night.level}" if night.level in {1, 2, 3} else "dreams.level_none")
    undone = f'<span class="badge">{escape(t("dreams.undone"))}</span>' if night.undone else ""
    return (
        f'<li class="night{" undone" if night.undone else ""}" data-night="{escape(night.key)}"><header>'
        f"<h4><time>{escape(when(night.time, now, t))}</time></h4>"
        f'<span class="level">{escape(level)}</span>{undone}</header>'
        f"{_insight(night, t)}{_read(night, now, t)}{_changed(night, persona, t)}{_way_back(night, persona, t)}</li>"
    )


def _insight(night: DreamNight, t: Texts) -> str:
    insight = night.insight
    if insight is None:
        told = next((change.text for change in night.changes if change.what == "insight"), "")
        return f'<p class="told">{escape(told)}</p>' if told else ""
    told = f'<p class="told">{escape(insight.log_entry)}</p>' if insight.log_entry else ""
    rows = [("concluded", insight.insight), ("strategy", insight.strategy)]
    facts = "".join(f"<dt>{escape(t(f'dreams.{key}'))}</dt><dd>{escape(text)}</dd>" for key, text in rows if text)
    return f"{told}<dl>{facts}</dl>"


def _read(night: DreamNight, now: datetime, t: Texts) -> str:
    parts = []
    if night.days:
        names = [day_name(day, now.date(), t) for day in dict.fromkeys([night.days[0], night.days[-1]])]
        days = names[0] if len(names) == 1 else t("dreams.read_days", first=names[0], last=names[1])
        parts.append(t("dreams.read", days=days, count=night.messages))
    if night.mind:
        name = t("mind.builtin_name") if night.mind == _BUILT_IN else night.mind
        parts.append(t("dreams.by", mind=name))
    if night.failed:
        tasks = [t(f"dreams.task_{task}") for task in dict.fromkeys(night.failed) if task in _TASKS]
        parts.append(t("dreams.failed_tasks", tasks=", ".join(tasks)))
    return f'<p class="quiet">{"<br>".join(escape(part) for part in parts)}</p>' if parts else ""


def _changed(night: DreamNight, persona: str, t: Texts) -> str:
    shown = [change for change in night.changes if not (change.what == "goal" and change.target == "meta")]
    if not shown:
        return ""
    rows = "".join(_change(change, persona, t) for change in shown)
    title = escape(t("dreams.changed", count=len(shown)))
    return f'<details class="fold"><summary>{title}</summary><ul class="changes">{rows}</ul></details>'


def _change(change: NightChange, persona: str, t: Texts) -> str:
    # A goal's target is an id and an insight's is its topic, which its text says: names and days say more.
    target = f"<b>{escape(change.target)}</b>" if change.what in {"episode", "entity", "question", "resolution"} else ""
    evidence = "".join(place_fold(one, persona, t, "dreams.evidence") for one in change.evidence[:1])
    return (
        f'<li><p class="from"><span class="kind">{escape(change_name(change.what, t))}</span>{target}</p>'
        f"<p>{escape(change.text)}</p>{evidence}</li>"
    )


def _way_back(night: DreamNight, persona: str, t: Texts) -> str:
    if night.entry is None:
        return f'<p class="quiet">{escape(t("dreams.unknown_to_history"))}</p>'
    address = f"{persona_address(persona)}/history/{night.entry.id}?lang={t.lang}"
    action = "redo" if night.undone else "undo"
    ask = (
        f' data-ask="{escape(t("dreams.undo_ask"))}" data-yes="{escape(t("dreams.undo"))}"' if action == "undo" else ""
    )
    return (
        f'<details class="fold" data-fetch="{escape(address)}"><summary>{escape(t("dreams.diff"))}</summary>'
        f'<div class="fetched history" aria-live="polite"></div></details>'
        f'<button type="button" class="small" data-action="{action}" data-entry="{escape(night.entry.id)}"{ask}>'
        f"{escape(t(f'dreams.{action}'))}</button>"
    )
