"""`usage`: what models were asked for, and what it cost."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from commands.language import terminal_language
from commands.shared import HomeOption, JsonOption, services_at, tell
from commands.terminal import write, write_line

if TYPE_CHECKING:
    from agent.services import Services
    from managers.usage.ledger import Call
    from managers.usage.totals import Sum

commands = typer.Typer()


@commands.command()
def usage(
    persona: Annotated[str | None, typer.Argument(help="Only this persona's.")] = None,
    home: HomeOption = None,
    since: Annotated[
        datetime | None, typer.Option(formats=["%Y-%m-%d"], help="From this day on; default: this month.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Show tokens and estimated cost by day, persona, purpose and model, and where the caps stand."""
    with services_at(home) as services:
        name = services.personas.get(persona).name if persona else ""
        begins = (since or services.clock.now().replace(day=1)).date()
        calls = [call for call in services.meter.ledger.calls(begins) if name in ("", call.persona)]
        if as_json:
            _print_lines(services, calls, name)
        else:
            _print_table(services, calls, name)


def _print_lines(services: Services, calls: list[Call], persona: str) -> None:
    from managers.usage.totals import grouped

    found = grouped(calls, services.meter.cost, lambda c: (c.time.date(), c.persona, c.purpose, c.service, c.model))
    for (day, who, purpose, service, model), sums in sorted(found.items()):
        where = {"day": day.isoformat(), "persona": who, "purpose": purpose, "service": service, "model": model}
        tell(where | _plain(sums, services), "", as_json=True)
    for standing in services.meter.standings(persona):
        cap = standing.cap
        facts = {
            "cap": cap.key,
            "persona": cap.persona,
            "limit": _unit(cap.limit, cap.unit, services),
            "spent": _unit(standing.spent, cap.unit, services),
            "under_way": _unit(standing.reserved, cap.unit, services),
        }
        tell(facts, "", as_json=True)


def _plain(sums: Sum, services: Services) -> dict[str, Any]:
    limits = services.meter.limits("")
    return {
        "calls": sums.calls,
        "input": sums.input_tokens,
        "output": sums.output_tokens,
        "estimated_calls": sums.estimated,
        "cost": None if sums.unpriced == sums.calls else _unit(sums.cost, "money", services),
        "currency": limits.currency,
        "unpriced_calls": sums.unpriced,
    }


def _unit(value: int, unit: str, services: Services) -> float:
    from managers.usage.prices import NANO

    return value if unit == "tokens" else round(value / NANO * services.meter.limits("").per_dollar, 9)


def _print_table(services: Services, calls: list[Call], persona: str) -> None:
    from managers.usage.errors import cap_in_words
    from managers.usage.totals import grouped, total

    japanese = terminal_language() == "ja"
    for (day, who), sums in sorted(grouped(calls, services.meter.cost, lambda c: (c.time.date(), c.persona)).items()):
        write_line(f"{day}  {who or '-'}  {_words(sums, services, japanese=japanese)}")
    write(
        ("合計" if japanese else "Total")
        + f"  {_words(total(calls, services.meter.cost), services, japanese=japanese)}"
    )
    for standing in services.meter.standings(persona):
        ja, en = cap_in_words(standing.cap, services.meter.limits(persona))
        write(f"{ja if japanese else en}: {standing.share:.0%}")


def _words(sums: Sum, services: Services, *, japanese: bool) -> str:
    from managers.usage.totals import amount

    calls = f"{sums.calls:,} 回" if japanese else f"{sums.calls:,} call{'' if sums.calls == 1 else 's'}"
    tokens = f"{sums.tokens:,} トークン" if japanese else f"{sums.tokens:,} tokens"
    said = f"{calls}  {tokens}"
    if sums.unpriced < sums.calls or not sums.calls:
        said += f"  {'約' if japanese else 'about'} {amount(sums.cost, services.meter.limits(''))}"
    if sums.unpriced:
        said += f"  (値段不明 {sums.unpriced:,} 回)" if japanese else f"  (price unknown for {sums.unpriced:,})"
    if sums.estimated:
        said += f"  (推定 {sums.estimated:,} 回)" if japanese else f"  ({sums.estimated:,} estimated)"
    return said
