"""What an entry did is taken back and done again, whole or in part, beside whatever came later: records, lines, and nothing else."""

import json
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from managers.storage.errors import NotUndoableError, UndoConflictError
from managers.storage.history import Draft, History, UndoConflict
from managers.storage.history.merge import merge_file
from managers.storage.history.parts import record_part
from managers.storage.paths import PersonaPaths
from tests.fakes import HandClock
from tests.storage.histories import write

GOALS, DIARY, MOMO, NOTE = "goals.json", "memory/insights.json", "entity_memory/モモ.md", "core_memory.txt"
HEAD = '# Entity Memory: モモ\nCreated: 2026-01-01 12:00:00\n<!-- entity {"kind": "pet", "aliases": []} -->\n\n'

Records = dict[str, dict[str, Any]]

ids = st.sampled_from([f"id_{n}" for n in range(12)])
texts = st.text("あい ab", max_size=4)
record_lists = st.dictionaries(
    ids, st.fixed_dictionaries({"text": texts, "evidence": st.lists(st.sampled_from("123"), unique=True)}), max_size=6
)
lines = st.lists(st.sampled_from(["", "猫の名前はモモ。", "来週は京都。", "a", "b", "c"]), max_size=8)


def dumped(records: Records) -> bytes:
    return json.dumps([{"id": key, **record} for key, record in records.items()]).encode()


def loaded(data: bytes | None) -> Records:
    return {one.pop("id"): one for one in json.loads(data or b"[]")}


@settings(max_examples=50)
@given(before=record_lists, after=record_lists, name=st.sampled_from([DIARY, "memory/open_questions.json"]))
def test_undo_restores_the_bytes(before: Records, after: Records, name: str) -> None:
    was, left = dumped(before) + b"\n\n", dumped(after)
    assert merge_file(name, left, left, was).content == was


@settings(max_examples=50)
@given(before=record_lists, after=record_lists, later=record_lists)
def test_records_that_the_entry_did_not_touch_stay_as_they_are(before: Records, after: Records, later: Records) -> None:
    merged = merge_file(DIARY, dumped(after), dumped(later), dumped(before))
    result, disputed = loaded(merged.content), {conflict.part for conflict in merged.conflicts}
    for key in {*before, *after, *later}:
        if before.get(key) == after.get(key) or key in disputed:
            assert result.get(key) == later.get(key)
        elif later.get(key) == after.get(key):
            assert result.get(key) == before.get(key)
        elif key not in later:
            assert key not in result  # gone since: nothing is left to take back


@settings(max_examples=50)
@given(before=lines, after=lines, later=lines)
def test_of_texts_only_the_same_lines_are_in_the_way(before: list[str], after: list[str], later: list[str]) -> None:
    was, left, now = ("\n".join(side).encode() for side in (before, after, later))
    merged = merge_file(NOTE, left, now, was)
    told = (merged.content or b"").decode().split("\n")
    known = {*was.decode().split("\n"), *now.decode().split("\n")}
    assert known.issuperset(told) or not merged.content  # nothing is made up; where nothing is left there is no line
    came_later = {*now.decode().split("\n")}.difference(left.decode().split("\n"))
    assert came_later.issubset(told)


@settings(max_examples=50)
@given(before=lines, added=lines, later=lines)
def test_what_an_entry_added_goes_what_is_around_stays(before: list[str], added: list[str], later: list[str]) -> None:
    later = [f"later {line}" for line in later]
    left = [*before, *(f"added {line}" for line in added)]
    for now in ([*left, *later], [*later, *left]):
        sides = ["\n".join(side).encode() for side in (left, now, before)]
        merged = merge_file(NOTE, sides[0], sides[1], sides[2])
        assert not merged.conflicts
        expected = [line for line in "\n".join(now).split("\n") if not line.startswith("added ")]
        assert not before or (merged.content or b"").decode().split("\n") == expected


def card(*facts: str) -> bytes:
    lines = [f'- {words} <!-- fact {{"id": "f_{words}", "evidence": ["1"]}} -->\n' for words in facts]
    return (HEAD + "".join(lines)).encode()


def test_two_nights_of_one_list_or_card_keep_apart(paths: PersonaPaths) -> None:
    def goals(*notes: str, day: int, more: tuple[dict[str, Any], ...] = ()) -> bytes:
        goal = {"id": "sh_1", "goal": "簿記", "progress_notes": list(notes), "updated_at": f"2026-01-0{day}"}
        meta = {"last_reflection_level": 1, "last_level1_date": f"2026-01-0{day}"}
        return json.dumps({"short_term": [*more, goal], "long_term": [], "meta": meta}).encode()

    new = {"id": "sh_2", "goal": "京都"}
    left, now = goals("a", "b", day=2), goals("a", "b", "c", day=3, more=(new,))
    for was, kept in ((goals("a", day=1), [new, json.loads(goals("a", "c", day=3))["short_term"][0]]), (None, None)):
        merged = merge_file(GOALS, left, now, was)
        if was is not None:
            assert (merged.conflicts, json.loads(merged.content or b"")["short_term"]) == ((), kept)
        assert (
            json.loads(merged.content or b"")["meta"]["last_level1_date"] == "2026-01-03"
        )  # that reflection took place
        assert merge_file(GOALS, left, left, was).content == was
    merged = merge_file(MOMO, card("猫"), card("猫", "白い"), None)
    assert (merged.content, merge_file(MOMO, card("猫"), card("猫"), None).content) == (card("白い"), None)
    name = f"episodic_memory/{paths.name}.json"  # which is one text
    said, more = ({"id": "ep_1", "summary": "夜", "key_events": events} for events in (["a"], ["a", "b"]))
    dumps = [json.dumps(one).encode() for one in (said, {**said, "pinned": True}, {**said, "summary": "昼"}, more)]
    pinned = merge_file(name, dumps[0], dumps[1], dumps[2])
    assert json.loads(pinned.content or b"") == {**said, "summary": "昼", "pinned": True}
    torn = merge_file(name, dumps[0], dumps[3], dumps[2])
    assert (torn.content, len(torn.conflicts)) == (dumps[3], 1)


def test_a_conflict_is_as_small_as_what_both_changed() -> None:
    other = [{"id": f"q_{n}", "topic": str(n)} for n in range(50)]

    def questions(**changed: str) -> bytes:
        return json.dumps([{"id": "q_x", "topic": "x", **changed}, *other]).encode()

    merged = merge_file("memory/open_questions.json", questions(answer="a"), questions(answer="mine"), questions())
    (conflict,) = merged.conflicts
    assert (conflict.part, json.loads(conflict.current or b"")["answer"]) == ("q_x", "mine")
    assert "answer" not in json.loads(conflict.restored or b"")
    assert merged.content == questions(answer="mine")
    text = merge_file(NOTE, b"a\nB\nc\n", b"a\nmine\nc\n", b"a\nb\nc\n")
    assert text.conflicts == (UndoConflict(NOTE, b"mine", b"b", "2"),)


def test_what_cannot_be_read_is_a_conflict_is_never_written_and_the_inner_state_is_in_nobodys_way() -> None:
    for broken in (b"{", b"\xff\xfe\x00", b"3"):
        for versions in ((broken, b"[]", b"[1]"), (b"[]", broken, b"[1]"), (b"[]", b"[1]", broken)):
            merged = merge_file(DIARY, *versions)
            assert merged.content == versions[1]
            assert merged.conflicts == (UndoConflict(DIARY, versions[1], versions[2]),)
    merged = merge_file(NOTE, b"a\nx", b"b\na\nx", b"a\nbad", lambda _, content: content.count(b"bad"))
    assert (merged.content, len(merged.conflicts)) == (b"b\na\nx", 1)
    merged = merge_file("memory/internal_state.json", b"1", b"2", b"3")
    assert (merged.content, merged.conflicts) == (b"2", ())


def change(history: History, path: str, content: str, author: str = "dream") -> str:
    entry = history.apply({history.paths.folder / path: content.encode()}, Draft(author, "r"))
    assert entry
    return entry


@settings(max_examples=15)
@given(steps=st.lists(record_lists, min_size=2, max_size=5), at=st.integers(0, 3))
def test_undo_and_redo_change_nothing(tmp_path_factory: pytest.TempPathFactory, steps: list[Records], at: int) -> None:
    paths = PersonaPaths(tmp_path_factory.mktemp("history") / "ねむ")
    history = History(paths, HandClock())
    history.apply({paths.insights: b"[]"}, Draft("dream", ""))
    made = [history.apply({paths.insights: dumped(step)}, Draft("dream", "")) for step in steps]
    entry = next((one for one in made[at:] if one), None)
    assume(entry)
    there = paths.insights.read_bytes()
    try:
        history.undo(entry or "", author="user", leave_changed=True)
    except UndoConflictError:
        assert paths.insights.read_bytes() == there
        return
    history.redo(entry or "", author="user")
    assert paths.insights.read_bytes() == there
    assert history.entries(1)[0].kind == "redo"


def test_what_was_put_on_a_shelf_since_is_taken_back_there(history: History, paths: PersonaPaths) -> None:
    one, two, three = ({"id": f"in_{n}", "insight": str(n)} for n in range(3))
    change(history, DIARY, json.dumps([one]))
    night = change(history, DIARY, json.dumps([two, one]))
    shelf = paths.memory / "insights_archived_001.json"
    history.apply({paths.insights: json.dumps([three]).encode(), shelf: json.dumps([two, one]).encode()}, Draft("", ""))
    before = shelf.read_bytes()
    history.undo(night, author="user")
    assert json.loads(shelf.read_bytes()) == [one]
    history.redo(night, author="user")
    assert json.loads(shelf.read_bytes()) == json.loads(before)


def test_one_memory_has_its_own_history_and_its_own_way_back(history: History, paths: PersonaPaths) -> None:
    one, two = {"id": "sh_1", "goal": "一"}, {"id": "sh_2", "goal": "二"}

    def goals(*items: dict[str, str]) -> str:
        return json.dumps({"short_term": items, "long_term": [], "meta": {}})

    change(history, GOALS, goals())
    made = history.apply({paths.goals: goals(two, one).encode(), paths.core_memory: "夢".encode()}, Draft("dream", ""))
    assert made
    ended = change(history, GOALS, goals({**two, "status": "completed"}, one), "user")
    first, second = record_part("sh_1"), record_part("sh_2")
    assert [entry.id for entry in history.entries(part=first)] == [made]
    assert [entry.id for entry in history.entries(part=second)] == [ended, made]
    assert [(diff.path, diff.before) for diff in history.diff(made, first)] == [(GOALS, None)]
    history.undo(made, author="user", part=first)
    assert json.loads(paths.goals.read_bytes())["short_term"] == [{**two, "status": "completed"}]
    assert paths.core_memory.read_text("utf-8") == "夢"
    assert history.entries(part=first)[-1].undone_by
    assert not history.entries(part=second)[-1].undone_by
    assert next(entry for entry in history.entries() if entry.id == made).undone_by is None  # the night still stands
    history.redo(made, author="user", part=first)
    assert [goal["id"] for goal in json.loads(paths.goals.read_bytes())["short_term"]] == ["sh_2", "sh_1"]
    history.undo(made, author="user", part=NOTE)
    assert paths.core_memory.read_text("utf-8") == "はじめ\n"
    with pytest.raises(UndoConflictError):
        history.undo(made, author="user", part=second)
    history.undo(made, author="user", leave_changed=True)
    assert [goal["id"] for goal in json.loads(paths.goals.read_bytes())["short_term"]] == ["sh_2"]


def test_the_rest_of_an_entry_can_be_undone_around_what_changed_later(history: History, paths: PersonaPaths) -> None:
    entry = history.apply({paths.core_memory: b"dreamt", paths.goals: b"{}", paths.insights: b"[]"}, Draft("dream", ""))
    assert entry
    write(history, paths.core_memory, "mine", author="user")
    with pytest.raises(UndoConflictError):
        history.undo(entry, author="user")
    assert (paths.core_memory.read_bytes(), paths.goals.read_bytes()) == (b"mine", b"{}")
    undo = history.undo(entry, author="user", leave_changed=True)
    assert paths.core_memory.read_bytes() == b"mine"
    assert not paths.goals.exists()
    assert history.entries(1)[0].files == ("goals.json", "memory/insights.json")
    history.redo(undo, author="user")  # what the undo left alone is not done again
    assert paths.core_memory.read_bytes() == b"mine"
    assert paths.goals.read_bytes() == b"{}"
    alone = write(history, paths.notepad, "一")
    write(history, paths.notepad, "二")
    with pytest.raises(UndoConflictError):  # nothing would be left to take back
        history.undo(alone, author="user", leave_changed=True)


def test_undo_and_redo_go_back_and_forth(history: History, paths: PersonaPaths) -> None:
    entry = write(history, paths.core_memory, "一")
    undo = history.undo(entry, author="user")
    with pytest.raises(NotUndoableError):
        history.undo(entry, author="user")
    redo = history.redo(undo, author="user")  # the undo's id does as well
    with pytest.raises(NotUndoableError):
        history.redo(entry, author="user")
    assert paths.core_memory.read_text("utf-8") == "一"
    history.undo(redo, author="user")
    assert paths.core_memory.read_text("utf-8") == "はじめ\n"
    assert [entry.kind for entry in history.entries()] == ["undo", "redo", "undo", "change", "beginning"]
    assert {e.id: bool(e.undone_by) for e in history.entries()}[entry]
