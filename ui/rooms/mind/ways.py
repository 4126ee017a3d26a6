"""The way to a language model for whoever has none: a server that was found, a model that Ollama fetches, how to get Ollama."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from agent.minds.errors import PullBrokenError
from agent.minds.known_models import SmallModel, known_models, memory_gigabytes, suitable
from agent.minds.offers import Offer, run_by
from agent.minds.pulling import Pull
from agent.minds.trial import Trial, try_mind
from agent.services import Services
from managers.storage.settings import MindSettings
from ui.locales import Texts
from ui.rooms.mind.choice import all_offers, keep_mind, mind_of, through
from ui.server.visit import Visit

_SYSTEMS: Final = {"win32": "windows", "darwin": "mac"}


@dataclass(frozen=True, slots=True)
class Ways:
    """What is shown of the ways (`ui/rooms/mind/ways.html`).

    Attributes:
        offers: what a person may say yes to.
        is_needed: nobody speaks but the built-in mind, and nothing is being fetched.
        pull: a model that is being fetched, or was the last one.
        ollama: where an Ollama without a model is, and who runs it; empty where there is none.
        models: those that it can fetch for this computer, the recommended one first.
        memory: of this computer, in gigabytes.
        system: `linux`, `mac` or `windows`.
        is_refused: there is a server on this computer, to which somebody said no.
    """

    command: ClassVar = "curl -fsSL https://ollama.com/install.sh | sh"
    download: ClassVar = "ollama.com/download"

    offers: Sequence[Offer] = ()
    is_needed: bool = False
    pull: Pull | None = None
    ollama: str = ""
    models: Sequence[SmallModel] = ()
    memory: int = 0
    system: str = "linux"
    is_refused: bool = False

    @property
    def has_server(self) -> bool:
        """Tell whether a server with a model was found."""
        return any(offer.server is not None for offer in self.offers)

    @property
    def is_broken_off(self) -> bool:
        """Tell whether a model was begun and is not here."""
        return self.pull is not None and self.pull.state in {"stopped", "failed"}

    @property
    def others(self) -> Sequence[SmallModel]:
        """The models that can be fetched, without the one that is shown already."""
        shown = self.pull.model if self.pull is not None and self.is_broken_off else None
        return [one for one in self.models if one != (shown or self.models[0])] if self.ollama else []


def ways_of(visit: Visit, mind: MindSettings) -> Ways:
    """Return the ways; unless something is being fetched, looking may take a second."""
    services, pull = visit.services, visit.services.pulls.current
    if is_fetching(services):
        return Ways(pull=pull)
    minds = services.minds
    here = minds.local_servers()
    is_needed = not minds.choose(mind).status.is_language_model
    server = minds.empty_server() if is_needed and not here else None
    memory = memory_gigabytes()
    return Ways(
        offers=all_offers(services, mind, here),
        is_needed=is_needed,
        pull=pull,
        ollama=visit.t("ways.and").join((server.place, run_by(server)[visit.lang == "en"])) if server else "",
        models=suitable(visit.lang, memory),
        memory=round(memory),
        system=this_system(),
        is_refused=any(answer is False for _, answer in here),
    )


def begin_pull(services: Services, name: str, t: Texts, persona: str = "") -> bool:
    """Have a model fetched, or go on with it, and let it speak then; return whether there is an Ollama and such a model.

    Raises:
        StillPullingError: another one is being fetched.
    """
    before = services.pulls.current
    server = services.minds.empty_server() or (before.server if before else None)
    model = next((one for one in known_models() if one.name == name), None)
    if server is None or model is None:
        return False

    def use() -> Trial:
        services.minds.answer(server, yes=True)
        mind = mind_of(services, persona)
        if mind.provider != "auto":
            mind = keep_mind(services, through(server, model.name), persona)
        choice = services.minds.choose(mind, persona=persona, purpose="trial")
        if not choice.status.is_language_model:  # it fell silent just now
            raise PullBrokenError(model=model.name)
        return try_mind(choice.mind, t("mind.trial_greeting"), t.lang, services.clock)

    services.pulls.start(server, model, use)
    return True


def this_system() -> str:
    """Return which way of getting Ollama is this computer's."""
    return _SYSTEMS.get(sys.platform, "linux")


def is_fetching(services: Services) -> bool:
    """Tell whether a model is being fetched just now: showing that takes no look."""
    pull = services.pulls.current
    return pull is not None and pull.is_going_on


def was_fetched(services: Services, mind: MindSettings) -> bool:
    """Tell whether the model that a choice means was fetched and tried just now."""
    pull = services.pulls.current
    return pull is not None and pull.state == "done" and services.minds.choose(mind).mind.name == pull.model.name
