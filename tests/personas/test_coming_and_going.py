"""Personas come, are copied, renamed, thrown away, and come back, whatever they are called; the samples come once."""

import sys
import unicodedata
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from PIL import Image

from managers.memory.notes import Notes
from managers.personas import PersonaStore
from managers.personas.errors import NotInTrashError, PersonaExistsError, PersonaNotFoundError
from managers.storage.errors import UnsafeNameError
from managers.storage.files import write_atomic
from managers.storage.history import History
from managers.storage.paths import CHECKOUT, Home
from tests.crash import Kill, full_disk, needs_signals, places
from tests.fakes import HandClock
from tests.personas.folders import SAMPLES, history_of


def test_a_new_persona_has_what_it_was_given(store: PersonaStore) -> None:
    made = store.create(
        "ユキ", language="ja", system_prompt="あなたはユキ。", greeting="やあ", user_name="あおい",
        user_profile="教師", core_memory="わたしはユキ。"
    )  # fmt: skip
    assert made == store.get("ユキ")
    assert (made.name, made.language, made.greeting, made.system_prompt) == ("ユキ", "ja", "やあ", "あなたはユキ。")
    assert (made.user_name, made.user_profile) == ("あおい", "教師")
    assert made.paths.core_memory.read_text("utf-8") == "わたしはユキ。"
    assert made.created_at == "2026-11-21T12:00:00"
    assert made.notices == ()
    assert [entry.kind for entry in history_of(store, "ユキ").entries()] == ["beginning"]


def test_dangerous_and_unknown_names_are_refused_everywhere(store: PersonaStore) -> None:
    store.create("a", language="en")
    store.delete("a")
    store.create("b", language="en")
    for name in ("", "../x", "a/b", "CON", ".hidden", "a\u202eb"):
        works: list[Callable[[], object]] = [
            lambda name=name: store.create(name, language="en"),  # type: ignore[misc]  # bound now
            lambda name=name: store.get(name),  # type: ignore[misc]
            lambda name=name: store.rename("b", name),  # type: ignore[misc]
            lambda name=name: store.duplicate("b", name),  # type: ignore[misc]
            lambda name=name: store.restore("a", name or " "),  # type: ignore[misc]
        ]
        for work in works:
            with pytest.raises(UnsafeNameError):
                work()
    works = [
        lambda: store.get("だれか"), lambda: store.rename("だれか", "x"), lambda: store.duplicate("だれか", "x"),
        lambda: store.delete("だれか"), lambda: store.set_greeting("だれか", "x")
    ]  # fmt: skip
    for work in works:
        with pytest.raises(PersonaNotFoundError, match="だれか"):
            work()
    assert store.list_names() == ["b"]


def test_names_that_some_file_system_takes_for_one_are_one(store: PersonaStore) -> None:
    store.create("x", language="en")
    gaku = [unicodedata.normalize(form, "ガク") for form in ("NFC", "NFD")]
    for one, other in (("Nemu", "nemu"), ("STRASSE", "straße"), (gaku[0], gaku[1]), ("Zoë", "ZOË")):
        store.create(one, language="en")
        with pytest.raises(PersonaExistsError):
            store.create(other, language="en")
        with pytest.raises(PersonaExistsError):
            store.rename("x", other)
        with pytest.raises(PersonaExistsError):
            store.duplicate("x", other)
    assert store.rename("Nemu", "NEMU").name == "NEMU"  # it may change its own case
    assert store.rename("NEMU", "NEMU").name == "NEMU"


def test_a_copy_has_all_that_it_remembers_and_goes_its_own_way(store: PersonaStore, clock: HandClock) -> None:
    paths = store.create("a", language="en").paths
    notes = Notes(paths, History(paths, clock), clock)
    notes.append("notepad", "milk", author="a", reason="asked")
    write_atomic(paths.log, "## USER:x\n")
    write_atomic(paths.rag_index / "big.bin", b"0" * 1000)
    write_atomic(paths.entity_memory / "田中さん.md", "x")
    copy = store.duplicate("a", "b").paths
    assert copy.notepad.read_text() == "milk\n"
    assert copy.log.read_text() == "## USER:x\n"
    assert (copy.entity_memory / "田中さん.md").exists()
    assert not copy.rag_index.exists()
    history = History(copy, clock)
    history.undo(history.entries(1)[0].id, author="user")
    assert copy.notepad.read_text() == ""
    assert paths.notepad.read_text() == "milk\n"


def test_the_trash_gives_back_what_it_took(store: PersonaStore, clock: HandClock) -> None:
    first = store.create("ねむ", language="ja", greeting="一").paths.folder
    thrown = store.delete("ねむ")
    assert not first.exists()
    assert store.list_names() == []
    clock.move(days=1)
    store.create("ねむ", language="ja", greeting="二")
    with pytest.raises(PersonaExistsError):
        store.restore(thrown.id)
    assert store.get(store.restore(thrown.id, store.free_name("ねむ"))).greeting == "一"
    assert store.list_names() == ["ねむ", "ねむ 2"]
    assert store.trashed() == []
    with pytest.raises(NotInTrashError):
        store.restore(thrown.id)


# Killed in the middle


def _create(home: Home) -> None:
    PersonaStore(home, HandClock(), Random(1)).create("ねむ", language="ja", system_prompt="x")


def _duplicate(home: Home) -> None:
    PersonaStore(home, HandClock(), Random(1)).duplicate("a", "ねむ")


@needs_signals
@pytest.mark.parametrize("work", [_create, _duplicate], ids=["create", "duplicate"])
def test_killed_anywhere_a_persona_is_whole_or_absent(tmp_path: Path, work: Callable[[Home], None], kill: Kill) -> None:
    fresh = places(tmp_path)

    def prepare() -> tuple[Home]:
        home = Home(next(fresh))
        PersonaStore(home, HandClock(), Random(1)).create("a", language="ja", system_prompt="x")
        return (home,)

    for death in kill(work, prepare, whens=("before",), stride=3):
        store = PersonaStore(death.given[0], HandClock(), Random(1))
        names = store.list_names()
        assert names in (["a"], ["a", "ねむ"]), death
        if len(names) == 1:
            assert death.when is not None
            store.create("ねむ", language="ja", system_prompt="x")
        assert store.get("ねむ").system_prompt == "x", death
        store.install_samples(tmp_path / "none")
        assert not list(store.home.characters.glob(".new-*")), death


def test_a_full_disk_leaves_no_half_persona(store: PersonaStore, monkeypatch: pytest.MonkeyPatch) -> None:
    with full_disk(monkeypatch, 100), pytest.raises(Exception, match="disk is full"):
        store.create("a", language="en", system_prompt="x" * 500)
    assert list(store.home.characters.iterdir()) == []
    store.create("a", language="en")


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
def test_a_copy_does_not_follow_links_out_of_the_folder(store: PersonaStore, tmp_path: Path) -> None:
    paths = store.create("a", language="en").paths
    (tmp_path / "big").mkdir()
    (tmp_path / "big" / "file").write_text("x")
    (paths.folder / "knowledge").symlink_to(tmp_path / "big")
    (paths.folder / "loop").symlink_to(paths.folder)
    copy = store.duplicate("a", "b").paths
    assert not (copy.folder / "knowledge").is_symlink()  # a link is no part of what a persona remembers
    assert not (copy.folder / "loop").exists()
    assert (tmp_path / "big" / "file").read_text() == "x"


def test_an_old_name_leads_to_the_new_one(store: PersonaStore, clock: HandClock) -> None:
    store.create("ねむ", language="ja", greeting="やあ")
    assert store.renamed_to("ねむ") is None
    store.rename("ねむ", "ゆめ")
    clock.move(days=1)
    store.rename("ゆめ", "うつつ")
    names = ("ねむ", "ゆめ", "うつつ", "だれか", "../x\x00")
    assert [store.renamed_to(name) for name in names] == ["うつつ", "うつつ", None, None, None]
    assert store.get("うつつ").greeting == "やあ"
    assert history_of(store, "うつつ").entries()[0].reason == "renamed"


def test_a_name_in_use_again_leads_to_its_new_owner_and_a_copy_has_none(store: PersonaStore, clock: HandClock) -> None:
    store.create("a", language="en")
    store.rename("a", "b")
    store.duplicate("b", "twin")
    assert store.renamed_to("a") == "b"
    store.create("a", language="en")
    assert store.renamed_to("A") is None  # names that some file system takes for one
    clock.move(days=1)
    store.rename("a", "c")
    assert store.renamed_to("a") == "c"  # who had it last
    store.delete("c")
    assert store.renamed_to("a") == "b"
    store.rename("b", "a")
    assert store.renamed_to("b") == "a"
    store.rename("a", "A")
    assert store.renamed_to("b") == "A"
    store.delete("A")
    assert store.renamed_to("b") is None


def _samples(home: Home) -> None:
    PersonaStore(home, HandClock(), Random(1)).install_samples()


@needs_signals
def test_killed_anywhere_the_samples_come_whole_and_once(tmp_path: Path, kill: Kill) -> None:
    fresh = places(tmp_path)
    for death in kill(_samples, lambda: (Home(next(fresh)),), whens=("before",), stride=9):
        store = PersonaStore(death.given[0], HandClock(), Random(1))
        store.install_samples()
        assert store.list_names() == sorted(SAMPLES), death
        assert all(persona.system_prompt and persona.avatar for persona in store.list())


def test_the_samples_come_once_a_deleted_one_stays_away_and_a_broken_record_costs_nothing(store: PersonaStore) -> None:
    assert sorted(persona.name for persona in store.install_samples()) == sorted(SAMPLES)
    assert store.install_samples() == []
    record = store.home.folder / ".samples.json"
    known = record.read_bytes()
    record.write_bytes(b"\xff{")
    assert store.install_samples() == []
    assert store.list_names() == sorted(SAMPLES)
    record.write_bytes(known)
    store.delete("ねむ")
    store.rename("Hazel", "Filbert")
    assert store.install_samples() == []
    assert store.list_names() == ["Filbert"]


def test_a_sample_never_replaces_what_the_user_made(store: PersonaStore) -> None:
    store.create("ねむ", language="ja", greeting="わたしの")
    store.install_samples()
    assert store.get("ねむ").greeting == "わたしの"
    assert store.list_names() == sorted(SAMPLES)


@pytest.mark.parametrize(("name", "language"), [("ねむ", "ja"), ("Hazel", "en")])
def test_each_sample_is_complete(store: PersonaStore, name: str, language: str) -> None:
    store.install_samples()
    persona = store.get(name)
    assert persona.language == language
    assert persona.greeting
    assert persona.about
    assert name in persona.system_prompt
    assert name in persona.paths.core_memory.read_text("utf-8")
    assert persona.paths.notepad.read_text("utf-8").strip()
    assert persona.colours != type(persona.colours)()
    assert persona.avatar is not None
    with Image.open(persona.avatar) as picture:
        assert picture.size == (256, 256)
    assert not (CHECKOUT / "characters" / name / ".history").exists()
