"""The way to a model on a server of this computer: one that was found, a model that Ollama fetches, how to get Ollama."""

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final

from agent.minds.errors import PullBrokenError
from agent.minds.graphics import graphics_card
from agent.minds.known_models import SmallModel, known_models, memory_gigabytes, suitable
from agent.minds.offers import Offer, run_by
from agent.minds.pulling import OllamaModel
from agent.minds.trial import Trial, try_mind
from agent.services import Services
from managers.storage.settings import MindSettings
from ui.locales import Texts
from ui.rooms.mind.choice import all_offers, keep_mind, mind_of, through
from ui.server.visit import Visit

OLLAMA: Final = "ollama "
"""Before the name of a model that is asked for from Ollama."""
_PART: Final = re.compile(r"mmproj|-0*[2-9]\d*-of-\d+", re.IGNORECASE)
_SYSTEMS: Final = {"win32": "windows", "darwin": "mac"}


@dataclass(frozen=True, slots=True)
class Ways:
    """What is shown of servers on this computer (`ui/rooms/mind/ways.html`).

    `ollama`: where one without a model is, and who runs it; `models`: those that it can fetch, the recommended one first;
    `is_refused`: somebody said no to a server; `files`: paths of models; `card`: a graphics card that Ollama would use.
    """

    command: ClassVar = "curl -fsSL https://ollama.com/install.sh | sh"
    download: ClassVar = "ollama.com/download"

    offers: Sequence[Offer]
    ollama: str
    models: Sequence[SmallModel]
    memory: int
    system: str
    is_refused: bool
    files: Sequence[str]
    card: str


def ways_of(visit: Visit, mind: MindSettings) -> Ways:
    """Return the ways; looking may take a second."""
    minds = visit.services.minds
    here = minds.local_servers()
    server = None if here else minds.empty_server()
    memory = memory_gigabytes()
    return Ways(
        offers=all_offers(visit.services, mind, here),
        ollama=visit.t("ways.and").join((server.place, run_by(server)[visit.lang == "en"])) if server else "",
        models=suitable(visit.lang, memory),
        memory=round(memory),
        system=this_system(),
        is_refused=any(answer is False for _, answer in here),
        files=files_around(visit.services.home.models),
        card=graphics_card(),
    )


def begin_pull(services: Services, name: str, t: Texts, persona: str = "") -> bool:
    """Have Ollama fetch a model, or go on with it, and let it speak then; return whether there is an Ollama and such a model.

    Raises:
        StillPullingError: another one is being fetched.
    """
    before = services.joinings.current.wanted if services.joinings.current else None
    server = services.minds.empty_server() or (before.server if isinstance(before, OllamaModel) else None)
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

    services.joinings.start(OllamaModel(server, model), use)
    return True


def files_around(models: Path) -> list[str]:
    """Return the models that lie as files in the home's folder, LM Studio's and llama.cpp's; a part of one is none."""
    user = Path.home()
    places = [
        (models, "*.gguf"),
        *((user / folder / "models", "*/*/*.gguf") for folder in (".lmstudio", ".cache/lm-studio")),
        *((user / folder / "llama.cpp", "*.gguf") for folder in (".cache", "Library/Caches", "AppData/Local")),
        (user / ".cache" / "huggingface" / "hub", "models--*/snapshots/*/*.gguf"),
    ]
    found = [path for folder, form in places for path in sorted(folder.glob(form)) if not _PART.search(path.name)]
    return [str(path) for path in found[:20]]


def this_system() -> str:
    """Return which way of getting Ollama is this computer's."""
    return _SYSTEMS.get(sys.platform, "linux")
