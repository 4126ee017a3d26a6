"""What was said in a room of Nexus Ark: by whom, when, in which words, and with which pictures."""

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

import pytest

from tests.exchange.readers.nexus_rooms import OCTOBER
from tests.exchange.readers.reading import (
    left,
    messages_of,
    notes_of,
    persona_of,
    room_of,
)


def test_messages_of_imports_have_their_date_above(tmp_path: Path) -> None:
    log = "## USER:user\n2024-01-02 03:04:05\nやあ\n二行目\n\n## AGENT:みい\n2024/1/2 3:05\nはい\n\n## AGENT:みい\n日付なし\n\n"
    prompt = "2024-01-02 03:04:05\nやあ"
    items = room_of(tmp_path, {"room_config.json": {}, "SystemPrompt.txt": prompt, "log.txt": log})

    assert [(one.text, one.time, one.is_time_certain) for one in messages_of(items)] == [
        ("やあ\n二行目", datetime(2024, 1, 2, 3, 4, 5), True),
        ("はい", datetime(2024, 1, 2, 3, 5), True),
        ("日付なし", datetime(2024, 1, 2, 3, 5), False),
    ]
    assert persona_of(items).system_prompt == "やあ"


def test_a_room_without_dates_keeps_its_order_and_every_message(tmp_path: Path) -> None:
    log = "".join(f"## {'USER:user' if n % 2 else 'AGENT:みい'}\nうん\n\n" for n in range(20))
    found = messages_of(room_of(tmp_path, {"room_config.json": {"created_at": "2025-05-01 10:00:00"}, "log.txt": log}))

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
    found = messages_of(room_of(tmp_path, files))

    assert [one.text for one in found][:3] == ["むかしの言葉", "むかしの返事", "今日は鎌倉に行ったよ。"]
    assert len(found) == 7
    assert not found[0].is_time_certain


def test_a_half_written_message_gives_way_to_the_whole_one(tmp_path: Path) -> None:
    whole = OCTOBER + "## AGENT:猫_の部屋\nこれは最後まで書かれた返事です。\n\n2025-10-03 (Fri) 21:03:00 | x\n\n"
    half = OCTOBER + "## AGENT:猫_の部屋\nこれは最後まで書か"
    for number, logs in enumerate(
        ({"log.txt": whole, "log.txt.migrating": half}, {"log.txt": half, "log.txt.migrated": whole})
    ):
        found = messages_of(room_of(tmp_path, {"room_config.json": {}, **logs}, f"room{number}"))
        assert [one.text for one in found][-1] == "これは最後まで書かれた返事です。"
        assert len(found) == 6


def test_an_edited_message_keeps_its_earlier_wording_beside_it(tmp_path: Path) -> None:
    logs = {"logs/2025-10.txt": OCTOBER.replace("鎌倉", "江の島"), "log.txt.migrated": OCTOBER}
    found = messages_of(room_of(tmp_path, {"room_config.json": {}, **logs}))

    assert len(found) == 5
    assert found[0].text == "今日は江の島に行ったよ。"
    assert notes_of(found[0])["earlier_wording"] == "今日は鎌倉に行ったよ。"


@pytest.mark.parametrize(("user", "persona"), [("ユーザー", "みい"), ("花ちゃん", "猫_の部屋")])
def test_the_first_versions_wrote_other_headers(tmp_path: Path, user: str, persona: str) -> None:
    log = f"## {user}:\nやあ\n\n## {persona}:\nはい\n\n## システム(アラーム):\n（システムアラーム：起きる）\n\n## {user}:\nまたね\n\n"
    found = messages_of(room_of(tmp_path, {"room_config.json": {}, "log.txt": log + OCTOBER}))

    assert [(one.role, one.speaker, one.text) for one in found][:5] == [
        ("user", "" if user == "ユーザー" else user, "やあ"),
        ("persona", "", "はい"),
        ("system", "record", "（システムアラーム：起きる）"),
        ("user", "" if user == "ユーザー" else user, "またね"),
        ("user", "", "今日は鎌倉に行ったよ。"),
    ]


def test_a_document_with_headings_is_no_log(tmp_path: Path) -> None:
    document = "# 本\n\n## 概要:\n海の話。\n\n## 登場人物:\n猫。\n"
    items = room_of(tmp_path, {"room_config.json": {}, "log.txt": OCTOBER, "log_import_source/本.txt": document})

    assert len(messages_of(items)) == 5
    assert left(items)["nexus_ark.no-messages"] == 1


def test_a_persona_that_was_renamed_is_one_and_a_guest_another(tmp_path: Path) -> None:
    names = ["まえの名", "まえの名", "いまの名", "客", "いまの名", "いまの名"]
    log = "".join(f"## AGENT:{name}\nはい{n}\n\n2025-10-03 (Fri) 21:00:0{n} | x\n\n" for n, name in enumerate(names))
    found = messages_of(room_of(tmp_path, {"room_config.json": {}, "log.txt": log}))

    assert [(one.role, one.speaker) for one in found] == [
        ("persona", ""),
        ("persona", ""),
        ("persona", ""),
        ("other", "客"),
        ("persona", ""),
        ("persona", ""),
    ]


def test_words_that_were_copied_twice_into_one_log_are_said_once(tmp_path: Path) -> None:
    half = "## AGENT:猫_の部屋\nこれは途中までし"
    logs = {
        "logs/2025-10.txt": OCTOBER + OCTOBER + half.replace("途中までし", "途中までしか書かれなかった。"),
        "log.txt.migrated": OCTOBER + half,
    }
    items = room_of(tmp_path, {"room_config.json": {}, **logs})

    assert len(messages_of(items)) == 6
    assert left(items)["nexus_ark.repeated"] == 5 + 6


def test_a_guest_who_talks_more_is_still_a_guest(tmp_path: Path) -> None:
    names = ["猫_の部屋", "客", "客", "客", "猫_の部屋"]
    log = "".join(f"## AGENT:{name}\nはい{n}\n\n2025-10-03 (Fri) 21:00:0{n} | x\n\n" for n, name in enumerate(names))
    config = {"room_name": "猫 の部屋", "agent_display_name": "みい"}
    found = messages_of(room_of(tmp_path, {"room_config.json": config, "log.txt": log}, "download (1)"))

    assert [one.role for one in found] == ["persona", "other", "other", "other", "persona"]


def test_a_picture_that_a_tool_drew_stands_with_the_answer(tmp_path: Path) -> None:
    path = "characters\\猫_の部屋\\generated_images\\猫_の部屋_20251003_2101.png"
    told = f"[Generated Image: {path}]\n📝 Prompt: a sleeping cat\nコメントを添えてください。\n[VIEW_IMAGE: {path}]"
    log = (
        OCTOBER
        + f"## SYSTEM:tool_result:generate_image:call_1\n🛠️ 描きました。\n\n[RAW_RESULT]\n{told}\n[/RAW_RESULT]\n\n"
        + "## AGENT:猫_の部屋\n描いたよ。\n\n2025-10-03 (Fri) 21:03:00 | x\n\n"
    )
    items = room_of(
        tmp_path, {"room_config.json": {}, "log.txt": log, "generated_images/猫_の部屋_20251003_2101.png": b"x"}
    )

    *_, tool, answer = messages_of(items)
    assert notes_of(tool)["raw_result"] == told
    assert [file.path for file in answer.files] == ["generated_images/猫_の部屋_20251003_2101.png"]
    assert tool.files == ()
    assert "nexus_ark.unnamed-file" not in left(items)


def test_a_picture_in_folded_details_is_an_attachment(tmp_path: Path) -> None:
    log = "## AGENT:みい\n<details>\n[Generated Image: generated_images/cat.png]\n</details>\n見て。\n\n2025-10-03 (Fri) 21:03:00 | x\n\n"
    (message,) = messages_of(
        room_of(tmp_path, {"room_config.json": {}, "log.txt": log, "generated_images/cat.png": b"x"})
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
    found = messages_of(room_of(tmp_path, {"room_config.json": {}, **logs}))

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

    assert messages_of(room_of(tmp_path, {"room_config.json": {}, **logs}))[-1].time == datetime(2025, 11, 1)


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
    found = messages_of(room_of(tmp_path, {"room_config.json": {"room_name": "猫 の部屋"}, "log.txt": log}))

    assert [one.role == "persona" for one in found] == [name in own for name in names if name != "翌日"]
