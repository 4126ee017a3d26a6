"""What is shown of a domain."""

from dataclasses import dataclass
from itertools import islice
from typing import Final

from managers.domains import PREFIX
from managers.domains.domain_store import DomainStore, Plan, Provenance, Source
from managers.storage.audit import events
from ui.locales import Texts
from ui.rooms.memories.audit_shelf import details, happened
from ui.server.visit import Visit

USUAL: Final = ("movie", "history", "gossip")
MOST: Final = 50
DIGITS: Final = 5
_LATELY: Final = 10


@dataclass(frozen=True, slots=True)
class ShownSource:
    """A source, and how it stands in a sentence."""

    source: Source
    state: str
    is_wrong: bool
    count: int


@dataclass(frozen=True, slots=True)
class ShownDomain:
    """A domain; `fresh` are the addresses that nobody has agreed to yet."""

    name: str
    plan: Plan
    days: int
    count: int
    sources: tuple[ShownSource, ...]
    fresh: tuple[str, ...]

    @property
    def title(self) -> str:
        """Its name in the namespace of domains."""
        return f"{PREFIX}{self.name}"


def shown(store: DomainStore, visit: Visit) -> ShownDomain:
    """Return what is shown of a domain."""
    plan, known = store.plan(), store.documents()
    counts = {one.id: sum(document.source == one.id for document in known) for one in plan.sources}
    sources = tuple(ShownSource(one, _state(one, visit), bool(one.failed), counts[one.id]) for one in plan.sources)
    fresh = tuple(one.address for one in plan.sources if not one.agreed)
    days = plan.kept_for.days if plan.kept_for else 0
    return ShownDomain(store.name, plan, days, len(known), sources, fresh)


def _state(source: Source, visit: Visit) -> str:
    if source.failed:
        return source.failed.get(visit.lang, "")
    if source.checked is not None:
        return visit.t("domains.fetched_at", when=visit.when(source.checked.astimezone().replace(tzinfo=None)))
    return visit.t("domains.not_yet" if source.agreed else "domains.not_agreed")


def newest(store: DomainStore) -> list[Provenance]:
    """Return the documents of a domain, the newest first."""
    return sorted(store.documents(), key=lambda one: one.published or one.fetched, reverse=True)


def asked(store: DomainStore, t: Texts) -> list[str]:
    """Return in a line each what left this computer for a domain lately."""
    lately = islice(events(store.paths), _LATELY)
    return [f"{one.time:%Y-%m-%d %H:%M} {happened(one, t)} ({details(one, t)})" for one in lately]
