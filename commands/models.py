"""`models`: the models that can run on this computer itself: which suit it, which are here, which speaks."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from commands.errors import ModelInUseError, UnlistedModelError
from commands.language import terminal_language
from commands.shared import HomeOption, JsonOption, services_at, tell
from commands.terminal import show_passing, warn, write_line
from managers.storage.texts import Texts

if TYPE_CHECKING:
    from agent.minds.model_files import ModelFile
    from agent.services import Services

commands = typer.Typer(help="Models that run on this computer itself, without another program.")
_say = Texts("notices/models")
_INTERRUPTED, _LOOK_SECONDS = 130, 0.2
_CHARACTERS = {"ja": 1.4, "en": 4.0}
"""In a token, about."""

NameArgument = Annotated[str, typer.Argument(help="Its name, as `models list` shows it.")]


@commands.command("list")
def list_models(home: HomeOption = None, as_json: JsonOption = False) -> None:
    """List the models that this computer can carry, the recommended one first: what is here, how fast, which speaks."""
    from agent.minds.graphics import graphics_card
    from agent.minds.model_files import model_files
    from agent.minds.recommending import recommended, this_computer
    from ui.rooms.mind.here import users_of

    lang = terminal_language()
    with services_at(home) as services:
        computer, files = this_computer(services.home.folder), model_files(services.home.models)
        speeds = {one.name: services.engine.known_speed(one.path) or 0.0 for one in files if one.is_here}
        best = [one.name for one in recommended(computer, lang, speeds, speeds.keys())]
        users, lacking = users_of(services), services.engine.lacking()
    if not as_json:
        about = {"memory": round(computer.memory, 1), "cores": computer.cores, "free": computer.free_bytes // 10**9}
        write_line(_say("computer", lang, **about))
    for one in sorted(files, key=lambda one: best.index(one.name) if one.name in best else len(best)):
        fits = one.model.fits(computer.memory)
        _tell(one, best, speeds.get(one.name, 0.0), users.pop(one.name, []), fits=fits, as_json=as_json)
    for path, who in users.items():
        tell({"name": path, "speaks": who}, f"{path}  {_say('speaks', lang)}", as_json=as_json)
    if not as_json:
        write_line(lacking.sentence(lang) if lacking else _say("how", lang))
        if not any(one.model.tried for one in files):
            write_line(_say("untried", lang, day=max(one.model.as_of for one in files)))
        if card := graphics_card():
            write_line(_say("card", lang, name=card))


@commands.command("fetch")
def fetch(name: NameArgument, home: HomeOption = None) -> None:
    """Fetch a model from huggingface.co, or go on with it; Ctrl-C keeps what has come."""
    lang = terminal_language()
    with services_at(home) as services:
        try:
            for done, total in _named(services, name).fetch(threading.Event()):
                _show(name, done, total)
        except KeyboardInterrupt:
            warn(_say("stopped", lang, name=name))
            raise typer.Exit(_INTERRUPTED) from None
        finally:
            show_passing()
    write_line(_say("fetched", lang, name=name))


@commands.command("use")
def use(
    name: Annotated[str, typer.Argument(help="Its name, or a .gguf file.")],
    home: HomeOption = None,
    persona: Annotated[str, typer.Option(help="For this persona alone; default: for all.")] = "",
) -> None:
    """Let a model of this computer speak: it is fetched if it is not here, tried, and its speed is measured."""
    from ui.locales import texts
    from ui.rooms.mind.here import begin_joining

    lang = terminal_language()
    with services_at(home) as services:
        who = services.personas.get(persona).name if persona else ""
        path = Path(name).expanduser().absolute()
        model = str(path) if path.is_file() else _named(services, name).name
        lacking = services.engine.lacking()
        why = lacking.sentence(lang) if lacking else begin_joining(services, model, texts(lang), who)
        while (joined := services.joinings.current) is not None and joined.is_going_on:
            _show(joined.name, joined.completed, joined.total)
            services.joinings.settle(_LOOK_SECONDS)
        show_passing()
        if why or joined is None or joined.trial is None:
            warn(why or (joined.error.sentence(lang) if joined and joined.error else ""))
            raise typer.Exit(1)
        write_line(_say("used", lang, name=joined.name, seconds=f"{joined.trial.first_words_ms / 1000:.1f}"))


@commands.command("remove")
def remove(
    name: NameArgument,
    home: HomeOption = None,
    yes: Annotated[bool, typer.Option("--yes", help="Also where it speaks.")] = False,
) -> None:
    """Remove a model that was fetched, or what has come of it."""
    from ui.rooms.mind.here import users_of

    lang = terminal_language()
    with services_at(home) as services:
        one = _named(services, name)
        if (users := users_of(services).get(name)) and not yes:
            raise ModelInUseError(name=name, users=", ".join(users).replace("*", _say("everybody", lang)))
        if one.is_here:
            services.engine.end()  # it may hold the file
        one.remove()
        write_line(_say("removed", lang, name=name))


def _tell(one: ModelFile, best: list[str], speed: float, users: list[str], *, fits: bool, as_json: bool) -> None:
    lang, model = terminal_language(), one.model
    facts = {"name": one.name, "gigabytes": model.file_gigabytes, "licence": model.licence, "memory": model.memory}
    states = {
        "recommended": best[:1] == [one.name],
        "too_large": not fits,
        "no_room": fits and one.name not in best and lang in model.languages,
        "here": one.is_here,
        "part": one.path.with_name(f"{one.path.name}.part").is_file(),
        "speaks": bool(users),
    }
    said = [_say("model", lang, **facts), *(_say(state, lang) for state, holds in states.items() if holds)]
    said += [_say("speed", lang, characters=round(speed * _CHARACTERS[lang]))] if speed else []
    facts |= states | {"speaks": users, "tokens_per_second": speed or None, "tried": model.tried}
    tell(facts, "  ".join([*said, model.words(lang)]), as_json=as_json)


def _show(name: str, done: int, total: int) -> None:
    told = {"done": f"{done / 1e9:.2f}", "total": f"{total / 1e9:.2f}", "percent": 100 * done // max(total, 1)}
    show_passing(_say("progress", terminal_language(), name=name, **told))


def _named(services: Services, name: str) -> ModelFile:
    from agent.minds.model_files import model_files

    known = {one.name: one for one in model_files(services.home.models)}
    if (one := known.get(name)) is None:
        raise UnlistedModelError(name=name, known=", ".join(known))
    return one
