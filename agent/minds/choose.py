"""Choose the mind that speaks: the configured one, a server on this computer, or the built-in mind.

A diary goes nowhere unasked: a key found in the environment is offered, never used before the person has chosen that
provider, and a server that is found on this computer is spoken to after a yes (`known_servers`). And a configured model
that is dead is not replaced behind the person's back: its error is shown, and another mind is offered.
"""

import logging
import os
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, Protocol

from agent.minds.endpoint import (
    OPENAI_ADDRESS,
    OPENAI_MODEL,
    OPENROUTER_ADDRESS,
    OPENROUTER_MODEL,
    Endpoint,
    check_key,
    checked_address,
    host_and_port,
    is_loopback,
    is_server,
    listener_at,
)
from agent.minds.engine.engine import NOWHERE, Engine
from agent.minds.engine.engine_mind import engine_mind
from agent.minds.errors import (
    ContextTooLongError,
    MindError,
    OddKeyError,
    SafetyBlockError,
    UnreachableError,
    WrongAddressError,
)
from agent.minds.language_model import LanguageModelMind
from agent.minds.makers import (
    MAKERS,
    OPENAI_KEYS,
    Maker,
    local_mind,
    openai_mind,
    openai_provider,
    own_maker,
    secret_name,
    unusable_mind,
)
from agent.minds.masking import Masking
from agent.minds.measures import Measures
from agent.minds.mind_status import MindStatus, built_in_status, status_of
from agent.minds.offers import Offer, offer_built_in, offer_key, offer_server, server_found
from agent.minds.protocol import Mind
from agent.minds.server_discovery import FIRST_ANSWER_SECONDS, PORTS, Found, describe, find_empty, find_local
from managers.known_servers import KnownServers, Server
from managers.storage.errors import Notice
from managers.storage.peers import owner_of_listener
from managers.storage.settings import MindSettings, Secrets, Settings
from managers.usage.ledger import Purpose
from managers.usage.meter import Meter

logger = logging.getLogger(__name__)

LOOK_AGAIN_SECONDS = 60.0
"""How old a look at the local servers may be before another is taken, in the background."""
LOOK_AGAIN_SOON_SECONDS = 2.0
"""The same while a configured local server does not answer."""

_CLOUD_SECONDS = 1.0
"""How long a service on the network may take to say what it has."""

_KEPT = 8
"""Choices kept, by settings and key: one for each persona with settings of its own."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The mind that speaks, what people are told about it, and what they are offered."""

    mind: Mind
    status: MindStatus
    notices: tuple[Notice, ...] = ()
    offers: tuple[Offer, ...] = ()


@dataclass(frozen=True, slots=True)
class _Chosen:
    mind: Mind
    status: MindStatus
    looked: float
    """When the servers were last asked."""
    asks_servers: bool = False
    """What was chosen depends on what local servers say, and may change with them."""
    answered: bool = True
    """The server that is needed answered."""
    waiting: Server | None = None
    """A server about which nobody was asked yet; it would speak."""


CAREFUL: Final = Masking()
"""What holds where a caller knows of no wishes."""
_Identity = tuple[str, str]
"""Settings as JSON, and the key: what a choice depends on."""


class Minds(Protocol):
    """Whoever hands out minds for what a persona does: `MindChooser`, or somebody with one mind only."""

    def choose(
        self, settings: MindSettings, *, persona: str = "", purpose: Purpose = "other", masking: Masking = CAREFUL
    ) -> Choice:
        """Return the mind that speaks."""

    def choose_small(
        self, settings: MindSettings, *, persona: str = "", purpose: Purpose = "other", masking: Masking = CAREFUL
    ) -> Choice:
        """Return the mind for inner work."""

    def stand_in(self, settings: Settings) -> Callable[[], Mind] | None:
        """Return what makes the mind that speaks when a cap stops the other; None where nobody should."""

    def is_stopped(self, persona: str) -> bool:
        """Tell whether a cap stops the persona's model at this moment."""

    def is_known(self, settings: MindSettings) -> bool:
        """Tell whether `choose` would answer at once, without asking a server first."""


class MindChooser:
    """Chooses minds and keeps them. Cheap to ask; the network is asked rarely, and beside the user's path."""

    def __init__(
        self,
        secrets: Secrets,
        servers: KnownServers,
        *,
        ports: Mapping[str, int] = PORTS,
        environment: Mapping[str, str] = os.environ,
        monotonic: Callable[[], float] = time.monotonic,
        answer_seconds: float | None = None,
        warm_up: bool = True,
        meter: Meter | None = None,
        owner_of: Callable[[str, int], int | None] = owner_of_listener,
        adapters: Callable[[str], object] = lambda _: None,
        measures: Measures | None = None,
        engine: Engine | None = None,
    ) -> None:
        self._secrets = secrets
        self._servers = servers
        self._owner_of = owner_of
        self._adapters = adapters
        self._engine = engine
        self._meter = meter
        self._measures = measures or Measures()
        self._answer_seconds = FIRST_ANSWER_SECONDS if answer_seconds is None else answer_seconds
        self._warm_up = warm_up
        self._ports = ports
        self._environment = environment
        self._monotonic = monotonic
        self._chosen: OrderedDict[_Identity, _Chosen] = OrderedDict()
        self._lock = threading.Lock()
        self._looking: threading.Thread | None = None

    def choose(
        self, settings: MindSettings, *, persona: str = "", purpose: Purpose = "other", masking: Masking = CAREFUL
    ) -> Choice:
        """Return the mind that these settings mean now; its calls are counted for a persona and a purpose.

        The first call asks local servers (0.6 s at most), later ones answer at once.
        """
        key = self._key(settings)
        whose = persona if settings.provider == "local" else ""  # each has adapters of its own
        identity = (settings.model_dump_json(), key or whose)
        with self._lock:
            chosen = self._chosen.get(identity)
            if chosen is None and settings.provider == "local":
                local = local_mind(settings, self._adapters(persona))
                chosen = self._keep(identity, _Chosen(local, status_of(local), self._monotonic()))
            elif chosen is None or (not chosen.answered and self._age(chosen) > LOOK_AGAIN_SOON_SECONDS):
                chosen = self._keep(identity, self._look(settings, key, chosen))
            elif chosen.asks_servers and self._age(chosen) > self._patience_with(chosen):
                self._look_beside(identity, settings, key, chosen)
        mind, offers = chosen.mind, self._offers(settings, chosen)
        if self._meter is not None:
            mind = mind.charged_to(self._meter.account(persona, purpose))
        mind = mind.masked(masking)
        notices = (server_found(chosen.waiting),) if chosen.waiting else ()
        return Choice(mind, _status_now(chosen), notices, offers)

    def choose_small(
        self, settings: MindSettings, *, persona: str = "", purpose: Purpose = "other", masking: Masking = CAREFUL
    ) -> Choice:
        if settings.internal_processing_model and settings.provider != "engine":  # it holds one model at a time
            settings = settings.model_copy(update={"model": settings.internal_processing_model})
        return self.choose(settings, persona=persona, purpose=purpose, masking=masking)

    def stand_in(self, settings: Settings) -> Callable[[], Mind] | None:
        """Return what makes the mind that speaks when a cap stops the model; None where the settings want silence."""
        return partial(built_in_mind, settings.mind) if settings.usage.when_reached == "builtin" else None

    def is_stopped(self, persona: str) -> bool:
        return self._meter is not None and self._meter.stops(persona)

    def is_known(self, settings: MindSettings) -> bool:
        chosen = self._chosen.get((settings.model_dump_json(), self._key(settings)))
        return settings.provider in {"builtin", "local", "engine"} or (chosen is not None and chosen.answered)

    def local_servers(self) -> list[tuple[Server, bool | None]]:
        """Look which servers there are on this computer; return each with what was answered, None if nothing was."""
        return [(server, self._servers.answer(server)) for _, server in self._local()]

    def offer(self, server: Server) -> Offer:
        """Return the question whether to talk through a server."""
        return offer_server(server, is_another=self._servers.was_another(server))

    def answer(self, server: Server, *, yes: bool) -> None:
        """Keep a yes or a no to a server on this computer.

        Raises:
            DiskFullError, UnwritableError, UnreadableError, BusyError: the answer that was there holds.
        """
        self._servers.decide(server, yes=yes)
        with self._lock:
            self._chosen.clear()

    def empty_server(self) -> Server | None:
        """Look for an Ollama on this computer that has no model yet."""
        found = find_empty(self._ports, self._answer_seconds)
        return self._server(found) if found else None

    def _local(self) -> list[tuple[Found, Server]]:
        return [(one, self._server(one)) for one in find_local(self._ports, self._answer_seconds)]

    def _server(self, found: Found) -> Server:
        return Server(found.service, found.base_url, self._owner_of(*listener_at(found.base_url)))

    def settle(self) -> None:
        """Wait for a look at the servers that is under way."""
        thread = self._looking
        if thread is not None:
            thread.join()

    def _age(self, chosen: _Chosen) -> float:
        return self._monotonic() - chosen.looked

    def _patience_with(self, chosen: _Chosen) -> float:
        is_away = isinstance(chosen.mind.trouble, UnreachableError)
        return LOOK_AGAIN_SOON_SECONDS if is_away else LOOK_AGAIN_SECONDS

    def _keep(self, identity: _Identity, chosen: _Chosen) -> _Chosen:
        self._chosen[identity] = chosen
        self._chosen.move_to_end(identity)
        while len(self._chosen) > _KEPT:
            self._chosen.popitem(last=False)
        return chosen

    def _look_beside(self, identity: _Identity, settings: MindSettings, key: str, before: _Chosen) -> None:
        if self._looking is not None and self._looking.is_alive():
            return

        def look() -> None:
            chosen = self._look(settings, key, before)
            with self._lock:
                if self._chosen.get(identity) is before:  # else it has been decided anew meanwhile
                    self._keep(identity, chosen)

        self._looking = threading.Thread(target=look, name="mind-chooser", daemon=True)
        self._looking.start()

    def _key(self, settings: MindSettings) -> str:
        """Return the key for the configured server: as stored, else from the environment for a provider's own.

        A provider in the settings is the person's yes to its key in the environment; `auto` is not.
        """
        if settings.provider in {"local", "engine"} or (
            settings.provider in {"auto", "builtin"} and not settings.base_url
        ):
            return ""
        stored = self._secrets.get(secret_name(settings)).strip()
        if stored:
            return stored
        if (maker := own_maker(settings)) is not None:
            return self._from_environment(maker.keys)
        if settings.provider == "openai" and not settings.base_url:
            return self._from_environment(OPENAI_KEYS)
        return ""

    def _from_environment(self, names: tuple[str, ...]) -> str:
        return next((value for name in names if (value := self._environment.get(name, "").strip())), "")

    def _look(self, settings: MindSettings, key: str, before: _Chosen | None) -> _Chosen:
        now = self._monotonic()
        if settings.provider == "builtin":
            return _Chosen(built_in_mind(settings), built_in_status(), now)
        if settings.provider == "engine" and self._engine is not None:
            return self._of_engine(settings, self._engine)
        try:
            check_key(key)
            if (maker := MAKERS.get(settings.provider)) is not None:
                return self._of_maker(maker, settings, key, before)
            if settings.provider == "openai" or settings.base_url:
                return self._openai(settings, key, before)
        except (WrongAddressError, OddKeyError) as error:
            mind = unusable_mind(error, settings)
            return _Chosen(mind, status_of(mind), now)
        return self._auto(settings, before)

    def _of_engine(self, settings: MindSettings, engine: Engine) -> _Chosen:
        try:
            mind: LanguageModelMind = engine_mind(settings, engine, openai_provider)
            mind.recall(self._measures, is_set=True)
            answered = True
        except MindError as error:  # the file may come
            mind, answered = unusable_mind(error, settings.model_copy(update={"base_url": NOWHERE})), False
        return _Chosen(mind, status_of(mind), self._monotonic(), answered=answered)

    def _of_maker(self, maker: Maker, settings: MindSettings, key: str, before: _Chosen | None) -> _Chosen:
        address = settings.base_url or maker.address
        checked_address(address)
        service = maker.service if own_maker(settings) else host_and_port(address)
        return self._as_chosen(Endpoint(service, address, settings.model or maker.model, key), settings, before)

    def _auto(self, settings: MindSettings, before: _Chosen | None) -> _Chosen:
        """Choose the first server on this computer that was said yes to; the built-in mind if there is none."""
        answers = [(found, server, self._servers.answer(server)) for found, server in self._local()]
        for found, server, is_welcome in answers:
            if is_welcome:
                model = settings.model or found.model
                endpoint = Endpoint(found.service, found.base_url, model, account=server.account)
                return self._as_chosen(endpoint, settings, before, found)
        waiting = next((server for _, server, answer in answers if answer is None), None)
        kept = before.mind if before and before.mind.endpoint is None else built_in_mind(settings)
        return _Chosen(kept, built_in_status(), self._monotonic(), asks_servers=True, waiting=waiting)

    def _openai(self, settings: MindSettings, key: str, before: _Chosen | None) -> _Chosen:
        if not settings.base_url:
            model = settings.model or OPENAI_MODEL
            return self._as_chosen(Endpoint("OpenAI", OPENAI_ADDRESS, model, key), settings, before)
        address = checked_address(settings.base_url)
        if is_server(address, OPENROUTER_ADDRESS) and not settings.model:
            settings = settings.model_copy(update={"model": OPENROUTER_MODEL})
        local = is_loopback(address)
        patience = self._answer_seconds if local else _CLOUD_SECONDS
        found = describe(address, settings.model, key, patience) if local or not settings.model else None
        service = (found.service if found else "") or host_and_port(address)
        account = self._servers.account_at(address, self._owner_of(*listener_at(address))) if local else None
        endpoint = Endpoint(service, address, settings.model or (found.model if found else ""), key, account)
        chosen = self._as_chosen(endpoint, settings, before, found)
        if not local and settings.model:
            self._learn_beside(chosen.mind, endpoint, settings)
        return replace(chosen, asks_servers=local, answered=found is not None or not local)

    def _as_chosen(
        self, endpoint: Endpoint, settings: MindSettings, before: _Chosen | None, found: Found | None = None
    ) -> _Chosen:
        if before and before.mind.endpoint == endpoint:
            mind = before.mind  # keeps what it has learned of itself
        else:
            maker = MAKERS.get(settings.provider)
            mind = new = maker.make(endpoint, settings) if maker else openai_mind(endpoint, settings)
            new.recall(self._measures, is_set=bool(settings.context_tokens))
            if self._warm_up:
                threading.Thread(target=_warm_up, args=(new,), name="mind-warmer", daemon=True).start()
        if found is not None:
            _tell(mind, found, settings)
        return _Chosen(mind, status_of(mind), self._monotonic(), asks_servers=found is not None)

    def _learn_beside(self, mind: Mind, endpoint: Endpoint, settings: MindSettings) -> None:
        """Ask a service on the network about its model, without waiting for it."""

        def learn() -> None:
            found = describe(endpoint.address, endpoint.model, endpoint.key, 5 * _CLOUD_SECONDS)
            if found is not None:
                _tell(mind, found, settings)

        threading.Thread(target=learn, name="mind-describer", daemon=True).start()

    def _offers(self, settings: MindSettings, chosen: _Chosen) -> tuple[Offer, ...]:
        offers: list[Offer] = []
        if chosen.waiting is not None:
            offers.append(self.offer(chosen.waiting))
        speaks_locally = not chosen.status.leaves_machine
        if settings.provider == "auto" and speaks_locally and not chosen.status.is_language_model:
            for provider, maker in MAKERS.items():
                name = next((name for name in maker.keys if self._environment.get(name, "").strip()), "")
                if name:
                    offers.append(offer_key(provider, maker.service, maker.company, name))
        trouble = chosen.mind.trouble
        if trouble is not None and not isinstance(trouble, SafetyBlockError | ContextTooLongError):
            offers.append(offer_built_in())
        return tuple(offers)


def _tell(mind: Mind, found: Found, settings: MindSettings) -> None:
    """Tell a mind what its server says of the model; how much it reads only where no person has set it."""
    context = 0 if settings.context_tokens else found.context_tokens
    mind.learn(context_tokens=context, can_see=found.can_see, takes_tools=found.takes_tools)


def _warm_up(mind: LanguageModelMind) -> None:
    """Load the model's library while the person is still typing."""
    try:
        mind.warm_up()
    except MindError as error:  # it will be said when the mind is used
        logger.info("%s is not ready: %s", mind, type(error).__name__)


def _status_now(chosen: _Chosen) -> MindStatus:
    """Return the status, with what is known at this moment of whether anybody answers."""
    mind, status = chosen.mind, chosen.status
    if mind.is_answering(server_answered=chosen.answered):
        return status
    ja, en = f"{status.ja}。いまは応答がありません", f"{status.en}. It is not answering at the moment"
    return replace(status, ja=ja, en=en, is_answering=False)


def built_in_mind(settings: MindSettings) -> Mind:
    """Return a new built-in mind."""
    # Imported here: its dictionaries are not needed while a language model speaks.
    from agent.minds.builtin import BuiltInMind  # noqa: PLC0415

    return BuiltInMind(seed=settings.seed)
