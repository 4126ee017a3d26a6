"""What the built-in mind says of the past: the fact that was asked for, with its day, or owned up to as unknown."""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial

from managers.language.reading.corrections import read_correction
from managers.mind import ChatTurn, SelfKnowledge, Sheet
from tests.minds.speaking import HAZEL, MIA, NEMU, NOW, SHIORI, Row, check, fit, hit, in_one_talk, request, say, speak

MONDAY = datetime(2026, 11, 16, 20)
UNKNOWN = r"覚えて(?:い)?ない|見つからなかった|記憶にない|思い出せない|自信は|don't remember|found nothing|nothing about|not sure"


def in_this_talk(lines: Sequence[str], sheet: Sheet, *, seed: int) -> str:
    return in_one_talk(lines, sheet, seed=seed, recall_wanted=True)


def since_monday(lines: Sequence[str], sheet: Sheet, *, seed: int) -> str:
    """Ask, on Saturday, what was told on Monday."""
    turns = [ChatTurn("user", text, MONDAY + timedelta(minutes=place)) for place, text in enumerate(lines[:-1])]
    return say(lines[-1], replace(sheet, user_name="ユウ" * (sheet.language == "ja")), turns=turns, recall_wanted=True, seed=seed)  # fmt: skip


def from_memory(lines: Sequence[str], sheet: Sheet, *, seed: int) -> str:
    """Ask what recall finds as told on different days, the last line the latest."""
    hits = [hit(text, NOW - timedelta(days=9 - place), "You") for place, text in enumerate(lines[:-1])]
    return say(lines[-1], sheet, hits=hits, recall_wanted=True, seed=seed)


NEIL = "My brother Neil moved to Leeds in May. / He works in a bakery and he hates mornings."
NIIRU = "弟のニールが5月にリーズに引っ越したんだ / ニールはパン屋で働いてる"
ON_MONDAY: list[Row] = [
    (f"{NEIL} / Who is Neil?", r"(?is)^(?:Neil is|That's) your brother\..*he moved to Leeds in May", "“"),
    (f"{NEIL} / Who is Neil?", "(?i)on monday", ""),
    (f"{NIIRU} / ニールって誰だっけ？", "^ニールは、?弟さんだ.*リーズに引っ越した", "「"),
    # the value comes first, and its day with it
    ("My cat is called Biscuit. She's ginger. / What colour is Biscuit?", "^Ginger.*[Mm]onday", ""),
    ("Our mum's birthday is on 14 December. / When is Mum's birthday?", "^On 14 December.*[Mm]onday", ""),
    ("うちの猫のクロは真っ黒で、3歳なんだ / クロの色は？", "^真っ黒.*月曜日", ""),
    ("母の誕生日は12月14日 / 母の誕生日いつだっけ？", "^12月14日.*月曜日", ""),
    # nobody's for somebody else's, and not of another thing
    ("Our mum's birthday is on 14 December. / When's my birthday?", "", "14"),
    ("母の誕生日は12月14日 / 私の誕生日はいつ？", "", "14"),
    ("My son Peter works on the rigs. / My granddaughter Isla started nursing school. / What does Isla do?", "", "rigs"),
    # what was put right
    ("I'm picking Mum up from the airport on Thursday. / No, it's on Friday. / When am I picking Mum up?", "^On Friday", ""),
    ("木曜に母を空港まで迎えに行くよ / いや、金曜だよ / 母を迎えに行くのはいつ？", "^金曜", ""),
    # who is wondered about
    # a liking is offered without claiming its kind
    ("I love ramen. / My boss is strict. / What's my favourite food?", "(?s)(?=.*ramen)(?=.*(?:not sure|clearly))", ""),
    ("実はラーメンが大好きなんだ / 上司は厳しい / 私の好きな食べ物は？", "(?s)(?=.*ラーメン)(?=.*(?:はっきり|自信))", ""),
]  # fmt: skip
IN_THIS_TALK: list[Row] = [
    ("My boss is called Ken. / I baked bread today. / The boxes took four days. / What did I say about my boss?", "Ken", "bread"),
    ("my daughter Lily wants chocolate pancakes / she's seven / it rained today / how old is my daughter?", "(?i)seven", ""),
    ("I just moved to Leeds. / My brother is a nurse. / Where do I live?", "Leeds", "nurse"),
    ("I live in Leeds. / I moved to York in May. / Do you know where I live?", "York", "Leeds"),
    ("私は東京に住んでいます / 姉は横浜で働いています / 私はどこに住んでる？", "東京", "横浜"),
    ("名前は遥。横浜で図書館の司書をしてる。 / 夫は銀行で働いてる / 昨日は雨だったね / 私の仕事は？", "司書", "銀行"),
    ("<img src=x onerror=alert(1)> my cat is called Pixel / what is my cat's name?", "Pixel", "onerror"),
    ("妹の名前はアヤだよ / 私の名前、わかる？", "", "アヤ"),
    # what is summed up
    ("My daughter had her sports day. / I had curry for dinner. / Can you summarise what we talked about?", "(?s)(?=.*sports day)(?=.*curry)", ""),
    ("今日は娘の運動会だったよ / 晩ごはんはカレーだった / 今日話したこと、まとめて", "(?s)(?=.*運動会)(?=.*カレー)", ""),
    ("Hi, I'm Tom. / I teach maths at a school in Leeds. / The traffic was slow this morning. / My wife Anna is expecting, due in May! / Maybe I should call her. / What do you know about me?", "(?s)(?=.*You're Tom)(?=.*teach maths)(?=.*Anna is expecting)", "traffic|Maybe|My name is"),
]  # fmt: skip
FROM_MEMORY: list[Row] = [
    ("The concert was loud. / I went to the concert with Emma. / Who did I go to the concert with?", "you went to the concert with Emma", "loud"),
    ("I love my plants. / I have seven plants now. / How many plants do I have?", "Seven plants", "love"),
    ("映画は長かった。 / 映画は佐藤さんと行ったよ。 / 誰と映画に行ったっけ？", "佐藤さんと行った", "長かった"),
    ("Remember that my locker code is 4471. / Actually, the locker code is 4417. / What's my locker code?", "^4417", ""),
    ("昨日はカレーを食べました / 私の車の色は何だったっけ？", UNKNOWN, ""),
    ("私の母の誕生日はいつだっけ？", f"(?s)(?=.*誕生日)(?=.*(?:{UNKNOWN}))", "「"),
    ("When is my mother's birthday?", f"(?s)(?=.*birthday)(?=.*(?:{UNKNOWN}))", "“"),
]  # fmt: skip


def test_what_was_told_is_the_answer_with_its_day_and_nothing_else() -> None:
    check(ON_MONDAY, range(3), since_monday)
    check(IN_THIS_TALK, range(2), in_this_talk)
    check(FROM_MEMORY, range(3), from_memory)


def test_who_said_it_is_said_and_what_the_persona_itself_only_echoed_is_no_answer() -> None:
    yesterday = NOW - timedelta(days=1)
    hits = [hit("フルーツグラノーラがおすすめですよ", yesterday, "しおり")]
    told = say("あなたが前におすすめしてくれた朝ごはんは何でしたっけ？", hits=hits, recall_wanted=True)
    assert re.search(r"昨日.*私(?:は|のほうから)「フルーツグラノーラ", told)
    hits = [hit("I recommend granola for breakfast.", yesterday, "Mia")]
    told = say("What breakfast did you recommend?", MIA, hits=hits, recall_wanted=True)
    assert re.search(r"Yesterday I (?:said|told you): “I recommend granola", told)
    echoes = [hit("So you have a database to move.", yesterday, "Hazel"), hit("I found nothing about the database.", yesterday, "Hazel")]  # fmt: skip
    told = say("What database do we use?", HAZEL, hits=echoes, recall_wanted=True)
    assert not re.search("I said|I told you", told)


def test_all_that_it_quotes_was_said_or_noted() -> None:
    notes = "- ユウさんは横浜に住んでいる"
    flowers = [
        hit("花屋さんで働いてみたいと思ったことがあります", datetime(2026, 9, 1)),
        hit("好きな花はガーベラです。", datetime(2026, 8, 13)),
    ]
    sources = " ".join([*(found.text for found in flowers), notes, SHIORI.system_prompt, "記憶", "内蔵の心"])
    for question in ("私の好きな花は？", "私について何を知ってる？", "花屋の話、覚えてる？", "昨日何を話したっけ？", "私の夢は何だった？"):  # fmt: skip
        for seed in range(3):
            told = say(question, hits=flowers, recall_wanted=True, notes=notes, seed=seed)
            assert [quoted for quoted in re.findall(r"「([^」]*)」", told) if quoted not in sources] == [], told
    assert "8月13日" in say("私の好きな花って何だったっけ？", hits=flowers, recall_wanted=True)


def test_notes_answer_too_and_hold_what_is_known_with_earlier_days() -> None:
    notes = "# コアメモリ\n- ユウさんは横浜に住んでいる\n- 私はしおり。本が好き"
    assert "横浜" in say("私ってどこに住んでるか覚えてる？", notes=notes, recall_wanted=True)
    known = say("私のこと、何を知ってる？", notes=notes)
    assert "横浜" in known
    assert "本が好き" not in known
    then, tom = NOW.replace(month=8), Sheet("Hazel", "en", "You are Hazel.", "Tom")
    hits = [hit("I work at the harbour office.", then, "Tom"), hit("It rained.", then, "Tom")]
    told = say("How well do you know me?", tom, hits=hits, notes="- 2026-08-01 Tom said: “I am allergic to nuts”")
    assert "harbour office" in told
    assert "allergic to nuts" in told
    assert "rained" not in told


def test_what_is_asked_of_one_day_is_of_that_day() -> None:
    hits = [
        hit("来月、簿記の試験を受けることにした", datetime(2026, 11, 20, 10)),
        hit("駅前に新しいパン屋ができた", datetime(2026, 11, 20, 12)),
        hit("九月に温泉旅行へ行った", datetime(2026, 9, 20, 12)),
    ]
    told = say("昨日は何の話をしたっけ？", hits=hits, recall_wanted=True)
    assert re.search("簿記", told)
    assert re.search("パン屋", told)
    assert "温泉" not in told
    turns = [ChatTurn("user", "車検は来週に予約したよ", NOW - timedelta(minutes=5))]
    told = say("今日何を話した？", NEMU, turns=turns, hits=hits, recall_wanted=True)
    assert "車検" in told
    assert "温泉" not in told


def test_only_the_value_of_a_correction_is_exchanged() -> None:
    wrong = []
    for text, before, corrected in (
        ("Not Thursday, Friday.", "I'm picking Mum up on Thursday.", "I'm picking Mum up on Friday."),
        ("Sorry, she's 8", "My daughter Noor is 7.", "My daughter Noor is 8."),
        ("やっぱり土曜にした", "木曜に行くよ", "土曜に行くよ"),
        ("検査は水曜だった、間違えた", "来週の火曜に検査がある", "来週の水曜に検査がある"),
        ("Oh no, on Monday I have an exam", "On Tuesday we go swimming", None),
        ("No, I went to the cinema on Friday with Tom", "I work on Thursday", None),
        ("No, I don't think so.", "I work on Thursday", None),
    ):
        found = read_correction(text, [before])
        wrong += [text] * ((found.corrected if found else None) != corrected)
    assert wrong == []
    appointment = "I've a doctor's appointment on Wednesday."
    assert read_correction("No, it's on Friday.", [], [appointment]) is None  # of an earlier day: it must be named
    turns = [
        ChatTurn("user", appointment, MONDAY),
        ChatTurn("user", "The doctor's is on Thursday, not Wednesday.", MONDAY + timedelta(days=1)),
    ]
    told = say("When's my doctor's appointment?", HAZEL, turns=turns, recall_wanted=True)
    assert told.startswith("On Thursday")
    assert "Friday" in in_one_talk(["I'm picking Mum up on Thursday.", "No, it's on Friday."], HAZEL, seed=0)


def test_it_tells_of_its_inner_life_from_memory_and_of_what_it_has_not_that_it_has_none() -> None:
    selves = {
        True: SelfKnowledge("With “exams”, ask about the fear first.", ("Support Tom with “learning Welsh”",), "curiosity", ("In my dream I walked around “Welsh”.",)),
        False: SelfKnowledge("急がずに聞く", ("ユウの「簿記」を応援する",), "devotion", ("夢の中で、「簿記」のまわりを歩いていた。",)),
    }  # fmt: skip
    wrong = []
    for asked, words in {
        "What are your goals?": "learning Welsh", "What is your strategy?": "ask about the fear first",
        "What did you dream last night?": "walked around", "How do you feel?": "you told me",
        "Why did you write your diary?": "moves me", "あなたの目標は何？": "簿記", "方針はある？": "急がずに聞く",
        "どんな夢を見た？": "まわりを歩いていた", "今、何がしたい？": "力になりたい", "何か目標ある？": "簿記",
        "いま何に向かってる？": "簿記", "今いちばん強い気持ちは？": "力になりたい", "最近何を考えてる？": "力になりたい",
        "どうして日記を書いたの？": "心が動いた",
    }.items():  # fmt: skip
        sheet = replace(fit(asked), user_name="Tom" if asked.isascii() else "ユウ")
        told = speak(replace(request(asked, sheet), itself=partial(selves.__getitem__, asked.isascii())))
        wrong += [f"{asked} → {told}"] * (words not in told)
        told = speak(replace(request(asked, sheet), itself=SelfKnowledge))
        wrong += [f"{asked} → {told}"] * bool(re.search("“[^D]|body|体がない|経験がない", told))
    assert wrong == []
