"""A model on this computer itself: which there are, how far each is from speaking, and how one comes to speak."""

import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from agent.minds.errors import ModelFileError, PullError
from agent.minds.joining import Joining
from agent.minds.known_models import GIGABYTE
from agent.minds.model_files import ModelFile, check_file, file_named, file_of, model_files
from agent.minds.pulling import OllamaModel
from agent.minds.recommending import Computer, recommended, this_computer
from agent.minds.trial import Trial, try_mind
from agent.services import Services
from managers.storage.errors import UnreadableError, UtataneError
from managers.storage.settings import MindSettings
from ui.locales import Texts
from ui.rooms.mind.choice import MindFields, chosen_mind, keep_mind, mark_of, mind_of
from ui.rooms.mind.ways import OLLAMA, begin_pull
from ui.server.visit import Visit


@dataclass(frozen=True, slots=True)
class FileHere:
    """A file that a person has, as a model that joins (`joining.Wanted`): nothing has to come."""

    path: str

    @property
    def name(self) -> str:
        return Path(self.path).name

    def fetch(self, cancel: threading.Event) -> Iterator[tuple[int, int]]:  # noqa: ARG002  # as the protocol has it
        """Yield nothing: all of it is here."""
        return iter(())


@dataclass(frozen=True, slots=True)
class Row:
    """A model of our table on this computer: why it cannot be fetched, its tokens a second as measured (0 before that)."""

    file: ModelFile
    is_used: bool
    lacks: str
    speed: float

    @property
    def percent(self) -> int:
        """About how much of it has come, where fetching it was broken off: a restart of the program does that, too."""
        part = self.file.path.with_name(f"{self.file.path.name}.part")
        size = part.stat().st_size if part.is_file() else 0
        return min(99, int(100 * size / GIGABYTE / self.file.model.file_gigabytes))


@dataclass(frozen=True, slots=True)
class Here:
    """What is shown of models on this computer itself, the recommended one first; `lacks`: why none can run here.

    `joining`, `speed`: the one that is joining, or was the last; `again`: what asks for it once more; `speaks`: it is chosen.
    """

    lacks: str
    rows: Sequence[Row]
    joining: Joining | None = None
    again: str = ""
    speaks: bool = False
    speed: float = 0.0


def here_of(visit: Visit, mind: MindSettings) -> Here:
    """Return what is to be shown; nobody is asked for it."""
    services, joining = visit.services, visit.services.joinings.current
    lacking, computer = services.engine.lacking(), this_computer(services.home.models)
    rows = list(_rows(visit, mind, computer))
    shown = Here(lacking.sentence(visit.lang) if lacking else "", rows)
    if joining is None:
        return shown
    wanted, again = joining.wanted, joining.wanted.path if isinstance(joining.wanted, FileHere) else joining.name
    speaks = is_chosen(mind, again)
    if isinstance(wanted, OllamaModel):
        again, speaks = f"{OLLAMA}{again}", services.minds.choose(mind).mind.name == again
    return replace(shown, joining=joining, again=again, speaks=speaks, speed=_speed(services, again))


def _rows(visit: Visit, mind: MindSettings, computer: Computer) -> Iterator[Row]:
    files = {one.name: one for one in model_files(visit.services.home.models)}
    here = [one.name for one in files.values() if one.is_here]
    speeds = {name: _speed(visit.services, name) for name in here}
    carried = [one.name for one in recommended(computer, visit.lang, speeds, here)]
    for name in dict.fromkeys((*carried, *files)):
        one = files[name]
        if name in carried or name in here:
            yield Row(one, is_chosen(mind, name), "", speeds.get(name, 0.0))
        elif visit.lang in one.model.languages:
            yield Row(one, False, visit.t("ways.no_room" if one.model.fits(computer.memory) else "ways.too_large"), 0.0)


def is_chosen(mind: MindSettings, model: str) -> bool:
    """Tell whether a model on this computer itself is the one that is chosen."""
    return mind.provider == "engine" and mind.model == model


def users_of(services: Services) -> dict[str, list[str]]:
    """Return who speaks through which model of this computer: `*` is whoever has no choice of its own."""
    minds = {name: services.memories(name).settings().mind for name in services.personas.list_names()}
    found: dict[str, list[str]] = {}
    everybody = services.settings().mind
    for name, mind in ({"*": everybody} | {name: mind for name, mind in minds.items() if mind != everybody}).items():
        if mind.provider == "engine":
            found.setdefault(mind.model, []).append(name)
    return found


def begin_joining(services: Services, model: str, t: Texts, persona: str = "") -> str:
    """Let a model join: fetched where it is not here, tried, and then it speaks; return why not, empty if it has begun.

    It is what `mind.model` means, or Ollama's with `OLLAMA` before it; for a persona alone, or for everybody.
    """
    try:
        return _begin(services, model, t, persona)
    except (PullError, ModelFileError, UnreadableError) as error:
        return error.sentence(t.lang)


def _begin(services: Services, model: str, t: Texts, persona: str) -> str:
    if model.startswith(OLLAMA):
        return "" if begin_pull(services, model.removeprefix(OLLAMA), t, persona) else t("mind.not_there")
    known, path = file_named(model, services.home.models), file_of(model, services.home.models)
    if known is None and path is None:
        return t("ways.no_file", path=model)
    if path is not None:
        check_file(path)
    chosen = chosen_mind(MindFields("engine", model=model if known else str(path)))
    before = mark_of(mind_of(services, persona))

    def use() -> Trial:
        mind = mind_of(services, persona).model_copy(update=chosen)
        speaker = services.minds.choose(mind, persona=persona, purpose="trial").mind
        tried = try_mind(speaker, t("mind.trial_greeting"), t.lang, services.clock)
        if found := file_of(mind.model, services.home.models):
            services.engine.speed(found)
        if mark_of(mind_of(services, persona)) == before:  # else somebody has chosen another one meanwhile
            keep_mind(services, chosen, persona)
        return tried

    services.joinings.start(known or FileHere(str(path)), use)
    return ""


def _speed(services: Services, model: str) -> float:
    path = file_of(model, services.home.models)
    with suppress(UtataneError):  # what is wrong with the file is said where it is used
        return services.engine.known_speed(path) or 0.0 if path else 0.0
    return 0.0
