"""Conversations as plain text."""

from datetime import datetime
from pathlib import Path

import pytest

from managers.exchange.items import FoundFile, FoundMessage, FoundPersona, NotTaken, ReadingWishes
from tests.exchange.readers.reading import folder_of, items_of, left, messages_of, persona_of, said, trouble_of

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


@pytest.mark.parametrize("text", [_LINE, _LINE_SPACED, _LINE.replace("\n", "\r\n")])
def test_a_talk_of_line_has_its_days(tmp_path: Path, text: str) -> None:
    found = _read(tmp_path, text)

    spoken = [(one.role, one.speaker, one.text, one.time) for one in found if one.role != "system"]
    assert spoken == [
        ("user", "アキ", "ただいま", datetime(2024, 1, 5, 21, 33)),
        ("persona", "ルナ", "おかえり！\n今日はどうだった？", datetime(2024, 1, 5, 21, 34)),
        ("user", "アキ", "もう寝るね", datetime(2024, 1, 6, 0, 5)),
        ("persona", "ルナ", "[スタンプ]", datetime(2024, 1, 6, 0, 6)),
    ]
    assert [one.text for one in found if one.role == "system"] == (["☎ 通話時間 1:02"] if "\t" in text else [])


def test_a_date_within_a_message_of_line_begins_no_day(tmp_path: Path) -> None:
    text = """[LINE] ルナとのトーク履歴

2024/01/05(金)
21:33\tアキ\t"大事な日
1990/05/01
母の誕生日"
21:34\tルナ\t覚えておくね
21:35\tアキ\t"と言いかけて

2024/01/06(土)
08:00\tルナ\tおはよう
"""
    found = [(one.text, one.time) for one in _read(tmp_path, text)]
    assert found[0] == ("大事な日\n1990/05/01\n母の誕生日", datetime(2024, 1, 5, 21, 33))
    assert found[1] == ("覚えておくね", datetime(2024, 1, 5, 21, 34))
    assert found[2][1] == datetime(2024, 1, 5, 21, 35)
    assert found[3] == ("おはよう", datetime(2024, 1, 6, 8, 0))


@pytest.mark.parametrize(
    "text",
    [
        '[13/01/2024, 21:33:12] Luna: "Tyger Tyger,\nburning bright"\n[13/01/2024, 21:34:00] Aki: Blake!\n',
        '13/01/2024, 21:33 - Luna: "Tyger Tyger,\nburning bright"\n13/01/2024, 21:34 - Aki: Blake!\n',
        'Luna: "Tyger Tyger,\nburning bright"\nAki: Blake!\n',
    ],
)
def test_quotation_marks_that_somebody_typed_stay(tmp_path: Path, text: str) -> None:
    found = _read(tmp_path, text, ReadingWishes(persona="Luna"))

    assert [one.text for one in found] == ['"Tyger Tyger,\nburning bright"', "Blake!"]


@pytest.mark.parametrize("encoding", ["cp932", "euc_jp", "utf-16", "utf-8-sig"])
def test_the_encoding_of_a_text_is_told(tmp_path: Path, encoding: str) -> None:
    found = _read(tmp_path, _LINE.replace("☎ ", "").encode(encoding))

    assert [one.speaker for one in found if one.role != "system"] == ["アキ", "ルナ", "アキ", "ルナ"]


@pytest.mark.parametrize("plain", [400, 30_000], ids=["after kilobytes", "after megabytes"])
@pytest.mark.parametrize(
    ("encoding", "words"),
    [
        ("cp1252", "Mom’s café, “déjà vu”"),
        ("cp932", "今日はお母さんの誕生日"),
        ("utf-8", "ただいま、café"),
        ("utf-16", "猫"),
    ],
)
def test_an_encoding_that_shows_late_is_told(tmp_path: Path, encoding: str, words: str, plain: int) -> None:
    names = ("Emma", "Mei")
    lines = [f"[2024-03-04 10:{number % 60:02}] {names[number % 2]}: plain words only" for number in range(plain)]
    lines += [f"[2024-03-05 10:{number:02}] Mei: {words}" for number in range(5)]
    found = _read(tmp_path, "\r\n".join(lines).encode(encoding))
    assert len(found) == plain + 5
    assert [one.text for one in found[-5:]] == [words] * 5


@pytest.mark.parametrize(("encoding", "name"), [("gb18030", "小明"), ("koi8_r", "Алиса"), ("cp1252", "Élise")])
def test_rarer_encodings_are_told_too(tmp_path: Path, encoding: str, name: str) -> None:
    told = {"小明": "今天天气很好，我们去公园散步吧。", "Алиса": "Сегодня хорошая погода, пойдём гулять в парк."}
    line = told.get(name, "Aujourd'hui il fait très beau, allons à la forêt où l'été a déjà commencé.")

    found = _read(tmp_path, f"{name}: {line}\nBob: {line}\n".encode(encoding) * 5)

    assert {one.text for one in found} == {line}
    assert [one.speaker for one in found[:2]] == [name, "Bob"]


@pytest.mark.parametrize(
    ("text", "times"),
    [
        ("[13/01/2024, 21:33:12] Aki: Hi\n\u200e[13/01/2024, 21:34:00] Luna: Hello,\nAki!\n", (12, 0)),
        ("1/13/24, 9:33\u202fPM - Aki: Hi\n1/13/24, 9:34\u202fPM - Luna: Hello,\nAki!\n", (0, 0)),
        ("2024/01/13, 21:33 - Aki: Hi\n2024/01/13, 21:34 - Luna: Hello,\nAki!\n", (0, 0)),
        ("[2024-01-13 21:33:12] Aki: Hi\n[2024-01-13 21:34:00] Luna: Hello,\nAki!\n", (12, 0)),
        ("[01/13/2024 9:33 PM] Aki\nHi\n\n[01/13/2024 9:34 PM] Luna\nHello,\nAki!\n", (0, 0)),
        ("Aki — 01/13/2024 9:33 PM\nHi\nLuna — 01/13/2024 9:34 PM\nHello,\nAki!\n", (0, 0)),
        ("13 Jan 2024\n21:33 Aki: Hi\n21:34 Luna: Hello,\nAki!\n", (0, 0)),
        ("=== 2024年1月13日 ===\n[21:33] Aki: Hi\n[21:34] Luna: Hello,\nAki!\n", (0, 0)),
    ],
)
def test_dates_of_each_land_are_read(tmp_path: Path, text: str, times: tuple[int, int]) -> None:
    found = _read(tmp_path, text, ReadingWishes(persona="Luna"))

    assert [(one.role, one.speaker, one.text) for one in found] == [
        ("user", "Aki", "Hi"),
        ("persona", "Luna", "Hello,\nAki!"),
    ]
    assert [one.time for one in found] == [
        datetime(2024, 1, 13, 21, 33, times[0]),
        datetime(2024, 1, 13, 21, 34, times[1]),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "A talk\n\nAki: Hi\nLuna: Hello.\nNote: she smiles\nhttps://example.org\nAki: How are you?\nLuna: Fine.\n",
        "A talk\n\n**Aki:** Hi\n**Luna:** Hello.\nNote: she smiles\nhttps://example.org\n**Aki:** How are you?\n**Luna:** Fine.\n",
        "A talk\n\nAki：Hi\nLuna：Hello.\nNote: she smiles\nhttps://example.org\nAki：How are you?\nLuna：Fine.\n",
        "A talk\n\n[12:30] Aki: Hi\n[12:31] Luna: Hello.\nNote: she smiles\nhttps://example.org\n[1:32] Aki: How are you?\n[1:33] Luna: Fine.\n",
    ],
)
def test_names_before_a_colon_are_speakers_when_they_come_again(tmp_path: Path, text: str) -> None:
    # so short a text has every name once or twice: the sample tells by repetition
    long = text + text.split("\n\n", 1)[1].replace("Note: ", "So: ") * 3

    items = items_of(folder_of(tmp_path, {"chat.txt": long}), "text", ReadingWishes(users=["Aki"], personas=["Luna"]))

    assert said(items)[:4] == [
        ("user", "Aki", "Hi"),
        ("persona", "Luna", "Hello.\nNote: she smiles\nhttps://example.org"),
        ("user", "Aki", "How are you?"),
        ("persona", "Luna", "Fine."),
    ]
    assert left(items) == {"chats.before-first": 1, "chats.guessed": 1}
    assert (persona_of(items).name, persona_of(items).user_name) == ("Luna", "Aki")


def test_the_day_is_told_by_the_whole_text_not_by_its_beginning(tmp_path: Path) -> None:
    days = [day for day in (11, 12, 13) for _ in range(2_200)]
    text = "\n".join(
        f"{day}/03/2024, 1:{number % 60:02} pm - {('Emma', 'Mei')[number % 2]}: {day}"
        for number, day in enumerate(days)
    )
    found = _read(tmp_path, text)
    assert [(one.time.month, one.time.day) if one.time else None for one in found] == [(3, day) for day in days]


def test_who_goes_by_another_name_late_still_speaks(tmp_path: Path) -> None:
    lines = [f"{('Emma', 'Mei')[number % 2]}: word {number}" for number in range(4_400)]
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


def test_a_text_in_which_nobody_speaks_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "novel.txt"
    path.write_text("It was a dark night.\nNobody said a word.\n")

    assert trouble_of(path, "text") == "chats.no-speakers"


_WORDY_USER = "Aki: I went to the sea today, and it was so clear that one saw the ground.\nLuna: Nice.\n" * 3

_DISCORD = """Guild: Direct Messages
Channel: Private / Luna

[01/13/2024 9:33 PM] Aki
I went to the sea today, and it was so clear that one saw the ground.

[01/13/2024 9:34 PM] Luna
Nice.
"""


@pytest.mark.parametrize(
    ("name", "text", "wishes"),
    [
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
    ],
)
def test_who_is_who_is_told_by_names_not_by_who_writes_more(
    tmp_path: Path, name: str, text: str, wishes: ReadingWishes
) -> None:
    items = items_of(folder_of(tmp_path, {name: text}) / name, "text", wishes)

    assert {one.role for one in messages_of(items) if one.speaker == "Aki"} == {"user"}
    assert {one.role for one in messages_of(items) if one.speaker != "Aki"} == {"persona"}
    assert "chats.unsure" not in left(items)


@pytest.mark.parametrize(
    ("text", "wishes", "names"),
    [
        (_WORDY_USER, ReadingWishes(), "Aki / Luna"),
        (_WORDY_USER, ReadingWishes(user="Ann", persona="Mei"), "Aki / Luna"),
        (_WORDY_USER + "Rin: Hi\n" * 3, ReadingWishes(user="Aki"), "Luna / Rin"),
    ],
)
def test_where_no_name_tells_who_is_who_it_is_asked(
    tmp_path: Path, text: str, wishes: ReadingWishes, names: str
) -> None:
    items = items_of(folder_of(tmp_path, {"chat.txt": text}), "text", wishes)

    assert [one.facts["names"] for one in items if isinstance(one, NotTaken)] == [names]
    assert not [one for one in items if isinstance(one, FoundPersona)]
    roles = ReadingWishes(user="Aki", roles={"Luna": "persona"})
    assert not left(items_of(folder_of(tmp_path, {"chat.txt": text}), "text", roles))
