"""Settings: the knowledge that personas of a domain share, where it comes from, and what could not be fetched."""

from typing import Final, get_args

from fastapi import APIRouter
from fastapi.responses import Response

from managers.domains import Every
from managers.domains.domain_sources import (
    add_source,
    agree,
    allow_host,
    remove_sources,
    set_schedule,
    sources_named,
)
from managers.domains.domain_store import DomainStore, domain_name, domain_of, domains_of
from managers.domains.errors import SourceError
from managers.storage.settings import merged
from ui.rooms.domains import view
from ui.rooms.settings.routes import settings_address, shelf_of
from ui.server.visit import FormText, Here, Visit

_HERE: Final = "/settings/domains"
_EVERY: Final[tuple[Every, ...]] = get_args(Every)

router = APIRouter(prefix=_HERE)


@router.get("")
def show(visit: Here) -> Response:
    """Show the domains, their sources, and how fetching goes."""
    services = visit.services
    stores = domains_of(services.home, services.clock)
    common = services.settings()
    named = {merged(common, persona.settings)[0].group.domain for persona in services.personas.list()}
    return visit.show(
        "rooms/domains/domains.html",
        shelf=shelf_of(visit, "domains"),
        domains=[view.shown(store, visit) for store in stores],
        suggested=sorted({*view.USUAL, *named} - {"", *(store.name for store in stores)}),
        progress=services.domain_jobs.progress,
        periods=_EVERY,
        action=lambda deed: settings_address(visit, f"domains/{deed}"),
    )


@router.get("/{name}/documents")
def documents(visit: Here, name: str) -> Response:
    """Show the newest documents of a domain, and who was asked for them lately."""
    store = domain_of(visit.services.home, visit.services.clock, name)
    found, asked = view.newest(store), view.asked(store, visit.t)
    return visit.part("rooms/domains/documents.html", documents=found, most=view.MOST, asked=asked)


@router.post("/add")
def add(visit: Here, domain: FormText, address: FormText) -> Response:
    """Name a source; nothing is asked yet."""
    services = visit.services
    store = DomainStore(services.home, domain_name(domain), services.clock)
    try:
        source = add_source(store, address)
    except SourceError as error:
        return _back(visit, problem=error.sentence(visit.lang))
    return _back(visit, visit.t("domains.added", address=source.address))


@router.post("/remove")
def remove(visit: Here, domain: FormText, source: FormText = "") -> Response:
    """Take a source out with what came of it, or a whole domain."""
    store, services = _store(visit, domain), visit.services
    if not source:
        services.domains.let_go(store.name)
        store.remove()
    else:
        remove_sources(store, {one.id for one in sources_named(store, [source])})
        if (found := services.domains.of(store.name)) is not None:
            found.recall.keep_up()
    return _back(visit, visit.t("domains.removed"))


@router.post("/fetch")
def fetch(visit: Here, domain: FormText) -> Response:
    """Fetch all sources of a domain now: the press of this button is the yes to asking them."""
    store = _store(visit, domain)
    agree(store, {one.id for one in store.plan().sources})
    if not visit.services.domain_jobs.begin(store.name, lambda one: one.plan().sources):
        return _back(visit, problem=visit.t("domains.busy"))
    return _back(visit)


@router.post("/stop")
def stop(visit: Here) -> Response:
    """Stop; what has come is kept."""
    visit.services.domain_jobs.stop()
    return _back(visit)


@router.post("/schedule")
def schedule(visit: Here, domain: FormText, every: FormText = "", days: FormText = "") -> Response:
    """Change how often a domain is fetched, and for how long documents stay."""
    keep = int(days) if days.isascii() and days.isdigit() and len(days) <= view.DIGITS else None
    set_schedule(_store(visit, domain), next((one for one in _EVERY if one == every), None), keep)
    return _back(visit)


@router.post("/allow")
def allow(visit: Here, domain: FormText, host: FormText, revoke: FormText = "") -> Response:
    """Let a host in a private network be asked, or no more."""
    try:
        allow_host(_store(visit, domain), host, allowed=not revoke)
    except SourceError as error:
        return _back(visit, problem=error.sentence(visit.lang))
    return _back(visit)


def _store(visit: Visit, domain: str) -> DomainStore:
    return domain_of(visit.services.home, visit.services.clock, domain)


def _back(visit: Visit, *done: str, problem: str = "") -> Response:
    return visit.lead(settings_address(visit, "domains"), *done, problem=problem)
