"""A persona finds what its domain knows, with where it is from and of which day, and nothing of another domain."""

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from agent.prompts.system_prompt import hit as told
from agent.services import Services, open_services
from managers.domains.domain_store import DomainStore
from managers.storage.paths import Home
from managers.storage.settings import SettingsFile
from tests.domains.domain_questions import DOMAINS, QUESTIONS, fill, found, measured
from tests.domains.feed_server import FeedServer, Shown, reads, rss
from tests.fakes import HandClock


@pytest.fixture
def services(own_home: Home, clock: HandClock, tmp_path: Path) -> Iterator[Services]:
    settings = SettingsFile(own_home.settings)
    settings.change("page", onboarded=True)
    settings.change("mind", provider="builtin")
    opened = open_services(own_home, clock, Random(3))
    for domain, name in (("movie", "Lumi"), ("history", "Clari"), ("", "Solo")):
        opened.personas.create(name, language="en", system_prompt=f"You are {name}.")
        opened.personas.set_settings(name, "group", domain=domain)
    fill(own_home, clock, tmp_path)
    for domain in DOMAINS:
        knowledge = opened.domains.of(domain)
        assert knowledge is not None
        knowledge.recall.catch_up()
    yield opened
    opened.close()


def test_a_persona_searches_its_own_domain_and_no_other(services: Services) -> None:
    for persona, own in (("Lumi", "movie"), ("Clari", "history"), ("Solo", "")):
        recall = services.companion(persona).memories.recall
        hits = [hit for _, question, _ in QUESTIONS for hit in recall.search_knowledge_base(question)]
        assert {hit.path.split("/")[1] for hit in hits} == ({own} if own else set())
    assert not any(found(services, "Solo", question) for _, question, _ in QUESTIONS)
    within, across = measured(services)
    assert within >= 0.9
    assert across == 0
    domain, question, answer = QUESTIONS[0]
    opened = services.domains.of(domain)
    assert opened is not None
    assert any(answer in hit.text for hit in opened.near(question, 5, 2.0))
    (opened.store.paths.folder / "documents.json").write_text('{"documents": []}', "utf-8")
    assert opened.near(question, 2, 0.5) == []  # what goes is found no more


def test_a_passage_is_quoted_with_its_source_and_day(services: Services, server: FeedServer, clock: HandClock) -> None:
    server.pages["/rss"] = Shown(rss(("Kwaidan returns", "Kobayashi's Kwaidan returns to cinemas on 3 March.")))
    store = reads(DomainStore(services.home, "movie", clock), f"{server.base}/rss")
    services.domain_jobs.run(store, store.plan().sources)
    question = "When does Kwaidan return to cinemas?"
    hit = found(services, "Lumi", question)[0]
    assert (hit.origin, f"{hit.time:%Y-%m-%d}") == ("127.0.0.1", "2026-11-20")
    label, *quotation = told("en", hit).splitlines()
    assert "127.0.0.1" in label
    assert "20" in label
    assert all(line.startswith(">") for line in quotation)
    companion = services.companion("Lumi")
    turn = companion.say(question)
    replies = [event for event in turn.events() if type(event).__name__ == "Replied"]
    assert "3 March" in str(replies)
    assert "127.0.0.1" in str(replies)
    companion.settle()
    answers = [one for one in companion.memories.log.tail(9) if one.role == "persona"]
    assert [one.origins for one in answers] == [(hit.path,)]  # what writes in such a turn is held


def test_a_job_says_how_far_it_is_and_goes_on_offline(services: Services, server: FeedServer, clock: HandClock) -> None:
    store = reads(DomainStore(services.home, "gossip", clock), f"{server.base}/gone", allow=False)
    services.domain_jobs.tick()
    assert (services.domain_jobs.progress.done, services.domain_jobs.progress.is_running) == (1, False)
    assert [one.code for one in services.notices.all if one.code.startswith("domain")] == ["domain-failed"]
    server.pages["/gone"] = Shown(rss(("A rumour", "They say that the mayor dances.")))
    reads(store)
    assert services.domain_jobs.begin("gossip", lambda one: one.plan().sources)
    services.domain_jobs._thread.join()  # type: ignore[union-attr]
    assert services.domain_jobs.progress.counts.new == 1
    assert not [one for one in services.notices.all if one.code.startswith("domain")]
