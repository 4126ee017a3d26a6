"""Tokens and cost: what was spent, the caps, and the prices."""

import math
from collections.abc import Iterator
from datetime import date
from typing import Final

from fastapi import APIRouter
from fastapi.responses import Response

from managers.storage.errors import InvalidSettingError
from managers.usage.ledger import Call
from managers.usage.prices import NANO, Model, Price
from managers.usage.totals import Sum, by_day, grouped
from ui.components.csv_files import Rows, csv_answer
from ui.rooms.settings.options import options_of, spoken
from ui.rooms.settings.routes import settings_address, shelf_of
from ui.rooms.usage import view
from ui.rooms.usage.view import Grouping, Look, Measure, Span
from ui.server.visit import FormText, Here, Visit

_RECENT_MODELS: Final = 12

router = APIRouter()


@router.get("/settings/usage")
def show(visit: Here, grouping: Grouping = "persona", span: Span = "month", measure: Measure = "tokens") -> Response:
    """Show what was spent, as it stands in the ledger now."""
    services, t, look = visit.services, visit.t, Look(grouping, span, measure)
    persona, today = visit.persona_name, visit.now.date()
    meter, limits, names = services.meter, services.settings().usage, frozenset(services.personas.list_names())
    calls = meter.ledger.calls(view.first_day(look, today))
    return visit.show(
        "rooms/usage/usage.html",
        shelf=shelf_of(visit, "usage"),
        look=look,
        looks=(("measure", view.MEASURES, measure), ("grouping", view.GROUPINGS, grouping), ("span", view.SPANS, span)),
        has_calls=bool(meter.ledger.months()),
        tiles=view.tiles(calls, meter.cost, limits, today, persona if len(names) > 1 else "", t),
        caps=[view.cap(standing, limits, t) for standing in meter.standings(persona)],
        course=view.course(calls, meter.cost, limits, today, measure, t),
        currency=limits.currency,
        rows=view.rows(view.within(calls, view.since(span, today)), meter.cost, limits, grouping, names, t),
        options=[option for option in options_of(services, visit.own) if option.section == "usage"],
        spoken=spoken,
        prices=_models(visit, persona, calls),
        in_words=view.price_in_words,
    )


@router.post("/settings/usage/price")
def set_price(
    visit: Here, model: FormText, read: FormText = "", written: FormText = "", back: FormText = ""
) -> Response:
    """Keep one's own price of a model, or go back to the list's."""
    prices = dict(visit.services.settings().usage.prices)
    if back:
        prices.pop(model, None)
    else:
        prices[model] = (_number(read, visit), _number(written, visit))
    plain = {name: list(pair) for name, pair in prices.items()}
    visit.services.settings_file.change("usage", prices=plain or None)
    return visit.lead(settings_address(visit, "usage") + "#usage-prices")


@router.get("/usage/days.csv")
def days(visit: Here) -> Response:
    """Answer with what was spent day by day."""
    return csv_answer(_days(visit), "utatane-usage-days.csv")


@router.get("/usage/{grouping}.csv")
def table_of(visit: Here, grouping: Grouping, span: Span = "month") -> Response:
    """Answer with what was spent, grouped."""
    return csv_answer(_groups(visit, grouping, span), f"utatane-usage-{grouping}.csv")


def _number(text: str, visit: Visit) -> float:
    try:
        value = float(text.strip())
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value >= 0):
        raise InvalidSettingError(key="usage.prices", value=text, reason=visit.t("usage.price_needed"))
    return value


def _models(visit: Visit, persona: str, calls: list[Call]) -> list[tuple[Model, Price | None]]:
    """Return the models that were asked of late and the one that would be asked now, with their prices."""
    services = visit.services
    found: dict[str, Model] = {}
    if persona:
        settings = services.companion(persona).memories.settings().mind
        for choose in (services.minds.choose, services.minds.choose_small):
            if endpoint := choose(settings, persona=persona).mind.endpoint:
                found[endpoint.priced.name] = endpoint.priced
    for call in reversed(calls):
        if len(found) >= _RECENT_MODELS:
            break
        found.setdefault(call.model, Model(call.model, call.service, call.host, call.is_local))
    for name in services.settings().usage.prices:
        found.setdefault(name, Model(name))
    return [(model, services.meter.price(model)) for model in found.values() if model.name]


def _days(visit: Visit) -> Rows:
    meter, today, t = visit.services.meter, visit.now.date(), visit.t
    calls = meter.ledger.calls()
    yield [t("usage.by_day"), *_heads(visit)]
    first: date = calls[0].time.date() if calls else today
    for day, sums in by_day(calls, meter.cost, min(first, today), today).items():
        yield [day.isoformat(), *_cells(sums, visit)]


def _groups(visit: Visit, grouping: Grouping, span: Span) -> Iterator[list[object]]:
    services, t = visit.services, visit.t
    calls = view.within(services.meter.ledger.calls(), view.since(span, visit.now.date()))
    here = frozenset(services.personas.list_names())
    yield [t(f"usage.by_{grouping}"), *_heads(visit)]
    for key, sums in grouped(calls, services.meter.cost, view.key_of(grouping)).items():
        yield [view.name_of(grouping, key, here, t), *_cells(sums, visit)]


def _heads(visit: Visit) -> list[str]:
    keys = ("calls", "read", "written", "tokens", "cost", "unpriced", "estimated")
    return [*(visit.t(f"usage.head_{key}") for key in keys), visit.t("usage.currency")]


def _cells(sums: Sum, visit: Visit) -> list[object]:
    limits = visit.services.meter.limits("")
    known = sums.unpriced < sums.calls or not sums.calls
    cost: object = round(sums.cost / NANO * limits.per_dollar, 9) if known else ""
    numbers = [sums.calls, sums.input_tokens, sums.output_tokens, sums.tokens]
    return [*numbers, cost, sums.unpriced, sums.estimated, limits.currency]
