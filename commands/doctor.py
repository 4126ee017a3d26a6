"""Is everything in order: data, index, model, disk, versions. Looks, and changes nothing."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from typing import Literal

from agent.services import Services
from agent.spending import standings, warning
from managers.hygiene.inventory import memories
from managers.hygiene.limits import count
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

State = Literal["ok", "warning", "problem"]
LITTLE_SPACE = 500_000_000
"""Bytes; below this a night's work or an index may not fit."""
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


def examine(services: Services) -> Iterator[Finding]:
    """Look at everything, one finding after the other; what cannot be looked at is one, and keeps nothing else away."""
    yield from _guarded("versions", _versions)
    yield from _guarded("disk", partial(_home, services))
    yield from _guarded("home", partial(_open_to_others, services))
    yield from _guarded("settings", partial(_settings, services))
    yield from _guarded("usage", partial(_caps, services))
    yield from _guarded("home", lambda: _troubles("home", look_at_home(services.home)))
    yield from _guarded("personas", partial(_personas, services))


def _versions() -> Iterator[Finding]:
    found = []
    for package in _PACKAGES:
        try:
            found.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            yield Finding(
                package,
                "problem",
                f"{package} が入っていません。`make install` を実行してください。",
                f"{package} is not installed. Run `make install`.",
            )
    python = ".".join(map(str, sys.version_info[:3]))
    yield Finding("versions", "ok", f"Python {python}、{'、'.join(found)}", f"Python {python}, {', '.join(found)}")


def _home(services: Services) -> Iterator[Finding]:
    folder = services.home.folder
    free = shutil.disk_usage(next(one for one in (folder, *folder.parents) if one.is_dir())).free
    gigabytes = free / 1e9
    if free < LITTLE_SPACE:
        yield Finding(
            "disk",
            "warning",
            f"{folder} の空きが {gigabytes:.1f} GB しかありません。空きを作ってください。",
            f"Only {gigabytes:.1f} GB are free at {folder}. Free some space.",
        )
    else:
        yield Finding(
            "disk",
            "ok",
            f"{folder} に {gigabytes:.0f} GB の空きがあります。",
            f"{gigabytes:.0f} GB are free at {folder}.",
        )


def _open_to_others(services: Services) -> Iterator[Finding]:
    found = open_to_others(services.home)
    if not found:
        return
    names = [str(path) for path in found[:_NAMED]]
    more_ja, more_en = "", ""
    if len(found) > len(names):
        more_ja, more_en = f" ほか {len(found) - len(names):,} 件", f" and {len(found) - len(names):,} more"
    yield Finding(
        "home",
        "warning",
        f"{'、'.join(names)}{more_ja}が、このコンピューターのほかのアカウントからも読めます。"
        "うたた寝を次に起動すると、あなただけが読めるようになります。",
        f"Other accounts on this computer can read {', '.join(names)}{more_en}. The next start of Utatane makes "
        "them yours alone.",
    )


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
        yield Finding(
            "usage", "ok", "使う量の上限には、まだ余裕があります。", "The caps on what models may cost are not near."
        )


def _personas(services: Services) -> Iterator[Finding]:
    for name in services.personas.list_names():
        yield from _guarded(name, partial(_persona, services, name))
    door = services.personas.door
    for name, error in [*door.unreadable().items(), *((name, GuestError(name=name)) for name in door.guests())]:
        state: State = "warning" if isinstance(error, GuestError) else "problem"
        yield Finding(name, state, error.sentence("ja"), error.sentence("en"))


def _persona(services: Services, name: str) -> Iterator[Finding]:
    """Look at one persona: its files are read and nothing else, so it is not woken for that."""
    persona = services.personas.get(name)
    settings, wrong = merged(services.settings(), persona.settings)
    look = look_at_indexes(persona.paths)
    yield from _guarded(name, partial(_files, services, persona, look, settings))
    yield describe_index(name, look.status)
    yield from _guarded(name, partial(_audit, persona))
    yield from _guarded(name, partial(_mind, services, persona, settings))
    cache, models = persona.paths.rag_index / "embeddings.sqlite", services.home.models
    choice = EmbedderChoice(settings.recall, cache, services.secrets, NgramEmbedder, models=models)
    yield from _notices(name, [*persona.notices, *wrong, *look.status.notices, *choice.notices])


def _files(services: Services, persona: Persona, look: IndexLook, settings: Settings) -> Iterator[Finding]:
    log = LogReader(persona.paths, services.clock, keeps_indexes=False)
    troubles = examine_files(persona.paths, log, look.messages)
    yield from _troubles(persona.name, troubles)
    kinds = {trouble.kind for trouble in troubles}
    if not kinds & {"damaged", "lost", "other-encoding"}:
        messages = log.count()
        yield Finding(
            persona.name, "ok", f"メッセージ {messages:,} 件、すべて読めます。", f"{messages:,} messages, all readable."
        )
    if not kinds & {"broken", "damaged", "lost", "other-encoding"}:  # whoever counts them sets such files aside
        yield from _guarded(persona.name, partial(_census, services, persona, settings))


def _census(services: Services, persona: Persona, settings: Settings) -> Iterator[Finding]:
    """Say how many memories are in use, and what they weigh beside the specification's estimate."""
    copy = WorkingCopy(Stores.open(persona.paths, services.clock))
    found = count(memories(copy), settings.memory.max_episodes)
    yield Finding(
        persona.name,
        "ok",
        f"使われている記憶 {found.total:,} 件(上限 {found.limit:,})、{found.bytes / 1e6:.1f} MB"
        f"(ベクトルを含む目安は {found.estimate / 1e6:.1f} MB)。",
        f"{found.total:,} memories in use (at most {found.limit:,}), {found.bytes / 1e6:.1f} MB "
        f"(the estimate, with vectors: {found.estimate / 1e6:.1f} MB).",
    )


def _audit(persona: Persona) -> Iterator[Finding]:
    """Say whether the record of what left this computer is as it was written; nothing where there is none."""
    if found := flaws(persona.paths):
        yield from _notices(persona.name, [flawed_notice(found)])
    elif months(persona.paths):
        yield Finding(
            persona.name,
            "ok",
            "外に出たものの記録は、書かれたときのままです。",
            "The record of what left this computer is as it was written.",
        )


def _mind(services: Services, persona: Persona, settings: Settings) -> Iterator[Finding]:
    choice = services.minds.choose(settings.mind, persona=persona.name, purpose="talk")
    mind = choice.status
    state: State = "ok" if mind.is_answering else "warning"
    yield Finding(persona.name, state, f"話しているのは {mind.ja}", f"Speaking: {mind.en}")
    yield from _notices(persona.name, choice.notices)


def _troubles(about: str, troubles: Iterable[Trouble]) -> Iterator[Finding]:
    for trouble in troubles:
        state: State = "problem" if trouble.kind == "lost" else "warning"
        yield Finding(about, state, *trouble.told)


def describe_index(name: str, status: IndexStatus) -> Finding:
    """Say how complete the indexes of a persona are."""
    waiting_ja = f"、うち {status.unembedded:,} 件は言葉だけで探せる状態です" if status.unembedded else ""
    waiting_en = f", {status.unembedded:,} of them found by words only for now" if status.unembedded else ""
    return Finding(
        name,
        "warning" if status.unembedded else "ok",
        f"索引に {status.total:,} 件({status.embedder}){waiting_ja}。",
        f"{status.total:,} passages in the index ({status.embedder}){waiting_en}.",
    )


def _notices(about: str, notices: Iterable[Notice]) -> Iterator[Finding]:
    for notice in notices:
        yield Finding(about, "warning", notice.ja, notice.en)


def _guarded(about: str, look: Callable[[], Iterable[Finding]]) -> Iterator[Finding]:
    try:
        yield from look()
    except Exception as error:  # noqa: BLE001  # the edge: one thing that cannot be looked at is none of the others'
        failure = said(error, f"examining {about}")
        yield Finding(about, "problem", failure.sentence("ja"), failure.sentence("en"))
