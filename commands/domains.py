"""`domains`: the knowledge that personas of a domain share, and where it comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from commands.language import terminal_language
from commands.shared import HomeOption, JsonOption, services_at, tell, warn_of
from commands.terminal import agrees, may_ask, warn
from managers.domains import Every
from managers.storage.texts import Texts

if TYPE_CHECKING:
    from managers.domains.domain_store import DomainStore, Source
    from managers.domains.etl import Outcome

_say = Texts("notices/domains")
commands = typer.Typer(help="Knowledge that personas of a domain share: feeds, pages, files and folders.")

DomainArgument = Annotated[str, typer.Argument(help="The domain: movie, history, gossip, or any other word.")]
SourcesArgument = Annotated[
    list[str] | None, typer.Argument(help="Addresses or ids, as `domains list` shows them; none: all.")
]
EveryOption = Annotated[Every | None, typer.Option("--every", help="How often it is fetched.")]
KeepOption = Annotated[
    int | None, typer.Option("--keep-days", min=0, help="For how many days documents stay; 0: for good.")
]
YesOption = Annotated[bool, typer.Option("--yes", help="Do not ask.")]


@commands.command("list")
def list_domains(
    domain: Annotated[str, typer.Argument(help="Only this domain, with its sources.")] = "",
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """List domains, their sources, and what could not be fetched and why."""
    from managers.domains.domain_store import domain_of, domains_of

    with services_at(home) as services:
        stores = (
            [domain_of(services.home, services.clock, domain)] if domain else domains_of(services.home, services.clock)
        )
        for store in stores:
            _tell_domain(store, as_json=as_json)
        if not stores and not as_json:
            warn(_say("none", terminal_language()))


@commands.command("add")
def add(
    domain: DomainArgument,
    sources: Annotated[list[str], typer.Argument(help="Addresses of feeds or pages, files, folders.")],
    *,
    home: HomeOption = None,
    every: EveryOption = None,
    keep_days: KeepOption = None,
    as_json: JsonOption = False,
) -> None:
    """Name sources; nothing is asked before `domains fetch`."""
    from managers.domains.domain_sources import add_source, set_schedule
    from managers.domains.domain_store import DomainStore, domain_name

    with services_at(home) as services:
        store = DomainStore(services.home, domain_name(domain), services.clock)
        added = [add_source(store, one) for one in sources]
        if every or keep_days is not None:
            set_schedule(store, every, keep_days)
        for one in added:
            tell(_facts(store, one), _line(one), as_json=as_json)


@commands.command("remove")
def remove(
    domain: DomainArgument,
    sources: SourcesArgument = None,
    home: HomeOption = None,
    *,
    yes: YesOption = False,
    as_json: JsonOption = False,
) -> None:
    """Take sources out with what came of them; with none named, the whole domain."""
    from managers.domains.domain_sources import remove_sources, sources_named
    from managers.domains.domain_store import domain_of

    with services_at(home) as services:
        store = domain_of(services.home, services.clock, domain)
        count, lang = len(store.documents()), terminal_language()
        if not sources:
            if not yes and not (may_ask() and agrees(_say("ask-remove", lang, domain=store.name, count=count))):
                raise typer.Exit(1)
            services.domains.let_go(store.name)
            store.remove()
        else:
            count = remove_sources(store, {one.id for one in sources_named(store, sources)})
            if (found := services.domains.of(store.name)) is not None:
                warn_of(found.recall.keep_up())
        facts = {"domain": store.name, "documents": count}
        tell({"removed": facts}, _say("removed", lang, **facts), as_json=as_json)


@commands.command("fetch")
def fetch(
    domain: DomainArgument,
    sources: SourcesArgument = None,
    home: HomeOption = None,
    *,
    yes: YesOption = False,
    as_json: JsonOption = False,
) -> None:
    """Fetch sources now. Before a server is asked for the first time, you are."""
    from managers.domains.domain_sources import agree, sources_named
    from managers.domains.domain_store import domain_of

    lang = terminal_language()
    with services_at(home) as services:
        store = domain_of(services.home, services.clock, domain)
        wanted = sources_named(store, sources or [])
        fresh = [one for one in wanted if not one.agreed]
        question = _say("ask-fetch", lang, addresses=", ".join(one.address for one in fresh))
        if fresh and (yes or (may_ask() and agrees(question))):
            agree(store, {one.id for one in fresh})
        ids = {one.id for one in wanted}
        outcome = services.domain_jobs.run(store, [one for one in store.plan().sources if one.id in ids])
        if (error := services.domain_jobs.progress.error) is not None:
            raise error
        _tell_outcome(store, outcome, as_json=as_json)
        if outcome.failed:
            raise typer.Exit(1)


@commands.command("allow")
def allow(
    domain: DomainArgument,
    hosts: Annotated[list[str], typer.Argument(help="Hosts of your own network, or of this computer.")],
    home: HomeOption = None,
    *,
    revoke: Annotated[bool, typer.Option("--revoke", help="Allow them no more.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Let a domain ask a host in a private network, where a source names it."""
    from managers.domains.domain_sources import allow_host
    from managers.domains.domain_store import domain_of

    with services_at(home) as services:
        store = domain_of(services.home, services.clock, domain)
        for host in hosts:
            name = allow_host(store, host, allowed=not revoke)
            words = _say("revoked" if revoke else "allowed", terminal_language(), domain=store.name, host=name)
            tell({"domain": store.name, "host": name, "allowed": not revoke}, words, as_json=as_json)


def _tell_domain(store: DomainStore, *, as_json: bool) -> None:
    plan, lang = store.plan(), terminal_language()
    count = len(store.documents())
    if as_json:
        facts = {"domain": store.name, "every": plan.every, "keep_days": plan.kept_for.days if plan.kept_for else 0}
        listed = [_facts(store, one) for one in plan.sources]
        tell({**facts, "documents": count, "allowed": plan.allowed, "sources": listed}, "", as_json=True)
        return
    every = _say(f"every.{plan.every}", lang)
    tell({}, _say("domain", lang, domain=store.name, count=count, every=every), as_json=False)
    for one in plan.sources:
        tell({}, f"  {_line(one)}", as_json=False)


def _facts(store: DomainStore, source: Source) -> dict[str, Any]:
    return {
        "domain": store.name,
        "id": source.id,
        "source": source.address,
        "kind": source.kind,
        "agreed": source.agreed,
        "fetched": source.checked.isoformat(timespec="seconds") if source.checked else None,
        "failed": source.failed.get(terminal_language()),
    }


def _line(source: Source) -> str:
    lang = terminal_language()
    when = f"{source.checked.astimezone():%Y-%m-%d %H:%M}" if source.checked else _say("never", lang)
    return f"{source.id}  {source.address}  {source.failed.get(lang) or when}"


def _tell_outcome(store: DomainStore, outcome: Outcome, *, as_json: bool) -> None:
    lang, counts = terminal_language(), vars(outcome.counts)
    failed = {name: error.sentence(lang) for name, error in {**outcome.failed, **outcome.unread}.items()}
    facts = {"domain": store.name, **counts, "failed": failed, "documents": len(store.documents())}
    tell(facts, _say("fetched", lang, **{**facts, "failed": ""}), as_json=as_json)
    if not as_json:
        for one in failed.values():
            warn(one)
