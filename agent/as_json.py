"""What commands print with `--json` and programs are given: stable shapes, people script them."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from agent.approval import Waiting, how_to_decide
from agent.events import Failed, Received, Replied, TurnEvent
from managers.recall.hits import Hit
from managers.storage.audit import Event
from managers.storage.errors import Lang
from managers.storage.history.entries import Entry
from managers.storage.printable import escaped


def line(value: Mapping[str, Any]) -> str:
    """Return one object on one line: UTF-8 as it is, but what a terminal would obey is escaped."""
    return escaped(json.dumps(value, ensure_ascii=False))


def event_of_audit(event: Event) -> dict[str, Any]:
    """Return one line of a persona's audit."""
    given, to = event.given, event.to
    return {
        "time": event.time.isoformat(timespec="seconds"),
        "id": event.id,
        "kind": event.kind,
        "to": "this computer" if to.is_here else {"service": to.service, "host": to.host, "model": to.model},
        "purpose": event.purpose,
        "counts": given.counts,
        "days": list(given.days),
        "message_ids": list(given.ids),
        "more_ids": event.more_ids,
        "masked": given.is_masked,
        "missed": event.missed,
    }


def hit(found: Hit, rank: int) -> dict[str, Any]:
    """Return one result of a search."""
    return {
        "rank": rank,
        "text": found.text,
        "type": found.type,
        "_source": found.source,
        "path": found.path,
        "date": f"{found.time:%Y-%m-%d}" if found.time else None,
        "message_ids": list(found.message_ids),
        "score": round(found.score, 4),
        **(asdict(found.piece) if found.piece else {}),
        **({"origin": found.origin} if found.origin else {}),
    }


def search(query: str, hits: Sequence[Hit], elapsed_ms: float) -> dict[str, Any]:
    """Return one query with its results."""
    return {
        "query": query,
        "elapsed_ms": round(elapsed_ms, 2),
        "results": [hit(found, rank) for rank, found in enumerate(hits, 1)],
    }


def history_entry(entry: Entry) -> dict[str, Any]:
    """Return one entry of the history."""
    return {
        "id": entry.id,
        "time": f"{entry.time:%Y-%m-%dT%H:%M:%S}",
        "author": entry.author,
        "reason": entry.reason,
        "mind": entry.mind,
        "kind": entry.kind,
        "target": entry.target,
        "part": entry.part,
        "files": list(entry.files),
        "records": list(entry.records),
        "evidence": list(entry.evidence),
        "undone_by": entry.undone_by,
    }


def held(wish: Waiting, persona: str) -> dict[str, Any]:
    """Return what waits for a person's yes, and how to give it."""
    return {
        "event": "held",
        "id": wish.held.id,
        "message_id": wish.held.message_id,
        "tool": wish.held.tool,
        "documents": list(wish.documents),
        "path": wish.look.path if wish.look else None,
        "diff": wish.look.diff if wish.look else None,
        "until": f"{wish.held.expires:%Y-%m-%dT%H:%M:%S}",
        "decide": how_to_decide(wish, persona),
    }


def event_of_group(happened: TurnEvent, speaker: str, lang: Lang) -> dict[str, Any] | None:
    """Return what `group --json` prints for an event: the same, with its topic, or its speaker where a persona speaks."""
    shape = event(happened, lang)
    if isinstance(happened, Received):
        return shape and {**shape, "thread_id": happened.message.thread}
    return shape and ({**shape, "speaker": speaker} if speaker else shape)


def event(happened: TurnEvent, lang: Lang) -> dict[str, Any] | None:
    """Return what `chat --json` prints for an event, None for what it keeps to itself."""
    match happened:
        case Received(message):
            return {"event": "received", "message_id": message.id}
        case Replied(message, recalled, elapsed_ms):
            return {
                "event": "reply",
                "message_id": message.id,
                "text": message.text,
                "mind": message.mind,
                "broken_off": message.broken_off,
                "stopped": message.stopped,
                "recalled": [hit(found, rank) for rank, found in enumerate(recalled, 1)],
                "elapsed_ms": round(elapsed_ms, 2),
            }
        case Failed(error):
            return {"event": "failed", "error": type(error).__name__, "sentence": error.sentence(lang)}
        case _:
            return None
