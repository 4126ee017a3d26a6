"""What a person does with the sources of a domain: names them, agrees to asking them, allows a host, takes them out."""

from collections.abc import Collection, Sequence
from secrets import token_hex

from managers.domains import Every
from managers.domains.domain_store import DomainStore, Plan, Source
from managers.domains.errors import SourceAddressError, SourceNotFoundError
from managers.domains.etl import expire
from managers.domains.source_reading import as_source


def add_source(store: DomainStore, address: str) -> Source:
    """Name a source; one that is named already stays as it is. Nothing is asked or read yet.

    Raises:
        SourceAddressError, SourceInsideHomeError, and what `DomainStore.change` raises.
    """
    made = as_source(store.home, address).model_copy(update={"id": token_hex(4)})

    def add(plan: Plan) -> None:
        if all(one.address != made.address for one in plan.sources):
            plan.sources.append(made)

    plan = store.change(add)
    return next(one for one in plan.sources if one.address == made.address)


def set_schedule(store: DomainStore, every: Every | None = None, keep_days: int | None = None) -> None:
    """Change how often a domain is fetched, or for how many days documents stay."""

    def change(plan: Plan) -> None:
        plan.every = every or plan.every
        plan.keep_days = plan.keep_days if keep_days is None else keep_days

    store.change(change)


def agree(store: DomainStore, ids: Collection[str]) -> None:
    """Say yes to asking some sources, from now on."""

    def change(plan: Plan) -> None:
        for one in plan.sources:
            one.agreed |= one.id in ids

    store.change(change)


def remove_sources(store: DomainStore, ids: Collection[str]) -> int:
    """Take sources out with what came of them; return how many documents went.

    What another source showed as well comes back with its next fetch: all are asked for everything then.
    """

    def change(plan: Plan) -> None:
        plan.sources = [one for one in plan.sources if one.id not in ids]
        for one in plan.sources:
            one.etag = one.modified = ""

    store.change(change)
    return expire(store)


def allow_host(store: DomainStore, host: str, *, allowed: bool = True) -> str:
    """Let a host in a private network be asked, or no more; return it as it is noted.

    Raises:
        SourceAddressError: it is no name of a host.
    """
    name = host.strip().strip("[]").lower().rstrip(".")
    if not name or not name.isascii() or not name.isprintable() or set(name) & set("/@?#% "):
        raise SourceAddressError(name=host)

    def change(plan: Plan) -> None:
        plan.allowed = sorted({*plan.allowed, name} if allowed else {*plan.allowed} - {name})

    store.change(change)
    return name


def sources_named(store: DomainStore, names: Sequence[str]) -> list[Source]:
    """Return the sources of some addresses or ids; all of them, where none is named.

    Raises:
        SourceNotFoundError
    """
    sources = store.plan().sources
    for name in names:
        if not any(name in {one.id, one.address} for one in sources):
            raise SourceNotFoundError(name=name)
    return [one for one in sources if not names or {one.id, one.address} & {*names}]
