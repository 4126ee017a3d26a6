"""What is in the files is in the index, and nothing else, whatever happens to the files."""

import hashlib
import json
import threading
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from managers.memory.log import ConversationLog
from managers.recall.engine import Recall
from managers.recall.index import upkeep
from managers.recall.index.indexing import Indexer
from managers.storage.errors import UnwritableError
from managers.storage.files import read_bytes
from managers.storage.locks import holding
from managers.storage.paths import PersonaPaths
from managers.storage.settings import RecallSettings
from tests.fakes import HandClock
from tests.recall.conftest import Open
from tests.recall.looking import Talk, added, assert_sound, codes, contents, found, numbered, save_vectors, texts
from tests.speeds import one_quick


def indexed(recall: Recall) -> set[str]:
    return {text for _, _, text, _ in contents(recall)}


def test_catching_up_costs_only_what_is_new(recall: Recall, talk: Talk, paths: PersonaPaths) -> None:
    talk.user(*(f"Message about topic {number}." for number in range(30)))
    paths.memory.mkdir(exist_ok=True)
    paths.main_memory.write_text("\n\n".join(f"Entry {number} about the sea." for number in range(40)), "utf-8")
    recall.catch_up()
    before = numbered(recall)
    recall.catch_up()
    assert numbered(recall) == before
    talk.user("One more.")
    recall.catch_up()
    assert added(recall, before) == ["One more."]
    before = numbered(recall)
    with paths.main_memory.open("a", encoding="utf-8") as file:
        file.write("\n\nToday the mountains.")
    recall.catch_up()
    assert len(added(recall, before)) == 1
    assert_sound(recall)


def test_a_search_waits_for_what_it_may_find_alone(recall: Recall, talk: Talk, paths: PersonaPaths) -> None:
    said = talk.user("My kite is in the attic.")
    recall.catch_up()
    before = numbered(recall)
    asked = talk.user("Where is my kite?")
    assert [hit.message_ids for hit in recall.for_turn(asked.text, window=[asked])] == [(said.id,)]
    assert added(recall, before) == []  # what is asked is before everybody's eyes
    paths.main_memory.parent.mkdir(exist_ok=True)
    paths.main_memory.write_text("The kite has a red tail.", "utf-8")
    talk.user("It is a red one.")
    assert "The kite has a red tail." in texts(recall.for_turn("kite red tail", window=[asked]))
    assert set(added(recall, before)) == {asked.text, "It is a red one.", "The kite has a red tail."}
    talk.log.supersede(said.id, "My kite is at the lake.")
    assert "My kite is at the lake." in texts(recall.for_turn("my kite", window=[asked]))
    assert_sound(recall)


def test_an_edited_message_leaves_no_ghost(recall: Recall, talk: Talk) -> None:
    talk.user("I moved to Lisbon.")
    wrong = talk.user("My dog is called Pretzel.")
    old = talk.past("The password of the shed is walnut.", 90)
    talk.past("We painted the shed.", 90)
    talk.persona("What a name!")
    recall.catch_up()
    talk.log.supersede(old.id, None)
    for name in ("Brezel", None, "Bagel"):
        talk.log.supersede(wrong.id, name and f"My dog is called {name}.")
        recall.catch_up()
        assert [text for text in found(recall, "dog") if "dog" in text] == [f"My dog is called {name}."] * bool(name)
        assert not any("Pretzel" in text or "walnut" in text for text in indexed(recall))
        assert_sound(recall)
    assert "walnut" not in str(found(recall, "walnut shed"))


def test_days_that_move_to_the_archives_are_found_once_and_a_renamed_archive_replaces_its_old_self(
    recall: Recall, talk: Talk, paths: PersonaPaths
) -> None:
    talk.user("The ferry leaves at noon.")
    recall.catch_up()
    talk.clock.move(days=30)
    talk.user("Hello again.")
    assert talk.log.roll() == 1
    assert [text for text in found(recall, "ferry") if "ferry" in text] == ["The ferry leaves at noon."]
    recall.catch_up()
    archive = next(paths.log_archives.glob("*.txt"))
    assert [hit.path for hit in recall.search("ferry") if "ferry" in hit.text] == [f"log_archives/{archive.name}"]
    listing = json.loads((paths.rag_index / "processed_static_files.json").read_text("utf-8"))
    assert listing[f"log_archives/{archive.name}"]["sha256"] == hashlib.sha256(archive.read_bytes()).hexdigest()
    archive.rename(archive.with_name("imported.txt"))
    recall.catch_up()
    assert [hit.path for hit in recall.search("ferry") if "ferry" in hit.text] == ["log_archives/imported.txt"]
    assert_sound(recall)


def test_an_edit_in_any_editor_is_there_at_the_next_turn(recall: Recall, talk: Talk, paths: PersonaPaths) -> None:
    paths.entity_memory.mkdir()
    file = paths.entity_memory / "Aiko.md"
    card = "# Entity Memory: Aiko\nCreated: 2026-01-01 12:00:00\n\n{}\n"
    file.write_text(card.format("Plays the cello."), "utf-8")
    recall.catch_up()
    assert texts(recall.for_turn("cello", window=[])) == ["Plays the cello."]
    file.write_text(card.format("Plays the oboe now."), "utf-8")
    assert texts(recall.for_turn("oboe", window=[])) == ["Plays the oboe now."]
    assert recall.for_turn("cello", window=[]) == []
    with holding(paths.rag_index / ".lock", paths.name):  # even while somebody else indexes
        file.unlink()
        assert recall.for_turn("oboe", window=[]) == []
        assert found(recall, "oboe") == []
    talk.user("First about apples.")
    size = paths.log.stat().st_size
    talk.user("Second about pears.")
    recall.catch_up()
    paths.log.write_bytes((read_bytes(paths.log) or b"")[:size])
    recall.catch_up()
    assert indexed(recall) == {"First about apples."}
    assert_sound(recall)


@pytest.mark.parametrize("seed", one_quick(range(6), quick=2))
def test_any_changes_leave_it_as_if_made_anew(
    open_recall: Open, talk: Talk, paths: PersonaPaths, clock: HandClock, seed: int
) -> None:
    """Changes in random order, caught up with now and then, come to the same as one rebuild at the end."""
    rng = Random(seed)
    recall = open_recall()

    def say() -> None:
        talk.user(f"Line {rng.randrange(10**6)} about {rng.choice(('tea', '山', 'rain', '海'))}.")

    def change() -> None:
        if standing := talk.log.tail(100):
            talk.log.supersede(rng.choice(standing).id, rng.choice((None, f"Changed {rng.random()}.")))

    def answer() -> None:
        if standing := talk.log.tail(100):
            one = rng.choice(standing).id
            talk.log.answer_anew(one, f"Another {rng.random()}.", mind="m")
            talk.log.choose(one, rng.randrange(len(talk.log.alternatives(one).messages)))

    def part() -> None:
        if standing := talk.log.tail(100):
            talk.log.branch(rng.choice(standing).id)

    def back() -> None:
        if branches := talk.log.branches():
            talk.log.switch_branch(rng.choice(branches).id)

    def age() -> None:
        clock.move(days=rng.randrange(1, 20))
        say()
        talk.log.roll()

    def note() -> None:
        paths.core_memory.write_text("\n\n".join(f"Note {rng.randrange(9)}." for _ in range(rng.randrange(5))), "utf-8")

    def document() -> None:
        paths.knowledge.mkdir(exist_ok=True)
        path = paths.knowledge / f"d{rng.randrange(3)}.txt"
        if path.exists() and rng.random() < 0.5:
            path.unlink()
        else:
            path.write_text(f"Document {rng.random()}.\n" * rng.randrange(1, 40), "utf-8")

    actions: tuple[Callable[[], None], ...] = (say, say, say, change, age, note, document, answer, part, back)
    for _ in range(60):
        rng.choice(actions)()
        if rng.random() < 0.3:
            recall.catch_up()
    recall.catch_up()
    assert_sound(recall)
    caught_up = contents(recall)
    standing = {message.text for message in talk.log.messages()}
    assert {text for path, _, text, _ in caught_up if path.startswith("log")} == standing
    recall.rebuild()
    assert contents(recall) == caught_up
    assert_sound(recall)


def test_two_windows_see_what_the_other_indexed_and_search_while_it_does(open_recall: Open, talk: Talk) -> None:
    """As two windows, or the page and the command line, do."""
    one, other = open_recall(), open_recall()
    talk.user(*(f"Pigeon number {number} flew by." for number in range(40)))
    one.catch_up()
    failures: list[BaseException] = []

    def search(recall: Recall) -> None:
        try:
            for _ in range(10):
                assert recall.search("pigeon", 5)
                recall.for_turn("pigeon flew", window=[])
        except BaseException as error:  # noqa: BLE001  # carried over to the test's own thread
            failures.append(error)

    threads = [threading.Thread(target=search, args=(recall,)) for recall in (one, one, other)]
    for thread in threads:
        thread.start()
    for number in range(6):
        talk.user(f"Pigeon number {number} came back.")
        if number % 3 == 0:
            one.rebuild()
        else:
            one.catch_up()
        assert len(found(other, "pigeon", 50)) == 41 + number
    for thread in threads:
        thread.join()
    assert not failures
    assert one.search("pigeon", 5)
    other.catch_up()
    assert_sound(other)


def test_two_personas_do_not_mix_and_nothing_is_pickled(tmp_path: Path, clock: HandClock) -> None:
    for name in ("A", "B"):
        paths = PersonaPaths(tmp_path / name)
        paths.folder.mkdir()
        log = ConversationLog(paths, clock, Random(1))
        log.append("user", "Emma", f"The secret of {name} is jam.")
        recall = Recall(paths, log, RecallSettings(), clock)
        recall.catch_up()
        assert found(recall, "secret jam") == [f"The secret of {name} is jam."]
        save_vectors(recall)
        recall.close()
        files = [path for path in paths.rag_index.rglob("*") if path.is_file()]
        assert {path.suffix for path in files} <= {".sqlite", ".sqlite-wal", ".sqlite-shm", ".faiss", ".json", ""}
        assert not any(b"\x80\x04\x95" in path.read_bytes()[:64] for path in files)


def test_a_broken_index_is_said_and_made_anew(open_recall: Open, talk: Talk, paths: PersonaPaths) -> None:
    talk.user("The violin needs new strings.")
    folder = paths.rag_index / "current_log_index"
    for damage in (None, b"", b"not a database at all, just bytes" * 300):
        recall = open_recall()
        if damage is not None:
            for path in folder.iterdir():
                path.unlink()
            (folder / "index.sqlite").write_bytes(damage)
            assert found(recall, "violin") == []
            assert ("index-broken" in codes(recall)) == bool(damage)
        recall.catch_up()
        assert found(recall, "violin") == ["The violin needs new strings."]
        assert "index-broken" not in codes(recall)
        recall.close()


def test_a_rebuild_says_how_far_it_is_while_what_is_there_is_searched(recall: Recall, paths: PersonaPaths) -> None:
    paths.memory.mkdir(parents=True, exist_ok=True)
    line = "A heron stood by the weir this morning and did not mind the rain. "
    for year in (2024, 2025, 2026):
        entries = (f"## {year}-01-{day:02} \n\n{line * 140}{year} {day}\n" for day in range(1, 25))
        (paths.memory / f"memory_archived_{year}.txt").write_text("\n".join(entries), "utf-8")
    recall.catch_up()
    assert (recall.making, recall.status().notices) == ("", ())
    told: list[tuple[str, str]] = []

    def look(done: int, total: int) -> None:
        (notice,) = recall.status().notices
        told.append((notice.en, recall.making))
        assert recall.search("the heron by the weir", 1)
        assert f"({100 * done // total}%)" in notice.ja

    recall.rebuild(look)
    assert [how_far for _, how_far in told] == ["3", "6", "10"]
    assert all("is being made" in sentence for sentence, _ in told)
    assert (recall.making, recall.status().notices) == ("", ())
    assert not list(recall.paths.rag_index.glob(".faiss*"))


def test_another_length_of_passages_makes_the_index_anew(open_recall: Open, talk: Talk) -> None:
    talk.user("The heron stood still. " * 30)
    lengths, passages = [], []
    for size in (300, 100, 100):
        recall = open_recall(RecallSettings(chunk_size=size, chunk_overlap=20))
        recall.catch_up()
        lengths.append(max(map(len, found(recall, "heron"))))
        passages.append(numbered(recall))
        recall.close()
    assert 100 < lengths[0] <= 300
    assert lengths[1] <= 100
    assert passages[1] == passages[2]  # and is left as it is from then on


def test_what_is_deleted_goes_if_the_round_dies(open_recall: Open, talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    recall = open_recall()
    said = talk.user("Ottilie lost his job at the harbour.")
    recall.catch_up()
    talk.log.supersede(said.id, None)

    def dies(*_: object) -> None:
        raise UnwritableError(path="index.sqlite", cause="full")

    with monkeypatch.context() as patched:
        patched.setattr(Indexer, "_corrected", dies)
        with pytest.raises(UnwritableError):
            recall.catch_up()
    again = open_recall()
    again.catch_up()
    assert not any("Ottilie" in text for text in found(again, "Ottilie harbour"))


def test_who_asks_before_the_first_round_has_begun_is_answered_from_what_is_there(recall: Recall, talk: Talk) -> None:
    said, asked = talk.user("My kite is in the attic."), talk.user("Where is my kite?")
    assert [hit.message_ids for hit in recall.for_turn(asked.text, window=[asked])] == [(said.id,)]
    assert "index-under-way" not in codes(recall)


def test_where_there_is_too_much_to_begin_with_it_is_said(recall: Recall, talk: Talk) -> None:
    filler = "It flies. " * (upkeep.SMALL_BYTES // 200)
    talk.user(*(f"My kite number {number} is in the attic. {filler}" for number in range(40)))
    asked = talk.user("Where is my kite?")
    assert recall.for_turn(asked.text, window=[asked]) == []
    assert "index-under-way" in codes(recall)
    recall.catch_up()
    assert recall.for_turn(asked.text, window=[asked])
    assert "index-under-way" not in codes(recall)
