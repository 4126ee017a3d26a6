"""One request to a page: who asks in which language, about whom, and how it is answered."""

import threading
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime
from secrets import token_urlsafe
from typing import Annotated, Final, Literal
from urllib.parse import quote, unquote, urlencode

from fastapi import Depends, Form, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from pydantic import AfterValidator
from starlette.requests import HTTPConnection

from agent.companion import Companion
from agent.memories import Memories
from agent.services import Services
from managers.storage.access import Access
from managers.storage.errors import Lang, UtataneError
from ui.components.revision import revision_of, touched
from ui.components.times import day_name, when
from ui.locales import Texts, choose_language, texts
from ui.server.addresses import address_of, with_query
from ui.server.once import Once
from ui.server.templates import render

LANGUAGE_COOKIE: Final = "utatane_language"
LOOK_COOKIE: Final = "utatane_look"
LOOKS: Final = ("auto", "light", "dark")
SWAP: Final = "x-utatane"
"""The header by which the page's script says that it takes the answer apart itself (`ui/static/scripts`)."""
_FRESH: Final = {"cache-control": "private, no-cache"}
_SAID: Final = "said"
_OF_THE_TALK: Final = ("latest", "m-")
"""Where one is in a talk the script knows by itself."""
_MOST_KEPT: Final = 200


def _with_our_line_ends(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


FormText = Annotated[str, Form(), AfterValidator(_with_our_line_ends)]
"""A field of a form; browsers end lines in another way than files."""
Level = Literal["done", "problem"]


@dataclass(frozen=True, slots=True)
class Told:
    """One sentence about what was just done, shown once on the next page.

    Attributes:
        way: where it can be taken back; empty: nowhere, or in view.
    """

    level: Level
    sentence: str
    way: str = ""


class ToldOnce:
    """What is to be said on the page that follows a form, by the key that its address carries."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self._kept: OrderedDict[str, tuple[Told, ...]] = OrderedDict()
        self._lock = threading.Lock()

    def keep(self, told: tuple[Told, ...]) -> str:
        """Keep sentences; return their key."""
        key = token_urlsafe(6)
        with self._lock:
            self._kept[key] = told
            while len(self._kept) > _MOST_KEPT:
                self._kept.popitem(last=False)
        return key

    def take(self, key: str) -> tuple[Told, ...]:
        """Return the sentences of a key, the first time that it is asked for."""
        with self._lock:
            return self._kept.pop(key, ())


@dataclass(frozen=True, slots=True)
class Visit:
    """A request.

    Attributes:
        request: as it came.
        services: what the page works with.
        t: the texts, in the visitor's language.
    """

    request: Request
    services: Services
    t: Texts

    @property
    def lang(self) -> Lang:
        return self.t.lang

    @property
    def now(self) -> datetime:
        return self.services.clock.now()

    def when(self, moment: datetime) -> str:
        """Return a day and time in words."""
        return when(moment, self.now, self.t)

    def day(self, day: date) -> str:
        """Return a day in words."""
        return day_name(day, self.now.date(), self.t)

    @property
    def access(self) -> Access:
        """What opens the page."""
        access: Access = self.request.app.state.access
        return access

    @property
    def once(self) -> Once:
        """What forms have made."""
        once: Once = self.request.app.state.once
        return once

    @property
    def look(self) -> str:
        chosen = self.request.cookies.get(LOOK_COOKIE, "")
        return chosen if chosen in LOOKS else LOOKS[0]

    @property
    def is_opened_here(self) -> bool:
        """Whether a browser on this computer opens the page: there a second request costs more than the styles in it."""
        client = self.request.client
        return client is not None and client.host in {"127.0.0.1", "::1"} and SWAP not in self.request.headers

    @property
    def here(self) -> str:
        """The address that was asked for, for a link back to it."""
        told = self.request.query_params
        return with_query(
            quote(self.request.scope["path"]), {key: tuple(told.getlist(key)) for key in told if key != _SAID}
        )

    @property
    def persona_name(self) -> str:
        """Whom one talks to: in rooms of the house itself whoever the address names, else whoever spoke last."""
        wanted = self.request.query_params.get("persona", "")
        names = self.services.personas.list_names()
        if wanted in names:
            return wanted
        return self.last_spoken_to()

    @property
    def own(self) -> str:
        """The persona whose own settings the address means; empty: everybody's."""
        return self.persona_name if self.request.query_params.get("own") else ""

    def last_spoken_to(self) -> str:
        """Return whom the visitor talks to (see `last_spoken_to`)."""
        return last_spoken_to(self.services, self.lang)

    def told(self) -> tuple[Told, ...]:
        """Return what is to be said of what was done just before."""
        kept: ToldOnce = self.request.app.state.told
        return kept.take(self.request.query_params.get(_SAID, "").partition(".")[0])

    def show(self, template: str, *, status: int = 200, **values: object) -> Response:
        """Answer with a page."""
        return HTMLResponse(render(template, visit=self, t=self.t, **values), status, _FRESH)

    def part(self, template: str, **values: object) -> Response:
        """Answer with a part of a page, whose fold the script opens; without scripts it is a page of its own."""
        whole = "" if self.request.headers.get(SWAP) else "components/part.html"
        inside = render(template, visit=self, t=self.t, **values)
        return HTMLResponse(render(whole, visit=self, t=self.t, inside=inside) if whole else inside, headers=_FRESH)

    def lead(self, address: str, *done: str, problem: str = "", way: str = "") -> Response:
        """Answer a form: lead to the page that shows what became of it.

        Args:
            address: where to.
            done: what was done, in sentences.
            problem: what was not, and why.
            way: where what was done can be taken back.
        """
        told = tuple(Told("done", sentence, way) for sentence in done)
        if problem:
            told = (*told, Told("problem", problem))
        kept: ToldOnce = self.request.app.state.told
        path, hash_sign, fragment = address.partition("#")
        said = kept.keep(told) if told else ""
        if SWAP in self.request.headers and not fragment.startswith(_OF_THE_TALK):
            said += f".{unquote(fragment)}"  # what the browser keeps from the script
        if said.strip("."):
            path += ("&" if "?" in path else "?") + urlencode({_SAID: said})
        address = f"{path}{hash_sign}{fragment}"
        return RedirectResponse(address, status_code=303, headers={"cache-control": "no-store"})


@dataclass(frozen=True, slots=True)
class BesideVisit(Visit):
    """A request to a page that is about no persona, whoever was talked to last."""

    @property
    def persona_name(self) -> str:
        return ""


@dataclass(frozen=True, slots=True)
class PersonaVisit(Visit):
    """A request to a room of one persona; whoever is named need not be there."""

    name: str

    @property
    def persona_name(self) -> str:
        return self.name

    @property
    def companion(self) -> Companion:
        """The persona, awake. From here on things are read: what changes later is another revision than the page's.

        Raises:
            PersonaNotFoundError, GuestError, UnsafeNameError
        """
        seen = self.request.state
        if not hasattr(seen, "companion"):
            seen.companion = self.services.companion(self.name)
            seen.revision = revision_of(self.services, seen.companion)
        companion: Companion = seen.companion
        return companion

    @property
    def memories(self) -> Memories:
        """What the persona remembers.

        Raises:
            PersonaNotFoundError, GuestError, UnsafeNameError
        """
        return self.companion.memories

    def wake(self) -> None:
        """Let the persona's windows look at once: something has begun."""
        self.request.app.state.live.wake(self.name)

    def at(self, room: str = "", *names: str, **query: object) -> str:
        """Return the address of one of the persona's rooms, or of something in it (see `address_of`)."""
        return address_of(self.name, room, *names, **query)


def visit_of(request: Request) -> Visit:
    """Return a request to a room of the house itself; what its page is as old as is noted before anything is read."""
    visit = Visit(request, *_asked(request))
    if request.method == "GET" and (name := visit.persona_name):
        with suppress(UtataneError):  # the page says why
            request.state.revision = revision_of(visit.services, visit.services.companion(name))
    return visit


async def beside_visit_of(request: Request) -> BesideVisit:
    """Return a request to a page beside the rooms."""
    return BesideVisit(request, *_asked(request))


async def persona_visit_of(request: Request, persona: str) -> PersonaVisit:
    """Return a request to a persona's room."""
    return PersonaVisit(request, *_asked(request), persona)


def _asked(request: Request) -> tuple[Services, Texts]:
    services: Services = request.app.state.services
    return services, texts(language_of(services, request))


Here = Annotated[Visit, Depends(visit_of)]
"""What a route of the house itself takes."""
Beside = Annotated[BesideVisit, Depends(beside_visit_of)]
"""What a route takes that is about no persona: a new one, the first meeting, guests."""
With = Annotated[PersonaVisit, Depends(persona_visit_of)]
"""What a route of one persona's room takes; its address has a `{persona}`."""


def last_spoken_to(services: Services, lang: Lang) -> str:
    """Return the persona whose log was written to last, else the first that speaks a language; empty if there is none."""
    personas = sorted(services.personas.list(), key=lambda persona: persona.language != lang)
    talked = [(written, persona.name) for persona in personas if (written := touched(persona.paths.log))]
    if talked:
        return max(talked)[1]
    return personas[0].name if personas else ""


def language_of(services: Services, request: HTTPConnection) -> Lang:
    """Return the language of an answer: as the visitor chose it here, as the settings say, as the browser asks for."""
    wish = request.cookies.get(LANGUAGE_COOKIE) or services.settings().page.language
    return choose_language(wish, request.headers.get("accept-language", ""))
