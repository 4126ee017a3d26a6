"""What is in the files is in the index, and nothing else, whatever happens to the files."""

import hashlib
import json
import shutil
import threading
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path
from random import Random
from sqlite3 import Connection
from typing import Any

import pytest

from managers.memory.log import ConversationLog
from managers.memory.log.branches import FIRST
from managers.recall.engine import Recall
from managers.recall.index import upkeep
from managers.recall.index.chunking import Chunk
from managers.recall.index.indexing import Indexer
from managers.recall.index.memory_index import MemoryIndex
from managers.storage.errors import UnwritableError
from managers.storage.files import read_bytes
from managers.storage.paths import PersonaPaths
from managers.storage.settings import RecallSettings
from tests.fakes import HandClock
from tests.recall.conftest import Open
from tests.recall.looking import Talk, assert_sound, contents


def found(recall: Recall, query: str) -> list[str]:
    return [hit.text for hit in recall.search(query, 20)]


def watch_additions(index: MemoryIndex, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return a list to which each addition to an index adds how many passages it brought."""
    added: list[int] = []
    real = index.writer._add

    def add(connection: Connection, file: int, chunks: Sequence[Chunk], *more: Any) -> None:
        added.append(len(chunks))
        real(connection, file, chunks, *more)

    monkeypatch.setattr(index.writer, "_add", add)
    return added


def test_catching_up_costs_only_what_is_new(recall: Recall, talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(30):
        talk.user(f"Message about topic {number}.")
    recall.catch_up()
    added = watch_additions(recall.indexes["current"], monkeypatch)
    talk.user("One more.")
    recall.catch_up()
    recall.catch_up()
    assert added == [1]
    assert_sound(recall)


def test_the_first_question_waits_for_the_round_that_waking_began(
    recall: Recall, talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upkeep, "FIRST_SECONDS", 60)
    said = talk.user("My kite is in the attic.")
    asked = talk.user("Where is my kite?")
    under_way, asks = threading.Event(), threading.Event()
    real = recall._upkeep._indexer.run

    def run(*more: Any) -> Any:
        under_way.set()
        asks.wait(1)
        return real(*more)

    monkeypatch.setattr(recall._upkeep._indexer, "run", run)
    waking = threading.Thread(target=recall.catch_up)
    waking.start()
    assert under_way.wait(60)
    threading.Timer(0.2, asks.set).start()
    assert [hit.message_ids for hit in recall.for_turn(asked.text, window=[asked])] == [(said.id,)]
    waking.join()


def test_a_search_waits_for_what_it_may_find_and_for_nothing_else(
    recall: Recall, talk: Talk, paths: PersonaPaths, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = talk.user("My kite is in the attic.")
    recall.catch_up()
    added = watch_additions(recall.indexes["current"], monkeypatch)
    asked = talk.user("Where is my kite?")
    assert [hit.message_ids for hit in recall.for_turn(asked.text, window=[asked])] == [(said.id,)]
    assert added == []  # what is asked is before everybody's eyes
    paths.main_memory.parent.mkdir(exist_ok=True)
    paths.main_memory.write_text("The kite has a red tail.", "utf-8")
    talk.user("It is a red one.")
    assert {hit.text for hit in recall.for_turn("kite red tail", window=[asked])} >= {"The kite has a red tail."}
    assert added == [2]
    talk.log.supersede(said.id, "My kite is at the lake.")
    assert "My kite is at the lake." in {hit.text for hit in recall.for_turn("my kite", window=[asked])}
    assert_sound(recall)


def test_an_edited_message_leaves_no_ghost(recall: Recall, talk: Talk) -> None:
    talk.user("I moved to Lisbon.")
    wrong = talk.user("My dog is called Pretzel.")
    talk.persona("What a name!")
    recall.catch_up()
    talk.log.supersede(wrong.id, "My dog is called Brezel.")
    recall.catch_up()
    assert "My dog is called Brezel." in found(recall, "dog")
    assert all("Pretzel" not in text for _, _, text, _ in contents(recall))
    talk.log.supersede(wrong.id, None)
    recall.catch_up()
    assert all("dog" not in text for _, _, text, _ in contents(recall))
    talk.log.supersede(wrong.id, "My dog is called Bagel.")
    recall.catch_up()
    assert "My dog is called Bagel." in found(recall, "dog")
    assert_sound(recall)


def test_a_message_in_the_archives_is_edited_from_today(recall: Recall, talk: Talk) -> None:
    old = talk.past("The password of the shed is walnut.", 90)
    talk.past("We painted the shed.", 90)
    recall.catch_up()
    talk.log.supersede(old.id, None)
    recall.catch_up()
    assert found(recall, "walnut shed") == ["We painted the shed."]


def test_days_that_move_to_the_archives_are_found_once(recall: Recall, talk: Talk, clock: HandClock) -> None:
    talk.user("The ferry leaves at noon.")
    recall.catch_up()
    clock.move(days=30)
    talk.user("Hello again.")
    assert talk.log.roll() == 1
    assert found(recall, "ferry") == ["The ferry leaves at noon."]  # the index has not seen it yet
    recall.catch_up()
    hits = recall.search("ferry")
    assert [(hit.type, hit.text) for hit in hits if "ferry" in hit.text] == [
        ("log_archive", "The ferry leaves at noon.")
    ]
    assert_sound(recall)


def test_an_edit_in_any_editor_is_there_at_the_next_turn(recall: Recall, talk: Talk, paths: PersonaPaths) -> None:
    paths.entity_memory.mkdir()
    file = paths.entity_memory / "Aiko.md"
    file.write_text("# Entity Memory: Aiko\nCreated: 2026-01-01 12:00:00\n\nPlays the cello.\n", "utf-8")
    recall.catch_up()
    assert [hit.text for hit in recall.for_turn("cello", window=[])] == ["Plays the cello."]
    file.write_text("# Entity Memory: Aiko\nCreated: 2026-01-01 12:00:00\n\nPlays the oboe now.\n", "utf-8")
    assert [hit.text for hit in recall.for_turn("oboe", window=[])] == ["Plays the oboe now."]
    assert recall.for_turn("cello", window=[]) == []
    file.unlink()
    assert recall.for_turn("oboe", window=[]) == []


def test_a_removed_file_is_out_at_once_even_while_somebody_else_indexes(
    recall: Recall, talk: Talk, paths: PersonaPaths
) -> None:
    paths.knowledge.mkdir()
    (paths.knowledge / "a.txt").write_text("The safe opens with 4711.", "utf-8")
    recall.catch_up()
    (paths.knowledge / "a.txt").unlink()
    with recall._upkeep._alone(1):
        threads = [threading.Thread(target=lambda: results.append(recall.search("safe opens"))) for _ in range(2)]
        results: list[object] = []
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert results == [[], []]


def test_writing_on_in_the_diary_costs_what_was_written(
    recall: Recall, talk: Talk, paths: PersonaPaths, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths.memory.mkdir(exist_ok=True)
    paths.main_memory.write_text("\n\n".join(f"Entry {number} about the sea." for number in range(40)), "utf-8")
    recall.catch_up()
    added = watch_additions(recall.indexes["static"], monkeypatch)
    with paths.main_memory.open("a", encoding="utf-8") as file:
        file.write("\n\nToday the mountains.")
    recall.catch_up()
    assert added == [1]


def test_a_renamed_archive_replaces_its_old_self(recall: Recall, talk: Talk, paths: PersonaPaths) -> None:
    talk.past("The old mill burned down.", 200)
    recall.catch_up()
    archive = next(paths.log_archives.glob("*.txt"))
    archive.rename(archive.with_name("imported.txt"))
    recall.catch_up()
    assert [hit.path for hit in recall.search("mill")] == ["log_archives/imported.txt"]
    assert_sound(recall)


def test_a_shortened_log_loses_exactly_what_it_lost(recall: Recall, talk: Talk, paths: PersonaPaths) -> None:
    talk.user("First about apples.")
    size = paths.log.stat().st_size
    talk.user("Second about pears.")
    recall.catch_up()
    paths.log.write_bytes((read_bytes(paths.log) or b"")[:size])
    recall.catch_up()
    assert [text for _, _, text, _ in contents(recall)] == ["First about apples."]
    assert_sound(recall)


@pytest.mark.parametrize("seed", range(4))
def test_after_any_changes_the_index_is_as_if_made_anew(
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


def test_what_comes_back_into_an_archive_reads_as_it_was_changed_last(recall: Recall, talk: Talk) -> None:
    first, second = talk.user("The kite is at the lake."), talk.user("The kite is red.")
    talk.log.supersede(second.id, "The kite is blue.")
    talk.clock.move(days=20)
    talk.user("And now?")
    talk.log.roll()
    talk.log.supersede(second.id, "The kite is green.")  # told in another file than the change before
    recall.catch_up()
    talk.log.branch(first.id)
    recall.catch_up()
    talk.log.switch_branch(FIRST)
    recall.catch_up()
    assert {text for _, _, text, _ in contents(recall)} == {
        "The kite is at the lake.",
        "The kite is green.",
        "And now?",
    }


def test_another_object_sees_what_was_indexed(open_recall: Open, talk: Talk) -> None:
    """As two windows, or the page and the command line, do."""
    one, other = open_recall(), open_recall()
    talk.user("The parrot speaks Finnish.")
    one.catch_up()
    assert found(other, "parrot") == ["The parrot speaks Finnish."]
    talk.user("The parrot also sings.")
    one.catch_up()
    assert len(found(other, "parrot")) == 2
    one.rebuild()
    assert len(found(other, "parrot")) == 2
    talk.user("The parrot fell asleep.")
    one.catch_up()
    assert len(found(other, "parrot")) == 3
    other.catch_up()
    assert_sound(other)


def test_threads_search_while_others_index(open_recall: Open, talk: Talk) -> None:
    recall = open_recall()
    for number in range(40):
        talk.user(f"Pigeon number {number} flew by.")
    recall.catch_up()
    failures: list[BaseException] = []

    def search() -> None:
        try:
            for _ in range(15):
                assert recall.search("pigeon", 5)
                recall.for_turn("pigeon flew", window=[])
        except BaseException as error:  # noqa: BLE001  # carried over to the test's own thread
            failures.append(error)

    threads = [threading.Thread(target=search) for _ in range(3)]
    for thread in threads:
        thread.start()
    for number in range(10):
        talk.user(f"Pigeon number {number} came back.")
        if number % 3 == 0:
            recall.rebuild()
        else:
            recall.catch_up()
    for thread in threads:
        thread.join()
    assert not failures
    assert_sound(recall)


def test_processed_files_are_listed_with_their_hashes(recall: Recall, talk: Talk, paths: PersonaPaths) -> None:
    talk.past("Something old.", 50)
    recall.catch_up()
    listing = json.loads((paths.rag_index / "processed_static_files.json").read_text("utf-8"))
    archive = next(paths.log_archives.glob("*.txt"))
    assert listing[f"log_archives/{archive.name}"]["sha256"] == hashlib.sha256(archive.read_bytes()).hexdigest()


def test_nothing_is_pickled(recall: Recall, talk: Talk, paths: PersonaPaths) -> None:
    for number in range(60):
        talk.user(f"Line {number}.")
    recall.catch_up()
    current = recall.indexes["current"]
    current.vectors.save(current.store, "x")
    names = {path.suffix for path in paths.rag_index.rglob("*") if path.is_file()}
    assert names <= {".sqlite", ".sqlite-wal", ".sqlite-shm", ".faiss", ".json", ""}
    assert all(b"\x80\x04\x95" not in path.read_bytes()[:64] for path in paths.rag_index.rglob("*") if path.is_file())


@pytest.mark.parametrize("damage", [b"", b"not a database at all, just bytes" * 300])
def test_a_broken_index_is_said_and_made_anew(
    open_recall: Open, talk: Talk, paths: PersonaPaths, damage: bytes
) -> None:
    talk.user("The violin needs new strings.")
    first = open_recall()
    first.catch_up()
    first.close()
    folder = paths.rag_index / "current_log_index"
    for path in folder.iterdir():
        path.unlink()
    (folder / "index.sqlite").write_bytes(damage)
    second = open_recall()
    assert second.search("violin") == []
    if damage:
        assert "index-broken" in {notice.code for notice in second.status().notices}
    second.catch_up()
    assert found(second, "violin") == ["The violin needs new strings."]
    assert "index-broken" not in {notice.code for notice in second.status().notices}


@pytest.mark.parametrize("damage", ["vectors.faiss", "vectors.json"])
def test_a_broken_snapshot_is_not_believed(open_recall: Open, talk: Talk, paths: PersonaPaths, damage: str) -> None:
    for number in range(30):
        talk.user(f"Kettle number {number}.")
    first = open_recall()
    first.catch_up()
    index = first.indexes["current"]
    index.vectors.save(index.store, index._epoch)
    first.close()
    file = paths.rag_index / "current_log_index" / damage
    file.write_bytes(file.read_bytes()[:-7])
    second = open_recall()
    assert len(second.search("kettle", 50)) == 30
    assert_sound(second)


def test_an_older_format_is_made_anew(open_recall: Open, talk: Talk) -> None:
    talk.user("The attic smells of cedar.")
    first = open_recall()
    first.catch_up()
    first.indexes["current"].store.set_meta("format", "0")
    first.close()
    second = open_recall()
    second.catch_up()
    assert found(second, "cedar") == ["The attic smells of cedar."]


def test_weights_are_made_when_there_is_enough_to_weigh(open_recall: Open, talk: Talk) -> None:
    recall = open_recall()
    talk.user("First words.")
    recall.catch_up()
    before = recall.status().embedder
    for number in range(60):
        talk.user(f"Sentence {number} about gardens and rivers.")
    recall.catch_up()
    after = recall.status().embedder
    assert after != before
    again = open_recall()
    assert again.status().embedder == after
    assert again.search("gardens", 3)
    assert not recall.refresh_weights()


def test_two_personas_do_not_mix(tmp_path: Path, clock: HandClock) -> None:
    for name in ("A", "B"):
        paths = PersonaPaths(tmp_path / name)
        paths.folder.mkdir()
        log = ConversationLog(paths, clock, Random(1))
        log.append("user", "Emma", f"The secret of {name} is jam.", time=clock.now() - timedelta(days=1))
        recall = Recall(paths, log, RecallSettings(), clock)
        recall.catch_up()
        assert found(recall, "secret jam") == [f"The secret of {name} is jam."]
        recall.close()


def test_searches_go_on_while_the_index_is_rebuilt(recall: Recall, talk: Talk) -> None:
    for number in range(60):
        talk.user(f"Swallow number {number} came home.")
    recall.catch_up()
    seen: list[int] = []
    recall.rebuild(lambda _done, _total: seen.append(len(recall.search("swallow", 5))))
    assert seen
    assert set(seen) == {5}
    assert not list(recall.paths.rag_index.glob(".faiss*"))


def test_another_length_of_passages_makes_the_index_anew(open_recall: Open, talk: Talk) -> None:
    talk.user("The heron stood still. " * 30)
    lengths = {}
    for size in (300, 100, 100):
        recall = open_recall(RecallSettings(chunk_size=size, chunk_overlap=20))
        before = {index.store.marks()[0] for index in recall.indexes.values()}
        recall.catch_up()
        kept = before == {index.store.marks()[0] for index in recall.indexes.values()}
        lengths[size, kept] = max(len(hit.text) for hit in recall.search("heron", 20))
        recall.close()
    assert 100 < lengths[300, False] <= 300
    assert lengths[100, False] <= 100
    assert lengths[100, True] <= 100  # and is left as it is from then on


def test_what_was_deleted_is_out_though_the_round_died_after_its_first_step(
    open_recall: Open, talk: Talk, paths: PersonaPaths, monkeypatch: pytest.MonkeyPatch
) -> None:
    recall = open_recall()
    said = talk.user("Ottilie lost his job at the harbour.")
    recall.catch_up()
    talk.log.supersede(said.id, None)

    def dies(*_: object) -> None:
        raise UnwritableError(path="index.sqlite", cause="full")

    monkeypatch.setattr(Indexer, "_corrected", dies)
    with pytest.raises(UnwritableError):
        recall.catch_up()
    monkeypatch.undo()
    again = open_recall()
    again.catch_up()
    assert not any("Ottilie" in text for text in (hit.text for hit in again.search("Ottilie harbour")))


def test_an_index_that_is_lost_alone_holds_what_messages_read_now(
    open_recall: Open, talk: Talk, clock: HandClock, paths: PersonaPaths
) -> None:
    said = talk.user("The heron stands by the river.")
    gone = talk.user("The lemon is in the violin.")
    clock.move(days=40)
    talk.user("A month later.")
    talk.log.supersede(said.id, "The stork stands by the river.")
    talk.log.supersede(gone.id, None)
    clock.move(days=40)
    talk.log.roll()  # what was changed, and what changed it, lie in two archives now
    recall = open_recall()
    recall.catch_up()
    before = contents(recall)
    recall.close()
    shutil.rmtree(paths.rag_index / "faiss_index_static")
    recall.catch_up()
    assert contents(recall) == before
