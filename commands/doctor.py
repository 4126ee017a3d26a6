"""Is everything in order: data, index, model, disk, versions. Looks, and changes nothing."""

import shutil
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from typing import Literal

from agent.group.session_health import examine_sessions
from agent.minds.engine.engine import SERVICE
from agent.services import Services
from agent.spending import standings, warning
from managers.domains import PREFIX
from managers.domains.domain_store import domains_of
from managers.exchange.backups.state import same_disk
from managers.hygiene.inventory import memories
from managers.hygiene.limits import count, weigh
from managers.hygiene.setting_conflicts import own_conflicts
from managers.integrity import Trouble
from managers.integrity.home_copies import look_at_home
from managers.integrity.inspection import examine as examine_files
from managers.memory.log.reader import LogReader
from managers.memory.working_copy import Stores, WorkingCopy
from managers.personas import Persona
from managers.personas.errors import GuestError
from managers.recall.embedders.embedder_choice import EmbedderChoice
from managers.recall.embedders.ngrams import NgramEmbedder
from managers.recall.read_only_index import IndexLook, look_at_indexes
from managers.recall.status import IndexStatus
from managers.storage.audit import flawed_notice, flaws, months
from managers.storage.edges import said
from managers.storage.errors import Lang, Notice
from managers.storage.privacy import open_to_others
from managers.storage.settings import Settings, merged
from managers.storage.texts import Texts

_say = Texts("notices/doctor")
_of_backups = Texts("notices/backups")
_of_domains = Texts("notices/domains")

State = Literal["ok", "warning", "problem"]
LITTLE_SPACE = 500_000_000
"""Bytes; below this a night's work or an index may not fit."""
_OLD_DAYS = 3
_NAMED = 3
"""How many of the files that others can read are named; the first is the folder that all of them lie in."""
_PACKAGES = ("gradio", "langgraph", "langchain-core", "faiss-cpu", "numpy", "pandas", "dulwich", "sudachipy")


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at."""

    about: str
    state: State
    ja: str
    en: str

    def sentence(self, lang: Lang) -> str:
        """Return what was found, for a reader of `lang`."""
        return self.ja if lang == "ja" else self.en


def _found(about: str, state: State, key: str, **facts: object) -> Finding:
    return Finding(about, state, **_say.both(key, **facts))


def examine(services: Services) -> Iterator[Finding]:
    """Look at everything, one finding after the other; what cannot be looked at is one, and keeps nothing else away."""
    yield from _guarded("versions", _versions)
    yield from _guarded("disk", partial(_home, services))
    yield from _guarded("home", partial(_open_to_others, services))
    yield from _guarded("settings", partial(_settings, services))
    yield from _guarded("usage", partial(_caps, services))
    yield from _guarded("engine", partial(_engine, services))
    yield from _guarded("backups", partial(_backups, services))
    yield from _guarded("home", lambda: _troubles("home", look_at_home(services.home)))
    yield from _guarded("sessions", partial(_sessions, services))
    yield from _guarded("domains", partial(_domains, services))
    yield from _guarded("personas", partial(_personas, services))


def _versions() -> Iterator[Finding]:
    found = []
    for package in _PACKAGES:
        try:
            found.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            yield _found(package, "problem", "not-installed", package=package)
    python = ".".join(map(str, sys.version_info[:3]))
    yield Finding("versions", "ok", f"Python {python}、{'、'.join(found)}", f"Python {python}, {', '.join(found)}")


def _home(services: Services) -> Iterator[Finding]:
    folder = services.home.folder
    free = shutil.disk_usage(next(one for one in (folder, *folder.parents) if one.is_dir())).free
    is_little = free < LITTLE_SPACE
    facts = {"folder": folder, "gigabytes": free / 1e9}
    yield _found("disk", "warning" if is_little else "ok", "disk-little" if is_little else "disk-free", **facts)


def _open_to_others(services: Services) -> Iterator[Finding]:
    found = open_to_others(services.home)
    if not found:
        return
    names = [str(path) for path in found[:_NAMED]]
    more = _say.both("and-more", count=len(found) - len(names)) if len(found) > len(names) else ""
    yield _found("home", "warning", "open-to-others", names={"ja": "、".join(names), "en": ", ".join(names)}, more=more)


def _settings(services: Services) -> Iterator[Finding]:
    services.settings()  # what is wrong with them goes up as notices
    yield from _notices("settings", services.notices.all)


def _caps(services: Services) -> Iterator[Finding]:
    """Say which caps are near or reached; a word too where all is well, for whoever has set some."""
    found = standings(services.meter, services.personas)
    near = [standing for standing in found if standing.is_near]
    for standing in near:
        limits = services.meter.limits("")
        notice = warning(standing, limits, services.meter.today())
        yield Finding("usage", "warning", notice.ja, notice.en)
    if found and not near:
        yield _found("usage", "ok", "caps-not-near")


def _engine(services: Services) -> Iterator[Finding]:
    """Say what runs models on this computer."""
    if lacking := services.engine.lacking():
        yield Finding("engine", "ok", lacking.ja, lacking.en)
    else:
        yield _found("engine", "ok", "engine", version=version(SERVICE))


def _backups(services: Services) -> Iterator[Finding]:
    """Say when the last good backup was made, and what is wrong with how they are made."""
    backups = services.backups.backups
    last, is_daily = backups.last_good(), services.settings().backup.daily
    if last is None:
        is_new = is_daily and not backups.home_id  # the first one comes by itself
        yield Finding("backups", "ok" if is_new else "warning", **_of_backups.both("none-good"))
    else:
        facts = {"made": last.made_at.replace("T", " "), "files": last.files, "megabytes": last.bytes / 1e6}
        days = (services.clock.now().date() - last.time.date()).days
        proof = _of_backups.both(f"proof-{last.proof.level}")
        yield Finding("backups", "ok", **_of_backups.both("last-good", **facts, proof=proof, place=backups.place))
        if days > _OLD_DAYS:
            yield Finding("backups", "warning", **_of_backups.both("old", days=days))
        if same_disk(backups.place, services.home):
            yield Finding("backups", "ok", **_of_backups.both("same-disk"))
    if not is_daily:
        yield Finding("backups", "warning", **_of_backups.both("off"))


def _sessions(services: Services) -> Iterator[Finding]:
    """Say what is kept of conversations of several, and what is amiss there."""
    for notice in examine_sessions(services):
        yield Finding("sessions", "ok" if notice.level == "info" else "warning", notice.ja, notice.en)


def _domains(services: Services) -> Iterator[Finding]:
    """Say what each domain holds, which of its sources gave nothing, and whether its audit is as it was written."""
    for store in domains_of(services.home, services.clock):
        sources, about = store.plan().sources, f"{PREFIX}{store.name}"
        facts = {"count": len(store.documents()), "sources": len(sources)}
        yield Finding(about, "ok", **_of_domains.both("doctor", **facts))
        for failed in (one.failed for one in sources if one.failed):
            yield Finding(about, "warning", failed.get("ja", ""), failed.get("en", ""))
        yield describe_index(about, look_at_indexes(store.paths).status)
        if found := flaws(store.paths):
            yield from _notices(about, [flawed_notice(found)])


def _personas(services: Services) -> Iterator[Finding]:
    for name in services.personas.list_names():
        yield from _guarded(name, partial(_persona, services, name))
    door = services.personas.door
    for name, error in [*door.unreadable().items(), *((name, GuestError(name=name)) for name in door.guests())]:
        state: State = "warning" if isinstance(error, GuestError) else "problem"
        yield Finding(name, state, **error.sentences)


def _persona(services: Services, name: str) -> Iterator[Finding]:
    """Look at one persona: its files are read and nothing else, so it is not woken for that."""
    persona = services.personas.get(name)
    common = services.settings()
    settings, wrong = merged(common, persona.settings)
    look = look_at_indexes(persona.paths)
    yield from _guarded(name, partial(_files, services, persona, look, settings))
    yield describe_index(name, look.status)
    yield from _guarded(name, partial(_audit, persona))
    yield from _guarded(name, partial(_mind, services, persona, settings))
    cache, models = persona.paths.rag_index / "embeddings.sqlite", services.home.models
    choice = EmbedderChoice(settings.recall, cache, services.secrets, NgramEmbedder, models=models)
    yield from _notices(
        name, [*persona.notices, *wrong, *own_conflicts(settings, common), *look.status.notices, *choice.notices]
    )


def _files(services: Services, persona: Persona, look: IndexLook, settings: Settings) -> Iterator[Finding]:
    log = LogReader(persona.paths, services.clock, keeps_indexes=False)
    troubles = examine_files(persona.paths, log, look.messages)
    yield from _troubles(persona.name, troubles)
    kinds = {trouble.kind for trouble in troubles}
    if not kinds & {"damaged", "lost", "other-encoding"}:
        yield _found(persona.name, "ok", "messages-readable", count=log.count())
    if not kinds & {"broken", "damaged", "lost", "other-encoding"}:  # whoever counts them sets such files aside
        yield from _guarded(persona.name, partial(_census, services, persona, settings))


def _census(services: Services, persona: Persona, settings: Settings) -> Iterator[Finding]:
    """Say how many memories are in use, and what they weigh beside the specification's estimate."""
    copy = WorkingCopy(Stores.open(persona.paths, services.clock))
    found = count(memories(copy), settings.memory.max_episodes)
    measured = weigh(persona.paths)
    weights = {"files": measured.files / 1e6, "index": measured.index / 1e6, "estimate": found.estimate / 1e6}
    yield _found(persona.name, "ok", "memories-in-use", total=found.total, limit=found.limit, **weights)


def _audit(persona: Persona) -> Iterator[Finding]:
    """Say whether the record of what left this computer is as it was written; nothing where there is none."""
    if found := flaws(persona.paths):
        yield from _notices(persona.name, [flawed_notice(found)])
    elif months(persona.paths):
        yield _found(persona.name, "ok", "audit-whole")


def _mind(services: Services, persona: Persona, settings: Settings) -> Iterator[Finding]:
    choice = services.minds.choose(settings.mind, persona=persona.name, purpose="talk")
    mind = choice.status
    state: State = "ok" if mind.is_answering else "warning"
    yield _found(persona.name, state, "speaking", mind={"ja": mind.ja, "en": mind.en})
    yield from _notices(persona.name, choice.notices)


def _troubles(about: str, troubles: Iterable[Trouble]) -> Iterator[Finding]:
    for trouble in troubles:
        state: State = "problem" if trouble.kind == "lost" else "warning"
        yield Finding(about, state, *trouble.told)


def describe_index(name: str, status: IndexStatus) -> Finding:
    """Say how complete the indexes of a persona are."""
    waiting = _say.both("index-waiting", count=status.unembedded) if status.unembedded else ""
    state: State = "warning" if status.unembedded else "ok"
    return _found(name, state, "index", total=status.total, embedder=status.embedder, waiting=waiting)


def _notices(about: str, notices: Iterable[Notice]) -> Iterator[Finding]:
    for notice in notices:
        yield Finding(about, "warning", notice.ja, notice.en)


def _guarded(about: str, look: Callable[[], Iterable[Finding]]) -> Iterator[Finding]:
    try:
        yield from look()
    except Exception as error:  # noqa: BLE001  # the edge: one thing that cannot be looked at is none of the others'
        yield Finding(about, "problem", **said(error, f"examining {about}").sentences)
