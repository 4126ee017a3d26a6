"""Sources are fetched, stored with where they are from, and found by their own domain; what fails stops no other."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from random import Random

import pytest

from agent.prompts.system_prompt import hit as told
from agent.services import Services, open_services
from managers.domains import domain_store, errors
from managers.domains.domain_sources import add_source, remove_sources, set_schedule, sources_named
from managers.domains.domain_store import DomainStore, domain_name, domains_of
from managers.domains.etl import Counts, bring_up_to_date, due_of
from managers.storage.audit import events
from managers.storage.files import write_atomic
from managers.storage.paths import Home
from managers.storage.settings import SettingsFile
from tests.domains.domain_questions import DOMAINS, QUESTIONS, fill, found, measured
from tests.domains.feed_server import FeedServer, Shown, atom, page, reads, rss
from tests.fakes import HandClock
from tests.loopback import Answering

DUNE = ("Dune: Part Three", "The third film of the Dune series opens on 18 December 2026, the studio said on Monday.")
RASHOMON = ("羅生門、4Kで再上映", "黒澤明監督の「羅生門」が4K修復版で12月4日から全国で再上映される。")


def fetch(store: DomainStore) -> Counts:
    return bring_up_to_date(store, store.plan().sources).counts


def tagged(number: int, *entries: tuple[str, str]) -> Shown:
    return Shown(rss(*entries), headers=(("etag", f'"{number}"'),))


def test_feeds_and_pages_become_documents_with_where_they_are_from(server: FeedServer, movie: DomainStore) -> None:
    body = "Hans Zimmer wrote the music of the third Dune film in Budapest, where most of it was shot last year."
    music = page("The music of Dune", body, "It runs for two hours and forty minutes, he said.")
    server.pages = {
        "/rss": Shown(rss(RASHOMON, encoding="Shift_JIS")),
        "/atom": Shown(atom(DUNE), "application/atom+xml; charset=utf-8"),
        "/page": Shown(music, "text/html"),
    }
    reads(movie, *(server.base + path for path in server.pages))
    assert fetch(movie) == Counts(new=3)
    found = {one.title: one for one in movie.documents()}
    assert found[RASHOMON[0]].published is not None
    assert f"{found[RASHOMON[0]].published:%Y-%m-%dT%H:%MZ}" == "2026-11-20T00:00Z"
    assert found[DUNE[0]].address == "https://blog.example/0"
    assert {one.origin for one in found.values()} == {"127.0.0.1"}
    text = movie.text(found["The music of Dune"])
    assert body in text
    assert not {"Shop", "Imprint", "alert"} & set(text.replace("(", " ").split())
    assert [(one.kind, one.to.host) for one in events(movie.paths)] == [("fetch", "127.0.0.1")] * 3
    assert not any({"cookie", "authorization", "referer"} & set(headers) for _, headers in server.asked)


def test_what_has_not_changed_is_not_sent_again_what_has_is_replaced(server: FeedServer, movie: DomainStore) -> None:
    server.pages["/rss"] = tagged(1, DUNE)
    reads(movie, f"{server.base}/rss")
    assert fetch(movie) == Counts(new=1)
    assert fetch(movie) == Counts(same=1)
    assert server.asked[-1][1]["if-none-match"] == '"1"'
    server.pages["/rss"] = Shown(rss((DUNE[0], "It opens in January instead.")))
    assert fetch(movie) == Counts(changed=1)
    assert [movie.text(one) for one in movie.documents()] == [f"# {DUNE[0]}\n\nIt opens in January instead.\n"]


def test_the_same_report_counts_once_but_other_words_are_another(server: FeedServer, movie: DomainStore) -> None:
    near = (DUNE[0] + " dated", DUNE[1].replace("Monday", "Tuesday"))
    server.pages = {"/a": Shown(rss(DUNE)), "/b": Shown(rss(DUNE, ids=["other"])), "/c": Shown(rss(near))}
    reads(movie, *(server.base + path for path in server.pages))
    assert fetch(movie) == Counts(new=1, duplicates=2)
    remove_sources(movie, {sources_named(movie, [f"{server.base}/a"])[0].id})
    assert fetch(movie) == Counts(new=1, duplicates=1)  # what only counted as a duplicate comes into its own


def test_documents_not_shown_for_long_expire(server: FeedServer, movie: DomainStore, clock: HandClock) -> None:
    """Though the feed is not sent again as it has not changed."""
    server.pages["/rss"] = tagged(1, DUNE, RASHOMON)
    reads(movie, f"{server.base}/rss")
    set_schedule(movie, "daily")
    clock.move(days=3650)  # once it was ahead
    fetch(movie)
    clock.move(days=-3650)
    fetch(movie)
    clock.move(days=1)
    server.pages["/rss"] = tagged(2, RASHOMON)
    for days, counts in {0: Counts(same=1), 20: Counts(same=1), 11: Counts(same=1, gone=1)}.items():
        clock.move(days=days)
        assert fetch(movie) == counts
    assert [one.title for one in movie.documents()] == [RASHOMON[0]]
    assert len(list(movie.paths.knowledge.iterdir())) == 1


@pytest.mark.parametrize("whole", [True, False])
def test_what_is_removed_while_fetched_stays_removed(server: FeedServer, movie: DomainStore, *, whole: bool) -> None:
    def removed_meanwhile(request: Answering) -> None:
        if whole:
            movie.remove()
        else:
            remove_sources(movie, {one.id for one in movie.plan().sources})
        server.pages["/a"] = Shown(rss(DUNE))
        server.answer(request)

    server.pages = {"/a": removed_meanwhile, "/b": Shown(rss(RASHOMON))}
    reads(movie, f"{server.base}/a", f"{server.base}/b")
    assert fetch(movie) == Counts()
    assert [path for path, _ in server.asked] == ["/a"]
    assert movie.documents() == []
    assert [one.name for one in domains_of(movie.home, movie.clock)] == ([] if whole else ["movie"])


def test_a_folder_is_followed_and_one_bad_file_is_named(movie: DomainStore, tmp_path: Path) -> None:
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "rome.md").write_text("# Rome\nThe city burnt in 64.", "utf-8")
    (folder / "bad.pdf").write_bytes(b"%PDF-1.7 nothing")
    (folder / "link.md").symlink_to(tmp_path / "elsewhere.md")
    add_source(movie, str(folder))
    outcome = bring_up_to_date(movie, movie.plan().sources)
    assert outcome.counts == Counts(new=1)
    assert list(outcome.unread) == ["bad.pdf"]
    assert movie.documents()[0].origin == "papers/rome.md"
    (folder / "rome.md").unlink()
    assert fetch(movie) == Counts(gone=1)


def test_a_schedule_says_when_agreed_sources_are_due(server: FeedServer, movie: DomainStore, clock: HandClock) -> None:
    def due() -> list[str]:
        return [one.address.removeprefix(server.base) for one in due_of(movie.plan(), clock.utc())]

    server.pages["/rss"] = Shown(rss(DUNE))
    add_source(movie, f"{server.base}/rss")
    assert due() == []
    failed = bring_up_to_date(movie, movie.plan().sources).failed
    assert [type(one) for one in failed.values()] == [errors.SourceNotAgreedError]
    assert server.asked == []
    clock.move(hours=7)
    reads(movie, f"{server.base}/none")
    assert movie.plan().every == "weekly"
    assert due() == ["/rss", "/none"]
    fetch(movie)
    assert due() == []
    clock.move(hours=7)  # what failed is tried again before its time
    assert due() == ["/none"]
    clock.move(days=7)
    assert due() == ["/rss", "/none"]


def test_no_crash_nor_damage_is_fatal(server: FeedServer, movie: DomainStore, monkeypatch: pytest.MonkeyPatch) -> None:
    server.pages["/rss"] = tagged(1, DUNE, RASHOMON)
    reads(movie, f"{server.base}/rss")

    def dies(path: Path, data: bytes | str) -> None:
        if path.name == "documents.json":
            raise KeyboardInterrupt
        write_atomic(path, data)

    with monkeypatch.context() as patched:
        patched.setattr(domain_store, "write_atomic", dies)
        with pytest.raises(KeyboardInterrupt):
            fetch(movie)
    assert movie.documents() == []
    assert fetch(movie) == Counts(new=2)
    assert len(list(movie.paths.knowledge.iterdir())) == 2
    (movie.paths.folder / "documents.json").write_text("{torn", "utf-8")
    assert movie.documents() == []
    assert fetch(movie) == Counts(new=2)
    assert [notice.code for notice in movie.notices] == ["file-set-aside"]


def test_what_a_person_names_is_checked_at_once(movie: DomainStore) -> None:
    addresses = ("ftp://x.example/f", "http://me:pw@x.example/", "file:///etc/passwd", "", "http://", "https://x.y:0/")
    for wrong in addresses:
        with pytest.raises(errors.SourceAddressError):
            add_source(movie, wrong)
    inside = movie.home.folder / "characters"
    inside.mkdir(parents=True)
    for folder in (inside, inside.parent, inside.parent.parent):
        with pytest.raises(errors.SourceInsideHomeError):
            add_source(movie, str(folder))
    with pytest.raises(errors.SourceNotFoundError):
        sources_named(movie, ["https://x.example/"])
    assert add_source(movie, "https://x.example/f#top") == add_source(movie, " https://x.example/f")
    assert [store.name for store in domains_of(movie.home, movie.clock)] == ["movie"]
    assert domain_name("kb:Ｍovie ") == "movie"
    assert movie.plan().kept_for == timedelta(days=365)


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
