"""The knowledge room: the documents that a persona looks things up in."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote

import gradio as gr
from fastapi import APIRouter
from fastapi.responses import HTMLResponse, Response

from agent.services import Services
from managers.recall.documents import MAX_BYTES
from managers.recall.knowledge import Document
from managers.recall.sources import DOCUMENTS
from managers.storage.errors import DocumentTooLargeError, Lang, UtataneError
from managers.storage.paths import safe_name
from ui.charts import table_link
from ui.csv_files import table_address
from ui.edge import IN_TURN, QUIET, at_edge, say_done, say_error, stream_at_edge
from ui.locales import Texts, texts
from ui.presenters import persona_address
from ui.shelves import answer_to, asking, button, empty
from ui.sight import is_here, mark, told_in
from ui.times import when
from ui.uploads import uploaded

_KILOBYTE = 1000
_MEGABYTE = 1_000_000


@dataclass(frozen=True, slots=True)
class KnowledgeRoom:
    """The components of the room."""

    drop: gr.HTML
    shelf: gr.HTML


def create_knowledge_room(services: Services, t: Texts, current: gr.State, tab: gr.Tab) -> KnowledgeRoom:
    """Build the room inside `tab`; it is filled whenever one enters it."""
    with gr.Column(elem_classes="room"):
        gr.HTML(f"<h2>{escape(t('knowledge.title'))}</h2><p>{escape(t('knowledge.intro'))}</p>", elem_classes="intro")
        drop = gr.HTML(
            {},
            elem_id="knowledge-drop",
            html_template=_drop_html(t),
            js_on_load="utataneDrop(element, trigger, props, upload, watch) // 'submit'",
            apply_default_css=False,
        )
        shelf = gr.HTML(
            elem_id="knowledge",
            js_on_load="utataneShelves(element, trigger, watch) // 'select'",
            apply_default_css=False,
        )
    handlers, edge = KnowledgeHandlers(services, t), at_edge(t)
    gr.on([tab.select, current.change], edge(handlers.open), [current], [shelf], **IN_TURN)
    # What is shown when a document has been read is whatever one looks at by then.
    taken = drop.submit(stream_at_edge(t)(handlers.add), [current], [drop], **IN_TURN)
    taken.then(edge(handlers.open), [current], [shelf], **QUIET)
    shelf.select(edge(handlers.act), [current], [shelf], **IN_TURN)
    return KnowledgeRoom(drop, shelf)


class KnowledgeHandlers:
    """The room's handlers."""

    def __init__(self, services: Services, t: Texts) -> None:
        """Take the services and the page's language."""
        self._services = services
        self._t = t

    def open(self, persona: str) -> str:
        """Show the documents."""
        if not persona:
            return ""
        knowledge = self._services.companion(persona).memories.knowledge
        listed = documents(knowledge.list(), knowledge.removed(), persona, self._services, self._t)
        return listed + mark(persona)

    def add(self, persona: str, event: gr.EventData) -> Iterator[dict[str, Any]]:
        """Take one file in, and make it findable; each step is told to the row that shows it."""
        yield from self.take(told_in(persona, event.told), event.told)

    def take(self, persona: str, told: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Take in what the browser uploaded, or say in one sentence why not."""
        t, name, number = self._t, str(told["name"]), told.get("number", 0)
        row = {"number": number, "name": name, "over": False}
        yield {**row, "state": t("knowledge.reading")}
        memories = self._services.companion(persona).memories
        try:
            if not told.get("path"):
                raise DocumentTooLargeError(name=name, megabytes=MAX_BYTES // _MEGABYTE)
            with tempfile.TemporaryDirectory() as folder:
                file = Path(folder) / safe_name(name)
                shutil.move(uploaded(str(told["path"])), file)
                document = memories.knowledge.add(file)
            yield {**row, "state": t("knowledge.indexing")}
            memories.recall.catch_up()
        except UtataneError as error:
            yield {**row, "over": True, "wrong": True, "state": error.sentence(t.lang)}
            return
        yield {**row, "over": True, "state": t("knowledge.added", name=document.name)}

    def act(self, persona: str, event: gr.EventData) -> str:
        """Remove a document, or bring it back."""
        name = told_in(persona, event.told)
        try:
            html = self.do(name, event.told)
        except UtataneError as error:  # said here, so that what is asked next need not wait for an answer
            say_error(error, self._t)
            html = self.open(name)
        return (html if is_here(name, persona) else self.open(persona)) + answer_to(event.told)

    def do(self, persona: str, told: dict[str, Any]) -> str:
        """Do one thing to one document."""
        memories, t, name = self._services.companion(persona).memories, self._t, str(told.get("item", ""))
        if told.get("action") == "remove":
            memories.knowledge.remove(name)
            say_done(t("knowledge.removed", name=name), t)
        elif told.get("action") == "restore":
            say_done(t("knowledge.restored", name=memories.knowledge.restore(name).name), t)
        else:
            return self.open(persona)
        memories.recall.catch_up()
        return self.open(persona)


def knowledge_router(services: Services) -> APIRouter:
    """Return the address that answers with the beginning of a document as it is read."""
    router = APIRouter(prefix="/personas/{name}")

    @router.get("/knowledge/{document}")
    def preview(name: str, document: str, lang: Lang = "en") -> Response:
        try:
            text = services.companion(name).memories.knowledge.preview(document)
        except UtataneError as error:
            return HTMLResponse(f'<p class="quiet">{escape(error.sentence(lang))}</p>')
        label = texts(lang)("knowledge.preview", name=document)
        return HTMLResponse(
            f'<div class="words" tabindex="0" role="region" aria-label="{escape(label)}">{escape(text)}</div>'
        )

    return router


def documents(
    found: Sequence[Document], removed: Sequence[Document], persona: str, services: Services, t: Texts
) -> str:
    """Return the list of documents and the trash."""
    now = services.clock.now()

    def row(document: Document) -> str:
        address = f"{persona_address(persona)}/knowledge/{quote(document.name, safe='')}?lang={t.lang}"
        remove = asking(
            t("knowledge.remove"), "remove", t("knowledge.remove_ask", name=document.name), item=document.name
        )
        return (
            f'<li><details data-fetch="{escape(address)}"><summary><b>{escape(document.name)}</b>'
            f'<span class="quiet">{escape(size(document.size, t))}</span>'
            f"<time>{escape(when(document.added, now, t))}</time></summary>"
            f'<div class="fetched" aria-live="polite"></div></details>{remove}</li>'
        )

    rows = "".join(map(row, found))
    save = table_link(table_address(persona, "memories/knowledge", t), t)
    listed = f'<ul class="documents">{rows}</ul>{save}' if rows else empty(t("knowledge.empty"))
    return f'<section class="shelf" aria-label="{escape(t("knowledge.title"))}">{listed}{_trash(removed, t)}</section>'


def size(count: int, t: Texts) -> str:
    """Return a file's size as people say it."""
    if count >= _MEGABYTE:
        return t("knowledge.megabytes", count=f"{count / _MEGABYTE:.1f}")
    return t("knowledge.kilobytes", count=max(1, round(count / _KILOBYTE)))


def _trash(removed: Sequence[Document], t: Texts) -> str:
    rows = "".join(
        f"<li><span>{escape(document.name)}</span>{button(t('persona.restore'), 'restore', item=document.name)}</li>"
        for document in removed
    )
    if not rows:
        return ""
    return f'<details class="trashed"><summary>{escape(t("persona.trash"))}</summary><ul class="trash">{rows}</ul></details>'


def _drop_html(t: Texts) -> str:
    accepted = ",".join(DOCUMENTS)
    kinds = t("knowledge.kinds", megabytes=MAX_BYTES // _MEGABYTE)
    return (
        f'<div class="drop" data-largest="{MAX_BYTES}" data-sending="{escape(t("knowledge.sending"))}" '
        f'data-failed="{escape(t("knowledge.failed"))}">'
        f"<p>{escape(t('knowledge.drop'))}</p>"
        f'<button type="button" class="small primary">{escape(t("knowledge.choose"))}</button>'
        f'<input type="file" multiple hidden accept="{accepted}" aria-label="{escape(t("knowledge.choose"))}">'
        f'<p class="quiet">{escape(kinds)}</p></div><ul class="uploads" role="status" aria-live="polite"></ul>'
    )
