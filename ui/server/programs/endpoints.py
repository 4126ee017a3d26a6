"""The API for other programs: each method is an endpoint of its name; docstrings and annotations are what programs are told.

What comes back is plain JSON, in the shapes that the command line prints with `--json` where it has the same
(`agent/as_json.py`). `docs/api.md` describes all of it. A program runs on this computer, but nobody knows where it sends
what it gets: it is told nothing that is for this computer only.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import wait
from typing import Annotated, Any, Final

from pydantic import Field

from agent import as_json
from agent.approval import AddedTo, Waiting, ask_for_program
from agent.companion import Companion
from agent.events import Failed, Held, Replied, Speaking, ToolUsed, Unsaid
from agent.memories import Memories
from agent.retrieval import as_types, retrieve_as_turn
from agent.tools.note_tools import MAX_TEXT
from agent.turn import Turn
from managers.memory.audience import NOTES
from managers.recall.hits import Hit
from managers.storage.audit import Given
from managers.storage.errors import Lang
from ui.server.programs.listing import Kind, listed, others_of
from ui.server.programs.working import ForPrograms

Count = Annotated[int, Field(ge=1, le=500)]
Query = Annotated[str, Field(min_length=1, max_length=4_000)]
Note = Annotated[str, Field(min_length=1, max_length=MAX_TEXT, pattern=r"\S")]
_COUNTED: Final = {"episodes": "episodes", "goals": "goals", "questions": "questions"}
"""Under what memories of a kind are counted in the audit; all others as memories."""
_LOOK_SECONDS: Final = 0.2
"""How often it is looked how far a dream has come."""


class Endpoints(ForPrograms):
    """What programs may call."""

    door = "API"

    def all(self) -> Sequence[Callable[..., Any]]:
        """Return the endpoints."""
        return (
            self.personas,
            self.say,
            self.recall,
            self.search_past_conversations,
            self.search_knowledge_base,
            self.notes,
            self.add_note,
            self.memories,
            self.dream,
        )

    def personas(self) -> list[dict[str, Any]]:
        """List the personas.

        Returns:
            of each its `name`, `language` and `about`.
        """
        found = self._services.personas.list()
        return [{"name": one.name, "language": one.language, "about": one.about} for one in found]

    def say(self, persona: str, text: str) -> Iterator[dict[str, Any]]:
        """Say something to a persona, as if typed on the page; the answer streams as it is made.

        Args:
            persona: the persona's name.
            text: what is said; it is in the log, and on the page, like everything that is said.

        Returns:
            objects with an `event`: `received` with the message's id, `speaking` with the answer so far in `text`, `held`
            where the persona would write something that waits for a yes, and last `reply` with the answer, its id, the mind
            that gave it and what was recalled for it.
        """
        companion = self._services.companion(persona)
        turn = companion.say(text, for_program=True)
        self._when_begun(persona)
        for event in _told(turn, companion, self._lang()):
            if event["event"] == "reply":
                ids = tuple(one for hit in event["recalled"] for one in hit["message_ids"])
                given = Given({"messages": 1, "recalled": len(event["recalled"])}, ids=(event["message_id"], *ids))
                self._handed(companion.memories, given)
            yield event

    def recall(
        self, persona: str, query: Query, k: Count = 10, kind: str = "", as_turn: bool = False
    ) -> dict[str, Any]:
        """Search a persona's memories by meaning and by words.

        Args:
            persona: the persona's name.
            query: a question or some words.
            k: how many results at most.
            kind: only memories of this type, such as `current_log` or `diary`; empty for all.
            as_turn: what a turn would hand to its prompt, if it recalls at all; then `k` and `kind` do not matter.

        Returns:
            the `query`, `elapsed_ms` and the `results`, best first.
        """
        memories = self._memories(persona)
        memories.recall.keep_up()
        if as_turn:
            return self._searched(memories, query, lambda: retrieve_as_turn(memories, query, leaves=True))
        types = as_types(kind or None)
        return self._searched(memories, query, lambda: memories.recall.search(query, k, types=types))

    def search_past_conversations(self, persona: str, query: Query) -> dict[str, Any]:
        """Find messages that contain exactly these words: the two newest and the two oldest.

        Args:
            persona: the persona's name.
            query: the words as they were said.

        Returns:
            as `recall` does.
        """
        memories = self._memories(persona)
        return self._searched(
            memories, query, lambda: memories.recall.search_past_conversations(query, with_recent=True)
        )

    def search_knowledge_base(self, persona: str, query: Query) -> dict[str, Any]:
        """Search the documents that the user gave a persona to read.

        Args:
            persona: the persona's name.
            query: a question or some words.

        Returns:
            as `recall` does.
        """
        memories = self._memories(persona)
        return self._searched(memories, query, lambda: memories.recall.search_knowledge_base(query))

    def notes(self, persona: str) -> dict[str, str]:
        """Read what a persona keeps before its eyes.

        Args:
            persona: the persona's name.

        Returns:
            the texts `core_memory` and `notepad`; empty where one is for this computer only.
        """
        memories = self._memories(persona)
        kept = memories.audiences.kept()
        found: dict[str, str] = {
            note: "" if kept.holds_file(path) else memories.notes.read(note).text for note, path in NOTES.items()
        }
        self._handed(memories, Given({note: len(text.splitlines()) for note, text in found.items()}))
        return found

    def add_note(self, persona: str, text: Note, note: AddedTo = "notepad") -> dict[str, Any]:
        """Ask to add something to a note. Nothing is written before the user says yes on the page.

        Args:
            persona: the persona's name.
            text: what is to stand at the note's end.
            note: `notepad` or `core_memory`.

        Returns:
            what waits, as `held --json` prints it: its `id`, the `diff`, and `until` when it waits.
        """
        memories = self._memories(persona)
        wish = ask_for_program(memories, note, text)
        self._when_begun(persona)
        return _waiting(memories, wish)

    def memories(
        self, persona: str, kind: Kind, limit: Count = 50, offset: Annotated[int, Field(ge=0)] = 0
    ) -> dict[str, Any]:
        """List a persona's memories of one kind.

        Episodes and insights come the newest first, entities by name, goals and questions in the order of their files.

        Args:
            persona: the persona's name.
            kind: `episodes`, `entities`, `insights`, `goals` or `questions`.
            limit: how many at most.
            offset: how many to leave out before.

        Returns:
            the `kind`, how many there are in `total`, and the `items` with the fields that their files have.
        """
        memories = self._memories(persona)
        total, items = listed(memories, kind, slice(offset, offset + limit))
        days = tuple(item["date"] for item in items if kind == "episodes")
        self._handed(memories, Given({_COUNTED.get(kind, "memories"): len(items)}, days=days))
        return {"kind": kind, "total": total, "items": items}

    def dream(self, persona: str) -> Iterator[dict[str, Any]]:
        """Let a persona dream now; progress streams, then what it dreamt. A dream goes on when nobody listens.

        Args:
            persona: the persona's name.

        Returns:
            objects with an `event`: `dreaming` with the days that are `done` of all `days`, and last `dreamt` with what
            `dream --json` prints.
        """
        memories = self._memories(persona)  # whoever is not there cannot dream
        sleep = self._services.sleep
        dreaming, before = sleep.dream_now(persona), sleep.status(persona)
        self._when_begun(persona)
        while wait([dreaming], _LOOK_SECONDS).not_done:
            now = sleep.status(persona)
            if (now.days_done, now.days) != (before.days_done, before.days):
                yield {"event": "dreaming", "done": now.days_done, "days": now.days}
                before = now
        ended = sleep.status(persona)
        if ended.error is not None:
            raise ended.error
        kept = memories.audiences.kept()
        report = others_of(kept, ended.report) if ended.report else None
        self._handed(memories, Given({"memories": len(report.changes) if report else 0}))
        yield {"event": "dreamt"} | (report.plain() if report else {})

    def _memories(self, persona: str) -> Memories:
        return self._services.companion(persona).memories

    def _searched(self, memories: Memories, query: str, search: Callable[[], Sequence[Hit]]) -> dict[str, Any]:
        started = time.perf_counter()
        hits = self._found(memories, search())
        return as_json.search(query, hits, 1000 * (time.perf_counter() - started))


def _told(turn: Turn, companion: Companion, lang: Lang) -> Iterator[dict[str, Any]]:
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
                    yield from (_waiting(companion.memories, wish) for wish in wishes)
                case _:
                    if (shape := as_json.event(event, lang)) is not None:
                        yield shape
                    if isinstance(event, Replied):  # it holds all that was said
                        sent = speaking
        if speaking != sent:
            yield {"event": "speaking", "text": speaking}
            sent = speaking


def _waiting(memories: Memories, wish: Waiting) -> dict[str, Any]:
    """Return what `held --json` prints of a wish, without the difference where what stands around it is kept."""
    shown, kept = as_json.held(wish, memories.paths.name), memories.audiences.kept()
    is_open = not kept or (shown["path"] in NOTES.values() and not kept.holds_file(shown["path"]))
    return shown if is_open else {**shown, "diff": None}
