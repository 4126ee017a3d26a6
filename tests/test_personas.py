"""Personas come, change, go, and come back; whatever their folders look like."""

from __future__ import annotations

import io
import itertools
import json
import sys
import unicodedata
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from PIL import Image

from managers.memory.notes import Notes
from managers.personas import PersonaStore
from managers.personas.avatars import SIDE
from managers.personas.document import FORMAT, migrated, version
from managers.storage.errors import (
    AvatarRefusedError,
    ExternallyChangedError,
    InvalidSettingError,
    NotInTrashError,
    PersonaExistsError,
    PersonaNotFoundError,
    ShrinkRefusedError,
    UnsafeNameError,
)
from managers.storage.files import write_atomic
from managers.storage.history import History
from managers.storage.paths import CHECKOUT, Home
from managers.storage.settings import Settings, merged
from tests.crash import full_disk, kill_everywhere, needs_signals
from tests.fakes import HandClock

SAMPLES = ("Hazel", "ねむ")


@pytest.fixture
def store(own_home: Home, clock: HandClock, rng: Random) -> PersonaStore:
    return PersonaStore(own_home, clock, rng)


def _history(store: PersonaStore, name: str) -> History:
    return History(store.get(name).paths, HandClock())


def _picture(kind: str = "PNG", size: tuple[int, int] = (40, 20), **options: object) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", size, (200, 100, 50)).save(out, kind, **options)
    return out.getvalue()


# Coming and going


def test_a_new_persona_has_what_it_was_given(store: PersonaStore) -> None:
    made = store.create(
        "ユキ",
        language="ja",
        system_prompt="あなたはユキ。",
        greeting="やあ",
        user_name="あおい",
        user_profile="教師",
        core_memory="わたしはユキ。",
    )
    assert made == store.get("ユキ")
    assert (made.name, made.language, made.greeting, made.system_prompt) == ("ユキ", "ja", "やあ", "あなたはユキ。")
    assert (made.user_name, made.user_profile) == ("あおい", "教師")
    assert made.paths.core_memory.read_text("utf-8") == "わたしはユキ。"
    assert made.created_at == "2026-11-21T12:00:00"
    assert made.notices == ()
    assert [entry.kind for entry in _history(store, "ユキ").entries()] == ["beginning"]


@pytest.mark.parametrize("name", ["Ольга", "سلمى", "李 小龍", "Zoë", "猫🐈", "O'Brien"])
def test_names_in_any_script_go_through_everything(store: PersonaStore, name: str) -> None:
    store.create(name, language="en")
    store.set_greeting(name, "hello")
    store.rename(name, f"{name} b")
    store.duplicate(f"{name} b", name)
    assert store.list_names() == sorted([name, f"{name} b"])
    store.restore(store.delete(name).id)
    assert store.get(name).greeting == "hello"


@pytest.mark.parametrize("name", ["", "../x", "a/b", "CON", ".hidden", "a\u202eb"])
def test_dangerous_names_are_refused_everywhere(store: PersonaStore, name: str) -> None:
    store.create("a", language="en")
    store.delete("a")
    store.create("b", language="en")
    works: list[Callable[[], object]] = [
        lambda: store.create(name, language="en"),
        lambda: store.get(name),
        lambda: store.rename("b", name),
        lambda: store.duplicate("b", name),
        lambda: store.restore("a", name or " "),
    ]
    for work in works:
        with pytest.raises(UnsafeNameError):
            work()
    assert store.list_names() == ["b"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Nemu", "nemu"),
        ("STRASSE", "straße"),
        (unicodedata.normalize("NFC", "ガク"), unicodedata.normalize("NFD", "ガク")),
        ("Zoë", "ZOË"),
    ],
)
def test_names_that_some_file_system_takes_for_one_are_one(store: PersonaStore, one: str, other: str) -> None:
    store.create(one, language="en")
    with pytest.raises(PersonaExistsError):
        store.create(other, language="en")
    store.create("x", language="en")
    works: list[Callable[[], object]] = [lambda: store.rename("x", other), lambda: store.duplicate("x", other)]
    for work in works:
        with pytest.raises(PersonaExistsError):
            work()


def test_a_name_may_change_its_case(store: PersonaStore) -> None:
    store.create("nemu", language="en", greeting="hi")
    assert store.rename("nemu", "Nemu").name == "Nemu"
    assert store.list_names() == ["Nemu"]
    assert store.rename("Nemu", "Nemu").greeting == "hi"


def test_a_folder_named_on_a_mac_is_found(store: PersonaStore) -> None:
    store.create("ガク", language="ja", greeting="やあ")
    folder = store.home.characters / "ガク"
    folder.rename(store.home.characters / unicodedata.normalize("NFD", "ガク"))
    assert store.list_names() == [unicodedata.normalize("NFC", "ガク")]
    assert store.get("ガク").greeting == "やあ"
    assert store.list()[0].name == unicodedata.normalize("NFC", "ガク")
    with pytest.raises(PersonaExistsError):
        store.create("ガク", language="ja")


def test_an_unknown_persona_is_named(store: PersonaStore) -> None:
    works: list[Callable[[], object]] = [
        lambda: store.get("だれか"),
        lambda: store.rename("だれか", "x"),
        lambda: store.duplicate("だれか", "x"),
        lambda: store.delete("だれか"),
        lambda: store.set_greeting("だれか", "x"),
    ]
    for work in works:
        with pytest.raises(PersonaNotFoundError, match="だれか"):
            work()


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
    assert store.restore(thrown.id, store.free_name("ねむ")).greeting == "一"
    assert store.list_names() == ["ねむ", "ねむ 2"]
    assert store.trashed() == []
    with pytest.raises(NotInTrashError):
        store.restore(thrown.id)


def test_the_trash_tells_what_lies_in_it_newest_first(store: PersonaStore, clock: HandClock) -> None:
    for greeting in ("一", "二"):
        store.create("a-b", language="ja", greeting=greeting)
        clock.move(minutes=1)
        store.delete("a-b")
    twice = store.create("a-b", language="ja")
    store.delete(twice.name)  # within the same second as the one before
    assert [item.name for item in store.trashed()] == ["a-b"] * 3
    assert len({item.id for item in store.trashed()}) == 3
    assert store.trashed()[0].deleted_at == clock.now()
    assert store.restore("a-b").name == "a-b"


# What it is


def test_settings_of_its_own_are_checked_and_taken_back(store: PersonaStore) -> None:
    store.create("a", language="en")
    store.set_settings("a", "recall", per_index=5, threshold=0.5)
    with pytest.raises(InvalidSettingError, match=r"recall\.per_index"):
        store.set_settings("a", "recall", threshold=0.1, per_index=0)
    persona = store.set_settings("a", "recall", threshold=None)
    assert merged(Settings(), persona.settings)[0].recall.per_index == 5
    assert persona.settings == {"recall": {"per_index": 5}}


def test_who_the_user_is_for_it(store: PersonaStore) -> None:
    store.create("a", language="en")
    store.set_user("a", user_name="Aoi", profile="teacher")
    persona = store.set_user("a", user_name="")
    assert (persona.user_name, persona.user_profile) == ("", "teacher")


def test_colours_that_are_none_are_not_used(store: PersonaStore) -> None:
    store.create("a", language="en")
    assert store.set_colours("a", accent="#A0b1C2").colours.accent == "#A0b1C2"
    assert store.set_colours("a", accent="red; } body {").colours.accent.startswith("#")


def test_every_change_is_in_the_history_and_can_be_undone(store: PersonaStore) -> None:
    store.create("a", language="en", greeting="hi")
    store.set_greeting("a", "hello")
    history = _history(store, "a")
    history.undo(history.entries(1)[0].id, author="user")
    assert store.get("a").greeting == "hi"


def test_what_this_version_does_not_know_is_left_alone(store: PersonaStore) -> None:
    path = store.create("a", language="en").paths.persona_json
    document = {**json.loads(path.read_text()), "format": FORMAT + 1, "voice": {"pitch": 2}}
    path.write_text(json.dumps(document))
    persona = store.set_greeting("a", "hello")
    assert [notice.code for notice in persona.notices] == ["persona-newer"]
    assert json.loads(path.read_text()) == {**document, "greeting": "hello"}


def test_an_older_file_is_brought_up_to_date_and_says_so(store: PersonaStore, clock: HandClock) -> None:
    path = store.create("a", language="en").paths.persona_json
    path.write_text('{"language": "ja", "user_name": "あおい", "user_profile": "教師"}', "utf-8")
    persona = store.get("a")
    assert (persona.user_name, persona.user_profile, persona.language) == ("あおい", "教師", "ja")
    assert "format" not in path.read_text()
    store.set_greeting("a", "やあ")
    document = json.loads(path.read_text("utf-8"))
    assert version(document) == FORMAT
    assert document["user"] == {"name": "あおい", "profile": "教師"}
    assert document["migrations"] == [{"step": "gather_user", "applied_at": "2026-11-21T12:00:00"}]
    assert migrated(document, clock.now()) == document


def test_the_system_prompt_is_written_against_what_was_read(store: PersonaStore) -> None:
    read = store.create("a", language="en", system_prompt="one")
    written = store.write_system_prompt("a", "two", based_on=read.system_prompt_digest)
    with pytest.raises(ExternallyChangedError) as conflict:
        store.write_system_prompt("a", "three", based_on=read.system_prompt_digest)
    assert conflict.value.facts["theirs"] == "two"
    with pytest.raises(ShrinkRefusedError):
        store.write_system_prompt("a", " ", based_on=written.system_prompt_digest)
    assert store.get("a").system_prompt == "two"
    store.write_system_prompt("a", "", based_on=written.system_prompt_digest, emptied=True)
    assert store.get("a").system_prompt == ""


# Pictures


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
def test_a_picture_becomes_a_square_png(store: PersonaStore, kind: str) -> None:
    store.create("a", language="en")
    avatar = store.set_avatar("a", _picture(kind, (300, 100))).avatar
    assert avatar is not None
    with Image.open(avatar) as picture:
        assert (picture.format, picture.size) == ("PNG", (SIDE, SIDE))


def test_where_a_photograph_was_taken_is_not_kept(store: PersonaStore) -> None:
    exif = Image.Exif()
    exif[0x010E] = "at home, Sakura street 3"
    exif[0x0112] = 6  # lying on its side
    store.create("a", language="en")
    avatar = store.set_avatar("a", _picture("JPEG", exif=exif)).avatar
    assert avatar is not None
    assert b"Sakura" not in avatar.read_bytes()


def test_an_older_picture_in_another_format_gives_way(store: PersonaStore) -> None:
    folder = store.create("a", language="en").paths.folder
    (folder / "avatar.jpg").write_bytes(_picture("JPEG"))
    assert store.get("a").avatar == folder / "avatar.jpg"
    assert store.set_avatar("a", _picture()).avatar == folder / "avatar.png"
    assert not (folder / "avatar.jpg").exists()


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>",
        b"\x89PNG\r\n\x1a\nnot really",
        _picture()[:60],
        _picture("GIF"),
        _picture("JPEG")[:-200],
        b"0" * 15_000_001,
    ],
    ids=["empty", "svg", "not-png", "cut-png", "gif", "cut-jpeg", "large"],
)
def test_what_is_no_good_picture_is_refused(store: PersonaStore, data: bytes) -> None:
    store.create("a", language="en")
    before = store.set_avatar("a", _picture()).avatar
    assert before is not None
    content = before.read_bytes()
    with pytest.raises(AvatarRefusedError):
        store.set_avatar("a", data)
    assert before.read_bytes() == content


def test_a_picture_with_too_many_pixels_is_refused(store: PersonaStore) -> None:
    store.create("a", language="en")
    bomb = io.BytesIO()
    Image.new("1", (8_000, 8_000)).save(bomb, "PNG")
    with pytest.raises(AvatarRefusedError):
        store.set_avatar("a", bomb.getvalue())


# Broken folders


@pytest.mark.parametrize("content", [b"{", b"", b"[]", b"\xff\xfe\x00", b"null", b'{"a": ' * 5000])
def test_a_broken_persona_is_listed_with_its_notice_and_usable(store: PersonaStore, content: bytes) -> None:
    store.create("他", language="ja")
    paths = store.create("猫", language="ja", system_prompt="わたしは猫").paths
    paths.persona_json.write_bytes(content)
    (other, broken) = store.list()
    assert (other.notices, other.name) == ((), "他")
    assert [notice.code for notice in broken.notices] == ["persona-broken"]
    assert (broken.system_prompt, broken.language) == ("わたしは猫", "ja")
    assert paths.persona_json.read_bytes() == content
    changed = store.set_greeting("猫", "にゃ")
    assert changed.greeting == "にゃ"
    (kept,) = paths.folder.glob("persona.json.broken-*")
    assert kept.read_bytes() == content
    assert kept.name in changed.notices[0].sentence("ja")


@pytest.mark.parametrize(
    "document",
    [
        {"language": 3, "greeting": ["x"], "user": "me", "settings": 7, "colours": [], "format": "new"},
        {"language": "xx", "user": {"name": 5}, "settings": {"recall": 3}, "format": -1},
    ],
)
def test_values_of_the_wrong_kind_are_not_used_and_can_be_set(store: PersonaStore, document: object) -> None:
    paths = store.create("a", language="en", system_prompt="I am a.").paths
    paths.persona_json.write_text(json.dumps(document))
    persona = store.get("a")
    assert (persona.language, persona.greeting, persona.user_name) == ("en", "", "")
    merged(Settings(), persona.settings)
    store.set_user("a", user_name="Aoi")
    store.set_colours("a", accent="#112233")
    assert store.set_settings("a", "recall", per_index=3).user_name == "Aoi"


def test_a_folder_with_nothing_in_it_is_a_persona(store: PersonaStore) -> None:
    (store.home.characters / "から").mkdir(parents=True)
    persona = store.get("から")
    assert (persona.language, persona.notices, persona.avatar) == ("ja", (), None)
    assert store.set_greeting("から", "やあ").greeting == "やあ"


def test_a_prompt_that_is_no_text_is_kept_aside_when_written(store: PersonaStore) -> None:
    paths = store.create("a", language="en", system_prompt="one").paths
    paths.system_prompt.write_bytes(b"\x83\x81\x83")
    persona = store.get("a")
    assert [notice.code for notice in persona.notices] == ["prompt-broken"]
    store.write_system_prompt("a", "two", based_on=persona.system_prompt_digest)
    (kept,) = paths.folder.glob("SystemPrompt.txt.broken-*")
    assert kept.read_bytes() == b"\x83\x81\x83"
    assert store.get("a").system_prompt == "two"


def test_files_and_hidden_folders_are_no_personas(store: PersonaStore) -> None:
    store.create("a", language="en")
    (store.home.characters / "notes.txt").write_text("x")
    (store.home.characters / ".git").mkdir()
    (store.home.characters / ("x" * 200)).mkdir()
    assert store.list_names() == ["a"]


def test_a_broken_persona_gets_its_last_good_version_back(store: PersonaStore) -> None:
    paths = store.create("猫", language="ja", system_prompt="わたしは猫", greeting="一").paths
    store.set_greeting("猫", "二")
    good = paths.persona_json.read_bytes()
    paths.persona_json.write_bytes(b"{ oops")
    _history(store, "猫").notice_outside()
    paths.persona_json.write_bytes(b"{ oops again")
    paths.system_prompt.write_bytes(b"\xff")
    mended = store.mend("猫")
    assert (mended.greeting, mended.system_prompt) == ("二", "わたしは猫")
    assert paths.persona_json.read_bytes() == good
    assert {kept.read_bytes() for kept in paths.folder.glob("*.broken-*")} == {b"{ oops again", b"\xff"}
    assert [notice.code for notice in mended.notices] == ["file-set-aside"] * 2
    assert store.mend("猫") == store.get("猫")


def test_without_a_good_version_a_broken_file_is_put_aside(store: PersonaStore) -> None:
    folder = store.home.characters / "猫"
    folder.mkdir(parents=True)
    (folder / "persona.json").write_bytes(b"{ oops")
    mended = store.mend("猫")
    assert [notice.code for notice in mended.notices] == ["file-set-aside"]
    assert not (folder / "persona.json").exists()


# Killed in the middle


def _create(home: Home) -> None:
    PersonaStore(home, HandClock(), Random(1)).create("ねむ", language="ja", system_prompt="x")


def _duplicate(home: Home) -> None:
    PersonaStore(home, HandClock(), Random(1)).duplicate("a", "ねむ")


def _samples(home: Home) -> None:
    PersonaStore(home, HandClock(), Random(1)).install_samples()


@needs_signals
@pytest.mark.parametrize("work", [_create, _duplicate], ids=["create", "duplicate"])
def test_killed_anywhere_a_persona_is_whole_or_not_there(tmp_path: Path, work: Callable[[Home], None]) -> None:
    numbers = itertools.count()

    def fresh() -> tuple[Home]:
        home = Home(tmp_path / str(next(numbers)))
        PersonaStore(home, HandClock(), Random(1)).create("a", language="ja", system_prompt="x")
        return (home,)

    seen = set()
    for death in kill_everywhere(work, fresh, whens=("before",), stride=3):
        store = PersonaStore(death.given[0], HandClock(), Random(1))
        names = store.list_names()
        assert names in (["a"], ["a", "ねむ"]), death
        seen.add(len(names))
        if len(names) == 1:
            store.create("ねむ", language="ja", system_prompt="x")
        assert store.get("ねむ").system_prompt == "x", death
        store.install_samples(tmp_path / "none")
        assert not list(store.home.characters.glob(".new-*")), death
    assert seen == {1, 2}


@needs_signals
def test_killed_anywhere_the_samples_come_whole_and_once(tmp_path: Path) -> None:
    numbers = itertools.count()
    for death in kill_everywhere(_samples, lambda: (Home(tmp_path / str(next(numbers))),), whens=("before",), stride=9):
        store = PersonaStore(death.given[0], HandClock(), Random(1))
        store.install_samples()
        assert store.list_names() == sorted(SAMPLES), death
        assert all(persona.system_prompt and persona.avatar for persona in store.list())


def test_a_full_disk_leaves_no_half_persona(store: PersonaStore, monkeypatch: pytest.MonkeyPatch) -> None:
    with full_disk(monkeypatch, 100), pytest.raises(Exception, match="disk is full"):
        store.create("a", language="en", system_prompt="x" * 500)
    assert list(store.home.characters.iterdir()) == []
    store.create("a", language="en")


# The samples


def test_the_samples_come_once_and_a_deleted_one_stays_away(store: PersonaStore) -> None:
    assert sorted(persona.name for persona in store.install_samples()) == sorted(SAMPLES)
    assert store.install_samples() == []
    store.delete("ねむ")
    store.rename("Hazel", "Filbert")
    assert store.install_samples() == []
    assert store.list_names() == ["Filbert"]


def test_a_sample_never_replaces_what_the_user_made(store: PersonaStore) -> None:
    store.create("ねむ", language="ja", greeting="わたしの")
    store.install_samples()
    assert store.get("ねむ").greeting == "わたしの"
    assert store.list_names() == sorted(SAMPLES)


def test_a_copy_of_a_read_only_sample_can_be_written(store: PersonaStore, tmp_path: Path) -> None:
    sample = tmp_path / "samples" / "Wren" / "persona.json"
    write_atomic(sample, '{"language": "en"}')
    sample.chmod(0o444)
    (persona,) = store.install_samples(tmp_path / "samples")
    assert persona.paths.persona_json.stat().st_mode & 0o200
    assert store.set_greeting("Wren", "hello").greeting == "hello"


def test_a_broken_memory_of_the_samples_costs_nothing(store: PersonaStore) -> None:
    store.install_samples()
    (store.home.folder / ".samples.json").write_bytes(b"\xff{")
    assert store.install_samples() == []
    assert store.list_names() == sorted(SAMPLES)


@pytest.mark.parametrize(("name", "language"), [("ねむ", "ja"), ("Hazel", "en")])
def test_each_sample_is_complete(store: PersonaStore, name: str, language: str) -> None:
    store.install_samples()
    persona = store.get(name)
    assert persona.notices == ()
    assert persona.language == language
    assert persona.greeting
    assert persona.about
    assert name in persona.system_prompt
    assert name in persona.paths.core_memory.read_text("utf-8")
    assert persona.paths.notepad.read_text("utf-8").strip()
    assert persona.colours != type(persona.colours)()
    assert version(json.loads(persona.paths.persona_json.read_text("utf-8"))) == FORMAT
    assert persona.avatar is not None
    with Image.open(persona.avatar) as picture:
        assert picture.size == (512, 512)
    assert (persona.paths.history / "HEAD").exists()
    assert not (CHECKOUT / "characters" / name / ".history").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
def test_a_copy_does_not_follow_links_out_of_the_folder(store: PersonaStore, tmp_path: Path) -> None:
    paths = store.create("a", language="en").paths
    (tmp_path / "big").mkdir()
    (tmp_path / "big" / "file").write_text("x")
    (paths.folder / "knowledge").symlink_to(tmp_path / "big")
    (paths.folder / "loop").symlink_to(paths.folder)
    copy = store.duplicate("a", "b").paths
    assert (copy.folder / "knowledge").is_symlink()
    assert (copy.folder / "loop").is_symlink()
