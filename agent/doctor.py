"""Is everything in order: data, index, model, disk, versions. Looks, and changes nothing."""

from __future__ import annotations

import shutil
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from typing import Literal

from agent.services import Services
from agent.spending import standings, warning
from managers.recall.status import IndexStatus
from managers.storage.errors import Lang, Notice, UtataneError

State = Literal["ok", "warning", "problem"]
LITTLE_SPACE = 500_000_000
"""Bytes; below this a night's work or an index may not fit."""
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
    """Look at everything, one finding after the other."""
    yield from _versions()
    yield from _home(services)
    yield from _secrets(services)
    services.settings()  # what is wrong with them goes up as notices
    yield from _notices("settings", services.notices.all)
    yield from _guarded("usage", partial(_caps, services))
    for name in services.personas.list_names():
        yield from _guarded(name, partial(_persona, services, name))


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
    free = shutil.disk_usage(folder).free
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


def _secrets(services: Services) -> Iterator[Finding]:
    path = services.home.secrets
    if sys.platform != "win32" and path.exists() and stat.S_IMODE(path.stat().st_mode) & 0o077:
        yield Finding(
            "secrets",
            "warning",
            f"{path} がほかの人にも読めます。`chmod 600` で直してください。",
            f"Others can read {path}. Mend it with `chmod 600`.",
        )


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


def _persona(services: Services, name: str) -> Iterator[Finding]:
    companion = services.companion(name)
    memories = companion.memories
    damage = memories.log.check()
    yield from _notices(name, damage)
    if not damage:
        count = memories.log.count()
        yield Finding(name, "ok", f"メッセージ {count:,} 件、すべて読めます。", f"{count:,} messages, all readable.")
    yield describe_index(name, memories.recall.status())
    mind = companion.mind_status()
    yield Finding(name, "ok" if mind.is_answering else "warning", f"話しているのは {mind.ja}", f"Speaking: {mind.en}")
    yield from _notices(name, memories.gather_notices())


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
    except UtataneError as error:
        yield Finding(about, "problem", error.sentence("ja"), error.sentence("en"))
