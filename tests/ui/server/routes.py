"""All addresses that a server answers."""

import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from fastapi.routing import _EffectiveRouteContext, _IncludedRouter
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
    """Yield the addresses of routes, those of routers that Gradio includes as well."""
    for route in routes:
        if isinstance(route, _IncludedRouter):
            for one in route.effective_candidates():
                yield from addresses_of([one if isinstance(one, _IncludedRouter) else _route_of(one)])
        else:
            yield Address(_path_of(route), _methods_of(route))


def _route_of(one: _EffectiveRouteContext) -> BaseRoute:
    return one.starlette_route or one.original_route


def _path_of(route: BaseRoute) -> str:
    return str(getattr(route, "path", ""))


def _methods_of(route: BaseRoute) -> frozenset[str]:
    """Return what a route is asked by; an application behind one takes all."""
    if isinstance(route, WebSocketRoute):
        return frozenset()
    return frozenset(getattr(route, "methods", None) or _ALL)
