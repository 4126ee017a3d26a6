"""What a room dreamt, wants and feels: episodes, insights, goals, open questions, inner state, emotions."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from math import isfinite, nan
from typing import Any, Final

from managers.exchange.items import FoundMemory
from managers.exchange.readers.moments import read_moment
from managers.exchange.readers.nexus_ark.room_dates import day_in, moment_in_name
from managers.exchange.readers.nexus_ark.room_folder import OLD, RoomFolder, text_of
from managers.memory.json_documents import TIME
from managers.storage.clock import local

_EPISODES: Final = rf"(?:memory/)?(?:episodic_memory|episodic_memory/[^/]+|episodic/[^/]+)\.json{OLD}"
_INSIGHTS: Final = rf"(?:memory/)?(?:insights|dreaming/[^/]+)\.json{OLD}"
_SPECIAL: Final = frozenset(
    {
        "achievement",
        "bonding",
        "bonding_event",
        "curiosity_resolved",
        "discovery",
        "goal_achievement",
        "persona_emotion_change",
    }
)
"""Kinds of episodes that tell of one moment and not of the day."""
_NO_SUMMARY: Final = re.compile(
    r"[(\uff08].*(?:要約できませんでした|ありませんでした|要約に失敗).*[)\uff09]", re.DOTALL
)
_AROUSAL: Final = ("arousal", "arousal_avg")
"""How stirring a day was, or a week."""
_SPAN: Final = re.compile(r"[~～〜]")  # what stands around it is left out by `day_in`
_EMOTIONS: Final[Mapping[str, str]] = {
    "sad": "sadness",
    "angry": "anger",
    "afraid": "fear",
    "scared": "fear",
    "surprised": "surprise",
    "stress": "stressed",
    "anxiety": "anxious",
    "joyful": "joy",
    "unknown": "neutral",
}
"""What its later versions call what the house has another word for."""
_ENDED: Final[Mapping[str, str]] = {"completed": "completed", "abandoned": "abandoned"}
_REFLECTED: Final = ("last_level2_date", "last_level3_date")
_LEAST_URGENT: Final = 9


@dataclass(frozen=True, slots=True)
class OwnFeeling:
    """What the persona felt at a moment, by the room's emotion log."""

    time: datetime
    name: str
    intensity: str
    place: str


def episodes(room: RoomFolder) -> Iterator[FoundMemory]:
    """Yield one episode for each day and each span, whatever number of entries tells of it."""
    days: dict[str, list[tuple[dict[str, Any], str]]] = {}
    for path in room.matching(_EPISODES):
        for entry in room.values(path):
            summary = text_of(entry.get("summary"))
            if _NO_SUMMARY.fullmatch(summary) or not (summary or entry.get("key_events")):
                room.leave("no-summary", path)
            elif not (day := _day(entry, path)):
                room.leave("no-day", path)
            elif not any(_is_same(entry, path, *other) for other in days.setdefault(day, [])):
                days[day].append((entry, path))
            else:
                room.leave("repeated-memory", path)
    for day in sorted(days):
        yield _episode(day, [entry for entry, _ in days[day]], days[day][0][1])


def _is_same(entry: Mapping[str, Any], path: str, other: Mapping[str, Any], other_path: str) -> bool:
    """Tell whether two entries are one, said in the same words, or under the same id in another file."""
    if text_of(entry.get("summary")) == text_of(other.get("summary")):
        return True
    return path != other_path and bool(entry.get("id")) and entry.get("id") == other.get("id")


def _day(entry: Mapping[str, Any], path: str) -> str:
    parts = [day_in(part) for part in _SPAN.split(text_of(entry.get("date")), maxsplit=1)]
    if len(parts) == 2 and all(parts):  # noqa: PLR2004  # from, to
        first, last = sorted(parts)
        return f"{first}~{last}" if first != last else first
    if parts[0]:
        return parts[0]
    return day_in(path.rpartition("/")[2]) or day_in(text_of(entry.get("created_at")))


def _episode(day: str, entries: list[dict[str, Any]], place: str) -> FoundMemory:
    entries = sorted(entries, key=_moment_of)
    whole = [one for one in entries if one.get("type") not in _SPECIAL]
    moments = [one for one in entries if one.get("type") in _SPECIAL]
    events = [event for one in whole for event in _texts(one.get("key_events"))]
    if whole:
        events += [text_of(one.get("summary")) for one in moments]
    tones = [text_of(one.get("emotional_tone")) for one in entries if one.get("emotional_tone")]
    fields: dict[str, Any] = {
        "summary": "\n\n".join(filter(None, (text_of(one.get("summary")) for one in whole or moments))),
        "key_events": list(dict.fromkeys(events)),
        "emotional_tone": tones[0] if tones else "neutral",
        "source_ids": [told for one in entries if (told := text_of(one.get("id")))],
    }
    if stirring := [value for one in entries for name in _AROUSAL if (value := _number(one.get(name))) is not None]:
        fields["arousal"] = max(stirring)
    return FoundMemory("episode", day=day, fields=fields, place=place)


def _moment_of(entry: Mapping[str, Any]) -> tuple[str, str]:
    """Return by what the entries of a day follow one another: when their session was, or when they were written."""
    hour, colon, rest = text_of(entry.get("time")).partition(":")
    return f"{hour:0>2}{colon}{rest}" if colon else "", text_of(entry.get("created_at"))


def insights(room: RoomFolder) -> Iterator[FoundMemory]:
    """Yield what was dreamt, oldest first."""
    found: dict[tuple[str, str, str], tuple[datetime | None, dict[str, str], str]] = {}
    for path in room.matching(_INSIGHTS):
        for entry in room.values(path):
            fields = {key: text_of(entry.get(key)) for key in ("trigger_topic", "insight", "strategy", "log_entry")}
            told = text_of(entry.get("created_at"))
            key = told, fields["insight"], fields["strategy"]
            if key in found:
                room.leave("repeated-memory", path)
            elif not any(fields.values()):
                room.leave("odd-entry", path)
            else:
                fields["insight"] = fields["insight"] or fields["log_entry"]
                found[key] = read_moment(told) or moment_in_name(path.rpartition("/")[2]), fields, path
    for time, fields, path in sorted(found.values(), key=lambda one: f"{one[0]}"):
        yield FoundMemory("insight", time=time, fields=fields, place=path)


def goals(room: RoomFolder) -> Iterator[FoundMemory]:
    """Yield the goals: those that are pursued, and those that have ended, the latest first."""
    for path in room.matching(r"(?:memory/)?goals\.json"):
        for value in room.values(path):
            found: list[FoundMemory] = []
            for name, entries in value.items():
                if isinstance(entries, list):
                    held = [one for one in entries if isinstance(one, dict) and text_of(one.get("goal"))]
                    found += [_goal(name, one, path) for one in held]
                    if len(held) < len(entries):
                        room.leave("odd-entry", path, len(entries) - len(held))
                elif name == "meta" and isinstance(entries, dict):
                    yield from _reflections(entries, path)
                else:
                    room.leave("odd-entry", path)
            ended = [one for one in found if one.fields["status"] in _ENDED]
            yield from (one for one in found if one.fields["status"] not in _ENDED)
            yield from sorted(ended, key=lambda one: str(one.fields["updated_at"]), reverse=True)


def _goal(name: str, entry: Mapping[str, Any], place: str) -> FoundMemory:
    horizon = "long_term" if name == "long_term" or text_of(entry.get("id")).startswith("lo") else "short_term"
    status = _ENDED.get(name) or text_of(entry.get("status"))
    fields: dict[str, Any] = {
        "id": text_of(entry.get("id")),
        "goal": text_of(entry.get("goal")),
        "status": status if status in _ENDED else "active",
        "progress_notes": _texts(entry.get("progress_notes")),
        "related_values": _texts(entry.get("related_values")),
        "created_at": text_of(entry.get("created_at")),
        "updated_at": _first(entry, "completed_at", "abandoned_at", "updated_at"),
        "reason": _first(entry, "completion_note", "abandon_reason", "reason"),
    }
    if (priority := _number(entry.get("priority"))) is not None:
        fields["priority"] = int(min(max(priority, 1), _LEAST_URGENT))
    return FoundMemory("goal", name=horizon, fields=fields, place=place)


def _reflections(meta: Mapping[str, Any], place: str) -> Iterator[FoundMemory]:
    fields: dict[str, Any] = {name: day for name in _REFLECTED if (day := day_in(text_of(meta.get(name))))}
    if level := _number(meta.get("last_reflection_level")):
        fields["last_reflection_level"] = int(min(max(level, 0), 3))
    if fields:
        yield FoundMemory("reflections", fields=fields, place=place)


def inner_state(room: RoomFolder) -> Iterator[FoundMemory]:
    """Yield what moved the persona, and what it wondered about."""
    for path in room.matching(r"(?:memory/)?internal_state\.json"):
        for value in room.values(path):
            drives = value.get("drives")
            curious = drives.get("curiosity") if isinstance(drives, dict) else None
            if isinstance(curious, dict):
                yield from _questions(room, curious, path)
            if isinstance(drives, dict):
                yield FoundMemory("inner_state", fields=_state(value, drives), place=path)


def purpose(room: RoomFolder) -> Iterator[FoundMemory]:
    """Yield what later versions note of what a persona lives for: its questions, its values and interests."""
    for path in room.matching(r"memory/purpose_profile\.json"):
        for value in room.values(path):
            yield from _questions(room, value, path)
            told = [(name, _texts(value.get(name))) for name in ("core_values", "stable_interests", "active_interests")]
            parts = [f"### {name}\n" + "\n".join(f"- {one}" for one in held) for name, held in told if held]
            if parts:
                yield FoundMemory("core_memory", text="\n\n".join(["## Purpose Profile", *parts]), place=path)
            room.leave("no-counterpart", path)


def _questions(room: RoomFolder, told: Mapping[str, Any], place: str) -> Iterator[FoundMemory]:
    asked = told.get("open_questions")
    for entry in asked if isinstance(asked, list) else ():
        one = entry if isinstance(entry, dict) else {"topic": entry}
        if topic := _first(one, "topic", "question"):
            yield _question(topic, one, place)
        else:
            room.leave("odd-entry", place)


def _question(topic: str, entry: Mapping[str, Any], place: str) -> FoundMemory:
    state = _first(entry, "resolution_state", "status").lower()
    answers = [_first(entry, "answer_summary", "answer"), text_of(entry.get("learned_insight"))]
    fields = {
        "topic": topic,
        "context": "\n".join(filter(None, [text_of(entry.get("context")), *_texts(entry.get("progress_notes"))])),
        "answered": bool(entry.get("resolved_at")) or state in {"resolved", "answered"},
        "answer": "\n".join(dict.fromkeys(filter(None, answers))),
        "asked": _stamped(entry.get("asked_at")),
        "closed_at": _stamped(entry.get("resolved_at")),
    }
    if (priority := _number(entry.get("priority"))) is not None:
        fields["priority"] = min(max(priority, 0.0), 1.0)
    time = read_moment(_first(entry, "source_date", "created_at", "added_at", "timestamp", "asked_at"))
    return FoundMemory("question", time=time, fields=fields, place=place)


def _state(value: Mapping[str, Any], drives: Mapping[str, Any]) -> dict[str, Any]:
    """Return the state without what says nothing, and without the questions, which stand for themselves."""
    told = {name: _told(drive) for name, drive in drives.items() if isinstance(drive, dict)}
    told.get("curiosity", {}).pop("open_questions", None)
    if (felt := told.get("devotion", {}).get("user_emotional_state")) is not None:
        told["devotion"]["user_emotional_state"] = _EMOTIONS.get(str(felt), str(felt))
    for drive in told.values():
        for name in ("last_interaction", "updated_at"):
            if name in drive and read_moment(drive[name]) is None:
                del drive[name]
    log = value.get("motivation_log")
    return {"drives": told, "motivation_log": _told(log) if isinstance(log, dict) else {}}


def _told(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: one for name, one in values.items() if one is not None}


def emotions(room: RoomFolder) -> tuple[list[FoundMemory], list[OwnFeeling]]:
    """Return what the user felt, oldest first, and what the persona felt itself."""
    felt: list[FoundMemory] = []
    own: list[OwnFeeling] = []
    for path in room.matching(r"(?:memory/)?emotion_log\.json"):
        for entry in room.values(path):
            time = read_moment(entry.get("timestamp"))
            if time is None:
                room.leave("no-day", path)
            elif entry.get("type") == "persona" or ("category" in entry and "emotion" not in entry):
                own.append(
                    OwnFeeling(local(time), _first(entry, "category", "emotion"), text_of(entry.get("intensity")), path)
                )
            else:
                name = text_of(entry.get("emotion")).lower() or "neutral"
                words = _first(entry, "user_text_snippet", "text")
                felt.append(FoundMemory("emotion", name=_EMOTIONS.get(name, name), time=time, text=words, place=path))
    felt.reverse()
    return felt, sorted(own, key=lambda one: one.time)


def _stamped(value: object) -> str:
    """Return a time as the house writes it; empty where it is none."""
    moment = read_moment(value)
    return local(moment).strftime(TIME) if moment else ""


def _first(entry: Mapping[str, Any], *names: str) -> str:
    return next((text for name in names if (text := text_of(entry.get(name)))), "")


def _number(value: object) -> float | None:
    try:
        number = float(value) if isinstance(value, int | float) else nan
    except OverflowError:
        return None
    return number if isfinite(number) else None


def _texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [value] if value.strip() else []
    if not isinstance(value, list):
        return []
    return [
        text
        for one in value
        if (text := _first(one, "event", "note", "text", "summary", "topic") if isinstance(one, dict) else text_of(one))
    ]
