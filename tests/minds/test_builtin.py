"""The built-in mind: its seam, voices and templates, odd messages, a long day."""

import re
from random import Random

import pytest

from agent.minds.builtin import BuiltInMind
from agent.minds.builtin.talk.voice import Phrasebook, Voice
from managers.language.lexicons import load
from managers.language.words import detect_language
from managers.mind import Cancel, ChatTurn, Image, Sheet
from managers.storage.errors import Lang
from tests.minds.speaking import DAY_EN, DAY_JA, MIA, NOW, SHIORI, check, converse, pieces, request, say
from tests.speeds import one_quick

# --- the seam and the voice ----------------------------------------------------------------------------------


def test_it_speaks_in_pieces_the_same_way_again_and_with_another_seed_in_other_words() -> None:
    asked = request("昨日は妹と京都に行ってきたよ")
    first, second = pieces(asked), pieces(asked)
    assert first == second
    assert len(first) > 2
    assert len({say("今日は映画を見てきたよ", seed=seed) for seed in range(8)}) > 1
    cancel = Cancel()
    stream = BuiltInMind().reply(request("あなたは何者ですか？"), cancel)
    next(stream)
    cancel.set()
    assert list(stream) == []
    mind = BuiltInMind()
    assert (mind.name, mind.can_see) == ("built-in", False)
    assert mind.count_tokens("あいう") >= 3


def test_it_answers_in_the_language_of_the_message() -> None:
    assert detect_language(say("I went to Kyoto with my sister yesterday")) == "en"
    assert detect_language(say("<b>I had a great day with my sister</b>")) == "en"
    assert detect_language(say("昨日は京都に行ったよ", MIA)) == "ja"


def test_it_speaks_in_the_personas_voice_and_calls_the_user_as_its_sheet_says() -> None:
    for prompt, i, sign in (
        ("一人称は「僕」。タメ口で話す。", "僕", r"(?:だよ|んだ|ない|てる)"),
        ("一人称は「わし」、語尾は「のじゃ」。", "わし", r"(?:じゃ|のじゃ|ぞ)"),
        ("「ボクはタマだにゃ。よろしくにゃ」", "ボク", r"にゃ"),
        ("一人称は「うち」。関西弁で話す。", "うち", r"(?:ねん|やで|や。)"),
        ("お嬢様言葉。「わたくし、紅茶が好きですわ」", "わたくし", r"わ。"),
        ("一人称は「わたし」。くだけた言葉で話す。敬語は使わない。", "わたし", r"(?:だよ|んだ|ない)"),
    ):
        sheet = Sheet("タマ", "ja", prompt, "ユウ")
        told = say("あなたは何者？", sheet) + say("あなたは人間なの？", sheet, seed=3)
        assert i in told
        assert re.search(sign, told), told
        assert "です。" not in told
    sheet = Sheet("コン", "ja", "ユーザーのことは「おぬし」と呼ぶ。一人称は「わし」。語尾は「のじゃ」。", "ユウ")
    assert any("おぬし" in say("おやすみ", sheet, seed=seed) for seed in range(6))


# --- odd messages --------------------------------------------------------------------------------------------


def test_odd_messages_get_a_sensible_answer() -> None:
    odd = (
        "…", "😀", "😭😭", "！！！", "\x00\x01\x02\x03\x04\x05", "a" * 5000, "あ" * 36, "<script>alert(1)</script>",
        "<b>今日は楽しかった</b>", "import os; os.system('rm -rf /')", "長い話です。" * 5000, "aGVsbG8gd29ybGQgdGhpcyBpcyBh" * 4 + "==",
        "\ud800", "12345", "## USER:x", "\u202eこんにちは", "?" * 100,
    )  # fmt: skip
    check([(odd, r"(?s)^(?=.*\S).{1,599}$", "<script")], who=lambda _: SHIORI)
    assert re.search(r"見る力がありません|見えない", say("これ見て！", images=(Image("image/png", b"x"),)))
    text = "今日は図書館で本を借りてきたよ"
    told = say(text, turns=[ChatTurn("user", text, NOW), ChatTurn("persona", "いいですね。", NOW)])
    assert re.search(r"さっきも|もう一度", told)


@pytest.mark.parametrize("seed", one_quick([0, 1, 2]))
def test_twenty_turns_do_not_feel_like_a_form(seed: int) -> None:
    for lines, sheet in ((DAY_JA, SHIORI), (DAY_EN, MIA)):
        told = converse(lines, sheet, seed=seed)
        assert len(set(told)) == len(told)
        endings = [reply.rstrip().endswith(("？", "?")) for reply in told]
        assert not any(all(endings[at : at + 4]) for at in range(len(endings) - 3)), told
        sentences = [part for reply in told for part in re.split(r"(?<=[。！？.!?])\s*", reply) if len(part) > 8]
        assert [sentence for sentence in set(sentences) if sentences.count(sentence) > 2] == []
        assert not any(re.search(r"[<>{}|]", reply) for reply in told)


# --- the tables of replies -----------------------------------------------------------------------------------

SLOTS = dict.fromkeys(("topic", "person", "place", "when", "quote", "quotes", "text", "facts", "time", "date", "heading", "count", "greeting", "alone", "undated", "friend", "past", "present", "who", "relation", "told", "value", "amended", "old", "new"), "X")  # fmt: skip


def test_both_languages_have_the_same_tables_and_every_template_can_be_filled_in() -> None:
    tables: dict[Lang, dict[str, dict[str, list[str]]]] = {lang: load(f"{lang}/replies") for lang in ("ja", "en")}
    keys = [{table: set(keys) for table, keys in one.items()} for one in tables.values()]
    assert keys[0] == keys[1]
    left = []
    for lang, table in tables.items():
        for voice in (Voice(lang, "しおり", "私", you, polite) for you in ("", "ユウさん") for polite in (True, False)):
            for name, texts in table.items():
                for key, templates in texts.items():
                    book = Phrasebook(voice, Random(0), ())
                    said = {book.say(name, key, echo="E", **SLOTS) for _ in templates}
                    left += [text for text in said if re.search(r"[<>{}|]|^[、,]|、。| ,", text)]
    assert left == []
    polite = r"(?:です|ます|ました)(?:[。！？]|ね|か|よ)"
    plain = [re.sub(r"\{[^|]*\|([^}]*)\}", r"\1", text) for texts in tables["ja"]["small"].values() for text in texts]
    assert [text for text in plain if re.search(polite, re.sub(r"「[^」]*」", "", text))] == []


def test_what_was_just_said_is_not_said_again_and_a_condition_that_is_not_met_leaves_its_template_out() -> None:
    book = Phrasebook(Voice("ja", "しおり", "私", "", polite=True), Random(1), ())
    count = len(load("ja/replies")["small"]["thanks"])
    assert len({book.say("small", "thanks") for _ in range(count)}) == count
    voice = Voice("en", "Mia", "I", "", polite=False)
    told = [Phrasebook(voice, Random(seed), ()).say("follow", "go_past", place="Kyoto", alone="") for seed in range(20)]
    assert not any("go with someone" in one for one in told)
