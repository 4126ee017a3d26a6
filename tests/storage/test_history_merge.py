"""Taking back what one entry did, beside whatever came later: records, lines, and nothing else."""

import json
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from managers.storage.errors import UndoConflictError
from managers.storage.history import Draft, History, UndoConflict
from managers.storage.history.merge import merge_file
from managers.storage.history.parts import record_part
from managers.storage.paths import PersonaPaths
from tests.fakes import HandClock

GOALS, DIARY, MOMO, NOTE = "goals.json", "memory/insights.json", "entity_memory/モモ.md", "core_memory.txt"
HEAD = '# Entity Memory: モモ\nCreated: 2026-01-01 12:00:00\n<!-- entity {"kind": "pet", "aliases": [%s]} -->\n\n'

ids = st.sampled_from([f"id_{n}" for n in range(12)])
texts = st.text("あい ab", max_size=4)
record_lists = st.dictionaries(
    ids, st.fixed_dictionaries({"text": texts, "evidence": st.lists(st.sampled_from("123"), unique=True)}), max_size=6
)
lines = st.lists(st.sampled_from(["", "猫の名前はモモ。", "来週は京都。", "a", "b", "c"]), max_size=8)


def dumped(records: dict[str, dict[str, Any]]) -> bytes:
    return json.dumps([{"id": key, **record} for key, record in records.items()]).encode()


def loaded(data: bytes | None) -> dict[str, dict[str, Any]]:
    return {one.pop("id"): one for one in json.loads(data or b"[]")}


def fact(number: int, words: str, *evidence: str) -> str:
    return (
        f"- {words} <!-- fact {json.dumps({'id': f'f_{number}', 'evidence': list(evidence)}, ensure_ascii=False)} -->\n"
    )


@settings(max_examples=50)
@given(before=record_lists, after=record_lists, name=st.sampled_from([DIARY, "memory/open_questions.json"]))
def test_an_undo_right_after_gives_the_same_bytes_back(
    before: dict[str, dict[str, Any]], after: dict[str, dict[str, Any]], name: str
) -> None:
    was, left = dumped(before) + b"\n\n", dumped(after)
    assert merge_file(name, left, left, was).content == was


@settings(max_examples=50)
@given(before=record_lists, after=record_lists, later=record_lists)
def test_records_that_the_entry_did_not_touch_stay_as_they_are_now(
    before: dict[str, dict[str, Any]], after: dict[str, dict[str, Any]], later: dict[str, dict[str, Any]]
) -> None:
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
def test_what_was_added_around_the_entry_stays_and_what_it_added_goes(
    before: list[str], added: list[str], later: list[str]
) -> None:
    later = [f"later {line}" for line in later]
    left = [*before, *(f"added {line}" for line in added)]
    for now in ([*left, *later], [*later, *left]):
        merged = merge_file(NOTE, *("\n".join(side).encode() for side in (left, now, before)))
        assert not merged.conflicts
        expected = [line for line in "\n".join(now).split("\n") if not line.startswith("added ")]
        assert not before or (merged.content or b"").decode().split("\n") == expected


facts = st.dictionaries(
    st.integers(0, 6), st.tuples(st.sampled_from(["猫", "白い", "入院"]), st.sets(st.sampled_from("123"))), max_size=5
)


def entity(known: dict[int, tuple[str, set[str]]], *own: str) -> bytes:
    lines = [fact(number, words, *sorted(evidence)) for number, (words, evidence) in known.items()]
    return (HEAD % "" + "".join([*lines, *(f"{line}\n" for line in own)])).encode()


@settings(max_examples=50)
@given(before=facts, after=facts, later=facts)
def test_facts_that_the_entry_did_not_touch_stay_as_they_are_now(
    before: dict[int, tuple[str, set[str]]],
    after: dict[int, tuple[str, set[str]]],
    later: dict[int, tuple[str, set[str]]],
) -> None:
    # The order of a file stays; only what dreams do is done: change a fact, end one, add one at the end.
    after = {**{key: after[key] for key in before if key in after}, **after}
    later = {**{key: later[key] for key in after if key in later}, **later}
    merged = merge_file(MOMO, entity(after), entity(later, "わたしのメモ"), entity(before))
    told = (merged.content or b"").decode()
    assert "わたしのメモ\n" in told
    if merged.conflicts:
        return
    for key in {*before, *after, *later}:
        line, count = fact(key, *_words(later.get(key))), told.count(f'"f_{key}"')
        if before.get(key) == after.get(key):
            assert (line in told) if key in later else not count
        elif later.get(key) == after.get(key):
            assert (fact(key, *_words(before.get(key))) in told) if key in before else not count


def _words(known: tuple[str, set[str]] | None) -> tuple[str, ...]:
    return ("",) if known is None else (known[0], *sorted(known[1]))


def test_two_nights_of_one_goal_keep_apart() -> None:
    def goals(*notes: str, day: int, more: tuple[dict[str, Any], ...] = ()) -> bytes:
        goal = {"id": "sh_1", "goal": "簿記", "progress_notes": list(notes), "updated_at": f"2026-01-0{day}"}
        meta = {"last_reflection_level": 1, "last_level1_date": f"2026-01-0{day}"}
        return json.dumps({"short_term": [*more, goal], "long_term": [], "meta": meta}).encode()

    new = {"id": "sh_2", "goal": "京都"}
    merged = merge_file(GOALS, goals("a", "b", day=2), goals("a", "b", "c", day=3, more=(new,)), goals("a", day=1))
    assert not merged.conflicts
    assert merged.content is not None
    value = json.loads(merged.content)
    assert value["short_term"] == [new, json.loads(goals("a", "c", day=3))["short_term"][0]]
    assert value["meta"]["last_level1_date"] == "2026-01-03"  # the later reflection took place


def test_the_first_dream_goes_and_the_second_stays() -> None:
    first, second = {"id": "sh_1", "goal": "一"}, {"id": "sh_2", "goal": "二"}
    left = json.dumps({"short_term": [first], "long_term": [], "meta": {"last_level1_date": "2026-01-01"}}).encode()
    now = json.dumps({"short_term": [second, first], "long_term": [], "meta": {"last_level1_date": "2026-01-02"}})
    merged = merge_file(GOALS, left, now.encode(), None)
    assert not merged.conflicts
    assert json.loads(merged.content or b"")["short_term"] == [second]
    assert merge_file(GOALS, left, left, None).content is None


def test_an_entity_that_an_entry_made_keeps_what_others_noted_of_it() -> None:
    left, now = HEAD % "" + fact(1, "猫", "m1"), HEAD % "" + fact(1, "猫", "m1") + fact(2, "白い", "m2")
    merged = merge_file(MOMO, left.encode(), now.encode(), None)
    assert (merged.content or b"").decode() == HEAD % "" + fact(2, "白い", "m2")
    assert merge_file(MOMO, left.encode(), left.encode(), None).content is None


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


def test_an_episode_is_one_text(paths: PersonaPaths) -> None:
    def episode(summary: str, *events: str, **more: object) -> bytes:
        return json.dumps(
            {
                "id": "ep_1",
                "summary": summary,
                "key_events": events,
                "key_event_evidence": [[e] for e in events],
                **more,
            }
        ).encode()

    name = f"episodic_memory/{paths.name}.json"
    pinned = merge_file(name, episode("夜", "a", "b"), episode("夜", "a", "b", pinned=True), episode("昼", "a"))
    assert json.loads(pinned.content or b"") == json.loads(episode("昼", "a", pinned=True))
    torn = merge_file(name, episode("夜", "a", "b"), episode("夜", "a", "b", "c"), episode("昼", "a"))
    assert torn.content == episode("夜", "a", "b", "c")
    assert json.loads(torn.conflicts[0].restored or b"")["key_events"] == ["a"]


def test_what_cannot_be_read_is_a_conflict_as_a_whole() -> None:
    for broken in (b"{", b"\xff\xfe\x00", b"3"):
        for versions in ((broken, b"[]", b"[1]"), (b"[]", broken, b"[1]"), (b"[]", b"[1]", broken)):
            merged = merge_file(DIARY, *versions)
            assert merged.content == versions[1]
            assert merged.conflicts == (UndoConflict(DIARY, versions[1], versions[2]),)


def test_what_its_readers_would_not_understand_is_never_written_and_the_inner_state_is_in_nobodys_way() -> None:
    merged = merge_file(NOTE, b"a\nx", b"b\na\nx", b"a\nbad", lambda _, content: content.count(b"bad"))
    assert (merged.content, len(merged.conflicts)) == (b"b\na\nx", 1)
    merged = merge_file("memory/internal_state.json", b"1", b"2", b"3")
    assert (merged.content, merged.conflicts) == (b"2", ())


# Through the history


def change(history: History, path: str, content: str, author: str = "dream") -> str:
    entry = history.apply({history.paths.folder / path: content.encode()}, Draft(author, "r"))
    assert entry
    return entry


@settings(max_examples=15)
@given(steps=st.lists(record_lists, min_size=2, max_size=5), at=st.integers(0, 3))
def test_undo_then_redo_gives_the_same_content_back(
    tmp_path_factory: pytest.TempPathFactory, steps: list[dict[str, dict[str, Any]]], at: int
) -> None:
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


def test_an_older_night_is_taken_back_alone(history: History, paths: PersonaPaths) -> None:
    one, two, three = ({"id": f"in_{n}", "insight": str(n)} for n in range(3))
    change(history, DIARY, json.dumps([one]))
    night = change(history, DIARY, json.dumps([two, one]))
    change(history, DIARY, json.dumps([three, two, one]))
    undo = history.undo(night, author="user")
    assert json.loads(paths.insights.read_bytes()) == [three, one]
    assert history.redo(night, author="user")
    assert json.loads(paths.insights.read_bytes()) == [three, two, one]
    assert history.entries(4)[1].id == undo


def test_what_was_put_on_a_shelf_since_is_taken_back_there(history: History, paths: PersonaPaths) -> None:
    one, two, three = ({"id": f"in_{n}", "insight": str(n)} for n in range(3))
    change(history, DIARY, json.dumps([one]))
    night = change(history, DIARY, json.dumps([two, one]))
    shelf = paths.memory / "insights_archived_001.json"
    history.apply(
        {paths.insights: json.dumps([three]).encode(), shelf: json.dumps([two, one]).encode()}, Draft("d", "")
    )
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
