"""A turn as another program is told it while it happens."""

from collections.abc import Iterator
from typing import Any

from agent import as_json
from agent.approval import Waiting
from agent.companion import Companion
from agent.events import Failed, Held, Replied, Speaking, ToolUsed, Unsaid
from agent.memories import Memories
from agent.turn import Turn
from managers.memory.audience import NOTES
from managers.storage.errors import Lang


def told(turn: Turn, companion: Companion, lang: Lang) -> Iterator[dict[str, Any]]:
    """Yield what `chat --json` prints of a turn, and between it the answer so far, whenever it has grown.

    Args:
        turn: as it happens; it goes on when nobody asks for more.
        companion: whose turn it is.
        lang: the language of sentences.

    Raises:
        UtataneError: what the turn failed of; what was said until then has been yielded.
    """
    speaking = sent = ""
    for batch in turn.batches():
        for event in batch:
            match event:
                case Failed(error):
                    raise error
                case Speaking(text):
                    speaking += text
                case ToolUsed() | Unsaid():  # what was said before it is no part of the answer
                    speaking = ""
                case Held(held):
                    wishes = (wish for wish in companion.waiting() if wish.held.id == held)
                    yield from (waiting(companion.memories, wish) for wish in wishes)
                case _:
                    if (shape := as_json.event(event, lang)) is not None:
                        yield shape
                    if isinstance(event, Replied):  # it holds all that was said
                        sent = speaking
        if speaking != sent:
            yield {"event": "speaking", "text": speaking}
            sent = speaking


def waiting(memories: Memories, wish: Waiting) -> dict[str, Any]:
    """Return what `held --json` prints of a wish, without the difference where what stands around it is kept."""
    shown, kept = as_json.held(wish, memories.paths.name), memories.audiences.kept()
    is_open = not kept or (shown["path"] in NOTES.values() and not kept.holds_file(shown["path"]))
    return shown if is_open else {**shown, "diff": None}
