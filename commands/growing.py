"""`growth`: what a persona may learn from its own talks, training an adapter, and which one speaks."""

from __future__ import annotations

import signal
from collections.abc import Mapping
from datetime import date
from typing import TYPE_CHECKING, Annotated, Any

import typer

from commands.errors import CommandError
from commands.language import page_texts
from commands.shared import HomeOption, JsonOption, PersonaArgument, services_at, tell
from commands.terminal import show_progress, write_line

if TYPE_CHECKING:
    from agent.growing import Growth
    from ui.locales import Texts

commands = typer.Typer()


@commands.command()
def growth(
    persona: PersonaArgument,
    step: Annotated[str, typer.Argument(help="list, corpus, train, use VERSION (0: none), or rollback.")] = "list",
    version: Annotated[int | None, typer.Argument(help="With use: which.")] = None,
    drop: Annotated[list[str] | None, typer.Option(help="With corpus: leave this answer out; may be repeated.")] = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Let a local model learn from a persona's own talks (the extra `growth`)."""
    from agent.growing import Growth

    with services_at(home) as services:
        held, t = Growth(services.memories(persona)), page_texts()
        if step == "list":
            _list(held, t, as_json=as_json)
        elif step == "corpus":
            _show_corpus(held, t, drop or [], as_json=as_json)
        elif step == "train":
            _train(held, t, as_json=as_json)
        elif step == "rollback" or (step == "use" and version is not None):
            used = held.adapters.roll_back() if step == "rollback" else version
            held.adapters.use(used or 0)
            tell({"in_use": used}, t("growth.in_use", version=used) if used else t("growth.none"), as_json=as_json)
        else:
            raise CommandError("unknown-growth-step", given=step)


def _list(held: Growth, t: Texts, *, as_json: bool) -> None:
    used = held.adapters.in_use
    for card in (cards := held.adapters.all()):
        facts = card.model_dump(exclude={"messages"}) | {"in_use": card.version == used}
        if as_json:
            tell(facts, "", as_json=True)
            continue
        write_line(f"{'*' if card.version == used else ' '} {t('growth.version', **facts)}")
        if card.style:
            write_line(f"  {t('growth.style', **card.style)}")
    if not as_json and not cards:
        write_line(t("growth.none_yet"))
    if not as_json and held.is_due():
        write_line(t("growth.due"))


def _show_corpus(held: Growth, t: Texts, drop: list[str], *, as_json: bool) -> None:
    from ui.components.corpus_facts import corpus_facts

    found = held.look()
    if drop:
        found = held.corpus.drop(drop)
    if as_json:
        held_out = {one.id for one in found.held_out}
        for one in found.examples:
            facts = {"held_out": one.id in held_out, "edited": one.is_edited}
            tell(one.model_dump(mode="json") | facts, "", as_json=True)
        return
    for one in found.kept:
        write_line(f"{one.id}  {one.said[-1][1][:40]!r} → {one.reply[:60]!r}")
    write_line(t("growth.corpus", path=held.corpus.path))
    for fact in corpus_facts(held.card(found), t, date.isoformat):
        write_line(f"  {fact}")


def _train(held: Growth, t: Texts, *, as_json: bool) -> None:
    from managers.mind import Cancel

    cancel = Cancel()
    signal.signal(signal.SIGINT, lambda *_: cancel.set())

    def told(facts: Mapping[str, Any]) -> None:
        if as_json:
            tell(facts, "", as_json=True)
        elif "step" in facts:
            show_progress(facts["step"], facts["of"])

    card = held.train(told, cancel)
    if not as_json:
        write_line(t("growth.stopped") if card is None else t("growth.trained", **card.model_dump()))
