"""All addresses that a server answers, collected from its routes."""

import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from fastapi.routing import _IncludedRouter
from starlette.routing import BaseRoute, WebSocketRoute

_ALL: Final = ("GET", "POST", "DELETE")


class Address(NamedTuple):
    """An address and how it is asked; a WebSocket has no methods."""

    path: str
    methods: frozenset[str]

    def filled(self, **values: str) -> str:
        """Return the address with something in its places."""
        return re.sub(r"{(\w+)(?::\w+)?}", lambda place: values.get(place[1], "x"), self.path)


def addresses_of(routes: Iterable[BaseRoute]) -> Iterator[Address]:
    """Yield the addresses of routes, those of routers within them as well."""
    for route in routes:
        if isinstance(route, _IncludedRouter):
            yield from addresses_within(route)
        else:
            yield Address(_path_of(route), _methods_of(route))


def addresses_within(router: _IncludedRouter) -> Iterator[Address]:
    for one in router.effective_candidates():
        if isinstance(one, _IncludedRouter):
            yield from addresses_within(one)
        else:
            path = one.path or _path_of(one.starlette_route or one.original_route)
            yield Address(path, _methods_of(one.original_route))


def _path_of(route: BaseRoute) -> str:
    return str(getattr(route, "path", ""))


def _methods_of(route: BaseRoute) -> frozenset[str]:
    """Return what a route is asked by; an application behind one takes all."""
    if isinstance(route, WebSocketRoute):
        return frozenset()
    return frozenset(getattr(route, "methods", None) or _ALL)
