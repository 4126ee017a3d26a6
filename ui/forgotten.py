"""The shelf of what was forgotten: out of search and prompts, kept by the history, to be brought back."""

from __future__ import annotations

from html import escape
from pathlib import PurePosixPath

from managers.memory.forgotten import forgotten
from managers.memory.words_forgotten import Forgotten, forgotten_words
from managers.storage.history.diff import FileDiff
from managers.storage.history.entries import Entry
from ui.presenters import persona_address
from ui.readable import name_of, records_in
from ui.shelves import Shelf, View, button, day_of, empty, saving
from ui.times import when

_ENTITIES, _EPISODES = "entity_memory/", "episodic_memory/"
LOOKED_AT = 1000
"""How many changes back forgotten memories are looked for; older ones are still in the history."""


def show(view: View) -> str:
    """Return what was forgotten, newest first."""
    memories, t = view.memories, view.t
    left = forgotten(memories.history, memories.paths.folder, LOOKED_AT)
    words = forgotten_words(memories.log)
    with_words = {message.id for one in words for message in one.messages}
    left = [entry for entry in left if not (entry.evidence and with_words.issuperset(entry.evidence))]
    if not left and not words:
        return empty(t("memories.forgotten_empty"))
    rows = "".join(_words_row(one, view) for one in words)
    rows += "".join(
        f'<li><details data-fetch="{escape(f"{persona_address(view.persona)}/history/{entry.id}?lang={t.lang}")}">'
        f"<summary><time>{escape(when(entry.time, view.now, t))}</time>"
        f"<b>{escape(_names(entry, view))}</b></summary>"
        f'<div class="fetched"></div></details>{button(t("memories.bring_back"), "restore", entry=entry.id)}</li>'
        for entry in left
    )
    return f'<ol class="history">{rows}</ol>{saving(view, "forgotten")}'


def _names(entry: Entry, view: View) -> str:
    """Return what was forgotten as people know it: a name, a day, the words of a goal."""
    found = [name for diff in view.memories.history.diff(entry.id) for name in _named(diff, view)]
    return (", " if view.t.lang == "en" else "、").join(found or [path.rpartition("/")[2] for path in entry.files])


def _named(diff: FileDiff, view: View) -> list[str]:
    name = PurePosixPath(diff.path)
    if diff.path.startswith(_ENTITIES):
        return [name.stem]
    if diff.path.startswith(_EPISODES):
        return [day_of(name.stem, view)]
    kept = {record["id"] for record in records_in(diff.after)}
    return [name_of(record) for record in records_in(diff.before) if record["id"] not in kept and name_of(record)]


def _words_row(one: Forgotten, view: View) -> str:
    """Return the words that were forgotten for one wish: how many, folded, with the way back."""
    t = view.t
    said = "".join(f"<p><b>{escape(message.speaker)}</b> {escape(message.text)}</p>" for message in one.messages)
    count = t("memories.forgotten_words", count=len(one.messages), time=f"{one.messages[0].time:%H:%M}")
    return (
        f"<li><details><summary><time>{escape(when(one.time, view.now, t))}</time><b>{escape(count)}</b></summary>"
        f'<div class="fetched words">{said}</div></details>{button(t("memories.bring_back"), "remember", item=one.id)}</li>'
    )


SHELF = Shelf(show)
