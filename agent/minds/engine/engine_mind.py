"""A mind that speaks through the engine on this computer: the language model's, that has its server made ready first."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Generator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from agent.minds.endpoint import Endpoint
from agent.minds.engine.engine import Engine, EngineAddress, StoppedError, endpoint_of
from agent.minds.engine.errors import EngineCrashedError, NotFetchedError
from agent.minds.errors import LocalModelError, MindError, ModelFileError, UnreachableError
from agent.minds.language_model import LanguageModelMind, Patience
from agent.minds.language_model.call_failures import Failure
from agent.minds.language_model.provider import Provider
from agent.minds.language_model.request import Prompt
from agent.minds.model_files import SUFFIX, file_of
from managers.mind import Cancel, ReplyPiece
from managers.storage.errors import UnreadableError
from managers.storage.settings import MindSettings
from managers.storage.texts import Texts
from managers.usage.ledger import Purpose

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

_say = Texts("prompts/minds")
_SILENT_SECONDS: Final = 600.0
"""A processor alone may read a long prompt for minutes; that the engine has died is noticed in any case."""


class EngineMind(LanguageModelMind):
    """A model in the engine. May be used from several threads."""

    engine: Engine
    path: Path

    def warm_up(self) -> None:
        """Load the library; the model comes into memory with the first word that is said to it."""
        import agent.minds.language_model.openai_protocol  # noqa: F401, PLC0415  # takes seconds to load

    def _try(self, prompt: Prompt, cancel: Cancel) -> Generator[ReplyPiece, None, tuple[bool, Failure | None]]:
        try:
            if not self.engine.is_ready(self.path):
                yield _say.notice("engine-loads", "passing", model=self.name)
            with self.engine.serving(self.path, cancel) as address:
                self._take(address)
                spoke, failure = yield from super()._try(prompt, cancel)
        except StoppedError:
            return False, None
        except MindError as error:
            return False, Failure(error)
        except (ModelFileError, UnreadableError) as error:
            return False, Failure(_unusable(self.path, error))
        if failure is None:
            self.engine.worked()
        elif isinstance(failure.error, UnreachableError):
            failure = replace(failure, passing=True)  # it is ending just now: the next try finds it gone
        return spoke, failure

    def _take(self, address: EngineAddress) -> None:
        """Speak to the engine that runs now; each has an address and a key of its own."""
        with self._model.building:
            known = getattr(self._model.client, "openai_api_key", None)
            if known is not None and known.get_secret_value() == address.key:
                return
            self._model.client = None
        self.learn(context_tokens=address.context, can_see=address.can_see, takes_tools=address.takes_tools)


def engine_mind(
    settings: MindSettings, engine: Engine, provider_of: Callable[[Endpoint, Callable[[], BaseChatModel]], Provider]
) -> EngineMind:
    """Return the mind that these settings mean; nothing is loaded yet.

    Raises:
        MindError: the model is not there, or none.
    """
    path = file_of(settings.model, engine.models)
    if path is None:
        raise NotFetchedError(model=settings.model)
    try:
        plan = engine.plan(path)
    except (ModelFileError, UnreadableError) as error:
        raise _unusable(path, error) from error
    endpoint, seconds = endpoint_of(path), max(settings.timeout_seconds, _SILENT_SECONDS)
    if not settings.model.endswith(SUFFIX):  # people know it by the name in our table
        endpoint = replace(endpoint, model=settings.model)

    def build() -> BaseChatModel:
        from agent.minds.language_model.openai_protocol import build_openai  # noqa: PLC0415  # takes seconds to load

        address = engine.held
        if address is None:
            raise EngineCrashedError(model=endpoint.model)
        account = os.getuid() if sys.platform == "linux" else None  # elsewhere nobody tells whose a port is
        there = replace(endpoint, address=f"{address.address}/v1", key=address.key, account=account)
        return build_openai(there, temperature=settings.temperature, seconds=seconds)

    provider = replace(provider_of(endpoint, build), placed=_slot)
    patience = Patience(seconds=seconds, retries=settings.retries)
    mind = EngineMind(endpoint, provider, context_tokens=plan.context, patience=patience)
    mind.engine, mind.path = engine, path
    return mind


def _slot(purpose: Purpose, *, is_form: bool) -> dict[str, Any]:
    """Say in which slot a request is to be answered: a talk's prompt is read anew by no other work."""
    return {"id_slot": int(is_form or purpose not in {"talk", "tools"})}


def _unusable(path: Path, error: ModelFileError | UnreadableError) -> LocalModelError:
    return LocalModelError(model=path.stem, cause_ja=error.sentence("ja"), cause_en=error.sentence("en"))
