"""The network of entities as its page shows it: the pictures, the strongest ties, and what lies open beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from managers.memory.entities import KINDS, Kind
from managers.memory_map.counts import Tie
from managers.memory_map.ties import Network
from ui.rooms.map.canvas import CANVASES
from ui.rooms.map.dots import Sign
from ui.rooms.map.panel import ShownPassage, shown_passage
from ui.rooms.memories.people import told_of
from ui.rooms.network.picture import COLOURS, NetworkPicture, network_picture, sign
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


@dataclass(frozen=True, slots=True)
class NetworkPage:
    """All that the page of the network shows.

    Attributes:
        title: what it shows.
        held: how much of it; empty around one entity.
        whole: the address of all; empty where all is shown.
        pictures: one in each size.
        signs: those that are drawn, each with its colour and what it means.
        strongest: the strongest ties.
        name: of the file, when the picture is saved.
    """

    title: str
    held: str
    whole: str
    pictures: Sequence[NetworkPicture]
    signs: Sequence[tuple[Sign, str, str]]
    strongest: Sequence[TieRow]
    name: str


@dataclass(frozen=True, slots=True)
class OpenedTie:
    """The messages and days that tie two entities; `left` says how many more there are."""

    title: str
    rows: Sequence[ShownPassage]
    left: str


@dataclass(frozen=True, slots=True)
class OpenedEntity:
    """An entity's card: what is known, what it is tied to, and the ways on."""

    title: str
    kind: str
    known: Sequence[str]
    ties: Sequence[TieRow]
    page: str
    centre: str


def network_page(visit: PersonaVisit, network: Network) -> NetworkPage:
    """Return what the page of the network shows."""
    t, kinds = visit.t, _kinds(visit, network)
    title = t("network.around", name=network.centre) if network.centre else t("network.title")
    is_all = len(network.nodes) == network.total
    shown = t("network.shown_all" if is_all else "network.shown", count=len(network.nodes), total=f"{network.total:,}")
    drawn = set(kinds.values())
    return NetworkPage(
        title,
        "" if network.centre else shown,
        visit.at("memories/network") if network.centre else "",
        [network_picture(network, kinds, canvas, title, t) for canvas in CANVASES],
        [(sign(kind, 6), COLOURS[kind], t(f"memories.kind_{kind}")) for kind in KINDS if kind in drawn],
        [_row(visit, tie, network.centre) for tie in network.ties[:_LISTED]],
        f"{visit.name}-{t('network.file')}",
    )


def address(visit: PersonaVisit, centre: str = "", **query: object) -> str:
    """Return the address of the network, with one in the middle or not; a query opens something beside it."""
    return visit.at(f"memories/network/{centre}" if centre else "memories/network", **query)


def opened_tie(visit: PersonaVisit, one: str, other: str) -> OpenedTie:
    """Return what ties two entities."""
    t, found = visit.t, visit.memories.network.passages_between(one, other)
    rows = [shown_passage(visit, passage, t(f"types.{passage.type}")) for passage in found[:_PASSAGES]]
    left = len(found) - _PASSAGES
    title = t("network.both", one=one, other=other) if rows else t("memories.gone")
    return OpenedTie(title, rows, t("network.more", count=left) if left > 0 else "")


def opened_entity(visit: PersonaVisit, name: str, centre: str) -> OpenedEntity | None:
    """Return an entity's card; None if it is gone."""
    entity = visit.memories.entities.get(name)
    if entity is None:
        return None
    ties = visit.memories.network.ties_of(entity.name)[:_LISTED]
    return OpenedEntity(
        entity.name,
        visit.t(f"memories.kind_{entity.kind}"),
        told_of(entity)[:_FACTS],
        [_row(visit, tie, centre) for tie in ties],
        visit.at(f"memories/people/{entity.name}"),
        address(visit, entity.name) if entity.name != centre else "",
    )


def _kinds(visit: PersonaVisit, network: Network) -> Mapping[str, Kind]:
    found = ((node.name, visit.memories.entities.get(node.name)) for node in network.nodes)
    return {name: entity.kind if entity else "thing" for name, entity in found}


def _row(visit: PersonaVisit, tie: Tie, centre: str) -> TieRow:
    return TieRow(
        visit.t("network.both", one=tie.one, other=tie.other),
        visit.t("network.together", count=tie.count),
        address(visit, centre, one=tie.one, other=tie.other),
    )
