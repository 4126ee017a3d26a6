"""What a room of Nexus Ark remembers, in the forms of its versions: days, cards, questions, notes, who it is."""

from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from managers.exchange.items import Item
from managers.exchange.readers.nexus_ark.room_memories import _day
from tests.exchange.readers.nexus_rooms import GENERATIONS, MONTHLY, OCTOBER
from tests.exchange.readers.reading import left, memories_of, persona_of, room_of
from tests.parsers.growth import MOST_GROWTH, Recipe, growth


def _room(tmp_path: Path, files: dict[str, Any], name: str = "猫_の部屋") -> list[Item]:
    return room_of(tmp_path, {"room_config.json": {}, "log.txt": OCTOBER, **files}, name)


def test_months_hold_weeks_moments_and_notes_and_a_core_memory_with_blocks_is_taken_apart(tmp_path: Path) -> None:
    items = room_of(tmp_path, MONTHLY)
    assert [(one.day, one.fields["summary"], one.fields["key_events"]) for one in memories_of(items, "episode")] == [
        ("2025-10-01~2025-10-31", "海の月だった。", []),
        ("2025-10-03", "鎌倉の海の話をした。", ["絵を見せてもらった。"]),
        ("2025-10-06~2025-10-12", "静かな週だった。", []),
    ]
    texts = {kind: [one.text for one in memories_of(items, kind)] for kind in ("notepad", "core_memory", "diary")}
    assert texts == {
        "notepad": ["明日は雨。", "## research_notes\n\n波は風から。", "## working_memory\n\nいま詩を書いている。"],
        "core_memory": ["### 自己同一性 (Self Identity)\nわたしは猫。名前は みい。"],
        "diary": ["### 2025-09-01\n夏の終わり。", "### 2025-10-03\n10月3日。海の話を聞いた。"],
    }
    assert [(one.name, one.text) for one in memories_of(items, "entity")][1] == ("鎌倉", "海と大仏の町だ。")

    items = room_of(tmp_path / "2", GENERATIONS["archives"])
    assert [one.text for one in memories_of(items, "core_memory")] == ["わたしは猫。名前は みい。"]
    assert [one.text for one in memories_of(items, "diary")] == [
        "## 日記 (Diary) - AIによる要約\n\n秋に鎌倉の話をした。",
        "## アーカイブ要約 (Archive Summary)\n\n夏は静かだった。",
        "9月。夏の終わり。",
        "10月3日。海の話を聞いた。",
    ]


def test_a_broken_list_gives_what_is_whole(tmp_path: Path) -> None:
    broken = '[{"date": "2025-10-03", "summary": "海。"}, {"date": "2025-10-04", "summary": "山'
    items = _room(tmp_path, {"memory/episodic/2025-10.json": broken})

    assert [one.fields["summary"] for one in memories_of(items, "episode")] == ["海。"]
    assert left(items)["nexus_ark.broken-json"] == 1


@pytest.mark.parametrize("is_wrapped", [False, True])
def test_letters_and_purposes_of_later_versions_come_too(tmp_path: Path, *, is_wrapped: bool) -> None:
    letters = [
        {
            "id": f"ltr_{day}",
            "title": "x",
            "body": body,
            "created_at": f"2026-06-0{day}T12:00:00+00:00",
            "read_at": None,
        }
        for day, body in ((2, "積もったよ。"), (1, "降っている。"))
    ]
    asked = {"question": "海はなぜ鳴る?", "priority": 0.8, "created_at": "2026-06-01 09:00:00"}
    purpose = {
        "core_values": ["静けさ"],
        "stable_interests": [],
        "active_interests": [{"topic": "波の音", "priority": 0.7}],
        "open_questions": [asked, "月は?"],
        "preferred_behaviors": ["差分を追記する"],
    }
    files = {
        "letterbox/letters.json": {"letters": letters} if is_wrapped else letters,
        "memory/purpose_profile.json": purpose,
        "memory/research_threads/waves.md": "# 波\n\n## Thesis\n\n風から。",
        "memory/research_threads/index.json": {"threads": []},
    }
    items = _room(tmp_path, files)

    written = next(one for one in memories_of(items, "knowledge") if one.name == "letters.md").text
    assert written.index("降っている。") < written.index("積もったよ。")
    assert "2026-06-02T12:00:00+00:00" in written
    assert [one.name for one in memories_of(items, "knowledge")] == ["letters.md", "waves.md"]
    assert [one.fields["topic"] for one in memories_of(items, "question")] == ["海はなぜ鳴る?", "月は?"]
    assert memories_of(items, "question")[0].time == datetime(2026, 6, 1, 9)
    (core,) = memories_of(items, "core_memory")
    assert "- 静けさ" in core.text
    assert "- 波の音" in core.text
    assert left(items)["nexus_ark.no-counterpart"] == 2


def test_questions_of_later_versions_keep_their_dates_and_answers(tmp_path: Path) -> None:
    noted = [{"created_at": "2026-05-06T08:00:00", "summary": "半分わかった", "evidence": "x"}]
    asked = [
        {"topic": "海の色", "context": "なぜ青い", "source_date": "2026-05-01", "priority": 0.8, "asked_at": None},
        {"topic": "川", "source_date": "2026-05-03", "asked_at": "2026-05-05T10:00:00.123456",
         "resolved_at": "2026-05-06T08:00:00", "answer_summary": "清流だった", "learned_insight": "水が好き"},
        {"topic": "空", "context": "高い", "source_date": "2026-05-04", "resolution_state": "partial",
         "progress_notes": noted},
    ]  # fmt: skip
    state = {"drives": {"curiosity": {"level": 0.8, "open_questions": asked}}}

    sea, river, sky = memories_of(_room(tmp_path, {"memory/internal_state.json": state}), "question")
    assert [one.time for one in (sea, river, sky)] == [datetime(2026, 5, day) for day in (1, 3, 4)]
    assert (sea.fields["asked"], sea.fields["answered"]) == ("", False)
    assert (river.fields["asked"], river.fields["closed_at"]) == ("2026-05-05 10:00:00", "2026-05-06 08:00:00")
    assert (river.fields["answered"], river.fields["answer"]) == (True, "清流だった\n水が好き")
    assert (sky.fields["answered"], sky.fields["context"]) == (False, "高い\n半分わかった")


def test_cards_that_were_merged_or_copied_do_not_come_beside_the_living_one(tmp_path: Path) -> None:
    card = "# Entity Memory: 海\nCreated: 2026-05-12 12:00:00\n\n"
    gone = {"status": "archived"}
    index = {
        "ent_1": {"canonical_name": "海", "aliases": ["うみ", "海原"], "filename": "海.md", "status": "active"},
        "ent_2": {"filename": "浜.md", "archived_file": "archived/浜_1.md", "merged_into": "ent_1", **gone},
        "ent_3": {"filename": "島.md", "archived_file": "archived/島_1.md", **gone},
        "ent_4": {"filename": "岸.md", "merged_into": "ent_1", **gone},
    }
    told = {
        "海.md": card + "青い。",
        "海.md.bak": card + "古い写し。",
        "山.md.migrated": card.replace("海", "山") + "高い。",
        "岸.md": "まとめられた岸。",
        "_index.json": {"version": 1, "entities": index},
        "_embeddings.json": {"海": [0.1]},
        "archived/浜_1.md": "まとめられた浜。",
        "archived/島_1.md": card.replace("海", "島") + "遠い。",
        "_merged/20260513__渚.md": "まとめられた渚。",
        "人々/田中.md": "自分で作った分類。",
    }
    items = _room(tmp_path, {f"memory/entities/{name}": one for name, one in told.items()})

    found = {one.name: (one.text, one.fields.get("aliases", [])) for one in memories_of(items, "entity")}
    assert found == {"海": ("青い。", ["うみ", "海原"]), "島": ("遠い。", []), "山": ("高い。", [])}
    assert [one.name for one in memories_of(items, "knowledge")] == ["田中.md"]
    codes = {"merged": 3, "backup": 1, "bookkeeping": 1, "missing-file": 1}
    assert left(items) == {f"nexus_ark.{code}": count for code, count in codes.items()}


def test_no_word_of_a_card_is_lost(tmp_path: Path) -> None:
    created = "Created: 2026-01-01 12:00:00"
    for number, (card, *told) in enumerate((
        (f"# Entity Memory: {'長' * 120}\n{created}\n\n高い。", "山", f"{'長' * 120}\n\n高い。", 12),
        ("# 月\n\n夜の灯。\nCreated: は英語で作成。", "山", "# 月\n\n夜の灯。\nCreated: は英語で作成。", None),
        (f"# Entity Memory: 山\n高い。\n\n{created}", "山", f"高い。\n\n{created}", None),
        (f"# Entity Memory: 峰\n\n{created}\n高い。", "峰", "高い。", 12),
    )):  # fmt: skip
        (found,) = memories_of(_room(tmp_path / f"{number}", {"memory/entities/山.md": card}), "entity")
        assert [found.name, found.text, found.time and found.time.hour] == told


def test_sessions_of_a_day_follow_one_another_as_they_were(tmp_path: Path) -> None:
    day = "2026-05-12"
    told = [
        {"id": f"episode_{day}_002", "date": day, "time": "21:00:00", "summary": "夜の話。", "arousal": 0.4},
        {"id": f"episode_{day}_001", "date": day, "time": "9:00:00", "summary": "朝の話。", "arousal": 0.7},
        {"date": day, "type": "achievement", "summary": "詩を書いた。", "created_at": f"{day} 23:00:00"},
        {"date": "2026-05-04~2026-05-10", "summary": "静かな週。", "compressed": True, "arousal_avg": 0.3},
    ]
    older = [{"id": f"episode_{day}_001", "date": day, "summary": "朝の話の、まえの言い方。"}]
    items = _room(tmp_path, {"memory/episodic/2026-05.json": told, "memory/episodic_memory.json": older})

    week, found = memories_of(items, "episode")
    assert found.fields["summary"] == "朝の話。\n\n夜の話。"
    assert found.fields["key_events"] == ["詩を書いた。"]
    assert found.fields["source_ids"] == [f"episode_{day}_001", f"episode_{day}_002"]
    assert (found.fields["arousal"], week.fields["arousal"]) == (0.7, 0.3)
    assert left(items)["nexus_ark.repeated-memory"] == 1


def test_a_damaged_configuration_is_made_up_for_by_the_newest_copy(tmp_path: Path) -> None:
    copies = {
        f"backups/configs/{day}_120000_room_config.json.bak": {"room_name": name, "user_display_name": "田中"}
        for day, name in (("20250101", "まえの名"), ("20250901", "猫 の部屋"))
    }
    items = _room(tmp_path, {"room_config.json": '{"room_name": "猫 の', **copies}, "download")

    assert (persona_of(items).name, persona_of(items).user_name) == ("猫 の部屋", "田中")
    assert left(items) == {"nexus_ark.broken-json": 1, "nexus_ark.backup": 1, "nexus_ark.missing-file": 1}


def test_the_day_of_an_entry_is_read_in_proportion_to_its_length() -> None:
    assert _day({"date": "2026-05-04 ～\t2026-05-10"}, "") == "2026-05-04~2026-05-10"
    made = Recipe(b"2026-05-04", b" ", b"x")
    assert growth(lambda raw: _day({"date": raw.decode()}, ""), made, 1 << 15) < MOST_GROWTH
