"""Notes keep what people write, as they write it."""

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from managers.memory.errors import EditTargetError
from managers.memory.notes import DIARY_LIMIT, Edit, NoteKind, Notes
from managers.personas.errors import ShrinkRefusedError
from managers.storage.errors import ExternallyChangedError, UnreadableError
from managers.storage.files import digest
from managers.storage.history import History
from managers.storage.paths import PersonaPaths
from managers.storage.spelling import decode
from tests.fakes import HandClock

KINDS: tuple[NoteKind, ...] = ("core_memory", "notepad", "main_memory", "secret_diary")


@pytest.fixture
def history(paths: PersonaPaths, clock: HandClock) -> History:
    return History(paths, clock)


@pytest.fixture
def notes(paths: PersonaPaths, history: History, clock: HandClock) -> Notes:
    return Notes(paths, history, clock)


@pytest.mark.parametrize("kind", KINDS)
def test_a_note_is_written_and_read_and_remembered(notes: Notes, history: History, kind: NoteKind) -> None:
    assert notes.read(kind).text == ""
    assert notes.read(kind).digest is None
    note = notes.write(kind, "覚えた\n", based_on=None, author="user", reason="手で", evidence=["m1"])
    assert note == notes.read(kind)
    assert note.digest == digest("覚えた\n")
    entry = history.entries(1)[0]
    assert (entry.author, entry.reason, entry.evidence) == ("user", "手で", ("m1",))
    history.undo(entry.id, author="user")
    assert notes.read(kind).digest is None


def test_a_note_that_changed_elsewhere_is_not_overwritten(notes: Notes, paths: PersonaPaths) -> None:
    read = notes.write("notepad", "一", based_on=None, author="user", reason="")
    paths.notepad.write_text("外で", "utf-8")
    with pytest.raises(ExternallyChangedError) as conflict:
        notes.write("notepad", "二", based_on=read.digest, author="user", reason="")
    assert conflict.value.facts["theirs"] == "外で"
    assert notes.read("notepad").text == "外で"
    notes.write("notepad", "二", based_on=notes.read("notepad").digest, author="user", reason="")


def test_a_note_is_emptied_only_when_that_is_meant(notes: Notes, history: History) -> None:
    read = notes.write("core_memory", "大切", based_on=None, author="user", reason="")
    with pytest.raises(ShrinkRefusedError):
        notes.write("core_memory", " \n", based_on=read.digest, author="ねむ", reason="")
    with pytest.raises(ShrinkRefusedError):
        notes.apply_edit("core_memory", [Edit("大切", "")], author="ねむ", reason="")
    assert notes.read("core_memory").text == "大切"
    notes.write("core_memory", "", based_on=read.digest, author="user", reason="", emptied=True)
    assert notes.read("core_memory").text == ""
    history.undo(history.entries(1)[0].id, author="user")
    assert notes.read("core_memory").text == "大切"


WAYS_OF_WRITING = {
    "一\r\n二\r\n".encode(): "一\n二\n", codecs.BOM_UTF8 + "一\n".encode(): "一\n",
    codecs.BOM_UTF8 + "一\r\n二".encode(): "一\n二",
    codecs.BOM_UTF16_LE + "一\r\n二".encode("utf-16-le"): "一\n二",
    codecs.BOM_UTF16_BE + "一".encode("utf-16-be"): "一", "一\r\n二\n".encode(): "一\r\n二\n", b"": ""
}  # fmt: skip


def test_an_editors_way_of_writing_is_kept(notes: Notes, paths: PersonaPaths) -> None:
    for data, text in WAYS_OF_WRITING.items():
        paths.notepad.write_bytes(data)
        note = notes.read("notepad")
        assert note.text == text
        notes.write("notepad", text, based_on=note.digest, author="user", reason="", emptied=True)
        assert paths.notepad.read_bytes() == data
        notes.append("notepad", "足した", author="ねむ", reason="")
        spelled = paths.notepad.read_bytes()
        assert decode(spelled)[1] == decode(data)[1] or not data or b"\r\n" not in data
        assert decode(spelled)[0].endswith("足した\n")
        assert spelled.startswith(data.removesuffix(b"\n")) or "\n" not in text


@given(data=st.binary(max_size=40) | st.text(max_size=40).map(lambda text: text.encode("utf-8", "replace")))
def test_whatever_can_be_read_is_written_back_byte_for_byte(data: bytes) -> None:
    try:
        text, spelling = decode(data)
    except UnicodeDecodeError:
        return
    assert spelling.encode(text) == data


@pytest.mark.parametrize("data", [b"\x83\x81\x83\x82", b"\xff\xfe\x00", b"ok\xe3\x81"])
def test_what_is_no_text_is_set_aside_whole(notes: Notes, paths: PersonaPaths, history: History, data: bytes) -> None:
    notes.write("core_memory", "前のもの", based_on=None, author="user", reason="")
    paths.core_memory.write_bytes(data)
    note = notes.read("core_memory")
    assert (note.text, note.digest) == ("", None)
    (kept,) = paths.folder.glob("core_memory.txt.broken-*")
    (notice,) = notes.take_notices()
    assert kept.name in notice.sentence("ja")
    assert notes.take_notices() == []
    notes.write("core_memory", "新しい", based_on=None, author="user", reason="")
    assert history.at(history.entries(1)[0].id, paths.core_memory) == "新しい".encode()
    assert kept.read_bytes() == data


def test_a_note_that_cannot_be_read_costs_neither_the_app_nor_the_note(notes: Notes, paths: PersonaPaths) -> None:
    """A folder stands in for a file without permission: that one is readable for root."""
    paths.notepad.mkdir()
    note = notes.read("notepad")
    assert note.text == ""
    assert [notice.code for notice in notes.take_notices()] == ["note-unreadable"]
    with pytest.raises(UnreadableError):
        notes.write("notepad", "x", based_on=note.digest, author="user", reason="")
    assert paths.notepad.is_dir()


def test_edits_answer_with_the_change(notes: Notes) -> None:
    diff = notes.append("notepad", "牛乳を買う", author="ねむ", reason="頼まれた")
    assert diff.splitlines()[-1] == "+牛乳を買う"
    notes.append("notepad", "\n雨\n\n", author="ねむ", reason="")
    assert notes.read("notepad").text == "牛乳を買う\n\n雨\n"
    diff = notes.apply_edit("notepad", [Edit("牛乳", "豆乳")], author="ねむ", reason="")
    assert "-牛乳を買う" in diff
    assert "+豆乳を買う" in diff
    diff = notes.apply_edit("notepad", [Edit("\n雨\n", ""), Edit("", "晴"), Edit("晴", "曇")], author="ねむ", reason="")
    assert notes.read("notepad").text == "豆乳を買う\n曇\n"
    assert diff.startswith("--- a/notepad.txt\n+++ b/notepad.txt\n")


def test_an_edit_that_does_not_fit_one_place_changes_nothing(notes: Notes, history: History) -> None:
    notes.append("notepad", "犬と犬\ud83d", author="ねむ", reason="")  # half a character does not stop the pen
    entries = len(history.entries())
    for old, count in (("犬", 2), ("猫", 0)):
        with pytest.raises(EditTargetError) as refused:
            notes.apply_edit("notepad", [Edit("", "先に足す"), Edit(old, "鳥")], author="ねむ", reason="")
        assert refused.value.facts["count"] == count
    assert notes.read("notepad").text == "犬と犬?\n"
    assert len(history.entries()) == entries


def test_a_long_diary_rolls_over_and_not_a_word_is_lost(notes: Notes, history: History, paths: PersonaPaths) -> None:
    days = [f"{number}日目。\n{'よく眠った。' * 20}\n" for number in range(700)]
    written = ""
    for start in range(0, 700, 50):
        text = "\n".join(days[start : start + 50])
        notes.append("main_memory", text, author="ねむ", reason="日記")
        written += text.rstrip("\n") + "\n"
        assert len(notes.read("main_memory").text) <= DIARY_LIMIT
    archives = [path.read_text("utf-8") for path in notes.archives()]
    assert len(archives) >= 1
    assert "".join(archives) + notes.read("main_memory").text == written
    assert notes.archives()[0] == paths.memory / "memory_archived_001.txt"
    assert notes.read("main_memory").text.split("日目")[0].strip().isdigit()  # divided between days
    rolled = next(entry for entry in history.entries() if "memory/memory_archived_001.txt" in entry.files)
    assert "memory/memory_main.txt" in rolled.files


def test_the_secret_diary_rolls_into_files_of_its_own_and_others_never(notes: Notes, paths: PersonaPaths) -> None:
    for kind in ("secret_diary", "core_memory"):
        notes.append(kind, "あ\n" * 40_000, author="ねむ", reason="")
    assert len(notes.read("core_memory").text) == 80_000
    archive = paths.memory / "secret_diary_archived_001.txt"
    assert notes.archives("secret_diary") == [archive]
    archive.with_name("secret_diary_archived_001 (Hana's conflicted copy 2026-02-03).txt").write_text("once more")
    assert notes.archives("secret_diary") == [archive]
    assert notes.archives("main_memory") == []
