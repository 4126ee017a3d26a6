"""Exports of ChatGPT and Claude, chats of SillyTavern, JSON of no known program, and plain text."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from managers.exchange.items import FoundFile, FoundMemory, FoundMessage, FoundPersona, NotTaken, ReadingWishes
from tests.exchange.readers.reading import folder_of, items_of, left, messages_of, persona_of, said, trouble_of, zip_of
from tests.speeds import one_quick

_NOON = datetime(2025, 3, 4, 12, 0, tzinfo=UTC).timestamp()


def _node(name: str, parent: str | None, role: str, content: object, at: float | None, **more: Any) -> dict[str, Any]:
    message = {
        "id": name, "author": {"role": role, "name": more.pop("by", None), "metadata": {}},
        "create_time": None if at is None else _NOON + at,
        "content": content if isinstance(content, dict) else {"content_type": "text", "parts": [content]},
        "metadata": {}, "recipient": "all", **more
    }  # fmt: skip
    return {"id": name, "message": message, "parent": parent, "children": []}


def _conversation(nodes: list[dict[str, Any]], current: str) -> dict[str, Any]:
    root: dict[str, Any] = {"id": "root", "message": None, "parent": None, "children": []}
    whole = [root, *nodes] if any(node["parent"] == "root" for node in nodes) else nodes
    for node in whole:
        node["children"] += [other["id"] for other in whole if other["parent"] == node["id"]]
    return {
        "title": "Tea & 猫", "create_time": _NOON, "mapping": {node["id"]: node for node in whole},
        "current_node": current, "conversation_id": "c-1", "default_model_slug": "gpt-4o"
    }  # fmt: skip


_HIDDEN = {"is_visually_hidden_from_conversation": True}


def _tree() -> dict[str, Any]:
    """A talk with an answer made anew, an edited question, a tool, thoughts and a hidden message."""
    thought = {"summary": "Look it up", "content": "Search for tea."}
    leaves = 'Leaves of \ue200entity\ue202["plant","Camellia sinensis"]\ue201.\ue200cite\ue202turn0search1\ue201'
    nodes = [
        _node("sys", "root", "system", "", None, metadata=_HIDDEN),
        _node("u1", "sys", "user", "猫を飼っています。名前はミケです。", 1),
        _node("a1", "u1", "assistant", "Cute!", 2),
        _node("a1b", "u1", "assistant", "ミケちゃん、かわいいですね。", 5, metadata={"model_slug": "gpt-5"}),
        _node("u2old", "a1b", "user", "What is tea?", 6),
        _node("a2old", "u2old", "assistant", "A leaf.", 7),
        _node("u2", "a1b", "user", "What is green tea?", 8),
        _node("th", "u2", "assistant", {"content_type": "thoughts", "thoughts": [thought]}, 9),
        _node("call", "th", "assistant", {"content_type": "code", "text": "search('tea')"}, 10, recipient="browser"),
        _node("tool", "call", "tool", {"content_type": "execution_output", "text": "Camellia"}, 11, by="browser"),
        _node("a2", "tool", "assistant", leaves, 12),
    ]
    return _conversation(nodes, "a2")


def test_the_branch_that_was_shown_is_followed_and_what_was_made_anew_stays_as_an_answer(tmp_path: Path) -> None:
    items = items_of(folder_of(tmp_path, {"conversations.json": [_tree()]}), "chatgpt")
    assert said(items) == [
        ("user", "", "猫を飼っています。名前はミケです。"),
        ("persona", "", "ミケちゃん、かわいいですね。"),
        ("user", "", "What is green tea?"),
        ("persona", "", "Leaves of Camellia sinensis."),
    ]
    first, answer, _, last = messages_of(items)
    assert first.time == datetime(2025, 3, 4, 12, 0, 1, tzinfo=UTC)
    assert (first.id, first.thread) == ("u1", "Tea & 猫")
    assert (answer.mind, last.mind) == ("gpt-5", "gpt-4o")
    assert [(one.text, one.mind) for one in answer.answers] == [("Cute!", "gpt-4o")]
    assert answer.at == 1
    assert last.thought == "Look it up\nSearch for tea."
    assert last.notes == (("tool_call", "browser: ```\nsearch('tea')\n```"), ("tool_result", "browser: Camellia"))
    assert left(items) == {"chats.other-branch": 2}


def test_a_zip_file_of_parts_holds_pictures_voices_and_what_was_said_about_the_person(tmp_path: Path) -> None:
    about = {"content_type": "user_editable_context", "user_profile": "I am Aki.", "user_instructions": "Be brief."}
    known = {"content_type": "model_editable_context", "model_set_context": "Aki likes tea.", "repository": None}
    picture = {
        "content_type": "multimodal_text",
        "parts": [
            {"content_type": "image_asset_pointer", "asset_pointer": "file-service://file-AbC123", "width": 3},
            {"content_type": "audio_transcription", "text": "Look at this!", "direction": "in"},
            {"content_type": "audio_asset_pointer", "asset_pointer": "sediment://file_000gone", "format": "wav"},
        ],
    }
    named = {"attachments": [{"id": "file-AbC123", "name": "Mike.png"}, {"id": "file-gone", "name": "plan.pdf"}]}
    nodes = [
        _node("i", "root", "user", about, None, metadata=_HIDDEN),
        _node("k", "i", "system", known, None),
        _node("u", "k", "user", picture, 3, metadata=named),
    ]
    early = _conversation([_node("e", "root", "user", "before", -90)], "e")
    path = zip_of(
        tmp_path / "export.zip",
        {
            "conversations-001.json": [early], "conversations-000.json": [_conversation(nodes, "u")],
            "file-AbC123-Mike.png": b"\x89PNG", "user.json": {"id": "user-1"}
        },
    )  # fmt: skip
    items = items_of(path, "chatgpt")
    message = messages_of(items)[0]
    assert message.text == "Look at this!"
    assert message.files == (FoundFile("file-AbC123-Mike.png", "Mike.png"),)
    assert set(message.notes) == {("attachment", "file_000gone"), ("attachment", "plan.pdf")}
    assert persona_of(items).user_profile == "I am Aki."
    assert persona_of(items).system_prompt == "Be brief."
    assert [item.text for item in items if isinstance(item, FoundMemory)] == ["Aki likes tea."]
    assert [one.text for one in messages_of(items)] == ["Look at this!", "before"]
    assert left(items) == {"chats.other-file": 1}


def test_what_is_no_conversation_or_cut_off_costs_no_other(tmp_path: Path) -> None:
    circle = _conversation([_node("a", "b", "user", "round", 1), _node("b", "a", "assistant", "and round", 2)], "b")
    headless = _conversation([_node("x", "root", "user", "end", 1)], "nowhere")
    told = [3, {"title": "no mapping"}, circle, headless, {"mapping": {"q": 5}, "create_time": 1}]
    items = items_of(folder_of(tmp_path, {"conversations.json": [_tree(), *told]}), "chatgpt")
    assert [one.text for one in messages_of(items)][4:] == ["round", "and round", "end"]
    assert left(items)["chats.no-conversation"] == 2
    assert left(items)["chats.no-message"] == 1
    cut = json.dumps([_tree(), _tree()]).encode()[:-200]
    items = items_of(folder_of(tmp_path / "2", {"conversations.json": cut}), "chatgpt")
    assert len(messages_of(items)) == 4
    assert left(items) == {"chats.other-branch": 2, "chats.broken-json": 1}
    path = tmp_path / "talk.json"  # one conversation alone, in another encoding
    path.write_bytes(json.dumps(_tree(), ensure_ascii=False).encode("utf-16"))
    assert said(items_of(path, "chatgpt"))[0] == ("user", "", "猫を飼っています。名前はミケです。")


def _claude_message(name: str, sender: str, text: str, **more: Any) -> dict[str, Any]:
    told = {"uuid": name, "text": text, "content": [{"type": "text", "text": text}], "sender": sender}
    return {**told, "created_at": f"2025-05-06T07:0{name}:00.123456Z", "attachments": [], "files": [], **more}


def _claude_talk(*messages: object) -> dict[str, Any]:
    return {"uuid": "c", "name": "Poems", "created_at": "2025-05-06T07:00:00.000000Z", "chat_messages": [*messages]}


def test_messages_keep_thoughts_tools_and_what_was_attached(tmp_path: Path) -> None:
    thinking = [
        {"type": "thinking", "thinking": "A haiku, then."},
        {"type": "tool_use", "name": "search", "input": {"q": "蛙"}},
        {"type": "tool_result", "name": "search", "content": [{"type": "text", "text": "古池や"}]},
        {"type": "token_budget"},
        {"type": "text", "text": "Old pond"},
        {"type": "text", "text": "frog"},
    ]
    attached = {"file_name": "note.txt", "file_size": 3, "file_type": "txt", "extracted_content": "The frog jumps."}
    talk = _claude_talk(
        _claude_message("1", "human", "Write a haiku.", attachments=[attached]),
        _claude_message("2", "assistant", "", content=thinking),
        _claude_message("3", "human", "a form", content=[], files=[{"file_name": "frog.png"}]),
    )
    items = items_of(zip_of(tmp_path / "data.zip", {"conversations.json": [talk], "users.json": []}), "claude")
    assert said(items) == [("user", "", "Write a haiku."), ("persona", "", "Old pond\n\nfrog"), ("user", "", "a form")]
    asked, answer, last = messages_of(items)
    assert asked.time == datetime(2025, 5, 6, 7, 1, 0, 123456, UTC)
    assert asked.notes == (("attachment", "note.txt\nThe frog jumps."),)
    assert answer.thought == "A haiku, then."
    assert answer.notes[0] == ("tool_call", 'search: {"q": "蛙"}')
    assert "古池や" in answer.notes[1][1]
    assert last.notes == (("attachment", "frog.png"),)
    assert left(items) == {"chats.other-file": 1}


_BEGUN = "2024-01-05 @21h 30m 00s 1ms"
_HEAD = {"user_name": "Aki", "character_name": "Seraphina", "create_date": _BEGUN, "chat_metadata": {}}


def _line(name: str, text: str, date: object, **more: Any) -> dict[str, Any]:
    told = {"name": name, "is_user": name == "Aki", "is_system": False, "send_date": date, "mes": text, "extra": {}}
    return {**told, **more}


def _lines(*lines: object) -> str:
    return "\n".join(one if isinstance(one, str) else json.dumps(one, ensure_ascii=False) for one in lines) + "\n"


def test_swipes_become_answers_and_each_form_of_date_is_read(tmp_path: Path) -> None:
    swiped = _line(
        "Seraphina", "<think>Be warm.</think>Welcome back.", "January 5, 2024 9:33pm",
        swipes=["Oh.", "<think>Be warm.</think>Welcome back.", "Hm?"], swipe_id=1,
        swipe_info=[{"extra": {"model": "m-1"}}, {}, {"extra": {"model": "m-2", "reasoning": "why"}}],
        extra={"api": "openai", "model": "gpt-4"}
    )  # fmt: skip
    chat = _lines(
        _HEAD, swiped, _line("Aki", "ただいま", "2024-01-05 @21h 34m 12s 123ms"),
        _line("Seraphina", "おかえり", "2024-01-05T21:35:00.000", extra={"reasoning": "Aki is home."}),
        _line("Aki", "ミケは?", None)
    )  # fmt: skip
    items = items_of(folder_of(tmp_path, {"Seraphina/2024-01-05.jsonl": chat}), "sillytavern")
    assert said(items) == [
        ("persona", "Seraphina", "Welcome back."),
        ("user", "Aki", "ただいま"),
        ("persona", "Seraphina", "おかえり"),
        ("user", "Aki", "ミケは?"),
    ]
    first, _, answer, last = messages_of(items)
    assert [(one.text, one.mind, one.thought) for one in first.answers] == [("Oh.", "m-1", ""), ("Hm?", "m-2", "why")]
    assert (first.at, first.mind, first.thought) == (1, "gpt-4", "Be warm.")
    assert first.time == datetime(2024, 1, 5, 21, 33)
    assert answer.thought == "Aki is home."
    assert (last.time, last.is_time_certain) == (datetime(2024, 1, 5, 21, 35), False)
    assert (persona_of(items).name, persona_of(items).user_name) == ("Seraphina", "Aki")


def test_branches_deletions_and_leafing_through_swipes_change_no_id(tmp_path: Path) -> None:
    def read(name: str, **files: list[dict[str, Any]]) -> list[FoundMessage]:
        chats = {f"{chat}.jsonl": _lines(_HEAD, *lines) for chat, lines in files.items()}
        return messages_of(items_of(folder_of(tmp_path / name, chats), "sillytavern"))

    same, time = _line("Aki", "Hi", "January 5, 2024 9:33pm"), "January 5, 2024 9:34pm"
    branches = {"a": [same, _line("Seraphina", "Hello", time)], "a - Branch #1": [same, _line("Seraphina", "No", time)]}
    assert sorted({one.id: one.text for one in read("branches", **branches)}.values()) == ["Hello", "Hi", "No"]
    lines = [
        _line("Aki" if one % 2 else "Seraphina", "hm" if one in {3, 5} else f"{one}", f"2024-01-05T21:3{one // 2}:00Z")
        for one in range(8)
    ]
    lines[5]["send_date"] = lines[3]["send_date"]  # the same words of the same moment
    before, after = read("before", a=lines), read("after", a=[*lines[:1], *lines[2:]])
    assert len({one.id for one in before}) == 8
    assert [one.id for one in after] == [one.id for one in before if one.text != "1"]
    undated = read("undated", a=[_line("Aki", "hm", None)] * 3)
    assert len({one.id for one in undated}) == 3  # told by their lines

    def one_id(at: int) -> str:
        swipes = ["Hello", "Hi there"]
        line = _line("Seraphina", swipes[at], f"January 5, 2024 9:3{at}pm", swipes=swipes, swipe_id=at)
        line["swipe_info"] = [{"send_date": "January 5, 2024 9:30pm"}, {"send_date": "January 5, 2024 9:31pm"}]
        return read(f"at {at}", a=[line])[0].id

    assert one_id(0) == one_id(1)


def test_in_a_group_the_others_are_named_and_a_chat_with_somebody_else_is_left(tmp_path: Path) -> None:
    head = {"chat_metadata": {}, "user_name": "unused", "character_name": "unused"}
    chat = _lines(
        head,
        _line("Seraphina", "Tea?", 1704490392123),
        _line("Bob", "Beer.", 1704490393123),
        _line("Aki", "Water.", 1704490394123),
        _line("Aki", "hidden words", 1704490396123, is_system=True),
    )
    path = folder_of(tmp_path, {"group.jsonl": chat})
    assert said(items_of(path, "sillytavern", ReadingWishes(persona="Bob", roles={"Bob": "persona"})))[:2] == [
        ("system", "Seraphina", "Seraphina: Tea?"),
        ("persona", "Bob", "Beer."),
    ]
    items = items_of(path, "sillytavern")
    assert said(items)[:2] == [("persona", "Seraphina", "Tea?"), ("system", "Bob", "Bob: Beer.")]
    assert said(items)[2:] == [("user", "Aki", "Water."), ("user", "Aki", "hidden words")]
    other = folder_of(tmp_path, {"x/Bob.jsonl": _lines({**_HEAD, "character_name": "Bob"}, _line("Aki", "Yo", 1))})
    other = folder_of(other, {"x/Sera.jsonl": _lines(_HEAD, _line("Aki", "Ah", 1))})
    assert left(items_of(other, "sillytavern", ReadingWishes(persona="seraphina"))) == {"chats.other-character": 1}


_KINDROID = [
    {"id": "1", "sender": "user", "message": "おはよう", "timestamp": 1735689600000},
    {"id": "2", "sender": "ai", "message": "おはよう、アキ。", "timestamp": 1735689660000},
]
_CHARACTER_AI = {
    "turns": [
        {
            "create_time": "2025-01-01T00:00:00.5Z",
            "author": {"author_id": "9", "name": "Aki", "is_human": True},
            "candidates": [{"candidate_id": "a", "raw_content": "おはよう", "is_final": True}],
            "primary_candidate_id": "a",
        },
        {
            "create_time": "2025-01-01T00:01:00Z",
            "author": {"author_id": "x", "name": "Luna"},
            "candidates": [
                {"candidate_id": one, "raw_content": text} for one, text in (("b", "Yawn."), ("c", "おはよう、アキ。"))
            ],
            "primary_candidate_id": "c",
        },
    ]
}
_META = {
    "messages": [
        {"sender_name": name, "timestamp_ms": time, "content": text.encode().decode("latin-1")}
        for name, time, text in (("Aki", 1735689600000, "おはよう"), ("Luna", 1735689660000, "おはよう、アキ。"))
    ]
}


def test_the_list_of_messages_is_found_wherever_it_is(tmp_path: Path) -> None:
    for told in ([*_KINDROID, 5, {"sender": "ai"}], _CHARACTER_AI, _META):
        items = items_of(folder_of(tmp_path, {"chat.json": told}), "text")
        assert [(who, text) for who, _, text in said(items)] == [("user", "おはよう"), ("persona", "おはよう、アキ。")]
        time = datetime(2025, 1, 1, microsecond=500_000 * (told is _CHARACTER_AI), tzinfo=UTC)
        assert messages_of(items)[0].time == time
        if told is _CHARACTER_AI:
            assert [one.text for one in messages_of(items)[1].answers] == ["Yawn."]
            assert persona_of(items).name == "Luna"
    (tmp_path / "none.json").write_text('[{"price": 3}]')
    assert trouble_of(tmp_path / "none.json", "text") == "engine.not-of-kind"


def test_who_is_who_can_be_put_right(tmp_path: Path) -> None:
    told = [
        {"author": {"name": name}, "content": text, "date": date and f"2025-01-01 {date}"}
        for name, text, date in (
            ("Luna", "A long answer about the moon and the tides.", "08:00"),
            ("Aki", "Oh.", "08:01"),
            ("Guest", "Hello, both!", "08:02"),
            ("Aki", "Hi.", None),
        )
    ]
    path = folder_of(tmp_path, {"chat.json": {"messages": told}})
    items = items_of(path, "text")
    assert [role for role, _, _ in said(items)] == ["persona", "user", "system", "user"]
    assert said(items)[2] == ("system", "Guest", "Guest: Hello, both!")
    assert left(items) == {"chats.unsure": 1}
    assert messages_of(items)[3].time == datetime(2025, 1, 1, 8, 2)
    corrected = ReadingWishes(roles={"Luna": "user", "Aki": "persona", "Guest": "user"})
    items = items_of(path, "text", corrected)
    assert [role for role, _, _ in said(items)] == ["user", "persona", "user", "persona"]
    assert left(items) == {}


def _read(tmp_path: Path, text: str | bytes, wishes: ReadingWishes | None = None) -> list[FoundMessage]:
    return messages_of(items_of(folder_of(tmp_path, {"chat.txt": text}), "text", wishes))


@pytest.mark.parametrize("plain", one_quick([20, 60_000]))
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
    ("[2024-01-13 21:33:12] Aki: Hi\n[2024-01-13 21:34:00] Luna: Hello,\nAki!\n", 12),
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
    for aki, luna in (("Aki: ", "Luna: "), ("**Aki:** ", "**Luna:** "), ("[12:30] Aki: ", "[12:31] Luna: ")):
        text = f"{aki}Hi\n{luna}Hello.\n{more}\n{aki}How are you?\n{luna}Fine.\n"
        # so short a text has every name once or twice: the sample tells by repetition
        long = f"A talk\n\n{text}" + text.replace("Note: ", "So: ") * 3
        wishes = ReadingWishes(users=["Aki"], personas=["Luna"])
        items = items_of(folder_of(tmp_path, {"chat.txt": long}), "text", wishes)
        assert said(items)[:2] == [("user", "Aki", "Hi"), ("persona", "Luna", f"Hello.\n{more}")]
        assert said(items)[2:4] == [("user", "Aki", "How are you?"), ("persona", "Luna", "Fine.")]
        assert left(items) == {"chats.before-first": 1, "chats.guessed": 1}
        assert (persona_of(items).name, persona_of(items).user_name) == ("Luna", "Aki")
    (tmp_path / "novel.txt").write_text("It was a dark night.\nNobody said a word.\n")
    assert trouble_of(tmp_path / "novel.txt", "text") == "chats.no-speakers"


def test_the_day_and_who_speaks_are_told_by_the_whole_text_not_by_its_beginning(tmp_path: Path) -> None:
    names, days = ("Emma", "Mei"), [day for day in (11, 12, 13) for _ in range(2_200)]
    found = _read(tmp_path, "\n".join(f"{d}/3/2024, 1:{n % 60:02}pm - {names[n % 2]}: {d}" for n, d in enumerate(days)))
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
_TOLD = [
    ("WhatsApp Chat with Luna.txt", _WORDY_USER, ReadingWishes()),
    ("[LINE] Lunaとのトーク.txt", _WORDY_USER, ReadingWishes()),
    ("chat.txt", _WORDY_USER, ReadingWishes(persona="Luna")),
    ("chat.txt", _WORDY_USER.replace("Luna", "luna🌙"), ReadingWishes(persona="Ｌｕｎａ")),
    ("chat.txt", _WORDY_USER, ReadingWishes(user="Aki")),
    ("chat.txt", _WORDY_USER, ReadingWishes(personas=["Luna", "Mei"])),
    ("chat.txt", _WORDY_USER.replace("Luna", "Replika"), ReadingWishes()),
]


def test_who_is_who_is_told_by_names_not_by_who_writes_more(tmp_path: Path) -> None:
    for name, text, wishes in _TOLD:
        items = items_of(folder_of(tmp_path, {name: text}) / name, "text", wishes)
        assert {(one.speaker == "Aki", one.role) for one in messages_of(items)} == {(True, "user"), (False, "persona")}
        assert "chats.unsure" not in left(items), (name, wishes)


def test_where_no_name_tells_who_is_who_it_is_asked(tmp_path: Path) -> None:
    path = folder_of(tmp_path, {"chat.txt": _WORDY_USER})
    for wishes in (ReadingWishes(), ReadingWishes(user="Ann", persona="Mei")):
        items = items_of(path, "text", wishes)
        assert [one.facts["names"] for one in items if isinstance(one, NotTaken)] == ["Aki / Luna"]
        assert not [one for one in items if isinstance(one, FoundPersona)]
        assert not left(items_of(path, "text", ReadingWishes(user="Aki", roles={"Luna": "persona"})))


def test_a_talk_of_line_has_its_days_and_a_date_within_a_message_begins_none(tmp_path: Path) -> None:
    spaced = "[LINE] ルナとのトーク\n2024.01.05 金曜日\n21:33 アキ ただいま\n今日は\n2024.01.06 土曜日\n午前0:05 アキ もう寝るね\n"
    found = [(one.text, one.time) for one in _read(tmp_path, spaced)]
    assert found == [("ただいま\n今日は", datetime(2024, 1, 5, 21, 33)), ("もう寝るね", datetime(2024, 1, 6, 0, 5))]
    days = '2024/01/05(金)\n21:33\tアキ\t"大事な日\n1990/05/01\n母の誕生日"\n21:34\tルナ\t覚えておくね\n21:35\tアキ\t"と言いかけて\n\n'
    days += "21:40\t☎ 通話時間 1:02\n\n2024/01/06(土)\n08:00\tルナ\tおはよう\n"
    found = [(one.text, one.time) for one in _read(tmp_path, f"[LINE] ルナとのトーク履歴\n\n{days}")]
    assert found[0] == ("大事な日\n1990/05/01\n母の誕生日", datetime(2024, 1, 5, 21, 33))
    assert found[-2:] == [("☎ 通話時間 1:02", datetime(2024, 1, 5, 21, 40)), ("おはよう", datetime(2024, 1, 6, 8))]
