"""The notes room: core memory and notepad, edited safely, with their history."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from html import escape
from typing import Any

import gradio as gr

from agent.memories import Memories
from agent.services import Services
from managers.memory.notes import Note, NoteKind
from managers.storage.errors import ExternallyChangedError
from managers.storage.history.parts import file_part
from ui.charts import table_link
from ui.csv_files import table_address
from ui.edge import IN_TURN, at_edge, say_done
from ui.history import SHOWN_ENTRIES, entry_list
from ui.locales import Texts
from ui.sight import PERSONA, Sight, create_sight, meant
from ui.taking_back import STEPS, take_back
from ui.times import clock_time

KINDS: tuple[NoteKind, ...] = ("core_memory", "notepad")
EDITOR = "note-editor"


@dataclass(frozen=True, slots=True)
class Shown:
    """What a handler puts on the page."""

    note: Note
    conflict: str | None = None
    """The text on disk, where it is another one than the person began from."""
    is_mine: bool = False
    """What the person wrote stays in the editor, with whatever was written since."""


@dataclass(frozen=True, slots=True)
class NotesRoom:
    """The components of the room."""

    kind: gr.Radio
    editor: gr.Textbox
    save: gr.Button
    state: gr.HTML
    conflict: gr.Column
    theirs: gr.Textbox
    history: gr.HTML

    @property
    def shown(self) -> list[Any]:
        """What `NoteHandlers` gives values for, after the sight."""
        return [self.editor, self.state, self.conflict, self.theirs, self.history]


def create_notes_room(services: Services, t: Texts, current: gr.State, tab: gr.Tab) -> NotesRoom:
    """Build the room inside `tab`; it is filled whenever one enters it."""
    sight, own = create_sight(), gr.State(dict[str, str | None]())
    with gr.Column(elem_classes="room"):
        gr.HTML(f"<h2>{escape(t('notes.title'))}</h2><p>{escape(t('notes.intro'))}</p>", elem_classes="intro")
        kind = gr.Radio(
            [(t(f"notes.{kind}"), kind) for kind in KINDS],
            value=KINDS[0],
            show_label=False,
            label=t("notes.which"),
            elem_id="note-kind",
            elem_classes=["segments", "guarded"],
        )
        with gr.Column(visible=False, elem_id="note-conflict", elem_classes="conflict") as conflict:
            gr.HTML(f"<h3>{escape(t('notes.conflict_title'))}</h3><p>{escape(t('notes.conflict'))}</p>")
            theirs = gr.Textbox(value="", label=t("notes.theirs"), lines=8, max_lines=16, interactive=False)
            with gr.Row(elem_classes="buttons"):
                keep_mine = gr.Button(t("notes.keep_mine"), variant="primary", elem_id="note-keep-mine")
                take_theirs = gr.Button(t("notes.take_theirs"), elem_id="note-take-theirs")
        editor = gr.Textbox(
            value="",
            label=t("notes.text"),
            lines=14,
            max_lines=28,
            elem_id=EDITOR,
            elem_classes="editor",
            show_label=False,
        )
        with gr.Row(elem_classes="buttons"):
            save = gr.Button(t("notes.save"), variant="primary", elem_id="note-save")
            revert = gr.Button(t("notes.revert"), elem_id="note-revert")
            state = gr.HTML(
                elem_id="note-state",
                js_on_load=f"utatane.editorState(element, '{EDITOR}', watch)",
                apply_default_css=False,
            )
        gr.HTML(f"<h3>{escape(t('history.title'))}</h3>", elem_classes="intro")
        history = gr.HTML(
            elem_id="note-history",
            js_on_load="utatane.clicks(element, trigger) // 'select'",
            elem_classes="guarded",
            apply_default_css=False,
        )
    room = NotesRoom(kind, editor, save, state, conflict, theirs, history)
    handlers, edge = NoteHandlers(services, t), at_edge(t)
    seen, shown = [current, sight, sight], [sight, *room.shown]
    for entering in (tab.select, kind.change, revert.click, take_theirs.click):
        entering(edge(handlers.open), [current, kind], shown, **IN_TURN)
    save.click(edge(meant(handlers.save)), [*seen, editor, own], shown, **IN_TURN)
    keep_mine.click(edge(meant(handlers.keep_mine)), [*seen, editor, own], shown, **IN_TURN)
    history.select(edge(meant(handlers.go_back)), seen, shown, **IN_TURN)
    return room


class NoteHandlers:
    """The room's handlers.

    The sight tells which note of whose the editor holds, and from what text it was begun; `own` what this window itself
    wrote last: who saves twice in a breath is in nobody's way.
    """

    def __init__(self, services: Services, t: Texts) -> None:
        """Take the services and the page's language."""
        self._services = services
        self._t = t

    def open(self, persona: str, kind: NoteKind) -> tuple[Any, ...]:
        """Show a note as it is on disk."""
        if not persona:
            return tuple(gr.skip() for _ in range(6))
        return self._present(persona, kind, Shown(self._services.companion(persona).memories.notes.read(kind)))

    def save(self, persona: str, sight: Sight, text: str, own: dict[str, str | None]) -> tuple[Any, ...]:
        """Write the note; where the file has changed since, both versions are shown instead."""
        notes = self._services.companion(persona).memories.notes
        kind, based_on, here = _kind(sight), sight.get("digest"), f"{persona}/{_kind(sight)}"
        if here in own and notes.read(kind).digest == own[here]:
            based_on = own[here]
        try:
            # Emptying one's own note on purpose is allowed: the editor was emptied by hand, and the history keeps it.
            note = notes.write(kind, text, based_on=based_on, author="user", reason="edited", emptied=True)
        except ExternallyChangedError as error:
            found = Note(str(error.facts["theirs"]), based_on)
            return self._present(persona, kind, Shown(found, conflict=found.text, is_mine=True))
        own[here] = note.digest
        say_done(self._t("notes.saved"), self._t)
        return self._present(persona, kind, Shown(note, is_mine=True))

    def keep_mine(self, persona: str, sight: Sight, text: str, own: dict[str, str | None]) -> tuple[Any, ...]:
        """Write the person's version over the one on disk, which stays in the history."""
        notes, kind = self._services.companion(persona).memories.notes, _kind(sight)
        found = notes.read(kind)
        note = notes.write(kind, text, based_on=found.digest, author="user", reason="kept_mine", emptied=True)
        own[f"{persona}/{kind}"] = note.digest
        return self._present(persona, kind, Shown(note, is_mine=True))

    def go_back(self, persona: str, sight: Sight, event: gr.EventData) -> tuple[Any, ...]:
        """Take back one entry of the history, or make it anew."""
        memories, kind = self._services.companion(persona).memories, _kind(sight)
        in_the_way = ""
        if str(event.action) in STEPS:
            part = file_part(memories.paths.folder, memories.notes.path(kind))
            told = {"action": event.action, "entry": event.entry, "part": part}
            in_the_way = take_back(memories, told, self._t)
        return self._present(persona, kind, Shown(memories.notes.read(kind)), in_the_way=in_the_way)

    def _present(self, persona: str, kind: NoteKind, shown: Shown, *, in_the_way: str = "") -> tuple[Any, ...]:
        t, memories = self._t, self._services.companion(persona).memories
        now = self._services.clock.now()
        part = file_part(memories.paths.folder, memories.notes.path(kind))
        entries = memories.history.entries(SHOWN_ENTRIES, part=part)
        in_conflict = shown.conflict is not None
        return (
            {PERSONA: persona, "kind": kind, "digest": shown.note.digest},
            gr.skip() if shown.is_mine else shown.note.text,
            _state(t, now if shown.is_mine else None, unsaved=in_conflict),
            gr.update(visible=in_conflict),
            shown.conflict or "",
            in_the_way + entry_list(entries, persona, now, t, part) + (_table_of(memories, kind, t) if entries else ""),
        )


def _table_of(memories: Memories, kind: NoteKind, t: Texts) -> str:
    """Return the link that saves a note's whole history as a table."""
    file = memories.notes.path(kind).relative_to(memories.paths.folder).as_posix()
    return table_link(table_address(memories.paths.name, "memories/history", t, item=file), t)


def _kind(sight: Sight) -> NoteKind:
    return "notepad" if sight.get("kind") == "notepad" else "core_memory"


def _state(t: Texts, saved_at: datetime | None, *, unsaved: bool) -> str:
    """Return what is said of the editor: saved just now, not saved, or nothing where it shows the file."""
    if unsaved:
        return '<p class="state" data-unsaved role="status"></p>'
    if saved_at is None:
        return '<p class="state" role="status"></p>'
    sentence = escape(t("notes.saved_at", time=clock_time(saved_at)))
    return f'<p class="state" data-saved="{saved_at.isoformat()}" role="status">{sentence}</p>'
