"""The shelf of what was forgotten: out of search and prompts, kept by the history, to be brought back."""

from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Final

from fastapi import APIRouter
from fastapi.responses import Response

from agent.forgetting import remember_again
from managers.memory.forgotten import forgotten_entries, forgotten_words
from managers.memory.messages import Message
from managers.storage.history.diff import FileDiff
from managers.storage.history.entries import Entry
from ui.components.readable import name_of, records_in
from ui.rooms.history.routes import take_back
from ui.rooms.memories.shelves import day_of, show
from ui.server.visit import PersonaVisit, With

LOOKED_AT: Final = 1000
"""How many changes back forgotten memories are looked for; older ones are still in the history."""
_SHELF: Final = "forgotten"
_ENTITIES, _EPISODES = "entity_memory/", "episodic_memory/"

router = APIRouter(prefix="/p/{persona}/memories/forgotten")


@router.get("")
def shelf(visit: With) -> Response:
    """Show what was forgotten, newest first."""
    memories = visit.memories
    words = forgotten_words(memories.log)
    of_words = {message.id for one in words for message in one.messages}
    entries = forgotten_entries(memories.history, memories.paths.folder, LOOKED_AT)
    left = [entry for entry in entries if not (entry.evidence and of_words.issuperset(entry.evidence))]
    return show(
        visit,
        "memories/forgotten.html",
        _SHELF,
        words=[(one, spoken(one.messages)) for one in words],
        left=[(entry, _names(visit, entry)) for entry in left],
        table=visit.at("tables/forgotten.csv"),
    )


@router.post("/words/{wish}")
def remember(visit: With, wish: str) -> Response:
    """Bring back the words that one wish took away, and what had been made of them."""
    remember_again(visit.memories, wish)
    visit.memories.recall.keep_up()
    return visit.lead(visit.at("memories/forgotten"), visit.t("memories.was_restored"))


@router.post("/{entry}")
def restore(visit: With, entry: str) -> Response:
    """Bring back the memories that one change took away."""
    return take_back(visit, entry, "undo", back=visit.at("memories/forgotten"), done=visit.t("memories.was_restored"))


def spoken(messages: Sequence[Message]) -> list[Message]:
    """Leave out what the program wrote between the words, such as announcements of tools."""
    return [message for message in messages if message.role != "system"]


def _names(visit: PersonaVisit, entry: Entry) -> str:
    """Return what was forgotten as people know it: a name, a day, the words of a goal."""
    found = [name for diff in visit.memories.history.diff(entry.id) for name in _named(visit, diff)]
    return visit.t("map.comma").join(found or [path.rpartition("/")[2] for path in entry.files])


def _named(visit: PersonaVisit, diff: FileDiff) -> list[str]:
    stem = PurePosixPath(diff.path).stem
    if diff.path.startswith(_ENTITIES):
        return [stem]
    if diff.path.startswith(_EPISODES):
        return [day_of(stem, visit)]
    before, kept = records_in(diff.before), records_in(diff.after)
    return [name_of(record) for key, record in before.items() if key not in kept and name_of(record)]
