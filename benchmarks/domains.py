"""Knowledge of domains: what is found within one and across two, which reports count as one, and how long a fetch takes."""

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from statistics import median, quantiles

from agent.services import open_services
from benchmarks.words import sentence
from managers.domains.domain_sources import add_source
from managers.domains.domain_store import DomainStore
from managers.domains.etl import NearDuplicates, bring_up_to_date
from managers.hygiene.similarity import vectors
from managers.storage.paths import Home
from managers.storage.settings import SettingsFile
from tests.domains.domain_questions import DOMAINS, PERSONAS, QUESTIONS, fill, found, measured
from tests.fakes import HandClock

_MANY = 1000
_REPORTS = 200


def measure() -> Iterator[tuple[str, str, str]]:
    """Yield what was measured."""
    with tempfile.TemporaryDirectory() as folder:
        yield from _recall(Path(folder))
    yield from _near_duplicates()
    with tempfile.TemporaryDirectory() as folder:
        yield from _fetching(Path(folder))


def _recall(place: Path) -> Iterator[tuple[str, str, str]]:
    home, clock = Home(place / "home"), HandClock()
    SettingsFile(home.settings).change("mind", provider="builtin")
    services = open_services(home, clock, Random(3))
    for domain, name in PERSONAS.items():
        services.personas.create(name, language="en", system_prompt=f"You are {name}.")
        services.personas.set_settings(name, "group", domain=domain)
    fill(home, clock, place)
    for domain in DOMAINS:
        if (knowledge := services.domains.of(domain)) is not None:
            knowledge.recall.catch_up()
    within, across = measured(services)
    seconds = list[float]()
    for domain, question, _ in QUESTIONS * 5:
        begun = time.perf_counter()
        found(services, PERSONAS[domain], question)
        seconds.append(time.perf_counter() - begun)
    services.close()
    yield "domains, answers found within the domain", f"{within:.0%} of {len(QUESTIONS)}", "90%"
    yield "domains, passages of another domain", str(across), "0"
    yield "domains, what a turn retrieves, median and 95th percentile", _milliseconds(seconds), "40 ms"


def _milliseconds(seconds: list[float]) -> str:
    return f"{1000 * median(seconds):.0f} / {1000 * quantiles(seconds, n=20)[-1]:.0f} ms"


def _near_duplicates() -> Iterator[tuple[str, str, str]]:
    """Yield how many edited copies are told as copies, and how many other reports on the like are."""
    rng = Random(5)
    reports = [" ".join(sentence(rng) for _ in range(6)) for _ in range(_REPORTS)]
    known = NearDuplicates(reports)
    edited = [_edited(report, rng) for report in reports]
    caught = sum(known.add(one) for one in edited)
    rows = vectors(edited)
    least = min(float(row @ other) for row, other in zip(rows, vectors(reports), strict=True))
    fresh = sum(NearDuplicates(reports).add(" ".join(sentence(rng) for _ in range(6))) for _ in range(20))
    yield "domains, edited copies told as copies", f"{caught / _REPORTS:.0%} (least cosine {least:.2f})", "90%"
    yield "domains, other reports taken for copies", f"{fresh} of 20", "0"


def _edited(report: str, rng: Random) -> str:
    """Return a report as another paper prints it: one word exchanged, a source before it."""
    words = report.split()
    words[rng.randrange(len(words))] = "reportedly"
    return " ".join(["Agency:", *words])


def _fetching(place: Path) -> Iterator[tuple[str, str, str]]:
    rng, papers = Random(7), place / "papers"
    papers.mkdir()
    for number in range(_MANY):
        (papers / f"{number}.md").write_text(f"# Paper {number}\n\n{sentence(rng)} {sentence(rng)}", "utf-8")
    store = DomainStore(Home(place / "home"), "history", HandClock())
    add_source(store, str(papers))
    for name in ("first", "again"):
        begun = time.perf_counter()
        bring_up_to_date(store, store.plan().sources)
        yield f"domains, a folder of {_MANY} files, {name}", f"{time.perf_counter() - begun:.1f} s", ""
