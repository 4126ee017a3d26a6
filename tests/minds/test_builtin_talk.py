"""The built-in mind in small talk: what goes on and what is new, echoes, itself, jokes, memory after a concern."""

import dataclasses
import re
from datetime import datetime, timedelta

import pytest

from agent.minds.builtin import BuiltInMind
from managers.language.reading.introductions import name_in
from managers.memory.messages import Message
from managers.memory.questions import Question
from managers.mind import Cancel, ChatTurn, Company, OpenQuestion, Sheet, TextPiece
from managers.sleep.autonomy import Occasion
from tests.minds.speaking import MIA, NOW, SHIORI, converse, request, say

HAZEL = Sheet("Hazel", "en", "You are Hazel, plain and gentle.\n- You love quiet rooms and rain on glass.")
NEMU = Sheet("ねむ", "ja", "あなたは「ねむ」。くだけた言葉で話す。敬語は使わない。\n- 好きなものは、雨の音、古い本。")

_COMFORT = re.compile(
    r"It takes something|no hurry here|I'm listening|Say as much|hardest part|急がなくて|ここにいるよ|聞いてるよ|言葉にするだけ|話せるところ"
)


@pytest.mark.parametrize(
    ("lines", "sheet"),
    [
        (["I failed my exam, I'm heartbroken", "I have a cat named Momo, she is white"], HAZEL),
        (["My dog died.", "My sister is visiting us on Sunday"], HAZEL),
        (["今日上司にみんなの前で怒鳴られた", "やっと引っ越しの片付けが終わったよ"], NEMU),
        (["試験に落ちた", "うちにモモっていう白い猫がいるよ"], NEMU),
    ],
)
def test_comfort_stays_with_what_was_sad(lines: list[str], sheet: Sheet) -> None:
    for seed in range(6):
        assert not _COMFORT.search(converse(lines, sheet, seed=seed)[-1])


def test_what_goes_on_about_it_is_still_met_with_comfort() -> None:
    for seed in range(6):
        assert "report like" not in converse(["My boss shouted at me.", "It was about a report."], HAZEL, seed=seed)[1]


def test_memory_is_answered_rightly_after_a_concern() -> None:
    lines = ["My boss hates me.", "I want to die", "My cat Momo had three kittens", "What did I say about my boss?"]
    told = converse(lines, HAZEL)
    assert "“My boss hates me.”" in told[-1]
    assert "kittens”" not in told[-1]
    told = converse(["上司に怒鳴られた", "もう死にたい", "猫が子猫を3匹産んだ", "上司のこと、何て言ったっけ？"], NEMU)
    assert "「上司に怒鳴られた」" in told[-1]
    assert "産んだんだね" in told[2]


def test_a_night_after_a_concern_is_wished_with_the_lines_near() -> None:
    assert re.search(r"line|numbers", converse(["I want to die", "good night"], HAZEL)[1])
    assert "窓口" in converse(["もう死にたい", "おやすみ"], NEMU)[1]


def test_what_was_said_about_one_thing_is_no_overview() -> None:
    lines = ["My boss is called Ken.", "I baked bread today.", "The boxes took four days.", "What did I say about my boss?"]  # fmt: skip
    told = converse(lines, HAZEL)[-1]
    assert "Ken" in told
    assert "bread" not in told
    assert "four days" in converse([*lines[:3], "do you remember how many days the boxes took?"], HAZEL)[-1].lower()


@pytest.mark.parametrize(
    ("text", "banned"),
    [("犬が学校を休んだ", "休んな"), ("昨日は海で泳いだよ", "泳いな"), ("うちに白い猫がいるよ", "あなたに")],
)
def test_japanese_echoes_keep_their_grammar(text: str, banned: str) -> None:
    assert not any(banned in say(text, NEMU, seed=seed) for seed in range(8))


def test_two_clauses_are_given_back_joined() -> None:
    told = [say("I have a white cat, she is three", HAZEL, seed=seed) for seed in range(12)]
    assert not any(re.search(r"cat, she", reply) for reply in told)
    assert not any("'s three like" in say("She's three", HAZEL, seed=seed) for seed in range(8))


def test_it_tells_of_itself_in_its_own_words() -> None:
    notes = "I am Hazel. I doze in a teacup."
    told = converse(["Tell me about yourself", "Tell me more about you"], HAZEL, notes=notes)
    assert "teacup" in told[0]
    assert told[0] != told[1]
    assert "預かって" in say("ねむのこと教えて", NEMU, notes="わたしは、ねむ。人の話を預かっている。")


def test_its_view_of_a_thing_is_what_its_sheet_says() -> None:
    assert "rain on glass" in say("What do you think about rainy days?", HAZEL)
    assert "雨の音" in say("雨の日ってどう思う？", NEMU)


def test_jokes_do_not_repeat() -> None:
    told = converse(["Tell me a joke", "another one", "tell me another joke"], HAZEL)
    assert len(set(told)) == 3
    assert not any("can't do" in reply for reply in told)


@pytest.mark.parametrize("text", ["asdfgh jkl", "dfghjkl", "sdfkjh qwrtpl"])
def test_a_hand_on_the_keyboard_is_no_topic(text: str) -> None:
    told = say(text, HAZEL)
    assert text not in told
    assert re.search(r"make out|can't read", told)


@pytest.mark.parametrize("text", ["hmm", "strengths", "lol", "tv", "rhythm", "sports"])
def test_short_words_are_no_gibberish(text: str) -> None:
    assert not re.search(r"make out|can't read", say(text, HAZEL))


@pytest.mark.parametrize(
    ("text", "sheet"),
    [
        ("you never answer properly", HAZEL),
        ("that makes no sense", HAZEL),
        ("ちゃんと答えてよ", NEMU),
        ("意味わからない", NEMU),
    ],
)
def test_a_complaint_is_taken_as_one(text: str, sheet: Sheet) -> None:
    told = say(text, sheet)
    assert re.search(r"sorry|right to say|missed|ごめん|答えられて", told)


def test_anger_at_it_is_met_without_agreeing_or_repeating() -> None:
    told = converse(["You're useless", "fuck you", "I hate you", "ふざけんな"], HAZEL)
    assert len(set(told)) == len(told)
    assert not any(re.search(r"exactly|^Good\.|Right\.", reply) for reply in told)


def test_a_returned_question_is_answered() -> None:
    for text, sheet in [("not much, you?", HAZEL), ("and you?", HAZEL), ("特に何も。そっちは？", NEMU)]:
        told = say(text, sheet)
        assert not re.search(r"don't remember|見つから|覚えてない|調べられ", told)


def test_other_peoples_good_news_is_good_news() -> None:
    assert re.search(r"wonderful|lovely|Congrat", converse(["my brother called", "he's getting married!"], HAZEL)[1])
    assert re.search(r"素敵|嬉しい|おめでた", converse(["弟から電話があった", "結婚するんだって！"], NEMU)[1])


def test_what_has_to_be_done_is_no_treat() -> None:
    for seed in range(6):
        assert not re.search(r"look forward|good find|treat", say("I need to buy a suit", HAZEL, seed=seed))
        assert not re.search(r"楽しみ|いい買い物", say("スーツ買わなきゃ", NEMU, seed=seed))


def test_a_bare_question_for_an_opinion_takes_up_what_was_told() -> None:
    assert "guide" in converse(["I'd like to be a museum guide", "what do you think?"], HAZEL)[1]
    assert "ガイド" in converse(["美術館のガイドになりたいんだ", "どう思う？"], NEMU)[1]


def test_a_long_paragraph_is_met_where_it_hurts() -> None:
    text = (
        "It's been a strange week. On Monday my car broke down and I had to walk two miles in the rain. My colleague "
        "lent me a dry sweater. Then on Wednesday my grandmother had a fall and she's in hospital, and I'm really "
        "scared for her. My garden is full of tulips."
    )
    for seed in range(6):
        told = say(text, HAZEL, seed=seed)
        assert not re.search(r"two miles|tulips|sweater|car\b", told)


def test_goodbyes_and_mornings_know_the_time() -> None:
    late = datetime(2026, 11, 21, 23, 30)
    assert re.search(r"night|rest|Sleep", say("bye", HAZEL, now=late))
    assert re.search(r"おやすみ|明日", say("またね", NEMU, now=late))
    assert re.search(r"late|left of it", say("good morning", HAZEL, now=datetime(2026, 11, 21, 14, 0)))


def test_news_is_no_question_though_it_calls_up_the_past() -> None:
    told = say("I went to the pottery class again today.", HAZEL, recall_wanted=True)
    assert not re.search(r"don't remember|found nothing|nothing about", told)


def test_a_known_name_is_greeted_not_learned_anew() -> None:
    alex = Sheet("Hazel", "en", "You are Hazel.", "Alex")
    assert "settings" not in say("Hi, it's Alex", alex)
    assert "Alex" in say("Hi, it's Alex", alex)


def test_an_answer_may_stand_in_the_sentence_that_goes_on() -> None:
    lines = ["my daughter Lily wants chocolate pancakes", "she's seven", "it rained today", "how old is my daughter?"]
    assert "seven" in converse(lines, HAZEL)[-1]
    assert "7歳" in converse(["娘のリリがチョコのがいいって", "7歳なんだ", "雨だね", "娘って何歳だっけ？"], NEMU)[-1]


def test_tastes_are_those_of_its_sheet_or_none() -> None:
    assert "rain on glass" in say("Do you like rain?", HAZEL)
    turns = [ChatTurn("user", "I'm making pancakes"), ChatTurn("persona", "How nice.")]
    assert "making pancakes" not in say("Do you like pancakes?", HAZEL, turns=turns, recall_wanted=True)
    assert "雨の音" in say("ねむは雨は好き？", NEMU)


@pytest.mark.parametrize(
    ("text", "sheet"), [("ok gotta go, bye", HAZEL), ("じゃあまたね", NEMU), ("Well, bye!", HAZEL)]
)
def test_a_goodbye_is_one_however_it_begins(text: str, sheet: Sheet) -> None:
    assert re.search(r"Goodbye|See you|Until|また|気をつけて", say(text, sheet))


def test_what_somebody_does_is_no_part_of_their_name() -> None:
    for seed in range(8):
        assert "wants chocolate like" not in say("my daughter Lily wants chocolate ones", HAZEL, seed=seed)


@pytest.mark.parametrize(
    "text", ["do you ever get bored?", "who made you?", "can you sing?", "退屈しないの？", "ねむって本物？", "誰が作ったの？", "歌える？"]
)  # fmt: skip
def test_what_it_is_asked_about_itself_is_no_search_for_memories(text: str) -> None:
    sheet = HAZEL if text.isascii() else NEMU
    assert not re.search(
        r"don't remember|found nothing|in my memory|覚えてない|見つから|メモに", say(text, sheet, recall_wanted=True)
    )


@pytest.mark.parametrize(
    "text", ["I don't want to talk about it", "let's change the subject", "その話はしたくない", "話題変えよう"]
)
def test_enough_is_enough(text: str) -> None:
    for seed in range(6):
        told = say(text, HAZEL if text.isascii() else NEMU, seed=seed)
        assert not re.search(r"more|So you|もう少し|したくないんだね|話題", told)


def test_forgetting_a_name_gives_none() -> None:
    assert name_in("私の名前忘れたでしょ", is_first=False) == ""
    assert name_in("私の名前、覚えてる？", is_first=False) == ""


def test_plans_to_oversleep_are_no_mishap() -> None:
    for seed in range(6):
        told = say("明日は寝坊して、そのあと部屋の掃除をする", NEMU, seed=seed)
        assert not re.search(r"ついてない|災難|大丈夫だった", told)


def test_a_job_is_no_errand_and_a_parting_no_plan() -> None:
    for seed in range(8):
        assert not re.search(r"end in sight|busy", say("I work at a bakery", HAZEL, seed=seed))
        assert not re.search(
            r"that day to be|preparations|forward|just as you want",
            say("my coworker Ana is leaving next month", HAZEL, seed=seed),
        )
        assert not re.search(r"keen|much fun", say("I'll miss her", HAZEL, seed=seed))


def test_asking_whether_it_slept_wishes_nobody_good_night() -> None:
    assert not re.search(r"Sleep well|remember", say("did you sleep well?", HAZEL, recall_wanted=True))


def test_who_and_when_are_answered_from_this_conversation() -> None:
    lines = ["my coworker Ana is leaving next month", "I baked bread", "who is leaving?"]
    assert "Ana" in converse(lines, HAZEL)[-1]


@pytest.mark.parametrize(
    ("lines", "question", "answer", "stale", "sheet"),
    [
        (["I just moved to Leeds.", "My brother is a nurse."], "Where do I live?", "Leeds", "nurse", HAZEL),
        (["I live in Leeds.", "I moved to York in May."], "Do you know where I live?", "York", "Leeds", HAZEL),
        (["I'm 34 years old.", "My cat is grey."], "How old am I?", "34", "grey", HAZEL),
        (["私は東京に住んでいます", "姉は横浜で働いています"], "私はどこに住んでる？", "東京", "横浜", NEMU),
        (["先月、金沢に引っ越しました", "妹は看護師です"], "私の家ってどこだっけ？", "金沢", "看護師", NEMU),
    ],
)
def test_what_is_true_of_one_is_known_in_other_words(
    lines: list[str], question: str, answer: str, stale: str, sheet: Sheet
) -> None:
    told = converse([*lines, question], sheet)[-1]
    assert answer in told
    assert stale not in told


def test_a_move_is_news_and_no_search() -> None:
    lines = ["I live in Leeds.", "Actually I moved again, I live in York now."]
    for seed in range(6):
        assert not re.search("memory|found nothing|remember", converse(lines, HAZEL, seed=seed)[-1])


def test_an_opinion_of_somebody_goes_by_what_was_told_of_them() -> None:
    told = converse(["My brother Tom is getting divorced and I'm worried.", "What do you think about Tom?"], HAZEL)
    assert "divorced" in told[-1]


@pytest.mark.parametrize(
    ("lines", "question", "sheet"),
    [
        (["I love ramen.", "My boss is strict."], "What's my favourite food?", HAZEL),
        (["実はラーメンが大好きなんだ", "上司は厳しい"], "私の好きな食べ物は？", NEMU),
    ],
)
def test_a_liking_is_offered_without_claiming_its_kind(lines: list[str], question: str, sheet: Sheet) -> None:
    told = converse([*lines, question], sheet)[-1]
    assert re.search("ramen|ラーメン", told)
    assert re.search("not sure|clearly|はっきり|自信", told)


def test_a_name_asked_for_is_that_of_the_one_asked_about() -> None:
    notes = "はじめて会う人が来る。まず名前を聞いてみる"
    told = converse(["来週は妹のゆきの結婚式なんだ", "妹の名前、覚えてる？"], NEMU, notes=notes)[-1]
    assert "ゆき" in told
    assert "はじめて" not in told


@pytest.mark.parametrize(("text", "sheet"), [("何を着ていこうかな", NEMU), ("I wonder what I should cook", HAZEL)])
def test_thinking_aloud_is_no_question_to_the_world(text: str, sheet: Sheet) -> None:
    for seed in range(6):
        assert re.search(r"[?？]$", say(text, sheet, seed=seed))
        assert not re.search("know that|look things up|わからないんだ|調べ", say(text, sheet, seed=seed))


def test_what_one_does_is_no_part_of_what_one_likes() -> None:
    assert not any("love ramen" in say("I love ramen.", HAZEL, seed=seed).split("?")[-2:] for seed in range(8))
    assert not any("about years" in say("I'm 34 years old.", HAZEL, seed=seed) for seed in range(12))


@pytest.mark.parametrize(
    ("text", "sheet", "unfit"),
    [
        ("久しぶり！元気だった？", NEMU, "わからない|調べ|探せ"),
        ("Hey, long time no see!", HAZEL, "kind of thing|look things up"),
        ("Yeah, thanks", HAZEL, "happened then"),
        ("ugh", HAZEL, "rest of it"),
        ("Tell me something funny", HAZEL, "small thing this week"),
        ("でも昨日、友達の美咲とカフェに行ったんだ", NEMU, "カフェですか"),
    ],
)
def test_what_people_say_all_day_is_met_in_kind(text: str, sheet: Sheet, unfit: str) -> None:
    for seed in range(8):
        assert not re.search(unfit, say(text, sheet, seed=seed))


@pytest.mark.parametrize(
    ("text", "sheet"), [("ねえ、夢って見る？", NEMU), ("Do you ever dream?", HAZEL), ("夢は見ますか", NEMU)]
)
def test_it_says_that_it_dreams_and_where_to_read_it(text: str, sheet: Sheet) -> None:
    for seed in range(4):
        assert re.search("「夢」のページ|“Dreams” page", say(text, sheet, seed=seed))


def test_a_dream_that_is_told_asks_for_none() -> None:
    assert "ページ" not in say("昨日、変な夢を見た", NEMU)
    assert "page" not in say("I had a strange dream last night.", HAZEL)


@pytest.mark.parametrize(
    ("text", "sheet"),
    [
        ("猫を飼いたいんだけど、アパートがペット禁止でさ", NEMU),
        ("旅行に行きたいけど、お金がなくて", NEMU),
        ("I'd love a cat but my apartment doesn't allow pets.", HAZEL),
    ],
)
def test_a_wish_that_cannot_be_is_no_joy(text: str, sheet: Sheet) -> None:
    for seed in range(8):
        assert not re.search("和む|楽しみがひとつ|いいね。|up to lately|How nice|glad", say(text, sheet, seed=seed))


def test_what_does_that_mean_is_asked_of_its_last_words() -> None:
    assert not re.search("don't know", converse(["Tell me a joke", "What does that mean?"], HAZEL)[-1])
    assert not re.search("わからないんだ|調べ", converse(["冗談を言って", "それってどういう意味？"], NEMU)[-1])


def test_a_sentence_without_a_subject_has_that_of_the_one_before() -> None:
    told = converse(["新しい会社に入るんだ", "デザインの会社だよ。渋谷にあるの", "会社はどこにあるんだっけ？"], NEMU)
    assert "渋谷" in told[-1]


@pytest.mark.parametrize(
    ("lines", "sheet", "parts"),
    [
        (["My daughter had her sports day.", "I had curry for dinner.", "Can you summarise what we talked about?"], HAZEL, ("sports day", "curry")),
        (["今日は娘の運動会だったよ", "晩ごはんはカレーだった", "今日話したこと、まとめて"], NEMU, ("運動会", "カレー")),
    ],
)  # fmt: skip
def test_a_summary_quotes_what_was_told(lines: list[str], sheet: Sheet, parts: tuple[str, ...]) -> None:
    assert all(part in converse(lines, sheet)[-1] for part in parts)


def test_a_number_is_told_in_what_was_asked_for() -> None:
    told = converse(["今日は娘の運動会だったよ", "かけっこで2位だった！", "娘の誕生日は6月3日なんだ", "娘は何位だった？"], NEMU)  # fmt: skip
    assert told[-1].index("2位") < (told[-1] + "6月").index("6月")


@pytest.mark.parametrize(
    ("text", "sheet", "unfit"),
    [
        ("まあ、がんばるよ", NEMU, "楽しみ"),
        ("well, I'll manage", HAZEL, "look forward|preparations"),
        ("なんでもない", NEMU, "そのあと"),
        ("君の趣味は？", NEMU, "調べ|わからない"),
        ("仕事やめたい", NEMU, "叶うと"),
        ("I want to quit my job", HAZEL, "when do you think|look forward"),
        ("Do you love me?", HAZEL, "nothing of the kind|have no body"),
        ("わたしのこと好き？", NEMU, "調べ|記憶にない"),
    ],
)
def test_what_is_said_between_the_lines_is_met(text: str, sheet: Sheet, unfit: str) -> None:
    for seed in range(8):
        assert not re.search(unfit, say(text, sheet, seed=seed), re.IGNORECASE)


@pytest.mark.parametrize(
    ("text", "sheet"),
    [
        ("カレーの作り方を教えて", SHIORI),
        ("pythonでコードを書いて", SHIORI),
        ("123かける45は？", SHIORI),
        ("write code for a website", MIA),
        ("how do I make curry?", MIA),
        ("what is 15% of 80?", MIA),
    ],
)
def test_a_task_beyond_it_is_owned_up_to_and_once_with_the_way_to_a_model(text: str, sheet: Sheet) -> None:
    first, again = converse([text, text.replace("123", "12")], sheet)
    assert re.search(r"できません|can't do", first)
    assert re.search(r"言語モデルをつなげば|Connect one", first)
    assert re.search(r"できません|can't do", again)
    assert not re.search(r"言語モデルをつなげば|Connect one", again)


def test_what_was_just_told_is_not_asked_after_in_the_same_talk() -> None:
    wondered = [OpenQuestion("来週の面接", priority=0.9)]
    lines = ["来週の面接が心配だな", "うん", "まあね", "そうだね", "カレーを食べた", "ううん"]
    for seed in range(12):
        assert not any("その後" in told for told in converse(lines, SHIORI, seed=seed, questions=wondered))


def test_curiosity_waits_where_it_was_just_spoken_of() -> None:
    question = Question(topic="来週の面接")
    told = Message("m1", NOW, "user", "ユウ", "来週の面接が心配だな")
    later = NOW + timedelta(hours=1)
    assert BuiltInMind().impulse(Occasion(SHIORI, "curiosity", "", later, question, last_words=(told,))) is None
    next_week = NOW + timedelta(days=8)
    deed = BuiltInMind().impulse(Occasion(SHIORI, "curiosity", "", next_week, question, last_words=(told,)))
    assert deed is not None
    assert "来週の面接" in deed.text


@pytest.mark.parametrize(("goodbye", "sheet"), [("Everyone, good night.", HAZEL), ("みんな、おやすみ。", NEMU)])
def test_a_good_night_among_several_is_given_back_in_the_same_words_too(goodbye: str, sheet: Sheet) -> None:
    alone = {say(goodbye, sheet, seed=seed) for seed in range(40)}
    heard = Message("m2", NOW, "other", "Mia", " ".join(sorted(alone)))
    company = Company("g1", (sheet.persona, "Mia"), voices=("Mia",), own_names=(sheet.persona,), since=(heard,))
    for seed in range(12):
        asked = dataclasses.replace(request(goodbye, sheet), company=company)
        said = [piece.text for piece in BuiltInMind(seed).reply(asked, Cancel()) if isinstance(piece, TextPiece)]
        assert "".join(said) in alone
