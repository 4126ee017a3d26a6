"""What the room "Heart" shows: pure functions from what the memories hold to HTML. Everything remembered is escaped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from html import escape
from urllib.parse import quote

from managers.memory.drive_course import CoursePoint
from managers.memory.drives import DRIVES, Drive, Levels
from managers.memory.emotion_curve import Bucket, Reading
from managers.memory.goals import Goal, Goals, Horizon
from managers.memory.inner_state import MotivationLog, feeling_name
from managers.memory.questions import Question
from managers.sleep.diary import DreamNight
from ui import charts
from ui.charts import Point, Tick
from ui.csv_files import table_address
from ui.locales import Texts
from ui.presenters import persona_address
from ui.spans import Span, narrower, span_name, step_name, ticks
from ui.times import when

SHOWN_CLOSED = 30
SHOWN_READINGS = 12
_SHOWN_WORDS = 60


@dataclass(frozen=True, slots=True)
class DriveNow:
    """The four drives as they are, why, and how they went."""

    levels: Levels
    whys: Mapping[Drive, str]
    course: Sequence[CoursePoint]
    days: int


# The motive and the drives


def motive(found: MotivationLog, why: str, t: Texts) -> str:
    """Return what moves the persona now, in its own words, and what lies behind it."""
    if not found.narrative:
        return f'<section class="motive calm"><h3>{escape(t("heart.motive"))}</h3><p class="words">{escape(t("heart.calm"))}</p></section>'
    drive = t(f"heart.{found.dominant_drive}")
    return (
        f'<section class="motive"><h3>{escape(t("heart.motive"))}</h3>'
        f'<p class="words">{escape(found.narrative)}</p>'
        f'<p class="why-now"><b>{escape(drive)} {found.drive_level:.2f}</b><span>{escape(why)}</span></p></section>'
    )


def drives(shown: DriveNow, persona: str, now: datetime, t: Texts) -> str:
    """Return the four drives as cards: level, threshold, why, and the course over days."""
    return f'<div class="drives">{"".join(_drive(drive, shown, persona, now, t) for drive in DRIVES)}</div>'


def _drive(drive: Drive, shown: DriveNow, persona: str, now: datetime, t: Texts) -> str:
    level, threshold, name = shown.levels.of(drive), shown.levels.thresholds[drive], t(f"heart.{drive}")
    over = level >= threshold
    said = t("heart.level_said", drive=name, level=f"{level:.2f}", threshold=f"{threshold:.2f}")
    is_strongest = level > 0 and drive == shown.levels.dominant
    badge = f'<span class="badge">{escape(t("heart.strongest"))}</span>' if is_strongest else ""
    return (
        f'<article class="drive{" over" if over else ""}" data-drive="{drive}">'
        f'<header><h4>{escape(name)}</h4>{badge}<span class="level">{level:.2f}</span></header>'
        f'<div class="gauge" role="meter" aria-valuemin="0" aria-valuemax="1" aria-valuenow="{level:.2f}" '
        f'aria-label="{escape(said)}" title="{escape(said)}"><i style="width:{100 * level:.1f}%"></i>'
        f'<b style="left:{100 * threshold:.1f}%"></b></div>'
        f'<p class="why-drive">{escape(shown.whys[drive])}</p>'
        f'<p class="visually-hidden">{escape(t("heart.over" if over else "heart.under"))}</p>'
        f"{_course(drive, shown, persona, now, t)}</article>"
    )


def _course(drive: Drive, shown: DriveNow, persona: str, now: datetime, t: Texts) -> str:
    since = now - timedelta(days=shown.days)
    level = shown.levels.of(drive)
    noted = [Point((point.time - since) / (now - since), point.levels[drive]) for point in _thinned(shown.course)]
    points = [*noted, Point(1, level)]
    name = t(f"heart.{drive}")
    if not noted:
        return f'<p class="quiet">{escape(t("heart.course_empty"))}</p>'
    highest = max(point.y for point in points)
    said = t("heart.course_said", drive=name, days=shown.days, level=f"{level:.2f}", highest=f"{highest:.2f}")
    threshold = shown.levels.thresholds[drive]
    chart = charts.level_chart(
        points,
        Tick(threshold, t("heart.threshold", threshold=f"{threshold:.2f}")),
        (t("heart.ago", days=shown.days), t("heart.now")),
        said,
    )
    table = table_address(persona, "drives", t, days=shown.days)
    return charts.figure(chart, t("heart.course_file", drive=name), table, t, kind="course")


def _thinned(course: Sequence[CoursePoint], most: int = 180) -> Sequence[CoursePoint]:
    """Return at most about so many points: more than a line has pixels tell nothing."""
    return course[:: -(-len(course) // most) or 1]


# Questions


def questions(found: Sequence[Question], closed: Sequence[Question], persona: str, now: datetime, t: Texts) -> str:
    """Return the open questions as a table with what one can do, and the closed ones folded."""
    heads = "".join(f'<th scope="col">{escape(t(f"heart.{key}"))}</th>' for key in ("topic", "priority", "since"))
    rows = "".join(_question(question, now, t) for question in found)
    table = (
        f'<table class="rows"><thead><tr>{heads}<th scope="col"><span class="visually-hidden">{escape(t("heart.actions"))}</span></th></tr></thead>'
        f"<tbody>{rows}</tbody></table>"
    )
    body = table if found else f'<p class="quiet">{escape(t("heart.no_questions"))}</p>'
    save = charts.table_link(table_address(persona, "questions", t), t) if found or closed else ""
    return body + _closed(closed, now, t) + save


def _question(question: Question, now: datetime, t: Texts) -> str:
    context = f"<p>{escape(question.context)}</p>" if question.context else ""
    ask = escape(t("heart.delete_ask", topic=question.topic[:_SHOWN_WORDS]))
    return (
        f'<tr><td data-label="{escape(t("heart.topic"))}"><b>{escape(question.topic)}</b>{context}</td>'
        f'<td class="pressing" data-label="{escape(t("heart.priority"))}"><span class="bar" aria-hidden="true"><i style="width:{100 * question.priority:.0f}%"></i></span>{question.priority:.2f}</td>'
        f'<td class="since" data-label="{escape(t("heart.since"))}">{escape(moment(question.created_at, now, t))}</td>'
        f'<td class="doing"><button type="button" class="small" data-action="resolve" data-question="{escape(question.id)}" '
        f'aria-label="{escape(t("heart.resolve"))}: {escape(question.topic[:_SHOWN_WORDS])}">{escape(t("heart.resolve"))}</button>'
        f'<button type="button" class="small danger" data-action="delete" data-question="{escape(question.id)}" data-ask="{ask}" '
        f'data-yes="{escape(t("heart.delete"))}" aria-label="{escape(t("heart.delete"))}: {escape(question.topic[:_SHOWN_WORDS])}">{escape(t("heart.delete"))}</button></td></tr>'
    )


def _closed(closed: Sequence[Question], now: datetime, t: Texts) -> str:
    if not closed:
        return ""
    rows = "".join(
        f"<li><b>{escape(one.topic)}</b><span>{escape(t(f'heart.closed_{one.status}'))} {escape(moment(one.closed_at, now, t))}</span>"
        f"{f'<p>{escape(one.answer)}</p>' if one.answer else ''}</li>"
        for one in closed[:SHOWN_CLOSED]
    )
    return f'<details class="fold"><summary>{escape(t("heart.closed", count=len(closed)))}</summary><ul class="plain">{rows}</ul></details>'


# The emotion curve


def feelings(
    span: Span, found: Sequence[Reading] | Sequence[Bucket], persona: str, today: date, t: Texts, *, has_older: bool
) -> str:
    """Return the curve of a span with the ways to the spans beside it."""
    name = span_name(span, today, t)
    body = _curve(span, found, persona, name, today, t) if found else _nothing_felt(t)
    beside = span.length != "all"
    buttons = [
        _step_button("earlier", t, enabled=beside and has_older),
        f'<h4 aria-live="polite">{escape(name)}</h4>',
        _step_button("later", t, enabled=beside and span.until.date() <= today),
    ]
    return f'<div class="span-head">{"".join(buttons)}</div>{body}'


def _nothing_felt(t: Texts) -> str:
    return (
        f'<div class="nothing"><p class="quiet">{escape(t("heart.no_feelings"))}</p>'
        f'<button type="button" class="small" data-action="latest">{escape(t("heart.latest_feelings"))}</button></div>'
    )


def _step_button(action: str, t: Texts, *, enabled: bool) -> str:
    off = "" if enabled else " disabled"
    label = escape(t(f"heart.{action}"))
    sign = "‹" if action == "earlier" else "›"
    return f'<button type="button" class="small step" data-action="{action}" aria-label="{label}"{off}>{sign}</button>'


def _curve(
    span: Span, found: Sequence[Reading] | Sequence[Bucket], persona: str, name: str, today: date, t: Texts
) -> str:
    points = [_point(one, span, today, t) for one in found]
    up = [Tick(1, t("heart.feeling_up")), Tick(0, t("heart.feeling_level")), Tick(-1, t("heart.feeling_down"))]
    said = t("heart.curve_said", span=name, count=len(points))
    chart = charts.point_chart(points, ticks(span, t), up, said, lowest=-1, highest=1)
    days = {"since": f"{span.since:%Y-%m-%d}", "until": f"{span.until:%Y-%m-%d}"}
    table = table_address(persona, "feelings", t, **days)
    return charts.figure(chart, t("heart.curve_file", start=f"{span.since:%Y-%m-%d}"), table, t, kind="feelings")


def _point(one: Reading | Bucket, span: Span, today: date, t: Texts) -> Point:
    if isinstance(one, Reading):
        stamp = step_name(one.time, "hour", today, t)
        label = t(
            "heart.reading_said",
            time=stamp,
            feeling=feeling_name(one.emotion, t.lang),
            value=f"{one.value:+.1f}",
            text=one.text[:_SHOWN_WORDS],
        )
        until = one.time.replace(microsecond=0) + timedelta(seconds=1)
        key = f"{one.time.isoformat()}/{until.isoformat()}/{one.message_id}"  # two may share a second
        return Point(span.at(one.time), one.value, label, key)
    middle = min(one.start + (one.end - one.start) / 2, span.until)
    label = t(
        "heart.bucket_said", time=step_name(one.start, span.step, today, t), value=f"{one.mean:+.2f}", count=one.count
    )
    return Point(max(0.0, span.at(middle)), one.mean, label, f"{one.start.isoformat()}/{one.end.isoformat()}")


def behind_point(found: Sequence[Reading], span: Span, persona: str, now: datetime, t: Texts, around: str = "") -> str:
    """Return the messages behind a point: of many the strongest, with the way into the conversation.

    Args:
        found: the readings behind the point, oldest first.
        span: the span in which the point stands.
        persona: whose readings these are.
        now: the time.
        t: the page's texts.
        around: for a single message: the message in its place, shown at once.
    """
    if not found:
        return ""
    strongest = sorted(found, key=lambda reading: -abs(reading.value))[:SHOWN_READINGS]
    shown = sorted(strongest, key=lambda reading: reading.time)
    rows = "".join(_reading(reading, persona, now, t, around) for reading in shown)
    more = len(found) - len(shown)
    note = f'<p class="quiet">{escape(t("heart.more_readings", count=more))}</p>' if more else ""
    zoom = ""
    if more and span.length != "day":
        day = f"{found[0].time:%Y-%m-%d}"
        zoom = (
            f'<button type="button" class="small" data-action="zoom" data-length="{narrower(span.step)}" data-day="{day}">'
            f"{escape(t('heart.zoom'))}</button>"
        )
    return f'<ol class="readings">{rows}</ol>{note}{zoom}'


def _reading(reading: Reading, persona: str, now: datetime, t: Texts, around: str) -> str:
    tone = "low" if reading.value < 0 else "high" if reading.value > 0 else "level"
    head = (
        f'<p class="from"><b class="{tone}">{escape(feeling_name(reading.emotion, t.lang))} {reading.value:+.1f}</b>'
        f"<time>{escape(when(reading.time, now, t))}</time></p>"
    )
    if around:
        return f"<li>{head}{around}</li>"
    if not reading.text:
        return f"<li>{head}</li>"
    quote = f"<blockquote>{escape(reading.text)}</blockquote>"
    return f"<li>{head}{quote}{place_fold(reading.message_id, persona, t)}</li>"


def place_fold(message_id: str, persona: str, t: Texts, label: str = "heart.in_place") -> str:
    """Return a fold that fetches a message with its neighbours when it is opened."""
    if not message_id:
        return ""
    address = f"{persona_address(persona)}/around/{quote(message_id, safe='')}?lang={t.lang}"
    return (
        f'<details class="fold" data-fetch="{escape(address)}"><summary>{escape(t(label))}</summary>'
        f'<div class="fetched" aria-live="polite"></div></details>'
    )


# Goals


def goals(found: Goals, persona: str, now: datetime, t: Texts) -> str:
    """Return the goals with their progress; those that have ended are folded."""
    horizons: tuple[Horizon, ...] = ("short_term", "long_term")
    active = {horizon: found.active(horizon) for horizon in horizons}
    parts = [
        f"<h4>{escape(t(f'heart.{horizon}'))}</h4><ul class='goals'>{''.join(_goal(goal, now, t) for goal in active[horizon])}</ul>"
        for horizon in horizons
        if active[horizon]
    ] or [f'<p class="quiet">{escape(t("heart.no_goals"))}</p>']
    ended = [goal for horizon in horizons for goal in found.lists[horizon] if goal.status != "active"]
    if ended:
        newest = sorted(ended, key=lambda goal: goal.updated_at, reverse=True)[:SHOWN_CLOSED]
        rows = "".join(
            f"<li><b>{escape(goal.goal)}</b><span>{escape(t(f'heart.status_{goal.status}'))} {escape(moment(goal.updated_at, now, t))}</span></li>"
            for goal in newest
        )
        title = escape(t("heart.ended_goals", count=len(ended)))
        parts.append(f'<details class="fold"><summary>{title}</summary><ul class="plain">{rows}</ul></details>')
    if ended or any(active.values()):
        parts.append(charts.table_link(table_address(persona, "goals", t), t))
    return "".join(parts)


def _goal(goal: Goal, now: datetime, t: Texts) -> str:
    notes = "".join(f"<li>{escape(note)}</li>" for note in reversed(goal.progress_notes))
    moved = moment(goal.updated_at or goal.created_at, now, t)
    progress = (
        f'<details class="fold"><summary>{escape(t("heart.progress_count", count=len(goal.progress_notes)))}</summary><ol class="steps">{notes}</ol></details>'
        if notes
        else f'<p class="quiet">{escape(t("heart.no_progress"))}</p>'
    )
    latest = f'<p class="latest">{escape(goal.progress_notes[-1])}</p>' if goal.progress_notes else ""
    values = "".join(f'<span class="value">{escape(value)}</span>' for value in goal.related_values)
    buttons = "".join(
        f'<button type="button" class="small" data-action="{action}" data-goal="{escape(goal.id)}" '
        f'aria-label="{escape(t(f"heart.{action}"))}: {escape(goal.goal[:_SHOWN_WORDS])}">{escape(t(f"heart.{action}"))}</button>'
        for action in ("complete", "abandon")
    )
    when_moved = f'<p class="quiet">{escape(t("heart.moved", time=moved))}</p>' if moved else ""
    return (
        f'<li><div class="goal-words"><b>{escape(goal.goal)}</b>{f"<p>{values}</p>" if values else ""}{latest}{when_moved}{progress}</div>'
        f'<div class="doing">{buttons}</div></li>'
    )


# The last dream


def last_dream(night: DreamNight | None, now: datetime, t: Texts) -> str:
    """Return when it last dreamt, and what changed."""
    go = f'<button type="button" class="small" data-action="dreams">{escape(t("heart.open_dreams"))}</button>'
    if night is None:
        return f'<p class="quiet">{escape(t("heart.no_dream"))}</p>{go}'
    insight = f'<p class="words">{escape(night.insight.insight)}</p>' if night.insight else ""
    counts: dict[str, int] = {}
    for change in night.changes:
        counts[change.what] = counts.get(change.what, 0) + 1
    chips = "".join(
        f'<span class="value">{escape(change_name(what, t))} {count}</span>' for what, count in counts.items()
    )
    return f'<div class="last-dream"><p><time>{escape(when(night.time, now, t))}</time> {chips}</p>{insight}{go}</div>'


def change_name(what: str, t: Texts) -> str:
    """Return what kind of memory a dream changed."""
    known = {"episode", "entity", "question", "resolution", "goal", "insight"}
    return t(f"dreams.what_{what if what in known else 'other'}")


def moment(stamp: str, now: datetime, t: Texts) -> str:
    """Return a moment as it stands in a memory; one that nobody can read as it is."""
    try:
        return when(datetime.fromisoformat(stamp), now, t)
    except ValueError:
        return stamp
