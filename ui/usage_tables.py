"""What was spent, as tables that are handed out as CSV."""

from __future__ import annotations

from datetime import date

from fastapi import APIRouter
from fastapi.responses import Response

from agent.services import Services
from managers.storage.errors import Lang
from managers.usage.prices import NANO
from managers.usage.summary import Sum, by_day, grouped
from ui.csv_files import Rows, csv_answer
from ui.locales import Texts, texts
from ui.usage_view import Grouping, Span, key_of, name_of, since, within


def usage_router(services: Services) -> APIRouter:
    """Return the addresses of the tables."""
    router = APIRouter(prefix="/usage")

    @router.get("/days.csv")
    def days(lang: Lang = "en") -> Response:
        return csv_answer(_days(services, texts(lang)), "utatane-usage-days.csv")

    @router.get("/{grouping}.csv")
    def table_of(grouping: Grouping, lang: Lang = "en", span: Span = "month") -> Response:
        rows = _groups(services, grouping, span, texts(lang))
        return csv_answer(rows, f"utatane-usage-{grouping}.csv")

    return router


def _days(services: Services, t: Texts) -> Rows:
    calls, today = services.meter.ledger.calls(), services.clock.now().date()
    yield [t("usage.by_day"), *_heads(t)]
    first: date = calls[0].time.date() if calls else today
    for day, sums in by_day(calls, services.meter.cost, min(first, today), today).items():
        yield [day.isoformat(), *_cells(sums, services)]


def _groups(services: Services, grouping: Grouping, span: Span, t: Texts) -> Rows:
    calls = within(services.meter.ledger.calls(), since(span, services.clock.now().date()))
    here = frozenset(services.personas.list_names())
    yield [t(f"usage.by_{grouping}"), *_heads(t)]
    for key, sums in grouped(calls, services.meter.cost, key_of(grouping)).items():
        yield [name_of(grouping, key, here, t), *_cells(sums, services)]


def _heads(t: Texts) -> list[str]:
    keys = ("calls", "read", "written", "tokens", "cost", "unpriced", "estimated")
    return [*(t(f"usage.head_{key}") for key in keys), t("usage.currency")]


def _cells(sums: Sum, services: Services) -> list[object]:
    limits = services.meter.limits("")
    known = sums.unpriced < sums.calls or not sums.calls
    cost: object = round(sums.cost / NANO * limits.per_dollar, 9) if known else ""
    numbers = [sums.calls, sums.input_tokens, sums.output_tokens, sums.tokens]
    return [*numbers, cost, sums.unpriced, sums.estimated, limits.currency]
