"""The shelves of the two diaries. The secret one stays covered until a person uncovers it."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Literal

from agent.memories import Memories
from managers.memory.documents import USER
from managers.storage.errors import ExternallyChangedError
from ui.shelves import Conflict, Shelf, View, button, conflict_note, empty, history_of, saving

DiaryKind = Literal["main_memory", "secret_diary"]


def show(view: View) -> str:
    """Return a diary as it is, or the field to edit it in."""
    kind, t = _kind(view.place.shelf), view.t
    if kind == "secret_diary" and not view.place.uncovered:
        return (
            f'<div class="covered"><p>{escape(t("memories.secret_covered", name=view.persona))}</p>'
            f"{button(t('memories.uncover'), 'uncover')}</div>"
        )
    note = view.memories.notes.read(kind)
    if view.place.editing:
        return _editor(view, kind)
    text = (
        f'<div class="words diary">{escape(note.text)}</div>' if note.text.strip() else empty(t("memories.diary_empty"))
    )
    return (
        f'{text}<div class="deeds">{button(t("memories.edit"), "edit", item=kind)}</div>{_older(view, kind)}{saving(view, kind)}'
        f"{history_of(view, view.memories.notes.path(kind))}"
    )


def save(memories: Memories, shelf: str, told: Mapping[str, str]) -> Conflict | None:
    """Write what a person made of a diary; where the file has changed meanwhile, nothing is written."""
    kind = _kind(shelf)
    text = told.get("text", "").replace("\r\n", "\n")
    try:
        # Emptying it by hand is meant so, and the history keeps it.
        memories.notes.write(
            kind, text, based_on=told.get("digest") or None, author=USER, reason="edited", emptied=True
        )
    except ExternallyChangedError as error:
        return Conflict(text, str(error.facts["theirs"]))
    return None


def _kind(shelf: str) -> DiaryKind:
    return "secret_diary" if shelf == "secret_diary" else "main_memory"


def _editor(view: View, kind: DiaryKind) -> str:
    t, note = view.t, view.memories.notes.read(kind)
    text = view.conflict.mine if view.conflict else note.text
    return (
        f'{conflict_note(view)}<form class="editing-memory" id="memory-editor" data-editor data-submit="save" '
        f'data-item="{kind}" data-digest="{escape(note.digest or "")}">'
        f"<label>{escape(t(f'memories.{kind}'))}"
        f'<textarea name="text" rows="18">{escape(text)}</textarea></label>'
        f'<div class="deeds"><button class="small primary">{escape(t("notes.save"))}</button>'
        f"{button(t('script.cancel'), 'go', shelf=kind)}</div></form>"
    )


def _older(view: View, kind: DiaryKind) -> str:
    """Return the volumes that the diary has rolled over into, folded; only the open one is read."""
    volumes = view.memories.notes.archives(kind)
    rows = ""
    for path in reversed(volumes):
        if view.place.item == path.name:
            words = view.memories.notes.read_archive(path)
            rows += f'<li>{escape(path.name)}<div class="words diary">{escape(words)}</div></li>'
        else:
            rows += f"<li>{button(path.name, 'go', shelf=kind, item=path.name)}</li>"
    title = escape(view.t("memories.older_volumes"))
    return f'<h4>{title}</h4><ul class="volumes">{rows}</ul>' if rows else ""


SHELF = Shelf(show, save=save)
