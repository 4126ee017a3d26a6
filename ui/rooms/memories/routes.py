"""The addresses of the memories: a shelf each, the map and the network among them."""

from typing import Final

from fastapi import APIRouter

from ui.rooms.map import routes as memory_map
from ui.rooms.memories import (
    archive,
    audience_route,
    audit_shelf,
    days,
    diaries,
    erasing,
    forgotten,
    helping,
    inner,
    lorebook,
    people,
    search,
)
from ui.rooms.network import routes as network

router = APIRouter(prefix="/p/{persona}/memories")
router.add_api_route("", search.shelf)
ROUTERS: Final = (
    router,
    *(
        shelf.router
        for shelf in (
            people,
            days,
            forgotten,
            archive,
            audience_route,
            audit_shelf,
            erasing,
            memory_map,
            network,
            diaries,
            helping,
            lorebook,
            inner,
        )
    ),
)
