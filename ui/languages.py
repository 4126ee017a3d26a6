"""The page in each language: the one that is most likely wanted from the start, another when somebody asks for it.

Building a page takes a third of a second and some ten megabytes; most people never see a second one.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from fastapi import FastAPI
from starlette.types import ASGIApp, Receive, Scope, Send

from managers.storage.errors import Lang
from ui.locales import LANGUAGES


class LanguagePages:
    """ASGI application: what is under `/ja` and `/en` goes to the page in that language, the rest elsewhere."""

    def __init__(self, others: FastAPI, make: Callable[[Lang], FastAPI], first: Lang) -> None:
        """Take over the life of `others`, so that pages live as long as the server.

        Args:
            others: answers everything else.
            make: builds the application of a language, which answers under `/<language>`; called inside
                the event loop (outside of one Gradio makes its own and leaves them open).
            first: the language whose page is there when the server begins to answer.
        """
        self._others = others
        self._make = make
        self._first = first
        self._made: dict[Lang, FastAPI] = {}
        self._lives: list[asyncio.Task[None]] = []
        self._ending: asyncio.Event | None = None
        others.router.lifespan_context = self._living

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        lang = _language_of(scope["path"]) if scope["type"] == "http" else None
        app: ASGIApp = self._others if lang is None else await self._page(lang)
        await app(scope, receive, send)

    async def _page(self, lang: Lang) -> FastAPI:
        page = self._made.get(lang)
        if page is None:
            page = self._made[lang] = self._make(lang)
            if self._ending is not None:  # a test may ask for a page without a server's life around it
                begun: asyncio.Future[None] = asyncio.get_running_loop().create_future()
                self._lives.append(asyncio.create_task(self._live(page, begun, self._ending)))
                await begun
        return page

    async def _live(self, page: FastAPI, begun: asyncio.Future[None], ending: asyncio.Event) -> None:
        """Run a page's own beginning and end, both in this task, as its scopes demand."""
        async with page.router.lifespan_context(page):
            begun.set_result(None)
            await ending.wait()

    @asynccontextmanager
    async def _living(self, _others: FastAPI) -> AsyncIterator[None]:
        self._ending = asyncio.Event()
        await self._page(self._first)
        yield
        self._ending.set()
        await asyncio.gather(*self._lives)


def _language_of(path: str) -> Lang | None:
    name = path.split("/", 2)[1] if path.startswith("/") else ""
    return next((lang for lang in LANGUAGES if lang == name), None)
