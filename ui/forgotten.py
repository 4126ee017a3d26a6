"""The shelf of what was forgotten: out of search and prompts, kept by the history, to be brought back."""

from __future__ import annotations

from html import escape

from managers.memory.forgotten import forgotten
from ui.presenters import persona_address
from ui.shelves import Shelf, View, button, empty, saving
from ui.times import when

LOOKED_AT = 1000
"""How many changes back forgotten memories are looked for; older ones are still in the history."""


def show(view: View) -> str:
    """Return what was forgotten, newest first."""
    memories, t = view.memories, view.t
    left = forgotten(memories.history, memories.paths.folder, LOOKED_AT)
    if not left:
        return empty(t("memories.forgotten_empty"))
    rows = "".join(
        f'<li><details data-fetch="{escape(f"{persona_address(view.persona)}/history/{entry.id}?lang={t.lang}")}">'
        f"<summary><time>{escape(when(entry.time, view.now, t))}</time>"
        f"<b>{escape(', '.join(name.rpartition('/')[2] for name in entry.files))}</b></summary>"
        f'<div class="fetched"></div></details>{button(t("memories.bring_back"), "restore", entry=entry.id)}</li>'
        for entry in left
    )
    return f'<ol class="history">{rows}</ol>{saving(view, "forgotten")}'


SHELF = Shelf(show)
