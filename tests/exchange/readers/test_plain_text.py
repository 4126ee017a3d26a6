"""Conversations as plain text."""

from datetime import datetime
from pathlib import Path

import pytest

from managers.exchange.items import FoundFile, FoundMessage, FoundPersona, NotTaken, ReadingWishes
from tests.exchange.readers.reading import folder_of, items_of, left, messages_of, persona_of, said, trouble_of
from tests.speeds import one_quick

_LINE = """[LINE] ルナとのトーク履歴
保存日時:2024/01/07 10:00

2024/01/05(金)
21:33\tアキ\tただいま
21:34\tルナ\t"おかえり！
今日はどうだった？"
21:40\t☎ 通話時間 1:02

2024/01/06(土)
午前0:05\tアキ\tもう寝るね
00:06\tルナ\t[スタンプ]
"""
_LINE_SPACED = """[LINE] ルナとのトーク
2024.01.05 金曜日
21:33 アキ ただいま
21:34 ルナ おかえり！
今日はどうだった？
2024.01.06 土曜日
00:05 アキ もう寝るね
00:06 ルナ [スタンプ]
"""


def _read(tmp_path: Path, text: str | bytes, wishes: ReadingWishes | None = None) -> list[FoundMessage]:
    return messages_of(items_of(folder_of(tmp_path, {"chat.txt": text}), "text", wishes))


def test_a_talk_of_line_has_its_days(tmp_path: Path) -> None:
    for text in (_LINE, _LINE_SPACED):
        found = _read(tmp_path, text)
        assert [(one.role, one.speaker, one.text, one.time) for one in found if one.role != "system"] == [
            ("user", "アキ", "ただいま", datetime(2024, 1, 5, 21, 33)),
            ("persona", "ルナ", "おかえり！\n今日はどうだった？", datetime(2024, 1, 5, 21, 34)),
            ("user", "アキ", "もう寝るね", datetime(2024, 1, 6, 0, 5)),
            ("persona", "ルナ", "[スタンプ]", datetime(2024, 1, 6, 0, 6)),
        ]
        assert [one.text for one in found if one.role == "system"] == (["☎ 通話時間 1:02"] if "\t" in text else [])
    days = '2024/01/05(金)\n21:33\tアキ\t"大事な日\n1990/05/01\n母の誕生日"\n21:34\tルナ\t覚えておくね\n21:35\tアキ\t"と言いかけて\n\n'
    found = _read(tmp_path, f"[LINE] ルナとのトーク履歴\n\n{days}2024/01/06(土)\n08:00\tルナ\tおはよう\n")
    assert found[0].text == "大事な日\n1990/05/01\n母の誕生日"  # a date within a message begins no day
    assert [one.time for one in found] == [
        *(datetime(2024, 1, 5, 21, minute) for minute in (33, 34, 35)),
        datetime(2024, 1, 6, 8),
    ]


@pytest.mark.parametrize("plain", one_quick([20, 60_000]), ids=["after kilobytes", "after megabytes"])
def test_an_encoding_that_shows_late_is_told(tmp_path: Path, plain: int) -> None:
    words_in = {
        "cp1252": "Mom’s café, “déjà vu”", "cp932": "今日はお母さんの誕生日", "utf-8": "ただいま、café", "utf-16": "猫"
    }  # fmt: skip
    names = ("Emma", "Mei")
    begun = [f"[2024-03-04 10:{number % 60:02}] {names[number % 2]}: plain words only" for number in range(plain)]
    for encoding, words in words_in.items():
        lines = [*begun, *(f"[2024-03-05 10:{number:02}] Mei: {words}" for number in range(5))]
        found = _read(tmp_path, "\r\n".join(lines).encode(encoding))
        assert len(found) == plain + 5
        assert [one.text for one in found[-5:]] == [words] * 5, encoding


_DATED = [
    ("[13/01/2024, 21:33:12] Aki: Hi\n\u200e[13/01/2024, 21:34:00] Luna: Hello,\nAki!\n", 12),
    ("1/13/24, 9:33\u202fPM - Aki: Hi\n1/13/24, 9:34\u202fPM - Luna: Hello,\nAki!\n", 0),
    ("2024/01/13, 21:33 - Aki: Hi\n2024/01/13, 21:34 - Luna: Hello,\nAki!\n", 0),
    ("[2024-01-13 21:33:12] Aki: Hi\n[2024-01-13 21:34:00] Luna: Hello,\nAki!\n", 12),
    ("[01/13/2024 9:33 PM] Aki\nHi\n\n[01/13/2024 9:34 PM] Luna\nHello,\nAki!\n", 0),
    ("Aki — 01/13/2024 9:33 PM\nHi\nLuna — 01/13/2024 9:34 PM\nHello,\nAki!\n", 0),
    ("13 Jan 2024\n21:33 Aki: Hi\n21:34 Luna: Hello,\nAki!\n", 0),
    ("=== 2024年1月13日 ===\n[21:33] Aki: Hi\n[21:34] Luna: Hello,\nAki!\n", 0),
]


def test_dates_of_each_land_are_read(tmp_path: Path) -> None:
    for text, second in _DATED:
        found = _read(tmp_path, text, ReadingWishes(persona="Luna"))
        assert [(one.role, one.speaker, one.text, one.time) for one in found] == [
            ("user", "Aki", "Hi", datetime(2024, 1, 13, 21, 33, second)),
            ("persona", "Luna", "Hello,\nAki!", datetime(2024, 1, 13, 21, 34)),
        ], text


def test_names_before_a_colon_are_speakers_when_they_come_again(tmp_path: Path) -> None:
    more = "Note: she smiles\nhttps://example.org"
    for hi, hello, how, fine in (
        ("Aki: ", "Luna: ", "Aki: ", "Luna: "),
        ("**Aki:** ", "**Luna:** ", "**Aki:** ", "**Luna:** "),
        ("Aki：", "Luna：", "Aki：", "Luna："),
        ("[12:30] Aki: ", "[12:31] Luna: ", "[1:32] Aki: ", "[1:33] Luna: "),
    ):
        text = f"{hi}Hi\n{hello}Hello.\n{more}\n{how}How are you?\n{fine}Fine.\n"
        # so short a text has every name once or twice: the sample tells by repetition
        long = f"A talk\n\n{text}" + text.replace("Note: ", "So: ") * 3
        wishes = ReadingWishes(users=["Aki"], personas=["Luna"])
        items = items_of(folder_of(tmp_path, {"chat.txt": long}), "text", wishes)
        assert said(items)[:4] == [
            ("user", "Aki", "Hi"),
            ("persona", "Luna", f"Hello.\n{more}"),
            ("user", "Aki", "How are you?"),
            ("persona", "Luna", "Fine."),
        ]
        assert left(items) == {"chats.before-first": 1, "chats.guessed": 1}
        assert (persona_of(items).name, persona_of(items).user_name) == ("Luna", "Aki")
    (tmp_path / "novel.txt").write_text("It was a dark night.\nNobody said a word.\n")
    assert trouble_of(tmp_path / "novel.txt", "text") == "chats.no-speakers"


def test_the_day_and_who_speaks_are_told_by_the_whole_text_not_by_its_beginning(tmp_path: Path) -> None:
    names, days = ("Emma", "Mei"), [day for day in (11, 12, 13) for _ in range(2_200)]
    found = _read(
        tmp_path, "\n".join(f"{day}/03/2024, 1:{n % 60:02} pm - {names[n % 2]}: {day}" for n, day in enumerate(days))
    )
    assert [(one.time.month, one.time.day) if one.time else None for one in found] == [(3, day) for day in days]

    lines = [f"{names[number % 2]}: word {number}" for number in range(4_400)]
    lines += [f"{('Emma', 'Mei-chan')[number % 2]}: word {number}" for number in range(100)]
    lines += ["Once: this is no speaker"]
    found = _read(tmp_path, "\n".join(lines), ReadingWishes(roles={"Mei": "persona", "Mei-chan": "persona"}))
    assert len(found) == 4_500
    assert (found[-1].role, found[-1].speaker) == ("persona", "Mei-chan")
    assert found[-1].text == "word 99\nOnce: this is no speaker"


def test_a_folder_of_whatsapp_has_its_pictures(tmp_path: Path) -> None:
    chat = (
        "[13/01/2024, 21:33:00] Luna: \u200eMessages and calls are end-to-end encrypted.\n"
        "[13/01/2024, 21:33:12] Aki: \u200e<attached: 00000002-PHOTO.jpg>\n"
        "[13/01/2024, 21:34:12] Aki: IMG-1.jpg (file attached)\n"
    )
    path = folder_of(tmp_path, {"_chat.txt": chat, "00000002-PHOTO.jpg": b"\xff\xd8", "other.bin": b"\0"})

    items = items_of(path, "text", ReadingWishes(personas=["Luna", "Mei"]))

    assert messages_of(items)[1].files == (FoundFile("00000002-PHOTO.jpg"),)
    assert messages_of(items)[2].notes == (("attachment", "IMG-1.jpg"),)
    assert left(items) == {"chats.guessed": 1, "chats.other-file": 1}


_WORDY_USER = "Aki: I went to the sea today, and it was so clear that one saw the ground.\nLuna: Nice.\n" * 3
_DISCORD = "Guild: Direct Messages\nChannel: Private / Luna\n\n" + "".join(
    f"[01/13/2024 9:3{number} PM] {line.replace(': ', chr(10), 1)}\n\n"
    for number, line in enumerate(_WORDY_USER.split("\n")[:2])
)
_TOLD = [
    ("WhatsApp Chat with Luna.txt", _WORDY_USER, ReadingWishes()),
    ("WhatsApp Chat - Luna (2).txt", _WORDY_USER, ReadingWishes()),
    ("LunaとのWhatsAppチャット.txt", _WORDY_USER, ReadingWishes()),
    ("[LINE] Lunaとのトーク.txt", _WORDY_USER, ReadingWishes()),
    ("Direct Messages - Private - Luna [1234567].txt", _WORDY_USER, ReadingWishes()),
    ("chat.txt", _DISCORD, ReadingWishes()),
    ("chat.txt", _WORDY_USER, ReadingWishes(persona="Luna")),
    ("chat.txt", _WORDY_USER.replace("Luna", "luna🌙"), ReadingWishes(persona="Ｌｕｎａ")),
    ("chat.txt", _WORDY_USER, ReadingWishes(user="Aki")),
    ("chat.txt", _WORDY_USER, ReadingWishes(users=["Aki"])),
    ("chat.txt", _WORDY_USER, ReadingWishes(personas=["Luna", "Mei"])),
    ("chat.txt", _WORDY_USER.replace("Luna", "Replika"), ReadingWishes()),
]


def test_who_is_who_is_told_by_names_not_by_who_writes_more(tmp_path: Path) -> None:
    for name, text, wishes in _TOLD:
        items = items_of(folder_of(tmp_path, {name: text}) / name, "text", wishes)
        assert {(one.speaker == "Aki", one.role) for one in messages_of(items)} == {(True, "user"), (False, "persona")}
        assert "chats.unsure" not in left(items), (name, wishes)


def test_where_no_name_tells_who_is_who_it_is_asked(tmp_path: Path) -> None:
    for text, wishes, names in (
        (_WORDY_USER, ReadingWishes(), "Aki / Luna"),
        (_WORDY_USER, ReadingWishes(user="Ann", persona="Mei"), "Aki / Luna"),
        (_WORDY_USER + "Rin: Hi\n" * 3, ReadingWishes(user="Aki"), "Luna / Rin"),
    ):
        path = folder_of(tmp_path, {"chat.txt": text})
        items = items_of(path, "text", wishes)
        assert [one.facts["names"] for one in items if isinstance(one, NotTaken)] == [names]
        assert not [one for one in items if isinstance(one, FoundPersona)]
        assert not left(items_of(path, "text", ReadingWishes(user="Aki", roles={"Luna": "persona"})))
