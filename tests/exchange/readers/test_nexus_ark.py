"""Rooms of Nexus Ark, in each generation of its layout: all that is in them is found, once."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

import pytest

from managers.exchange.import_source import open_source
from managers.exchange.items import FoundMemory, FoundMessage, Item, ReadingWishes
from managers.exchange.readers import nexus_ark
from managers.storage.texts import Texts
from tests.exchange.readers.nexus_rooms import GENERATIONS, MONTHLY, NEWEST, OCTOBER, Files
from tests.exchange.readers.reading import folder_of, items_of, left, messages_of, persona_of, said, trouble_of, zip_of


def _room(tmp_path: Path, files: Files, name: str = "猫_の部屋") -> list[Item]:
    return items_of(folder_of(tmp_path / name, files), "nexus-ark")


def _memories(items: list[Item], kind: str) -> list[FoundMemory]:
    return [item for item in items if isinstance(item, FoundMemory) and item.kind == kind]


def _notes(message: FoundMessage) -> dict[str, str]:
    return dict(message.notes)


@pytest.mark.parametrize("generation", GENERATIONS)
def test_each_generation_has_the_same_conversation(tmp_path: Path, generation: str) -> None:
    items = _room(tmp_path, GENERATIONS[generation])

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


def test_what_is_no_speech_is_kept_as_what_it_is(tmp_path: Path) -> None:
    found = messages_of(_room(tmp_path, MONTHLY))

    assert [(file.path, file.name) for file in found[0].files] == [("attachments/海 岸.png", "海岸.png")]
    answer = found[1]
    assert answer.mind == "gemini-2.5-pro"
    assert answer.thought == "海の話だ。\n## USER:だれでもない\nうれしそう。"
    assert answer.emotion == "joy"
    assert _notes(answer) == {
        "expression": "joy",
        "memory_trace": 'id="episode_2025-09-01_001" resonance="0.7"',
        "persona_emotion": 'category="joy" intensity="0.8"',
    }
    assert _notes(found[2]) == {
        "tool": "web_search_tool",
        "tool_call": "call_42",
        "raw_result": "## USER:検索結果\n大仏は1252年から。",
    }
    picture = found[6]
    assert [file.path for file in picture.files] == ["generated_images/cat.png"]
    assert _notes(picture) == {
        "details": "<summary>🖼️ 画像詳細</summary>\nsleeping cat",
        "date_line": "2025-11-04(火) 08:00:30 | gemini-2.5-flash",
    }
    assert _notes(found[7]) == {"attachment": "characters/猫_の部屋/attachments/無い.png"}
    assert 'category="anxious"' in _notes(found[10])["persona_emotion"]
    assert found[10].emotion == "anxious"


@pytest.mark.parametrize("generation", GENERATIONS)
def test_each_generation_has_the_same_memories(tmp_path: Path, generation: str) -> None:
    items = _room(tmp_path, GENERATIONS[generation])

    who = persona_of(items)
    assert (who.name, who.user_name) == ("猫 の部屋", "田中")
    assert who.system_prompt == "あなたは縁側の猫です。"
    assert any("名前は みい。" in one.text for one in _memories(items, "core_memory"))
    assert any("10月3日。海の話を聞いた。" in one.text for one in _memories(items, "diary"))
    assert [one.text for one in _memories(items, "secret_diary")] == ["ほんとうは寂しい。"]
    assert _memories(items, "notepad")[0].text == "明日は雨。"
    day = next(one for one in _memories(items, "episode") if one.day == "2025-10-03")
    assert day.fields["summary"] == "鎌倉の海の話をした。"
    assert [one.fields["trigger_topic"] for one in _memories(items, "insight")] == ["詩", "鎌倉"]
    owner = _memories(items, "entity")[0]
    assert owner.name == "田中さん 本人"
    assert owner.time == datetime(2026, 1, 1, 12)
    assert owner.text == "私のマスター。創作活動に興味がある。\n\n--- Update: 2026-02-01 08:00:00 ---\n鎌倉が好き。"
    assert [(one.name, one.fields["status"]) for one in _memories(items, "goal")] == [
        ("short_term", "active"),
        ("long_term", "active"),
        ("long_term", "completed"),
        ("short_term", "abandoned"),
    ]
    assert [(one.fields["topic"], one.fields["answered"]) for one in _memories(items, "question")] == [
        ("雪の冷たさ", False),
        ("大仏", True),
    ]
    assert [(one.name, one.text) for one in _memories(items, "emotion")] == [("sadness", "こう書いてあった")]
    assert {one.name for one in _memories(items, "knowledge")} >= {"魚図鑑.txt", "world_settings.txt"}
    assert len(_memories(items, "avatar")) == len(_memories(items, "inner_state")) == 1


def test_months_hold_weeks_moments_and_notes(tmp_path: Path) -> None:
    items = _room(tmp_path, MONTHLY)

    assert [(one.day, one.fields["summary"], one.fields["key_events"]) for one in _memories(items, "episode")] == [
        ("2025-10-01~2025-10-31", "海の月だった。", []),
        ("2025-10-03", "鎌倉の海の話をした。", ["絵を見せてもらった。"]),
        ("2025-10-06~2025-10-12", "静かな週だった。", []),
    ]
    assert [one.text for one in _memories(items, "notepad")] == [
        "明日は雨。",
        "## research_notes\n\n波は風から。",
        "## working_memory\n\nいま詩を書いている。",
    ]
    assert [one.text for one in _memories(items, "core_memory")] == [
        "### 自己同一性 (Self Identity)\nわたしは猫。名前は みい。"
    ]
    assert [one.text for one in _memories(items, "diary")] == [
        "### 2025-09-01\n夏の終わり。",
        "### 2025-10-03\n10月3日。海の話を聞いた。",
    ]
    assert [(one.name, one.text) for one in _memories(items, "entity")][1] == ("鎌倉", "海と大仏の町だ。")


def test_the_newest_versions_keep_lists_and_sessions_beside(tmp_path: Path) -> None:
    items = _room(tmp_path, NEWEST)

    assert [(one.day, one.fields["summary"]) for one in _memories(items, "episode")] == [
        ("2025-10-03", "鎌倉の海の話をした。"),
        ("2025-10-04", "朝、雨の話をした。\n\n夜、月を見た。"),
    ]
    assert [(one.name, one.fields) for one in _memories(items, "entity")] == [
        ("田中さん 本人", {"aliases": ["たなか"]}),
        ("鎌倉", {}),
    ]
    assert {one.name for one in _memories(items, "knowledge")} >= {"waves.md", "tea.md"}
    assert left(items) == {
        "nexus_ark.missing-file": 1,
        "nexus_ark.merged": 2,
        "nexus_ark.backup": 2,
        "nexus_ark.no-counterpart": 3,
        "nexus_ark.settings": 1,
        "nexus_ark.description": 1,
        "nexus_ark.index": 1,
        "nexus_ark.cache": 1,
        "nexus_ark.unnamed-file": 1,
        "nexus_ark.bookkeeping": 1,
        "nexus_ark.unknown": 1,
    }


def test_a_core_memory_with_blocks_is_taken_apart(tmp_path: Path) -> None:
    items = _room(tmp_path, GENERATIONS["archives"])

    assert [one.text for one in _memories(items, "core_memory")] == ["わたしは猫。名前は みい。"]
    assert [one.text for one in _memories(items, "diary")] == [
        "## 日記 (Diary) - AIによる要約\n\n秋に鎌倉の話をした。",
        "## アーカイブ要約 (Archive Summary)\n\n夏は静かだった。",
        "9月。夏の終わり。",
        "10月3日。海の話を聞いた。",
    ]


def test_what_is_left_is_counted_and_has_a_reason(tmp_path: Path) -> None:
    assert left(_room(tmp_path, MONTHLY)) == {
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


def test_every_reason_is_said_in_both_languages() -> None:
    source = "".join(path.read_text("utf-8") for path in Path("managers/exchange/readers/nexus_ark").glob("*.py"))
    say = Texts("notices/import_nexus_ark")
    for code in ("repeated", "replaced", "index", "no-room", "several-rooms", "outside", "empty"):
        assert f'"{code}"' in source or f".{code}" in source
        both = say.both(code, count="2", place="x", rooms="A, B", name="x")
        assert both["ja"] != both["en"]


def test_pickles_are_never_opened(tmp_path: Path) -> None:
    with open_source(folder_of(tmp_path / "room", MONTHLY)) as source:
        list(nexus_ark.read(source, ReadingWishes()))
        assert source.opened
        assert not [path for path in source.opened if path.endswith(".pkl")]


def test_a_zip_of_all_rooms_with_one_room_is_that_room(tmp_path: Path) -> None:
    nested = {f"characters/猫_の部屋/{name}": told for name, told in MONTHLY.items()}
    path = zip_of(tmp_path / "all.zip", {**nested, "config.json": "{}"})

    items = items_of(path, "nexus-ark")

    assert said(items) == said(_room(tmp_path, MONTHLY))
    assert left(items)["nexus_ark.outside"] == 1


def test_several_rooms_are_asked_about(tmp_path: Path) -> None:
    rooms = {f"{name}/{file}": told for name in ("A", "B") for file, told in MONTHLY.items()}

    assert trouble_of(folder_of(tmp_path / "characters", rooms), "nexus-ark") == "nexus_ark.several-rooms"


def test_an_empty_folder_is_no_room(tmp_path: Path) -> None:
    assert trouble_of(folder_of(tmp_path / "x", {"a.txt": "x"}), "nexus-ark") == "nexus_ark.no-room"


def test_a_log_alone_is_read(tmp_path: Path) -> None:
    items = items_of(folder_of(tmp_path, {"log.txt": OCTOBER}) / "log.txt", "nexus-ark")

    assert len(messages_of(items)) == 5


@pytest.mark.parametrize("encoding", ["cp932", "euc_jp", "utf-16", "utf-8-sig"])
def test_encodings_and_windows_lines(tmp_path: Path, encoding: str) -> None:
    log = OCTOBER.replace("🛠️ ", "").replace("\n", "\r\n").encode(encoding)
    found = messages_of(_room(tmp_path, {"room_config.json": {}, "log.txt": log}))

    assert [one.text for one in found][:2] == ["今日は鎌倉に行ったよ。", "いいなあ、海!"]
    assert len(found) == 5


def test_a_log_that_was_written_on_in_another_encoding_is_read_in_both(tmp_path: Path) -> None:
    more = "## USER:user\n続きは古いエディタで書きました。\n\n2025-10-04 (Sat) 09:00:00\n\n".encode("cp932")
    found = messages_of(_room(tmp_path, {"room_config.json": {}, "log.txt": OCTOBER.encode() + more}))

    assert found[0].text == "今日は鎌倉に行ったよ。"
    assert found[-1].text == "続きは古いエディタで書きました。"


def test_messages_of_imports_have_their_date_above(tmp_path: Path) -> None:
    log = "## USER:user\n2024-01-02 03:04:05\nやあ\n二行目\n\n## AGENT:みい\n2024/1/2 3:05\nはい\n\n## AGENT:みい\n日付なし\n\n"
    prompt = "2024-01-02 03:04:05\nやあ"
    items = _room(tmp_path, {"room_config.json": {}, "SystemPrompt.txt": prompt, "log.txt": log})

    assert [(one.text, one.time, one.is_time_certain) for one in messages_of(items)] == [
        ("やあ\n二行目", datetime(2024, 1, 2, 3, 4, 5), True),
        ("はい", datetime(2024, 1, 2, 3, 5), True),
        ("日付なし", datetime(2024, 1, 2, 3, 5), False),
    ]
    assert persona_of(items).system_prompt == "やあ"


def test_a_room_without_dates_keeps_its_order_and_every_message(tmp_path: Path) -> None:
    log = "".join(f"## {'USER:user' if n % 2 else 'AGENT:みい'}\nうん\n\n" for n in range(20))
    found = messages_of(_room(tmp_path, {"room_config.json": {"created_at": "2025-05-01 10:00:00"}, "log.txt": log}))

    assert len(found) == 20
    assert {(one.time, one.is_time_certain) for one in found} == {(datetime(2025, 5, 1, 10), False)}


def test_messages_without_a_date_before_all_dates_stand_first(tmp_path: Path) -> None:
    early = "## USER:user\nむかしの言葉\n\n## AGENT:みい\nむかしの返事\n\n"
    files: Mapping[str, str] = {
        "room_config.json": "{}",
        "logs/0000-00.txt": early,
        "logs/2025-10.txt": OCTOBER,
        "log.txt.migrated": early + OCTOBER,
    }
    found = messages_of(_room(tmp_path, files))

    assert [one.text for one in found][:3] == ["むかしの言葉", "むかしの返事", "今日は鎌倉に行ったよ。"]
    assert len(found) == 7
    assert not found[0].is_time_certain


def test_a_half_written_message_gives_way_to_the_whole_one(tmp_path: Path) -> None:
    whole = OCTOBER + "## AGENT:猫_の部屋\nこれは最後まで書かれた返事です。\n\n2025-10-03 (Fri) 21:03:00 | x\n\n"
    half = OCTOBER + "## AGENT:猫_の部屋\nこれは最後まで書か"
    for number, logs in enumerate(
        ({"log.txt": whole, "log.txt.migrating": half}, {"log.txt": half, "log.txt.migrated": whole})
    ):
        found = messages_of(_room(tmp_path, {"room_config.json": {}, **logs}, f"room{number}"))
        assert [one.text for one in found][-1] == "これは最後まで書かれた返事です。"
        assert len(found) == 6


def test_an_edited_message_keeps_its_earlier_wording_beside_it(tmp_path: Path) -> None:
    logs = {"logs/2025-10.txt": OCTOBER.replace("鎌倉", "江の島"), "log.txt.migrated": OCTOBER}
    found = messages_of(_room(tmp_path, {"room_config.json": {}, **logs}))

    assert len(found) == 5
    assert found[0].text == "今日は江の島に行ったよ。"
    assert _notes(found[0])["earlier_wording"] == "今日は鎌倉に行ったよ。"


def test_a_broken_list_gives_what_is_whole(tmp_path: Path) -> None:
    broken = '[{"date": "2025-10-03", "summary": "海。"}, {"date": "2025-10-04", "summary": "山'
    items = _room(tmp_path, {"room_config.json": {}, "log.txt": OCTOBER, "memory/episodic/2025-10.json": broken})

    assert [one.fields["summary"] for one in _memories(items, "episode")] == ["海。"]
    assert left(items)["nexus_ark.broken-json"] == 1


@pytest.mark.parametrize(("user", "persona"), [("ユーザー", "みい"), ("花ちゃん", "猫_の部屋")])
def test_the_first_versions_wrote_other_headers(tmp_path: Path, user: str, persona: str) -> None:
    log = f"## {user}:\nやあ\n\n## {persona}:\nはい\n\n## システム(アラーム):\n（システムアラーム：起きる）\n\n## {user}:\nまたね\n\n"
    found = messages_of(_room(tmp_path, {"room_config.json": {}, "log.txt": log + OCTOBER}))

    assert [(one.role, one.speaker, one.text) for one in found][:5] == [
        ("user", "" if user == "ユーザー" else user, "やあ"),
        ("persona", "", "はい"),
        ("system", "record", "（システムアラーム：起きる）"),
        ("user", "" if user == "ユーザー" else user, "またね"),
        ("user", "", "今日は鎌倉に行ったよ。"),
    ]


def test_a_document_with_headings_is_no_log(tmp_path: Path) -> None:
    document = "# 本\n\n## 概要:\n海の話。\n\n## 登場人物:\n猫。\n"
    items = _room(tmp_path, {"room_config.json": {}, "log.txt": OCTOBER, "log_import_source/本.txt": document})

    assert len(messages_of(items)) == 5
    assert left(items)["nexus_ark.no-messages"] == 1


def test_a_persona_that_was_renamed_is_one_and_a_guest_another(tmp_path: Path) -> None:
    names = ["まえの名", "まえの名", "いまの名", "客", "いまの名", "いまの名"]
    log = "".join(f"## AGENT:{name}\nはい{n}\n\n2025-10-03 (Fri) 21:00:0{n} | x\n\n" for n, name in enumerate(names))
    found = messages_of(_room(tmp_path, {"room_config.json": {}, "log.txt": log}))

    assert [(one.role, one.speaker) for one in found] == [
        ("persona", ""),
        ("persona", ""),
        ("persona", ""),
        ("other", "客"),
        ("persona", ""),
        ("persona", ""),
    ]


def test_what_has_no_place_of_its_own_is_a_document_or_named(tmp_path: Path) -> None:
    files = {
        "room_config.json": {},
        "log.txt": OCTOBER,
        "memory/procedures/茶をいれる.md": "# 茶をいれる\n1. 湯をわかす",
        "memory/session_arousal.json": {"2025-10-03": []},
    }
    items = _room(tmp_path, files)

    assert [one.name for one in _memories(items, "knowledge")] == ["茶をいれる.md"]
    assert left(items)["nexus_ark.no-counterpart"] == 1


@pytest.mark.parametrize("is_wrapped", [False, True])
def test_letters_and_purposes_of_later_versions_come_too(tmp_path: Path, *, is_wrapped: bool) -> None:
    letters = [
        {
            "id": "ltr_2",
            "title": "雪",
            "body": "積もったよ。",
            "created_at": "2026-06-02T12:00:00+00:00",
            "read_at": None,
        },
        {
            "id": "ltr_1",
            "title": "雨",
            "body": "降っている。",
            "created_at": "2026-06-01T12:00:00+00:00",
            "read_at": None,
        },
    ]
    purpose = {
        "core_values": ["静けさ"],
        "stable_interests": [],
        "active_interests": [{"topic": "波の音", "priority": 0.7}],
        "open_questions": [
            {"question": "海はなぜ鳴る?", "priority": 0.8, "created_at": "2026-06-01 09:00:00"},
            "月は?",
        ],
        "preferred_behaviors": ["差分を追記する"],
    }
    files: dict[str, object] = {
        "room_config.json": {},
        "logs/2025-10.txt": OCTOBER,
        "letterbox/letters.json": {"letters": letters} if is_wrapped else letters,
        "memory/purpose_profile.json": purpose,
        "memory/research_threads/waves.md": "# 波\n\n## Thesis\n\n風から。",
        "memory/research_threads/index.json": {"threads": []},
    }
    items = _room(tmp_path, files)

    written = next(one for one in _memories(items, "knowledge") if one.name == "letters.md").text
    assert written.index("降っている。") < written.index("積もったよ。")
    assert "2026-06-02T12:00:00+00:00" in written
    assert [one.name for one in _memories(items, "knowledge")] == ["letters.md", "waves.md"]
    assert [one.fields["topic"] for one in _memories(items, "question")] == ["海はなぜ鳴る?", "月は?"]
    assert _memories(items, "question")[0].time == datetime(2026, 6, 1, 9)
    (core,) = _memories(items, "core_memory")
    assert "- 静けさ" in core.text
    assert "- 波の音" in core.text
    assert left(items)["nexus_ark.no-counterpart"] == 2


def test_words_that_were_copied_twice_into_one_log_are_said_once(tmp_path: Path) -> None:
    half = "## AGENT:猫_の部屋\nこれは途中までし"
    logs = {
        "logs/2025-10.txt": OCTOBER + OCTOBER + half.replace("途中までし", "途中までしか書かれなかった。"),
        "log.txt.migrated": OCTOBER + half,
    }
    items = _room(tmp_path, {"room_config.json": {}, **logs})

    assert len(messages_of(items)) == 6
    assert left(items)["nexus_ark.repeated"] == 5 + 6


def test_a_guest_who_talks_more_is_still_a_guest(tmp_path: Path) -> None:
    names = ["猫_の部屋", "客", "客", "客", "猫_の部屋"]
    log = "".join(f"## AGENT:{name}\nはい{n}\n\n2025-10-03 (Fri) 21:00:0{n} | x\n\n" for n, name in enumerate(names))
    config = {"room_name": "猫 の部屋", "agent_display_name": "みい"}
    found = messages_of(_room(tmp_path, {"room_config.json": config, "log.txt": log}, "download (1)"))

    assert [one.role for one in found] == ["persona", "other", "other", "other", "persona"]


def test_a_picture_that_a_tool_drew_stands_with_the_answer(tmp_path: Path) -> None:
    path = "characters\\猫_の部屋\\generated_images\\猫_の部屋_20251003_2101.png"
    told = f"[Generated Image: {path}]\n📝 Prompt: a sleeping cat\nコメントを添えてください。\n[VIEW_IMAGE: {path}]"
    log = (
        OCTOBER
        + f"## SYSTEM:tool_result:generate_image:call_1\n🛠️ 描きました。\n\n[RAW_RESULT]\n{told}\n[/RAW_RESULT]\n\n"
        + "## AGENT:猫_の部屋\n描いたよ。\n\n2025-10-03 (Fri) 21:03:00 | x\n\n"
    )
    items = _room(
        tmp_path, {"room_config.json": {}, "log.txt": log, "generated_images/猫_の部屋_20251003_2101.png": b"x"}
    )

    *_, tool, answer = messages_of(items)
    assert _notes(tool)["raw_result"] == told
    assert [file.path for file in answer.files] == ["generated_images/猫_の部屋_20251003_2101.png"]
    assert tool.files == ()
    assert "nexus_ark.unnamed-file" not in left(items)


def test_a_picture_in_folded_details_is_an_attachment(tmp_path: Path) -> None:
    log = "## AGENT:みい\n<details>\n[Generated Image: generated_images/cat.png]\n</details>\n見て。\n\n2025-10-03 (Fri) 21:03:00 | x\n\n"
    (message,) = messages_of(
        _room(tmp_path, {"room_config.json": {}, "log.txt": log, "generated_images/cat.png": b"x"})
    )

    assert [file.path for file in message.files] == ["generated_images/cat.png"]
    assert message.text == "見て。"


def _undated(*spoken: tuple[str, str, str]) -> str:
    """Return a log in which answers alone have a date, as the app writes it where its room adds no times."""
    told = ""
    for asked, answer, time in spoken:
        told += f"## USER:user\n{asked}\n\n## SYSTEM:tool_result:recall_memories:c\n🛠️ 思い出した\n\n"
        told += f"## AGENT:猫_の部屋\n{answer}\n\n{time} | gemini-2.5-pro\n\n"
    return told


def test_words_without_a_date_have_the_day_of_their_answer(tmp_path: Path) -> None:
    october = _undated(
        ("やあ", "はい。", "2025-10-30 (Thu) 22:00:00"), ("おはよう", "おはよう。", "2025-10-31 (Fri) 08:00:00")
    )
    november = "## SYSTEM:dreaming_end\n夢を見た\n\n" + _undated(("霜月だね", "ええ。", "2025-11-01 (Sat) 08:00:00"))
    logs = {"logs/2025-10.txt": october, "logs/2025-11.txt": november, "log.txt.migrated": october + november}
    found = messages_of(_room(tmp_path, {"room_config.json": {}, **logs}))

    assert [(one.text, one.time) for one in found if one.role != "persona" and not one.speaker] == [
        ("やあ", datetime(2025, 10, 30, 22)),
        ("おはよう", datetime(2025, 10, 31, 8)),
        ("霜月だね", datetime(2025, 11, 1, 8)),
    ]
    assert [one.time for one in found if one.speaker == "tool_result"] == [one.time for one in found if one.mind]
    assert next(one.time for one in found if one.speaker == "dreaming_end") == datetime(2025, 11, 1, 8)
    assert [one.is_time_certain for one in found].count(True) == 3
    assert len(found) == 10


def test_a_month_without_any_date_is_that_month(tmp_path: Path) -> None:
    logs = {"logs/2025-10.txt": OCTOBER, "logs/2025-11.txt": "## USER:user\n霜月だね\n\n"}

    assert messages_of(_room(tmp_path, {"room_config.json": {}, **logs}))[-1].time == datetime(2025, 11, 1)


@pytest.mark.parametrize(
    ("names", "own"),
    [
        (["猫_の部屋", "猫_の部屋", "客", "客", "客"], "猫_の部屋"),  # whoever speaks last
        (["客", "客", "客", "猫_の部屋"], "猫_の部屋"),  # and first
        (["客"] * 6 + ["猫_の部屋"], "猫_の部屋"),  # on the same day: together
        (["まえの名"] * 6 + ["翌日", "猫_の部屋", "客"], "まえの名 猫_の部屋"),  # a folder that was renamed by hand
        (["客"] * 4 + ["翌日", "猫_の部屋"], "猫_の部屋"),  # little was said
    ],
)
def test_a_guest_at_the_ends_of_a_log_is_no_former_name(tmp_path: Path, names: list[str], own: str) -> None:
    log, day = "", 3
    for second, name in enumerate(names):
        day += name == "翌日"
        log += (
            f"## AGENT:{name}\nはい{second}\n\n2025-10-0{day} (Fri) 21:00:0{second} | x\n\n" if name != "翌日" else ""
        )
    found = messages_of(_room(tmp_path, {"room_config.json": {"room_name": "猫 の部屋"}, "log.txt": log}))

    assert [one.role == "persona" for one in found] == [name in own for name in names if name != "翌日"]


def test_questions_of_later_versions_keep_their_dates_and_answers(tmp_path: Path) -> None:
    asked = [
        {"topic": "海の色", "context": "なぜ青い", "source_date": "2026-05-01", "priority": 0.8, "asked_at": None},
        {
            "topic": "川",
            "source_date": "2026-05-03",
            "asked_at": "2026-05-05T10:00:00.123456",
            "resolved_at": "2026-05-06T08:00:00",
            "answer_summary": "清流だった",
            "learned_insight": "水が好き",
        },
        {
            "topic": "空",
            "context": "高い",
            "source_date": "2026-05-04",
            "resolution_state": "partial",
            "progress_notes": [{"created_at": "2026-05-06T08:00:00", "summary": "半分わかった", "evidence": "x"}],
        },
    ]
    state = {"drives": {"curiosity": {"level": 0.8, "open_questions": asked}}}
    items = _room(tmp_path, {"room_config.json": {}, "log.txt": OCTOBER, "memory/internal_state.json": state})

    sea, river, sky = _memories(items, "question")
    assert [one.time for one in (sea, river, sky)] == [datetime(2026, 5, day) for day in (1, 3, 4)]
    assert (sea.fields["asked"], sea.fields["answered"]) == ("", False)
    assert (river.fields["asked"], river.fields["closed_at"]) == ("2026-05-05 10:00:00", "2026-05-06 08:00:00")
    assert (river.fields["answered"], river.fields["answer"]) == (True, "清流だった\n水が好き")
    assert (sky.fields["answered"], sky.fields["context"]) == (False, "高い\n半分わかった")


def test_cards_that_were_merged_or_copied_do_not_come_beside_the_living_one(tmp_path: Path) -> None:
    card = "# Entity Memory: 海\nCreated: 2026-05-12 12:00:00\n\n"
    index = {
        "ent_1": {"canonical_name": "海", "aliases": ["うみ", "海原"], "filename": "海.md", "status": "active"},
        "ent_2": {
            "filename": "浜.md",
            "status": "archived",
            "archived_file": "archived/浜_1.md",
            "merged_into": "ent_1",
        },
        "ent_3": {"filename": "島.md", "status": "archived", "archived_file": "archived/島_1.md"},
        "ent_4": {"filename": "岸.md", "status": "archived", "merged_into": "ent_1"},
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
    files = {f"memory/entities/{name}": one for name, one in told.items()}
    items = _room(tmp_path, {"room_config.json": {}, "log.txt": OCTOBER, **files})

    found = {one.name: (one.text, one.fields.get("aliases", [])) for one in _memories(items, "entity")}
    assert found == {"海": ("青い。", ["うみ", "海原"]), "島": ("遠い。", []), "山": ("高い。", [])}
    assert [one.name for one in _memories(items, "knowledge")] == ["田中.md"]
    assert left(items) == {
        "nexus_ark.merged": 3,
        "nexus_ark.backup": 1,
        "nexus_ark.bookkeeping": 1,
        "nexus_ark.missing-file": 1,
    }


@pytest.mark.parametrize(
    ("card", "name", "text", "time"),
    [
        (f"# Entity Memory: {'長' * 120}\nCreated: 2026-01-01 12:00:00\n\n高い。", "山", f"{'長' * 120}\n\n高い。", 12),
        ("# 月\n\n夜の灯。\nCreated: は英語で作成。", "山", "# 月\n\n夜の灯。\nCreated: は英語で作成。", None),
        (
            "# Entity Memory: 山\n高い。\n\nCreated: 2026-01-01 12:00:00",
            "山",
            "高い。\n\nCreated: 2026-01-01 12:00:00",
            None,
        ),
        ("# Entity Memory: 峰\n\nCreated: 2026-01-01 12:00:00\n高い。", "峰", "高い。", 12),
    ],
)
def test_no_word_of_a_card_is_lost(tmp_path: Path, card: str, name: str, text: str, time: int | None) -> None:
    items = _room(tmp_path, {"room_config.json": {}, "log.txt": OCTOBER, "memory/entities/山.md": card})

    (found,) = _memories(items, "entity")
    assert (found.name, found.text, found.time and found.time.hour) == (name, text, time)


def test_sessions_of_a_day_follow_one_another_as_they_were(tmp_path: Path) -> None:
    told = [
        {
            "id": "episode_2026-05-12_002",
            "date": "2026-05-12",
            "time": "21:00:00",
            "summary": "夜の話。",
            "arousal": 0.4,
        },
        {
            "id": "episode_2026-05-12_001",
            "date": "2026-05-12",
            "time": "9:00:00",
            "summary": "朝の話。",
            "arousal": 0.7,
        },
        {"date": "2026-05-12", "type": "achievement", "summary": "詩を書いた。", "created_at": "2026-05-12 23:00:00"},
        {"date": "2026-05-04~2026-05-10", "summary": "静かな週。", "compressed": True, "arousal_avg": 0.3},
    ]
    older = [{"id": "episode_2026-05-12_001", "date": "2026-05-12", "summary": "朝の話の、まえの言い方。"}]
    files = {"memory/episodic/2026-05.json": told, "memory/episodic_memory.json": older}
    items = _room(tmp_path, {"room_config.json": {}, "log.txt": OCTOBER, **files})

    week, day = _memories(items, "episode")
    assert day.fields["summary"] == "朝の話。\n\n夜の話。"
    assert day.fields["key_events"] == ["詩を書いた。"]
    assert day.fields["source_ids"] == ["episode_2026-05-12_001", "episode_2026-05-12_002"]
    assert (day.fields["arousal"], week.fields["arousal"]) == (0.7, 0.3)
    assert left(items)["nexus_ark.repeated-memory"] == 1


def test_a_damaged_configuration_is_made_up_for_by_the_newest_copy(tmp_path: Path) -> None:
    copies = {
        f"backups/configs/{day}_120000_room_config.json.bak": {"room_name": name, "user_display_name": "田中"}
        for day, name in (("20250101", "まえの名"), ("20250901", "猫 の部屋"))
    }
    items = _room(tmp_path, {"room_config.json": '{"room_name": "猫 の', "log.txt": OCTOBER, **copies}, "download")

    assert (persona_of(items).name, persona_of(items).user_name) == ("猫 の部屋", "田中")
    assert left(items) == {"nexus_ark.broken-json": 1, "nexus_ark.backup": 1, "nexus_ark.missing-file": 1}
