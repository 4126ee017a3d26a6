"""What was said in a room of Nexus Ark: by whom, when, in which words, and with which pictures."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from managers.exchange.items import FoundMessage, Item
from tests.exchange.readers.nexus_rooms import OCTOBER
from tests.exchange.readers.reading import left, messages_of, notes_of, persona_of, room_of

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


def test_the_first_versions_wrote_other_headers(tmp_path: Path) -> None:
    for user, persona in (("ユーザー", "みい"), ("花ちゃん", "猫_の部屋")):
        log = f"## {user}:\nやあ\n\n## {persona}:\nはい\n\n## システム(アラーム):\n起きる\n\n## {user}:\nまたね\n\n"
        told = "" if user == "ユーザー" else user
        assert [(one.role, one.speaker, one.text) for one in _found(tmp_path / user, log + OCTOBER)][:5] == [
            ("user", told, "やあ"),
            ("persona", "", "はい"),
            ("system", "record", "起きる"),
            ("user", told, "またね"),
            ("user", "", "今日は鎌倉に行ったよ。"),
        ]


def test_a_document_with_headings_is_no_log(tmp_path: Path) -> None:
    document = "# 本\n\n## 概要:\n海の話。\n\n## 登場人物:\n猫。\n"
    items = _items(tmp_path, OCTOBER, {"log_import_source/本.txt": document})

    assert len(messages_of(items)) == 5
    assert left(items)["nexus_ark.no-messages"] == 1


_GUESTS: list[tuple[Sequence[str], str]] = [
    (["猫_の部屋", "猫_の部屋", "客", "客", "客"], "猫_の部屋"),  # whoever speaks last
    (["客", "客", "客", "猫_の部屋"], "猫_の部屋"),  # and first
    (["猫_の部屋", "客", "客", "客", "猫_の部屋"], "猫_の部屋"),  # whoever talks more
    (["客"] * 6 + ["猫_の部屋"], "猫_の部屋"),  # on the same day: together
    (["まえの名"] * 6 + ["翌日", "猫_の部屋", "客"], "まえの名 猫_の部屋"),  # a folder that was renamed by hand
    (["客"] * 4 + ["翌日", "猫_の部屋"], "猫_の部屋"),  # little was said
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


def test_a_picture_that_a_tool_drew_or_that_is_folded_stands_with_the_answer(tmp_path: Path) -> None:
    path = _DRAWN.replace("/", "\\")
    told = f"[Generated Image: characters\\猫_の部屋\\{path}]\n📝 Prompt: a cat\n[VIEW_IMAGE: characters\\猫_の部屋\\{path}]"
    tool = f"## SYSTEM:tool_result:generate_image:c\n🛠️ 描きました。\n\n[RAW_RESULT]\n{told}\n[/RAW_RESULT]\n\n"
    items = _items(tmp_path, OCTOBER + tool + _answered("描いたよ。"), {_DRAWN: b"x"})
    *_, drawing, answer = messages_of(items)
    assert notes_of(drawing)["raw_result"] == told
    assert ([file.path for file in answer.files], drawing.files) == ([_DRAWN], ())
    assert "nexus_ark.unnamed-file" not in left(items)

    folded = _answered(f"<details>\n[Generated Image: {_DRAWN}]\n</details>\n見て。")
    (message,) = _found(tmp_path / "2", folded, {_DRAWN: b"x"})
    assert ([file.path for file in message.files], message.text) == ([_DRAWN], "見て。")


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
