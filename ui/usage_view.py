"""What the section "Tokens and cost" shows: sums, caps, a chart by day, tables, prices. Presenters only."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from html import escape
from typing import Literal, get_args
from urllib.parse import urlencode

from managers.storage.settings import UsageSettings
from managers.usage.caps import Standing
from managers.usage.ledger import PURPOSES, Call
from managers.usage.prices import NANO, Model, Price
from managers.usage.summary import Costing, Sum, amount, by_day, grouped, total
from ui.charts import figure, table_link
from ui.locales import Texts
from ui.shelves import button
from ui.times import day_name
from ui.usage_chart import Bar, bar_chart

Grouping = Literal["persona", "purpose", "model"]
Span = Literal["today", "month", "days", "all"]
Measure = Literal["tokens", "money"]
GROUPINGS: tuple[Grouping, ...] = get_args(Grouping)
SPANS: tuple[Span, ...] = get_args(Span)
MEASURES: tuple[Measure, ...] = get_args(Measure)
DAYS = 30


@dataclass(frozen=True, slots=True)
class Look:
    """How the section is looked at: for whom its caps are, and how its chart and table are made."""

    own: bool = False
    grouping: Grouping = "persona"
    span: Span = "month"
    measure: Measure = "tokens"


@dataclass(frozen=True, slots=True)
class Known:
    """What the section is made from.

    Attributes:
        calls: those that are looked at, oldest first.
        cost: what a call cost.
        limits: the settings for everybody.
        today: the day.
        persona: who is talked to; may be empty.
        here: the names of all personas that there are.
        standings: where the caps stand that hold for the persona.
        prices: of the models that were asked, and of the one that is chosen.
    """

    calls: Sequence[Call]
    cost: Costing
    limits: UsageSettings
    today: date
    persona: str
    here: frozenset[str]
    standings: Sequence[Standing]
    prices: Sequence[tuple[Model, Price | None]]


def since(span: Span, today: date) -> date | None:
    """Return the first day of a span; None: from the beginning."""
    firsts = {"today": today, "month": today.replace(day=1), "days": today - timedelta(days=DAYS - 1)}
    return firsts.get(span)


def first_day(look: Look, today: date) -> date | None:
    """Return the first day that anything shows; None: all of them. Years of calls are read only if asked for."""
    return None if look.span == "all" else min(today.replace(day=1), today - timedelta(days=DAYS - 1))


def within(calls: Iterable[Call], begins: date | None) -> list[Call]:
    """Return the calls from a day on."""
    return [call for call in calls if begins is None or call.time.date() >= begins]


def tiles(known: Known, t: Texts) -> str:
    """Return the sums of today and this month, of all and of the persona that is talked to."""
    month = within(known.calls, since("month", known.today))
    today = within(month, known.today)
    found = [(t("usage.today"), today), (t("usage.month"), month)]
    if known.persona and len(known.here) > 1:
        for key, calls in (("today_of", today), ("month_of", month)):
            own = [call for call in calls if call.persona == known.persona]
            found.append((t(f"usage.{key}", name=known.persona), own))
    cells = "".join(_tile(label, total(calls, known.cost), known.limits, t) for label, calls in found)
    return f'<div class="tiles">{cells}</div>'


def _tile(label: str, sums: Sum, limits: UsageSettings, t: Texts) -> str:
    small = [t("usage.call") if sums.calls == 1 else t("usage.calls", count=f"{sums.calls:,}")]
    if sums.estimated:
        small.append(t("usage.estimated", count=f"{sums.estimated:,}"))
    return (
        f'<div class="tile"><h3>{escape(label)}</h3><p class="big">{escape(t("usage.tokens", count=f"{sums.tokens:,}"))}</p>'
        f'<p>{escape(money(sums, limits, t))}</p><p class="quiet">{escape(" · ".join(small))}</p></div>'
    )


def money(sums: Sum, limits: UsageSettings, t: Texts) -> str:
    """Return what calls cost in words; a price that is unknown is said, never taken for nothing."""
    if sums.calls and sums.unpriced == sums.calls:
        return t("usage.unpriced_all")
    said = t("usage.about", amount=amount(sums.cost, limits)) if sums.cost or not sums.calls else t("usage.free")
    return f"{said} · {t('usage.unpriced', count=f'{sums.unpriced:,}')}" if sums.unpriced else said


def bars(known: Known, t: Texts) -> str:
    """Return how much of each cap is used up."""
    rows = "".join(_cap(standing, known.limits, t) for standing in known.standings)
    return f'<ul class="caps">{rows}</ul>' if rows else ""


def _cap(standing: Standing, limits: UsageSettings, t: Texts) -> str:
    cap, share = standing.cap, min(1.0, standing.share)
    name = t(f"usage.cap_{cap.span}")
    if cap.persona:
        name = t("usage.cap_of", name=cap.persona, span=name)
    state = "reached" if standing.left <= 0 else "near" if standing.is_near else ""
    word = f'<b class="badge">{escape(t(f"usage.{state}"))}</b>' if state else ""
    said = t("usage.of", spent=_in_unit(standing.spent, cap.unit, limits), limit=_limit(standing, limits, t))
    label = escape(f"{name}: {said}")
    return (
        f'<li class="{state}"><p><span>{escape(name)}</span> {word}<span class="quiet">{escape(said)}</span></p>'
        f'<div class="gauge" role="meter" aria-valuemin="0" aria-valuemax="100" aria-valuenow="{100 * share:.0f}" '
        f'aria-label="{label}"><i style="width:{100 * share:.1f}%"></i></div></li>'
    )


def _limit(standing: Standing, limits: UsageSettings, t: Texts) -> str:
    said = _in_unit(standing.cap.limit, standing.cap.unit, limits)
    return t("usage.tokens", count=said) if standing.cap.unit == "tokens" else said


def _in_unit(value: int, unit: str, limits: UsageSettings) -> str:
    return f"{value:,}" if unit == "tokens" else amount(value, limits)


def course(known: Known, look: Look, t: Texts) -> str:
    """Return the chart of the last days, with what it can be saved as."""
    begins = known.today - timedelta(days=DAYS - 1)
    days = by_day(within(known.calls, begins), known.cost, begins, known.today)
    title = t(f"usage.chart_{look.measure}")
    if look.measure == "tokens":
        chart = bar_chart([_tokens_bar(day, sums, known, t) for day, sums in days.items()], title, _short)
    else:
        chart = bar_chart([_money_bar(day, sums, known, t) for day, sums in days.items()], title, _short)
    address = table_address("days", t)
    legend = (
        f'<p class="legend"><span class="light"></span>{escape(t("usage.read"))}'
        f'<span class="full"></span>{escape(t("usage.written"))}</p>'
        if look.measure == "tokens"
        else f'<p class="legend">{escape(known.limits.currency)}</p>'
    )
    return legend + figure(chart, f"usage-{look.measure}", address, t, kind="spending")


def _tokens_bar(day: date, sums: Sum, known: Known, t: Texts) -> Bar:
    value = f"{t('usage.tokens', count=f'{sums.tokens:,}')}, {money(sums, known.limits, t)}"
    label = t("usage.chart_day", day=day_name(day, known.today, t), value=value)
    return Bar(sums.input_tokens, sums.output_tokens, label, _tick(day, known.today))


def _money_bar(day: date, sums: Sum, known: Known, t: Texts) -> Bar:
    label = t("usage.chart_day", day=day_name(day, known.today, t), value=money(sums, known.limits, t))
    return Bar(0.0, sums.cost / NANO * known.limits.per_dollar, label, _tick(day, known.today))


def _tick(day: date, today: date) -> str:
    return f"{day.month}/{day.day}" if (today - day).days % 5 == 0 else ""


def _short(value: float) -> str:
    for size, letter in ((1_000_000, "M"), (1_000, "k")):
        if value >= size:
            return f"{value / size:g}{letter}"
    return f"{value:.3g}"


def table(known: Known, look: Look, t: Texts) -> str:
    """Return the table of what was spent, grouped as it is looked at."""
    calls = within(known.calls, since(look.span, known.today))
    sums = grouped(calls, known.cost, key_of(look.grouping))
    if not sums:
        return f'<p class="nothing">{escape(t("usage.none_in_span"))}</p>'
    keys = ("calls", "read", "written", "tokens", "cost")
    heads = "".join(f'<th scope="col">{escape(t(f"usage.head_{key}"))}</th>' for key in keys)
    rows = "".join(_row(name_of(look.grouping, key, known.here, t), one, known.limits, t) for key, one in sums.items())
    link = table_link(table_address(look.grouping, t, span=look.span), t)
    return (
        f'<div class="scrolled" tabindex="0" role="group" aria-label="{escape(t("usage.tables"))}">'
        f'<table class="rows sums"><thead><tr><th scope="col">{escape(t(f"usage.by_{look.grouping}"))}</th>{heads}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>{link}"
    )


def _row(name: str, sums: Sum, limits: UsageSettings, t: Texts) -> str:
    numbers = (sums.calls, sums.input_tokens, sums.output_tokens, sums.tokens)
    labels = [t(f"usage.head_{key}") for key in ("calls", "read", "written", "tokens", "cost")]
    values = [*(f"{number:,}" for number in numbers), money(sums, limits, t)]
    cells = "".join(
        f'<td data-label="{escape(label)}">{escape(value)}</td>' for label, value in zip(labels, values, strict=True)
    )
    return f'<tr><th scope="row">{escape(name)}</th>{cells}</tr>'


def key_of(grouping: Grouping) -> Callable[[Call], str]:
    """Return what calls are grouped by."""
    keys: Mapping[Grouping, Callable[[Call], str]] = {
        "persona": lambda call: call.persona,
        "purpose": lambda call: call.purpose,
        "model": lambda call: f"{call.model} ({call.service})",
    }
    return keys[grouping]


def name_of(grouping: Grouping, key: str, here: frozenset[str], t: Texts) -> str:
    """Return what a group is called."""
    if grouping == "purpose":
        return t(f"usage.purpose.{key if key in PURPOSES else 'other'}")
    if grouping == "persona":
        return key if key in here else t("usage.gone", name=key) if key else t("usage.nobody")
    return key


def prices(known: Known, t: Texts) -> str:
    """Return what each model costs, with the fields for one's own price."""
    return "".join(_price(model, price, t) for model, price in known.prices)


def _price(model: Model, price: Price | None, t: Texts) -> str:
    own = price is not None and price.source == "own"
    fields = "".join(
        f'<input type="number" name="{key}" min="0" step="any" inputmode="decimal" '
        f'value="{f"{value:g}" if own else ""}" placeholder="{"" if price is None else f"{value:g}"}" '
        f'aria-label="{escape(t(f"usage.price_{key}", model=model.name))}">'
        for key, value in (("read", price.input if price else 0.0), ("written", price.output if price else 0.0))
    )
    back = button(t("usage.price_back"), "price-back", model=model.name) if own else ""
    service = f' <span class="quiet">{escape(model.service)}</span>' if model.service else ""
    return (
        f'<form class="option price{" set" if own else ""}" data-submit="price" data-model="{escape(model.name)}">'
        f'<div><b>{escape(model.name)}</b>{service}<p class="quiet">{escape(price_in_words(price, t))}</p></div>'
        f'<div class="control">{fields}<button type="submit" class="small">{escape(t("usage.price_save"))}</button>{back}</div></form>'
    )


def price_in_words(price: Price | None, t: Texts) -> str:
    """Return what a model costs, and where that is known from."""
    if price is None:
        return t("usage.price_unknown")
    if price.source == "local":
        return t("usage.price_local")
    said = t(f"usage.price_{price.source}", read=f"{price.input:g}", written=f"{price.output:g}", day=price.as_of)
    if price.above:
        above = t(
            "usage.price_above",
            read=f"{price.input_above:g}",
            written=f"{price.output_above:g}",
            above=f"{price.above:,}",
        )
        return f"{said}; {above}"
    return said


def choice(kind: str, names: Sequence[str], chosen: str, label: str, t: Texts) -> str:
    """Return buttons of which one is pressed; `kind` names what they choose."""
    prefix = {"measure": "by", "grouping": "by", "span": "span"}[kind]
    buttons = "".join(
        f'<button type="button" data-action="look" data-{kind}="{name}" aria-pressed="{str(name == chosen).lower()}">'
        f"{escape(t(f'usage.{prefix}_{name}'))}</button>"
        for name in names
    )
    return f'<div class="choice scopes" role="group" aria-label="{escape(label)}">{buttons}</div>'


def table_address(name: str, t: Texts, **chosen: str) -> str:
    """Return where a table is handed out (`ui/usage_tables.py`)."""
    return f"/usage/{name}.csv?{urlencode({'lang': t.lang} | chosen)}"


def looked(look: Look, told: Mapping[str, object]) -> Look:
    """Return the look with what was chosen."""
    changes = {
        kind: told[kind]
        for kind, names in (("grouping", GROUPINGS), ("span", SPANS), ("measure", MEASURES))
        if told.get(kind) in names
    }
    return replace(look, **changes)  # type: ignore[arg-type]  # each is one of its names
