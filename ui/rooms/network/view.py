"""The network of entities as its page shows it: the pictures, the strongest ties, and what lies open beside them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from managers.memory.entities import KINDS, Kind
from managers.memory_map.counts import Tie
from managers.memory_map.ties import Network
from ui.rooms.map.canvas import CANVASES
from ui.rooms.map.panel import shown_passage
from ui.rooms.memories.people import told_of
from ui.rooms.network.picture import COLOURS, network_picture, sign
from ui.server.visit import PersonaVisit

_LISTED: Final = 14
_PASSAGES: Final = 20
_FACTS: Final = 3


@dataclass(frozen=True, slots=True)
class TieRow:
    """A tie in a list."""

    name: str
    about: str
    address: str


def network_page(visit: PersonaVisit, network: Network) -> dict[str, Any]:
    """Return what `network.html` shows of the network."""
    t, kinds = visit.t, _kinds(visit, network)
    title = t("network.around", name=network.centre) if network.centre else t("network.title")
    is_all = len(network.nodes) == network.total
    shown = t("network.shown_all" if is_all else "network.shown", count=len(network.nodes), total=f"{network.total:,}")
    drawn = set(kinds.values())
    return {
        "title": title,
        "held": "" if network.centre else shown,
        "whole": visit.at("memories/network") if network.centre else "",
        "pictures": [network_picture(network, kinds, canvas, title, t) for canvas in CANVASES],
        "signs": [(sign(kind, 6), COLOURS[kind], t(f"memories.kind_{kind}")) for kind in KINDS if kind in drawn],
        "strongest": [_row(visit, tie, network.centre) for tie in network.ties[:_LISTED]],
        "name": f"{visit.name}-{t('network.file')}",
    }


def address(visit: PersonaVisit, centre: str = "", **query: object) -> str:
    """Return the address of the network, with one in the middle or not; a query opens something beside it."""
    return visit.at("memories/network", *([centre] if centre else []), **query)


def opened_tie(visit: PersonaVisit, one: str, other: str) -> dict[str, Any]:
    """Return the messages and days that tie two entities, as they lie open beside the picture."""
    t, found = visit.t, visit.memories.network.passages_between(one, other)
    rows = [shown_passage(visit, passage, t(f"types.{passage.type}")) for passage in found[:_PASSAGES]]
    left = len(found) - _PASSAGES
    title = t("network.both", one=one, other=other) if rows else t("memories.gone")
    return {"title": title, "rows": rows, "left": t("network.more", count=left) if left > 0 else ""}


def opened_entity(visit: PersonaVisit, name: str, centre: str) -> dict[str, Any] | None:
    """Return an entity's card; None if it is gone."""
    entity = visit.memories.entities.get(name)
    if entity is None:
        return None
    ties = visit.memories.network.ties_of(entity.name)[:_LISTED]
    return {
        "title": entity.name,
        "kind": visit.t(f"memories.kind_{entity.kind}"),
        "known": told_of(entity)[:_FACTS],
        "ties": [_row(visit, tie, centre) for tie in ties],
        "page": visit.at("memories/people", entity.name),
        "centre": address(visit, entity.name) if entity.name != centre else "",
    }


def _kinds(visit: PersonaVisit, network: Network) -> Mapping[str, Kind]:
    found = ((node.name, visit.memories.entities.get(node.name)) for node in network.nodes)
    return {name: entity.kind if entity else "thing" for name, entity in found}


def _row(visit: PersonaVisit, tie: Tie, centre: str) -> TieRow:
    return TieRow(
        visit.t("network.both", one=tie.one, other=tie.other),
        visit.t("network.together", count=tie.count),
        address(visit, centre, one=tie.one, other=tie.other),
    )
