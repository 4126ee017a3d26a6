"""`personas admit`: what waits for a yes is told, asked about, and let in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from commands.language import terminal_language
from commands.shared import HomeOption, JsonOption, services_at, tell
from commands.terminal import agrees, warn, write
from managers.storage.errors import Lang, UtataneError
from managers.storage.texts import Texts

if TYPE_CHECKING:
    from managers.personas.door import Door, Question

commands = typer.Typer()

_say = Texts("notices/commands")


@dataclass(frozen=True, slots=True)
class _Decision:
    """What somebody decided on: to let guests in or not, to use what is asked for or not; None: not asked about that."""

    admit: bool
    grant: bool | None


@commands.command("admit")
def admit_personas(
    names: Annotated[list[str] | None, typer.Argument(help="Whom; default: everybody who waits.")] = None,
    home: HomeOption = None,
    everybody: Annotated[bool, typer.Option("--all", help="Everybody who waits.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Let them in without asking.")] = False,
    with_settings: Annotated[
        bool, typer.Option("--with-settings", help="With --yes: use the settings that they ask for, too.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Let in folders that came from elsewhere, after telling what is in them; --json asks nothing.

    Those who were let in before, by a record that was lost or is another computer's, are asked about first, all at once.
    """
    from commands.errors import CommandError

    if yes and not (names or everybody):
        raise CommandError("nobody-named")
    lang = terminal_language()
    with services_at(home) as services:
        door = services.personas.door
        found = [door.question(name) for name in names or door.waiting()]
        questions = [question for question in found if question is not None]
        known = [] if names or yes or as_json else [one for one in questions if one.is_remembered]
        outside: list[Question] = []
        groups = known, [one for one in questions if one not in known]
        for asked in [one for one in groups if one] or [questions]:
            if not as_json:
                _tell_all(asked, lang)
            decision = _Decision(yes, with_settings or None) if yes or as_json else _ask(asked, lang)
            outside += [one for one in asked if not _carry_out(door, one, decision, lang, as_json=as_json)]
    if outside and (yes or not as_json):
        raise typer.Exit(1)


def _ask(questions: Sequence[Question], lang: Lang) -> _Decision:
    """Ask once for all of them whether to let them in, and once whether to use what they ask for."""
    admit = any(one.is_guest for one in questions) and agrees(_say("admit.let_in", lang))
    if not any(one.wishes for one in questions if admit or not one.is_guest):
        return _Decision(admit, grant=None)
    return _Decision(admit, grant=agrees(_say("admit.use", lang)))


def _carry_out(door: Door, question: Question, decision: _Decision, lang: Lang, *, as_json: bool) -> bool:
    """Do to one of them what was decided, and tell it; return whether it is in."""
    is_in, done = not question.is_guest, []
    try:
        if question.is_guest and decision.admit:
            done = list(door.admit(question.name, wishes=question.seen, grant=decision.grant))
            is_in = True
        elif is_in and decision.grant is not None:
            door.answer(question.name, wishes=question.seen, yes=decision.grant)
    except UtataneError as error:  # the others are not kept waiting by one that cannot be let in
        warn(error.sentence(lang))
    granted = is_in and bool(decision.grant)
    if as_json:
        findings = [{"code": one.code, "sentence": one.sentence(lang)} for one in (*question.findings, *done)]
        settings = [one.sentence(lang) for one in question.wishes]
        facts = {"name": question.name, "guest": question.is_guest, "findings": findings, "settings": settings}
        tell(facts | {"admitted": is_in, "settings_used": granted}, "", as_json=True)
    elif is_in:
        if question.is_guest:
            write(_say("admit.admitted", lang, name=question.name))
        for notice in done:
            write(notice.sentence(lang))
        if question.wishes:
            write(_say("admit.granted" if granted else "admit.not_granted", lang, name=question.name))
    return is_in


def _tell_all(questions: Sequence[Question], lang: Lang) -> None:
    """Tell what waits, each with what was found and what it asks for."""
    for one in questions:
        said = "admit.remembered" if one.is_remembered else "admit.guest"
        write(_say(said, lang, name=one.name) if one.is_guest else one.name)
        for notice in (*one.findings, *([one.obstacle] if one.obstacle else [])):
            write(f"  - {notice.sentence(lang)}")
        if one.wishes:
            write(f"  {_say('admit.asks', lang)}")
        for wish in one.wishes:
            write(f"    - {wish.sentence(lang)}")
    if not questions:
        write(_say("admit.nothing", lang))
