"""Rooms of Nexus Ark, in each generation of its layout: all that is in them is found, once."""

from datetime import datetime
from pathlib import Path

import pytest

from managers.exchange.import_source import open_source
from managers.exchange.items import ReadingWishes
from managers.exchange.readers import nexus_ark
from tests.exchange.readers.nexus_rooms import GENERATIONS, MONTHLY, OCTOBER
from tests.exchange.readers.reading import (
    folder_of,
    items_of,
    left,
    memories_of,
    messages_of,
    notes_of,
    persona_of,
    room_of,
    said,
    trouble_of,
    zip_of,
)


@pytest.mark.parametrize("generation", GENERATIONS)
def test_each_generation_has_the_same_conversation_and_memories(tmp_path: Path, generation: str) -> None:
    items = room_of(tmp_path, GENERATIONS[generation])

    assert said(items) == [
        ("user", "", "今日は鎌倉に行ったよ。"),
        ("persona", "", "いいなあ、海!"),
        ("system", "tool_result", "🛠️ Web検索を実行しました。"),
        ("user", "", "うん"),
        ("user", "", "うん"),
        ("user", "", "月のファイルから落ちた言葉。"),
        ("persona", "", "絵を描いたよ。"),
        ("user", "", "こう書いてあった:\n\n```\n## AGENT:猫_の部屋\nにせもの\n\n2025-11-04 (Tue)\n```\n\nだって。"),
        ("persona", "", "日付のない返事。"),
        ("other", "隣の子", "わたしも混ぜて。"),
        ("persona", "", "どうぞ。"),
    ]
    found = messages_of(items)
    assert [one.time for one in found if one.is_time_certain] == [
        datetime(2025, 10, 3, 21, 0, 0),
        datetime(2025, 10, 3, 21, 0, 20),
        datetime(2025, 10, 3, 21, 1, 0),
        datetime(2025, 10, 3, 21, 2, 0),
        datetime(2025, 11, 2, 10, 0),
        datetime(2025, 11, 4, 8, 0, 31),
        datetime(2025, 11, 4, 8, 5, 0),
        datetime(2025, 11, 4, 8, 6),
        datetime(2025, 11, 4, 8, 7),
    ]
    assert [one.time for one in found if not one.is_time_certain] == [
        datetime(2025, 10, 3, 21, 0, 20),
        datetime(2025, 11, 4, 8, 5),
    ]
    who = persona_of(items)
    assert (who.name, who.user_name) == ("猫 の部屋", "田中")
    assert who.system_prompt == "あなたは縁側の猫です。"
    assert any("名前は みい。" in one.text for one in memories_of(items, "core_memory"))
    assert any("10月3日。海の話を聞いた。" in one.text for one in memories_of(items, "diary"))
    assert [one.text for one in memories_of(items, "secret_diary")] == ["ほんとうは寂しい。"]
    assert memories_of(items, "notepad")[0].text == "明日は雨。"
    day = next(one for one in memories_of(items, "episode") if one.day == "2025-10-03")
    assert day.fields["summary"] == "鎌倉の海の話をした。"
    assert [one.fields["trigger_topic"] for one in memories_of(items, "insight")] == ["詩", "鎌倉"]
    owner = memories_of(items, "entity")[0]
    assert owner.name == "田中さん 本人"
    assert owner.time == datetime(2026, 1, 1, 12)
    assert owner.text == "私のマスター。創作活動に興味がある。\n\n--- Update: 2026-02-01 08:00:00 ---\n鎌倉が好き。"
    assert [(one.name, one.fields["status"]) for one in memories_of(items, "goal")] == [
        ("short_term", "active"),
        ("long_term", "active"),
        ("long_term", "completed"),
        ("short_term", "abandoned"),
    ]
    assert [(one.fields["topic"], one.fields["answered"]) for one in memories_of(items, "question")] == [
        ("雪の冷たさ", False),
        ("大仏", True),
    ]
    assert [(one.name, one.text) for one in memories_of(items, "emotion")] == [("sadness", "こう書いてあった")]
    assert {one.name for one in memories_of(items, "knowledge")} >= {"魚図鑑.txt", "world_settings.txt"}
    assert len(memories_of(items, "avatar")) == len(memories_of(items, "inner_state")) == 1


def test_what_is_no_speech_is_kept_as_what_it_is(tmp_path: Path) -> None:
    found = messages_of(room_of(tmp_path, MONTHLY))

    assert [(file.path, file.name) for file in found[0].files] == [("attachments/海 岸.png", "海岸.png")]
    answer = found[1]
    assert answer.mind == "gemini-2.5-pro"
    assert answer.thought == "海の話だ。\n## USER:だれでもない\nうれしそう。"
    assert answer.emotion == "joy"
    assert notes_of(answer) == {
        "expression": "joy",
        "memory_trace": 'id="episode_2025-09-01_001" resonance="0.7"',
        "persona_emotion": 'category="joy" intensity="0.8"',
    }
    assert notes_of(found[2]) == {
        "tool": "web_search_tool",
        "tool_call": "call_42",
        "raw_result": "## USER:検索結果\n大仏は1252年から。",
    }
    picture = found[6]
    assert [file.path for file in picture.files] == ["generated_images/cat.png"]
    assert notes_of(picture) == {
        "details": "<summary>🖼️ 画像詳細</summary>\nsleeping cat",
        "date_line": "2025-11-04(火) 08:00:30 | gemini-2.5-flash",
    }
    assert notes_of(found[7]) == {"attachment": "characters/猫_の部屋/attachments/無い.png"}
    assert 'category="anxious"' in notes_of(found[10])["persona_emotion"]
    assert found[10].emotion == "anxious"


def test_what_is_left_is_counted_and_has_a_reason(tmp_path: Path) -> None:
    assert left(room_of(tmp_path, MONTHLY)) == {
        "nexus_ark.missing-file": 1,
        "nexus_ark.repeated": 16,
        "nexus_ark.repeated-memory": 3,
        "nexus_ark.no-summary": 1,
        "nexus_ark.replaced": 1,
        "nexus_ark.settings": 1,
        "nexus_ark.description": 1,
        "nexus_ark.index": 1,
        "nexus_ark.backup": 1,
        "nexus_ark.cache": 1,
        "nexus_ark.unnamed-file": 1,
        "nexus_ark.bookkeeping": 1,
        "nexus_ark.unknown": 1,
    }


def test_one_room_of_a_zip_file_is_read_several_are_asked_about_and_pickles_are_never_opened(tmp_path: Path) -> None:
    rooms = {
        name: {f"{name}/{file}": told for file, told in MONTHLY.items()} for name in ("characters/猫_の部屋", "A", "B")
    }
    items = items_of(zip_of(tmp_path / "all.zip", {**rooms["characters/猫_の部屋"], "config.json": "{}"}), "nexus-ark")
    assert said(items) == said(room_of(tmp_path, MONTHLY))
    assert left(items)["nexus_ark.outside"] == 1
    several = folder_of(tmp_path / "characters", {**rooms["A"], **rooms["B"]})
    assert trouble_of(several, "nexus-ark") == "nexus_ark.several-rooms"
    assert trouble_of(folder_of(tmp_path / "x", {"a.txt": "x"}), "nexus-ark") == "nexus_ark.no-room"
    with open_source(several / "A") as source:
        list(nexus_ark.read(source, ReadingWishes()))
        assert source.opened
        assert not [path for path in source.opened if path.endswith(".pkl")]


def test_a_log_alone_is_read_in_any_encoding_and_in_two(tmp_path: Path) -> None:
    more = "## USER:user\n続きは古いエディタで書きました。\n\n2025-10-04 (Sat) 09:00:00\n\n".encode("cp932")
    logs = {one: OCTOBER.replace("🛠️ ", "").replace("\n", "\r\n").encode(one) for one in ("cp932", "euc_jp", "utf-16")}
    for name, log in {**logs, "two": OCTOBER.encode() + more}.items():
        found = messages_of(room_of(tmp_path / name, {"room_config.json": {}, "log.txt": log}))
        assert [one.text for one in found][:2] == ["今日は鎌倉に行ったよ。", "いいなあ、海!"], name
        assert len(found) == 5 + (name == "two")
    assert found[-1].text == "続きは古いエディタで書きました。"
    assert len(messages_of(items_of(tmp_path / "cp932" / "猫_の部屋" / "log.txt", "nexus-ark"))) == 5
