"""The emotion curve as it is shown: a span with the ways to those beside it, and the words behind a point."""

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any, Final

from managers.memory.emotion_curve import Bucket, EmotionCurve, Reading
from managers.memory.emotion_names import feeling_name
from ui.components.charts import Point, Tick, point_chart
from ui.components.times import when
from ui.rooms.around.view import around_of
from ui.rooms.heart.look import Look
from ui.rooms.heart.spans import Span, narrower, shifted, span_name, span_of, step_name, ticks

MOST_POINTS: Final = 150
"""Up to so many readings are shown as they are; more as averages."""
SHOWN_READINGS: Final = 12
_SHOWN_WORDS: Final = 60
_PLAIN: Final = 0.15
"""An average nearer to nought than this leans neither way."""
_BETWEEN: Final = "_"


def feelings(look: Look) -> dict[str, Any]:
    """Return the span of the curve that is looked at, with the addresses of other spans; empty where nothing is to be seen."""
    visit, t = look.visit, look.visit.t
    curve, today = _curve(look), visit.now.date()
    first = curve.first()
    span = span_of(look.span, look.day, first, visit.now)
    found = _found(curve, span)
    name = span_name(span, today, t)
    up = [Tick(1, t("heart.feeling_up")), Tick(0, t("heart.feeling_level")), Tick(-1, t("heart.feeling_down"))]
    points = [_point(one, span, look) for one in found]
    is_open = look.span != "all"
    has_older = is_open and first is not None and first < span.since
    has_newer = is_open and span.until.date() <= today
    return {
        "name": name,
        "since": f"{span.since:%Y-%m-%d}",
        "pictures": point_chart(points, ticks(span, t), up, lowest=-1, highest=1) if points else (),
        "said": t("heart.curve_said", span=name, count=len(points)),
        "table": visit.at("tables/feelings.csv", since=span.since.date(), until=span.until.date()),
        "earlier": look.to("feelings", day=shifted(span, -1), point="") if has_older else "",
        "later": look.to("feelings", day=shifted(span, 1), point="") if has_newer else "",
        "latest": "" if points else _latest(look),
    }


def behind(look: Look) -> dict[str, Any] | None:
    """Return the readings behind the point that is open, oldest first; None where none is, or nothing stands there.

    `more` are left out, and `zoom` is where all of them are points.
    """
    found = _at(look)
    if not found:
        return None
    strongest = sorted(found, key=lambda reading: -abs(reading.value))[:SHOWN_READINGS]
    shown = sorted(strongest, key=lambda reading: reading.time)
    taken_back = {one for one, text in look.visit.memories.log.corrections().items() if text is None}
    more = len(found) - len(shown)
    zoom = ""
    if more and look.span != "day":
        span = span_of(look.span, look.day, _curve(look).first(), look.visit.now)
        zoom = look.to("feelings", span=narrower(span.step), day=found[0].time.date(), point="")
    heard = [_heard(one, look, taken_back, is_alone=len(found) == 1) for one in shown]
    return {"heard": heard, "more": more, "zoom": zoom}


def _curve(look: Look) -> EmotionCurve:
    return EmotionCurve(look.visit.memories.paths, look.visit.services.clock)


def _found(curve: EmotionCurve, span: Span) -> Sequence[Reading] | Sequence[Bucket]:
    if span.length in {"day", "week"}:
        readings = list(curve.readings(span.since, span.until))
        if len(readings) <= MOST_POINTS:
            return readings
    return curve.buckets(span.since, span.until, span.step)


def _latest(look: Look) -> str:
    recent = look.visit.memories.emotions.recent()
    return look.to("feelings", day=recent[0].timestamp.date(), point="") if recent else ""


def _point(one: Reading | Bucket, span: Span, look: Look) -> Point:
    t, today = look.visit.t, look.visit.now.date()
    if isinstance(one, Reading):
        key = _key(one)
        said = {"time": step_name(one.time, "hour", today, t), "feeling": _feeling(one, look)}
        label = t("heart.reading_said", **said, text=one.text[:_SHOWN_WORDS])
        x, y = span.at(one.time), one.value
    else:
        key = _BETWEEN.join([one.start.isoformat(), one.end.isoformat()])
        said = {"time": step_name(one.start, span.step, today, t), "feeling": _mean(one.mean, look)}
        label = t("heart.bucket_said", **said, count=one.count)
        x, y = max(0.0, span.at(min(one.start + (one.end - one.start) / 2, span.until))), one.mean
    return Point(x, y, label, look.to("behind", point=key), is_chosen=key == look.point)


def _key(one: Reading) -> str:
    until = one.time.replace(microsecond=0) + timedelta(seconds=1)  # two may share a second: the message tells which
    return _BETWEEN.join([one.time.isoformat(), until.isoformat(), one.message_id])


def _at(look: Look) -> list[Reading]:
    """Return the readings behind the point that is open, oldest first."""
    since, until, message_id = [*look.point.split(_BETWEEN, 2), "", ""][:3]
    with suppress(ValueError, OverflowError):  # an address that somebody wrote by hand
        found = _curve(look).readings(datetime.fromisoformat(since), datetime.fromisoformat(until))
        return [one for one in found if message_id in {"", one.message_id}]
    return []


def _heard(one: Reading, look: Look, taken_back: set[str], *, is_alone: bool) -> dict[str, Any]:
    """Return a reading; without its words where those were taken back, with the talk around it where it stands alone."""
    text = "" if one.message_id in taken_back else one.text  # felt it was; the words are gone
    around = around_of(look.visit, one.message_id) if is_alone and text and one.message_id else None
    return {
        "key": _key(one),
        "tone": "low" if one.value < 0 else "high" if one.value > 0 else "level",
        "feeling": _feeling(one, look),
        "when": when(one.time, look.visit.now, look.visit.t),
        "text": text,
        "message_id": "" if one.message_id in taken_back else one.message_id,
        "around": around if around and around.said else None,
    }


def _feeling(one: Reading, look: Look) -> str:
    name = feeling_name(one.emotion, look.visit.lang)
    return f"{name} {one.value:+.1f}" if look.figures else name


def _mean(mean: float, look: Look) -> str:
    name = look.visit.t(f"heart.mean_{'down' if mean < -_PLAIN else 'up' if mean > _PLAIN else 'level'}")
    return f"{name} {mean:+.2f}" if look.figures else name
