"""`doctor` looks at everything; `mend`: copies that sync tools left are joined, files in other encodings converted, damaged ones brought back, on a yes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated

import typer

from commands.language import terminal_language
from commands.shared import HomeOption, JsonOption, services_at, tell
from commands.terminal import agrees, may_ask, warn, write_line
from managers.storage.edges import said
from managers.storage.errors import UtataneError

if TYPE_CHECKING:
    from agent.services import Services
    from managers.integrity.trouble import Trouble, Words

commands = typer.Typer()


@commands.command()
def mend(
    persona: Annotated[str | None, typer.Argument(help="Only this persona; all of them if not given.")] = None,
    home: HomeOption = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do all of it without asking.")] = False,
    accept: Annotated[
        bool,
        typer.Option("--accept", help="Say nothing more of messages that are gone: they were taken away on purpose."),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """List what is amiss with the files, ask, and put it right; nothing is deleted."""

    def is_wanted(trouble: Trouble) -> bool:
        return (trouble.kind == "lost" and accept) or bool(
            trouble.remedy and (yes or (may_ask(as_json=as_json) and agrees(_question())))
        )

    with services_at(home) as services:
        failed = found = False
        for about in (
            [persona] if persona else ["", *services.personas.list_names(), *services.personas.door.unreadable()]
        ):
            try:
                wanted = []
                for trouble in _found(services, about):
                    found = True
                    _show(about, trouble, as_json=as_json)
                    wanted += [trouble] if is_wanted(trouble) else []
                for trouble, done in _mended(services, about, wanted):
                    failed = _tell(about, trouble, done, as_json=as_json) or failed
            except Exception as error:  # noqa: BLE001  # the edge: one persona's trouble is none of the others'
                failed = True
                warn(f"{about or '-'}: {said(error, f'mending {about}').sentence(terminal_language())}")
        if not found and not failed and not as_json:
            write_line("直すところはありませんでした。" if terminal_language() == "ja" else "Nothing is amiss.")
        if failed:
            raise typer.Exit(1)


@commands.command()
def doctor(home: HomeOption = None, as_json: JsonOption = False) -> None:
    """Look whether everything is in order: data, index, model, disk, versions."""
    from commands.doctor import examine

    marks, problems = {"ok": "✓", "warning": "!", "problem": "✗"}, 0
    with services_at(home, only_look=True) as services:
        for finding in examine(services):
            problems += finding.state == "problem"
            sentence = finding.sentence(terminal_language())
            facts = {"about": finding.about, "state": finding.state, "sentence": sentence}
            tell(facts, f"{marks[finding.state]} {finding.about}: {sentence}", as_json=as_json)
    if problems:
        raise typer.Exit(1)


def _found(services: Services, about: str) -> list[Trouble]:
    """Return what is amiss of a persona; of the home folder, where no name is given."""
    from agent.health import examine
    from managers.integrity.home_copies import look_at_home

    return examine(services.memories(about)) if about else look_at_home(services.home)


def _mended(services: Services, about: str, wanted: list[Trouble]) -> Iterable[tuple[Trouble, Words | UtataneError]]:
    from agent.health import mend as put_right
    from managers.integrity.home_copies import mend_home

    if about:
        yield from put_right(services.memories(about), wanted)
        return
    for trouble in wanted:
        try:
            yield (trouble, mend_home(services.home, services.clock, trouble, lambda name: services.memories(name).log))
        except UtataneError as error:
            yield trouble, error


def _show(about: str, trouble: Trouble, *, as_json: bool) -> None:
    lang = terminal_language()
    facts = {"about": about, "kind": trouble.kind, "name": trouble.name, "sentence": trouble.sentence(lang)}
    words = f"{about or '-'}: {trouble.sentence(lang)}"
    promise = trouble.promise(lang)
    tell({**facts, "remedy": promise}, f"{words}\n    → {promise}" if promise else words, as_json=as_json)


def _question() -> str:
    return "    直しますか？ [y/N]" if terminal_language() == "ja" else "    Do it? [y/N]"


def _tell(about: str, trouble: Trouble, done: Words | UtataneError, *, as_json: bool) -> bool:
    """Say what was done, or why it was not; return whether it failed."""
    sentence = done.sentence(terminal_language())
    if isinstance(done, UtataneError):
        warn(sentence)
        return True
    tell({"about": about, "name": trouble.name, "done": sentence}, f"{about or '-'}: {sentence}", as_json=as_json)
    return False
