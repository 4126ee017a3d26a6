"""The network of entities: who and what belongs together, and the messages that tie them."""

from fastapi import APIRouter
from fastapi.responses import RedirectResponse, Response

from ui.rooms.memories.shelves import show
from ui.rooms.network import view
from ui.server.visit import PersonaVisit, With

_SHELF = "network"

router = APIRouter(prefix="/p/{persona}/memories/network")


@router.get("")
def whole(visit: With, query: str = "", who: str = "", one: str = "", other: str = "") -> Response:
    """Show the strongest ties of all; whoever looks for somebody is led to them."""
    if query.strip():
        found = visit.memories.entities.search(query, limit=1)
        if found:
            return RedirectResponse(view.address(visit, found[0].name), status_code=303)
        return _shown(visit, "", who, one, other, query=query)
    return _shown(visit, "", who, one, other)


@router.get("/{centre}")
def around(visit: With, centre: str, who: str = "", one: str = "", other: str = "") -> Response:
    """Show the ties of one entity."""
    return _shown(visit, centre, who, one, other)


def _shown(visit: PersonaVisit, centre: str, who: str, one: str, other: str, *, query: str = "") -> Response:
    """Answer with the network, or why there is none yet.

    Args:
        visit: the request.
        centre: who is to sit in the middle; nobody, if empty or unknown.
        who: whose card lies open.
        one: between whom and the other what ties them lies open.
        other: see there.
        query: for what nobody was found.
    """
    network = visit.memories.network.look(centre)
    if network is None:
        return show(visit, "map/drawing.html", _SHELF, progress=None)
    if not network.nodes:
        return show(visit, "map/empty.html", _SHELF, sentence=visit.t("network.empty"), whole="")
    return show(
        visit,
        "network/network.html",
        _SHELF,
        page=view.network_page(visit, network),
        tie=view.opened_tie(visit, one, other) if one and other else None,
        entity=view.opened_entity(visit, who, network.centre) if who else None,
        chosen=(who, one, other),
        close=view.address(visit, network.centre),
        query=query,
        table=visit.at("tables/ties.csv"),
    )
