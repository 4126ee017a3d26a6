"""Rooms of Nexus Ark, in each generation of layout and form of log: all that is in them is found, once, and nothing is lost."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from managers.exchange.import_source import open_source
from managers.exchange.items import FoundMessage, Item, ReadingWishes
from managers.exchange.readers import nexus_ark
from managers.exchange.readers.nexus_ark.room_conversation import RoomConversation
from managers.exchange.readers.nexus_ark.room_dates import date_line
from managers.exchange.readers.nexus_ark.room_log import split_log
from managers.exchange.readers.nexus_ark.room_marks import read_body
from managers.memory.messages import Role
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
    certain = " ".join(f"{one.time:%d-%H:%M:%S}" for one in found if one.time and one.is_time_certain)
    assert certain == (
        "03-21:00:00 03-21:00:20 03-21:01:00 03-21:02:00 02-10:00:00 04-08:00:31 04-08:05:00 04-08:06:00 04-08:07:00"
    )
    assert [f"{one.time:%d-%T}" for one in found if not one.is_time_certain] == ["03-21:00:20", "04-08:05:00"]
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
        ("short_term", "active"), ("long_term", "active"), ("long_term", "completed"), ("short_term", "abandoned")
    ]  # fmt: skip
    asked = {one.fields["topic"]: one.fields["answered"] for one in memories_of(items, "question")}
    assert asked == {"雪の冷たさ": False, "大仏": True}
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


def test_one_room_of_a_zip_file_is_read_several_are_asked_about_and_pickles_are_never_opened(tmp_path: Path) -> None:
    rooms = {at: {f"{at}/{file}": told for file, told in MONTHLY.items()} for at in ("characters/猫_の部屋", "A", "B")}
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


_DRAWN = "generated_images/cat.png"


def _items(tmp_path: Path, log: str, files: dict[str, Any] | None = None, room: str = "猫_の部屋") -> list[Item]:
    return room_of(tmp_path, {"room_config.json": {}, "log.txt": log, **(files or {})}, room)


def _found(
    tmp_path: Path, log: str, files: dict[str, Any] | None = None, room: str = "猫_の部屋"
) -> list[FoundMessage]:
    return messages_of(_items(tmp_path, log, files, room))


def _answered(words: str, second: int = 0, day: int = 3, name: str = "猫_の部屋") -> str:
    return f"## AGENT:{name}\n{words}\n\n2025-10-0{day} (Fri) 21:03:0{second} | x\n\n"


def test_messages_of_imports_have_their_date_above(tmp_path: Path) -> None:
    log = "## USER:user\n2024-01-02 03:04:05\nやあ\n二行目\n\n## AGENT:みい\n2024/1/2 3:05\nはい\n\n## AGENT:みい\n日付なし\n\n"
    items = _items(tmp_path, log, {"SystemPrompt.txt": "2024-01-02 03:04:05\nやあ"})
    assert [(one.text, one.time, one.is_time_certain) for one in messages_of(items)] == [
        ("やあ\n二行目", datetime(2024, 1, 2, 3, 4, 5), True),
        ("はい", datetime(2024, 1, 2, 3, 5), True),
        ("日付なし", datetime(2024, 1, 2, 3, 5), False),
    ]
    assert persona_of(items).system_prompt == "やあ"


def test_messages_without_dates_keep_their_order_and_stand_before_those_that_have_one(tmp_path: Path) -> None:
    log = "".join(f"## {'USER:user' if n % 2 else 'AGENT:みい'}\nうん\n\n" for n in range(20))
    found = _found(tmp_path, log, {"room_config.json": {"created_at": "2025-05-01 10:00:00"}})
    assert len(found) == 20
    assert {(one.time, one.is_time_certain) for one in found} == {(datetime(2025, 5, 1, 10), False)}
    early = "## USER:user\nむかしの言葉\n\n## AGENT:みい\nむかしの返事\n\n"
    logs = {"logs/0000-00.txt": early, "logs/2025-10.txt": OCTOBER, "log.txt.migrated": early + OCTOBER}
    found = _found(tmp_path / "2", "", {**logs, "logs/2025-11.txt": "## USER:user\n霜月だね\n\n"})
    assert [one.text for one in found][:3] == ["むかしの言葉", "むかしの返事", "今日は鎌倉に行ったよ。"]
    assert len(found) == 8
    assert not found[0].is_time_certain
    assert found[-1].time == datetime(2025, 11, 1)  # a month without any date is that month


def test_a_half_written_message_gives_way_to_the_whole_one(tmp_path: Path) -> None:
    whole, half = (
        OCTOBER + _answered("これは最後まで書かれた返事です。"),
        OCTOBER + "## AGENT:猫_の部屋\nこれは最後まで書か",
    )
    for number, logs in enumerate(({"log.txt.migrating": half}, {"log.txt": half, "log.txt.migrated": whole})):
        found = _found(tmp_path, whole, logs, f"room{number}")
        assert [one.text for one in found][-1] == "これは最後まで書かれた返事です。"
        assert len(found) == 6


def test_an_edited_message_keeps_its_earlier_wording_and_what_was_copied_twice_is_said_once(tmp_path: Path) -> None:
    logs = {"logs/2025-10.txt": OCTOBER.replace("鎌倉", "江の島"), "log.txt.migrated": OCTOBER}
    found = _found(tmp_path, "", logs)
    assert len(found) == 5
    assert found[0].text == "今日は江の島に行ったよ。"
    assert notes_of(found[0])["earlier_wording"] == "今日は鎌倉に行ったよ。"
    half = "## AGENT:猫_の部屋\nこれは途中までし"
    logs = {"logs/2025-10.txt": OCTOBER * 2 + half + "か書かれなかった。", "log.txt.migrated": OCTOBER + half}
    items = _items(tmp_path / "2", "", logs)
    assert len(messages_of(items)) == 6
    assert left(items)["nexus_ark.repeated"] == 5 + 6


_GUESTS: list[tuple[Sequence[str], str]] = [
    (["猫_の部屋", "猫_の部屋", "客", "客", "客"], "猫_の部屋"),  # whoever speaks last
    (["猫_の部屋", "客", "客", "客", "猫_の部屋"], "猫_の部屋"),  # whoever talks more
    (["客"] * 6 + ["猫_の部屋"], "猫_の部屋"),  # on the same day: together
    (["まえの名"] * 6 + ["翌日", "猫_の部屋", "客"], "まえの名 猫_の部屋"),  # a folder that was renamed by hand
]


def test_a_guest_is_no_former_name_and_a_persona_that_was_renamed_is_one(tmp_path: Path) -> None:
    for number, (names, own) in enumerate(_GUESTS):
        log, day = "", 3
        for second, name in enumerate(names):
            day += name == "翌日"
            log += _answered(f"はい{second}", second, day, name) if name != "翌日" else ""
        found = _found(tmp_path, log, {"room_config.json": {"room_name": "猫 の部屋"}}, f"download ({number})")
        roles = ["persona" if name in own else "other" for name in names if name != "翌日"]
        assert [one.role for one in found] == roles, names


def test_a_picture_that_a_tool_drew_stands_with_the_answer(tmp_path: Path) -> None:
    path = _DRAWN.replace("/", "\\")
    told = f"[Generated Image: characters\\猫_の部屋\\{path}]\n📝 Prompt: a cat\n[VIEW_IMAGE: characters\\猫_の部屋\\{path}]"
    tool = f"## SYSTEM:tool_result:generate_image:c\n🛠️ 描きました。\n\n[RAW_RESULT]\n{told}\n[/RAW_RESULT]\n\n"
    items = _items(tmp_path, OCTOBER + tool + _answered("描いたよ。"), {_DRAWN: b"x"})
    *_, drawing, answer = messages_of(items)
    assert notes_of(drawing)["raw_result"] == told
    assert ([file.path for file in answer.files], drawing.files) == ([_DRAWN], ())
    assert "nexus_ark.unnamed-file" not in left(items)


def test_words_without_a_date_have_the_day_of_their_answer(tmp_path: Path) -> None:
    def undated(*spoken: tuple[str, str]) -> str:
        told = ""
        for asked, time in spoken:
            told += f"## USER:user\n{asked}\n\n## SYSTEM:tool_result:recall_memories:c\n🛠️ 思い出した\n\n"
            told += f"## AGENT:猫_の部屋\nはい。\n\n{time} | gemini-2.5-pro\n\n"
        return told

    october = undated(("やあ", "2025-10-30 (Thu) 22:00:00"), ("おはよう", "2025-10-31 (Fri) 08:00:00"))
    november = "## SYSTEM:dreaming_end\n夢を見た\n\n" + undated(("霜月だね", "2025-11-01 (Sat) 08:00:00"))
    logs = {"logs/2025-10.txt": october, "logs/2025-11.txt": november, "log.txt.migrated": october + november}
    found = _found(tmp_path, "", logs)
    assert [(one.text, one.time) for one in found if one.role != "persona" and not one.speaker] == [
        ("やあ", datetime(2025, 10, 30, 22)),
        ("おはよう", datetime(2025, 10, 31, 8)),
        ("霜月だね", datetime(2025, 11, 1, 8)),
    ]
    assert [one.time for one in found if one.speaker == "tool_result"] == [one.time for one in found if one.mind]
    assert next(one.time for one in found if one.speaker == "dreaming_end") == datetime(2025, 11, 1, 8)
    assert [one.is_time_certain for one in found].count(True) == 3
    assert len(found) == 10


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
    items = _items(tmp_path, OCTOBER, {"memory/episodic/2025-10.json": broken})
    assert [one.fields["summary"] for one in memories_of(items, "episode")] == ["海。"]
    assert left(items)["nexus_ark.broken-json"] == 1


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
        "海.md": card + "青い。", "海.md.bak": card + "古い写し。",
        "山.md.migrated": card.replace("海", "山") + "高い。", "岸.md": "まとめられた岸。",
        "_index.json": {"version": 1, "entities": index}, "_embeddings.json": {"海": [0.1]},
        "archived/浜_1.md": "まとめられた浜。", "archived/島_1.md": card.replace("海", "島") + "遠い。",
        "_merged/20260513__渚.md": "まとめられた渚。", "人々/田中.md": "自分で作った分類。"
    }  # fmt: skip
    items = _items(tmp_path, OCTOBER, {f"memory/entities/{name}": one for name, one in told.items()})
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
        (found,) = memories_of(_items(tmp_path / f"{number}", OCTOBER, {"memory/entities/山.md": card}), "entity")
        assert [found.name, found.text, found.time and found.time.hour] == told


_TAGS: dict[Role, str] = {"user": "USER", "persona": "AGENT", "other": "AGENT", "system": "SYSTEM"}
_WORDS = st.text(alphabet="あ海いう。 a1#-|:\u2028\n", max_size=40).map(lambda text: text.strip("\n"))


_LINES = st.sampled_from(
    ["## USER:user", "## AGENT:みい", "## SYSTEM:x:y:z", "##USER:", "```", "[THOUGHT]", "[/THOUGHT]", "<details>", "</details>",
     "[RAW_RESULT]", "[/RAW_RESULT]", "2025-10-03 (Fri) 21:00:00 | x", "2025-10-03(金) 9:00", "2025-13-41 (Mon) 25:00:00",
     "【表情】…joy…", "<memory_trace id='1'/>", "[VIEW_IMAGE: a b.png]", "THOUGHT: うん", "## みい:", "言葉", "", " "]
)  # fmt: skip


@given(st.lists(_LINES, max_size=30).map("\n".join))
def test_no_line_of_a_log_is_lost_whatever_stands_in_it(log: str) -> None:
    found = split_log(log)
    headers = [f"{_TAGS[one.role]}{one.speaker}" for one in found.pieces]
    told = "".join([found.before, *headers, *(one.body for one in found.pieces)])
    missing = Counter(log) - Counter(told)
    assert set(missing) <= set("#: \nみい")  # of headers: the marks around the name


@given(st.lists(st.tuples(st.sampled_from(["said", "thought", "raw", "details", "file"]), _WORDS), max_size=6))
def test_each_part_comes_where_it_belongs(parts: list[tuple[str, str]]) -> None:
    forms = {
        "said": "{}", "thought": "[THOUGHT]\n{}\n[/THOUGHT]", "raw": "[RAW_RESULT]\n{}\n[/RAW_RESULT]",
        "details": "<details>{}</details>", "file": "[ファイル添付: {}]"
    }  # fmt: skip
    parts = [
        (kind, words if kind != "file" else words.replace("\n", "").strip())
        for kind, words in parts
        if words.strip() and not any(date_line(line) for line in words.split("\n"))
    ]
    found = read_body("persona", "\n\n".join(forms[kind].format(words) for kind, words in parts))

    def of(wanted: str) -> str:
        return "".join("".join(words.split()) for kind, words in parts if kind == wanted)

    assert "".join(found.text.split()) == of("said")
    assert "".join(found.thought.split()) == of("thought")
    for kind, name in (("raw", "raw_result"), ("details", "details")):
        assert "".join("".join(words.split()) for one, words in found.notes if one == name) == of(kind)
    assert "".join("".join(words.split()) for words in found.files) == of("file")


def test_what_only_looks_like_a_header_does_not_divide_a_message() -> None:
    before: list[tuple[Role, str]] = [("user", "やあ"), ("persona", "はい")]
    for inner in (
        "続きの行\n## AGENT:みい\nと書く",
        "```\n\n## AGENT:みい\n\n```",
        "段落。\n\n## AGENT:そんな名前はない\nと言った。",
    ):
        spoken: list[tuple[Role, str]] = [*(before * 4), ("user", inner)]
        log = "".join(f"## {_TAGS[role]}:みい\n{text}\n\n2025-10-03 (Fri) 21:00:00\n\n" for role, text in spoken)
        assert [read_body(one.role, one.body).text for one in split_log(log).pieces] == [text for _, text in spoken]


def test_dates_in_all_their_forms_and_words_with_a_date_in_them() -> None:
    dates = {
        "2026-05-12 (Tue) 09:01:20 | gemini-2.5-pro": datetime(2026, 5, 12, 9, 1, 20),
        "2026-05-12(火) 09:01:20": datetime(2026, 5, 12, 9, 1, 20),
        "2026/5/12 （火曜日） 9:01": datetime(2026, 5, 12, 9, 1),
        "2026年5月12日(火) 午後9時01分20秒": datetime(2026, 5, 12, 21, 1, 20),
        "2026-05-12 (Tue)": datetime(2026, 5, 12),
        "2026-02-31 (Tue) 09:01:20": None,
    }
    assert {line: (found := date_line(line)) and found.time for line in dates} == dates
    assert all(date_line(line) is not None for line in dates)
    for words in ("2026-05-12", "きょうは 2026-05-12 (Tue) 09:01:20", "09:01:20", "2026-05-12 の 9:01:20", ""):
        assert date_line(words) is None


def test_a_date_that_somebody_wrote_last_is_theirs() -> None:
    plan = "歯医者は\n2026-05-12 (Tue) 10:00"
    found = read_body("user", f"{plan}\n\n2026-05-01 (Fri) 09:00:00")
    assert (found.text, found.date and found.date.time) == (plan, datetime(2026, 5, 1, 9))


def test_an_answer_that_was_broken_off_is_still_an_answer() -> None:
    for body, *told in (
        ('[THOUGHT]\n海かな。\nうん。\n<persona_emotion category="joy"/>', "海かな。\nうん。", "", "joy"),
        ("[THOUGHT]\n海。\n[/THOUGHT]\n[THOUGHT]\nうん。", "うん。", "海。", ""),
        ("<think>\n海かな。\n【表情】…joy…", "海かな。", "", "joy"),
        ("印は <think> と <think> です。", "印は <think> と <think> です。", "", ""),
    ):
        found = read_body("persona", body)
        assert [found.text, found.thought, found.emotion] == told


_SHORT = st.sampled_from(["うん", "はい", "やあ", "そうだね", "海に行った。\n楽しかった", "それで?"])


@given(
    st.lists(st.tuples(_SHORT, st.integers(1, 200_000)), min_size=1, max_size=14),
    st.integers(0, 14),
    st.integers(0, 14),
)
def test_archives_that_overlap_make_one_conversation(spoken: list[tuple[str, int]], first: int, second: int) -> None:
    now, records = datetime(2025, 1, 1, 8), []
    for number, (words, pause) in enumerate(spoken):
        now += timedelta(seconds=pause)
        header = "AGENT:みい" if number % 2 else "USER:user"
        records.append(f"## {header}\n{words}\n\n{now:%Y-%m-%d (%a) %H:%M:%S}\n\n")
    begin, end = sorted((min(first, len(records)), min(second, len(records))))
    room = RoomConversation()
    for name, some in (("newer", records[begin:]), ("older", records[:end])):
        room.add([(name, split_log("".join(some)).pieces)])
    found = [(one.piece.role, one.read().text) for one in room.messages(datetime(2024, 1, 1))]
    assert found == [(("user", "persona")[number % 2], words) for number, (words, _) in enumerate(spoken)]
