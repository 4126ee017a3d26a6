"""The shelf with the network of entities: who and what belongs together, and the messages that tie them."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from managers.memory.entities import KINDS, Entity, Kind
from managers.memory_map.counts import Tie
from managers.memory_map.ties import Network
from ui.charts import figure
from ui.locales import Texts
from ui.map import drawing
from ui.map_canvas import NARROW, WIDE
from ui.map_panel import passage_row
from ui.network_picture import network_picture, sign
from ui.presenters import persona_address
from ui.shelves import Shelf, View, button, empty

_LISTED = 14
_PASSAGES = 20
_FACTS = 3


def show(view: View) -> str:
    """Return the network, or why there is none yet."""
    # The cards are read before a look for thousands of names begins: beside such work it takes ten times as long.
    kinds = {entity.name: entity.kind for entity in view.memories.entities.all()}
    network = view.memories.network.look(_centre(view))
    if network is None:
        return drawing(view.memories.map, view)
    if not network.nodes:
        return empty(view.t("network.empty"))
    t = view.t
    kinds = {node.name: kinds.get(node.name, "thing") for node in network.nodes}
    title = t("network.around", name=network.centre) if network.centre else t("network.title")
    pictures = "".join(network_picture(network, kinds, canvas, title, t) for canvas in (WIDE, NARROW))
    table = f"{persona_address(view.persona)}/network/ties.csv?lang={t.lang}"
    look = f"{persona_address(view.persona)}/network/look?lang={t.lang}"
    name = f"{view.persona}-{t('network.file')}"
    return (
        f"{_crumbs(network, t)}{_finder(view, t)}"
        f'<p class="visually-hidden">{escape(t("network.keys"))}</p><div class="charted" data-look="{escape(look)}">'
        f"<div>{figure(pictures, name, table, t, kind='starry')}{_legend(kinds, t)}</div>"
        f'<div class="beside" aria-live="polite" tabindex="-1">{_strongest(network, t)}</div></div>'
    )


def _centre(view: View) -> str:
    """Return who is to sit in the middle: the one that was chosen, or looked for."""
    asked = view.place.query.strip()
    if asked:
        found = view.memories.entities.search(asked, limit=1)
        return found[0].name if found else ""
    return view.place.item


def _crumbs(network: Network, t: Texts) -> str:
    if not network.centre:
        is_all = len(network.nodes) == network.total
        shown = t(
            "network.shown_all" if is_all else "network.shown", count=len(network.nodes), total=f"{network.total:,}"
        )
        return f'<h3 tabindex="-1" data-focus>{escape(t("network.title"))}</h3><p class="quiet">{escape(shown)}</p>'
    back = button(t("network.whole"), "search", query="")
    name = t("network.around", name=network.centre)
    return f'<div class="above"><h3 tabindex="-1" data-focus>{escape(name)}</h3><div class="deeds">{back}</div></div>'


def _finder(view: View, t: Texts) -> str:
    return (
        f'<form class="lookup" data-submit="search"><div class="line">'
        f'<input type="search" id="network-query" name="query" value="{escape(view.place.query)}" '
        f'aria-label="{escape(t("network.find"))}" placeholder="{escape(t("network.find"))}">'
        f'<button class="small primary">{escape(t("memories.look"))}</button></div></form>'
    )


def _legend(kinds: Mapping[str, Kind], t: Texts) -> str:
    held = set(kinds.values())
    rows = "".join(
        f'<li><svg viewBox="-8 -8 16 16" aria-hidden="true">{sign(kind, 6)}</svg>{escape(t(f"memories.kind_{kind}"))}</li>'
        for kind in KINDS
        if kind in held
    )
    return f'<ul class="signs" aria-label="{escape(t("map.signs"))}">{rows}</ul>'


def _strongest(network: Network, t: Texts) -> str:
    if not network.ties:
        return f'<p class="quiet">{escape(t("network.no_ties"))}</p>'
    rows = "".join(_tie_row(tie, t) for tie in network.ties[:_LISTED])
    return (
        f'<h4>{escape(t("network.strongest"))}</h4><p class="quiet">{escape(t("network.choose"))}</p>'
        f'<ul class="regions">{rows}</ul>'
    )


def _tie_row(tie: Tie, t: Texts) -> str:
    both = t("network.both", one=tie.one, other=tie.other)
    return (
        f'<li><button type="button" data-one="{escape(tie.one)}" data-other="{escape(tie.other)}">'
        f"<b>{escape(both)}</b><span>{escape(t('network.together', count=tie.count))}</span></button></li>"
    )


# What stands beside the picture when something in it is chosen


def tie_panel(view: View, one: str, other: str) -> str:
    """Return the messages and days that tie two entities, each with the way to its place."""
    t = view.t
    found = view.memories.network.passages_between(one, other)
    if not found:
        return f'<p class="quiet">{escape(t("memories.gone"))}</p>'
    rows = "".join(passage_row(view, passage, t(f"types.{passage.type}")) for passage in found[:_PASSAGES])
    left = len(found) - _PASSAGES
    more = f'<p class="quiet">{escape(t("network.more", count=left))}</p>' if left > 0 else ""
    return _panel(t("network.both", one=one, other=other), f'<ol class="near">{rows}</ol>{more}', t)


def node_panel(view: View, name: str) -> str:
    """Return an entity's card: what is known, what it is tied to, and the ways on."""
    t = view.t
    entity = view.memories.entities.get(name)
    if entity is None:
        return f'<p class="quiet">{escape(t("memories.gone"))}</p>'
    ties = view.memories.network.ties_of(name)[:_LISTED]
    rows = "".join(_tie_row(tie, t) for tie in ties)
    told = f'<h4>{escape(t("network.tied_to"))}</h4><ul class="regions">{rows}</ul>' if rows else ""
    deeds = button(t("memories.open"), "go", style="small primary", shelf="entities", item=name) + button(
        t("network.centre"), "go", shelf="network", item=name
    )
    kind = f'<p class="from"><span class="kind">{escape(t(f"memories.kind_{entity.kind}"))}</span></p>'
    return _panel(name, f'{kind}{_known(entity)}<div class="deeds">{deeds}</div>{told}', t)


def _known(entity: Entity) -> str:
    facts = [fact.text for fact in entity.current_facts] or [line for line in entity.text().split("\n") if line.strip()]
    return f'<ul class="known">{"".join(f"<li>{escape(text)}</li>" for text in facts[:_FACTS])}</ul>' if facts else ""


def _panel(title: str, inside: str, t: Texts) -> str:
    return (
        f'<div class="chosen"><h4 tabindex="-1">{escape(title)}</h4>{inside}'
        f'<button type="button" class="small" data-close>{escape(t("map.close"))}</button></div>'
    )


SHELF = Shelf(show)
