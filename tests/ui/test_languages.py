"""Pages are built when they are wanted, once, and live as long as the server."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from fastapi import FastAPI
from starlette.testclient import TestClient

from managers.storage.errors import Lang
from ui.languages import LanguagePages


def page_maker(told: list[str]) -> Callable[[Lang], FastAPI]:
    def make(lang: Lang) -> FastAPI:
        @asynccontextmanager
        async def living(_app: FastAPI) -> AsyncIterator[None]:
            told.append(f"{lang} begins")
            yield
            told.append(f"{lang} ends")

        page = FastAPI(lifespan=living)

        @page.get(f"/{lang}/")
        def show() -> str:
            return lang

        told.append(f"{lang} is made")
        return page

    return make


def others() -> FastAPI:
    app = FastAPI()

    @app.get("/japan")
    def show() -> str:
        return "elsewhere"

    return app


def test_the_first_is_there_and_the_other_comes_when_it_is_asked_for() -> None:
    told: list[str] = []
    with TestClient(LanguagePages(others(), page_maker(told), "ja")) as browser:
        assert told == ["ja is made", "ja begins"]
        assert browser.get("/japan").json() == "elsewhere"
        assert [browser.get("/ja/").json(), browser.get("/en/").json(), browser.get("/en/").json()] == [
            "ja",
            "en",
            "en",
        ]
        assert browser.get("/fr/").status_code == 404
        assert told[2:] == ["en is made", "en begins"]
    assert sorted(told[4:]) == ["en ends", "ja ends"]


def test_a_page_answers_without_a_server_s_life_around_it() -> None:
    told: list[str] = []
    browser = TestClient(LanguagePages(others(), page_maker(told), "ja"))
    assert browser.get("/en/").json() == "en"
    assert told == ["en is made"]
