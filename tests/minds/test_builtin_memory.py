"""What the built-in mind says of the past: the fact that was asked for, with its day, or owned up to as unknown."""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial

from agent.minds.builtin.answers.citation import report
from agent.minds.builtin.answers.known import relation_of
from agent.minds.builtin.dreams.open_questions import find_questions
from agent.minds.builtin.dreams.summary import summarise_day
from agent.minds.builtin.talk.voice import read_voice
from managers.language.reading.corrections import read_correction
from managers.language.reading.values import values_in
from managers.memory.messages import Message
from managers.mind import ChatTurn, SelfKnowledge, Sheet
from managers.recall.hits import Hit
from managers.sleep.tasks import DayMaterial, QuestionMaterial
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
    ("My friend Agnes bought a blue bicycle. / What colour is Agnes's bicycle?", "^Blue.*[Mm]onday", ""),
    ("Our mum's birthday is on 14 December. / When is Mum's birthday?", "^On 14 December.*[Mm]onday", ""),
    (f"{NEIL} / Where does Neil work?", "^In a bakery.*[Mm]onday", ""),
    ("The wifi code is 8812. / What's my wifi code?", "^8812.*[Mm]onday", ""),
    ("My boat was called the Margaret Ann, after my wife. / What was my boat called?", "^Margaret Ann.*[Mm]onday", ""),
    ("Ada is 6, Tobi is 9 / How old is Tobi?", "^9.*[Mm]onday", ""),
    ("うちの猫のクロは真っ黒で、3歳なんだ / クロの色は？", "^真っ黒.*月曜日", ""),
    ("うちの猫のクロは真っ黒で、3歳なんだ / クロって何歳だっけ", "^3歳.*月曜日", ""),
    ("母の誕生日は12月14日 / 母の誕生日いつだっけ？", "^12月14日.*月曜日", ""),
    (f"{NIIRU} / ニールはどこで働いてる？", "^パン屋.*月曜日", ""),
    ("船の名前は第八海幸丸だ / わしの船の名前は何だった？", "^第八海幸丸.*月曜日", ""),
    # nobody's for somebody else's, and not of another thing
    ("Our mum's birthday is on 14 December. / When's my birthday?", "", "14"),
    ("母の誕生日は12月14日 / 私の誕生日はいつ？", "", "14"),
    ("母の誕生日は12月14日 / 母さんが来るのはいつだっけ？", "", "^12月14日"),
    ("Our mum's birthday is on 14 December. / When does Mum arrive?", "", "^On 14"),
    ("ゴンはすごく強いよ / ともだちのそうたくんとサッカーした / ゴンって誰？", "", "サッカー"),
    ("My son Peter works on the rigs. / My granddaughter Isla started nursing school. / What does Isla do?", "", "rigs"),
    # what was put right
    ("I'm picking Mum up from the airport on Thursday. / No, it's on Friday. / When am I picking Mum up?", "^On Friday", ""),
    ("木曜に母を空港まで迎えに行くよ / いや、金曜だよ / 母を迎えに行くのはいつ？", "^金曜", ""),
    # who is wondered about
    ("うちの猫のクロは真っ黒で、3歳なんだ / クロは元気かな", "真っ黒で、3歳だって.*月曜日|月曜日.*真っ黒で、3歳だって", ""),
    ("I had a fight with Neil about the car. / How is Neil, I wonder.", "you had a fight with Neil about the car", ""),
    ("I had a fight with Neil about the car. / What did Neil and I fall out about?", "about the car", ""),
    ("車は青いプジョーに乗ってるよ / 私の車、何色って言ったっけ？", "^青", ""),
    # a liking is offered without claiming its kind
    ("I love ramen. / My boss is strict. / What's my favourite food?", "(?s)(?=.*ramen)(?=.*(?:not sure|clearly))", ""),
    ("実はラーメンが大好きなんだ / 上司は厳しい / 私の好きな食べ物は？", "(?s)(?=.*ラーメン)(?=.*(?:はっきり|自信))", ""),
    ("妻の誕生日は11月20日です / 妻の誕生日はいつ？", "11月20日", ""),
]  # fmt: skip
IN_THIS_TALK: list[Row] = [
    ("I forgot my lunch today, typical.", "", "remember|memory"),
    ("My aunt is called Alma. / I forgot my aunt's name", "Alma", ""),
    ("妹の誕生日は6月3日なんだ / 妹の誕生日、忘れちゃった", "6月3日", ""),
    ("Do you have a body?", "no body", ""),
    ("体はある？", "体がない", ""),
    ("Didn't I tell you that I speak French?", "", "no body"),
    ("猫を飼ってる。名前はモモ。 / 猫を飼ってるって言ったよね？", "猫を飼ってる", "体がない|経験がない"),
    ("My cat is called Biscuit. / Didn't I tell you about my cat?", "Biscuit", "body"),
    ("猫を飼ってるって言ったよね", "見つから|記憶にない", "体がない|経験がない"),
    ("My wife Anna is expecting! / We can't decide on a name. I like Paul, she likes Omar. / What name does Anna like?", r"(?s)^(?:(?!Also|And there is|And then).)*Omar", ""),
    ("My grandson Jack comes on Sundays. / He wants to be an engineer. / What does Jack want to be?", "engineer", ""),
    ("My granddaughter had her baby last night! / They've called her Rose. / What's the baby called?", "Rose", ""),
    ("My boss is called Ken. / I baked bread today. / The boxes took four days. / What did I say about my boss?", "Ken", "bread"),
    ("My boss is called Ken. / I baked bread today. / The boxes took four days. / do you remember how many days the boxes took?", "(?i)four days", ""),
    ("my daughter Lily wants chocolate pancakes / she's seven / it rained today / how old is my daughter?", "(?i)seven", ""),
    ("娘のリリがチョコのがいいって / 7歳なんだ / 雨だね / 娘って何歳だっけ？", "7歳", ""),
    ("my coworker Ana is leaving next month / I baked bread / who is leaving?", "Ana", ""),
    ("I just moved to Leeds. / My brother is a nurse. / Where do I live?", "Leeds", "nurse"),
    ("I live in Leeds. / I moved to York in May. / Do you know where I live?", "York", "Leeds"),
    ("I live in Leeds. / Actually I moved again, I live in York now.", "", "memory|found nothing|remember"),
    ("I'm 34 years old. / My cat is grey. / How old am I?", "34", "grey"),
    ("私は東京に住んでいます / 姉は横浜で働いています / 私はどこに住んでる？", "東京", "横浜"),
    ("先月、金沢に引っ越しました / 妹は看護師です / 私の家ってどこだっけ？", "金沢", "看護師"),
    ("新しい会社に入るんだ / デザインの会社だよ。渋谷にあるの / 会社はどこにあるんだっけ？", "渋谷", ""),
    ("父とはよく釣りに行ったなあ。江ノ島とか。 / 父とどこに釣りに行ったっけ？", "江ノ島", ""),
    ("今日は娘の運動会だったよ / かけっこで2位だった！ / 娘の誕生日は6月3日なんだ / 娘は何位だった？", "^(?:(?!6月).)*2位", ""),
    ("名前は遥。横浜で図書館の司書をしてる。 / 夫は銀行で働いてる / 昨日は雨だったね / 私の仕事は？", "司書", "銀行"),
    ("わしは茂。岐阜で三十年、大工をしとった。 / 昨日は雨だったね / わしの仕事は何だったか覚えとるか", "大工", ""),
    ("アパレルで店員してるんだけど、店長がうざい / 夫は銀行で働いてる / 私ってどこで働いてるか覚えてる？", "店員", "銀行"),
    ("ランドセルは青がいいんだって。 / 父が去年の秋に亡くなってね。 / ランドセルは何色がいいって言ってた？", "青", "父"),
    ("推しはKENTOくん！ / 友達の莉子と行く予定だったのに / 私の推しって誰だっけ？", "KENTO", "莉子"),
    ("来週の木曜は整形外科の予約だ。10時半からだったかな。 / 雨だね / 医者の予約はいつだったかな", "(?s)(?=.*木曜)(?=.*10時半)", ""),
    ("おもちは2歳だよ / 来月3日はおもちのワクチンだ / おもちって何歳？", "2歳", "ワクチン"),
    ("My daughter Noor is 7 and plays the cello. / What instrument does she play?", "cello", ""),
    ("佐知子さんと会う約束は何曜日でしたか / 私は何歳？", "", "何曜日"),
    ("<img src=x onerror=alert(1)> my cat is called Pixel / what is my cat's name?", "Pixel", "onerror"),
    ("I am going to France. / What's the capital of France?", "", "France.*France"),
    ("妹の名前はアヤだよ / 私の名前、わかる？", "", "アヤ"),
    # what is summed up
    ("My daughter had her sports day. / I had curry for dinner. / Can you summarise what we talked about?", "(?s)(?=.*sports day)(?=.*curry)", ""),
    ("今日は娘の運動会だったよ / 晩ごはんはカレーだった / 今日話したこと、まとめて", "(?s)(?=.*運動会)(?=.*カレー)", ""),
    ("今日から日記がわりに話しかけるね。 / 夫の健太がカレー作ってくれた。 / 父が去年の秋に亡くなってね。 / 来週の健康診断があるの忘れそう / 今日話したこと、まとめて", "(?s)(?=.*健太)(?=.*父)", "日記|忘れそう"),
    ("Hi, I'm Tom. / I teach maths at a school in Leeds. / The traffic was slow this morning. / My wife Anna is expecting, due in May! / Maybe I should call her. / What do you know about me?", "(?s)(?=.*You're Tom)(?=.*teach maths)(?=.*Anna is expecting)", "traffic|Maybe|My name is"),
    ("図書館で働いてるんだ。 / 今日は道が混んでた。 / うちの猫はモモっていうの。 / わたしのこと、どれくらい知ってる？", "(?s)(?=.*図書館)(?=.*モモ)", "混んで"),
]  # fmt: skip
FROM_MEMORY: list[Row] = [
    ("The concert was loud. / I went to the concert with Emma. / Who did I go to the concert with?", "you went to the concert with Emma", "loud"),
    ("I love my plants. / I have seven plants now. / How many plants do I have?", "Seven plants", "love"),
    ("My bike is so fast. / I bought my bike in Portland. / Where did I buy my bike?", "In Portland", "fast"),
    ("映画は長かった。 / 映画は佐藤さんと行ったよ。 / 誰と映画に行ったっけ？", "佐藤さんと行った", "長かった"),
    ("本を買うのが好き。 / 本を三冊買ったんだ。 / 本は何冊買った？", "三冊", "好き"),
    ("Remember that my locker code is 4471. / Actually, the locker code is 4417. / What's my locker code?", "^4417", ""),
    ("How old is Noor? / My daughter Noor is 7 and plays the cello. / Did I tell you how old Noor is?", "7", "How old"),
    ("来月、IT企業の面接を受けるつもりです / 面接っていつだっけ", "", "のことだよ|(?<!話)だね。「"),
    ("昨日はカレーを食べました / 私の車の色は何だったっけ？", UNKNOWN, ""),
    ("私の母の誕生日はいつだっけ？", f"(?s)(?=.*誕生日)(?=.*(?:{UNKNOWN}))", "「"),
    ("When is my mother's birthday?", f"(?s)(?=.*birthday)(?=.*(?:{UNKNOWN}))", "“"),
    ("主人が三月に亡くなりました / 主人の耳は大きかったの", "", "よく話す"),
    ("I do yoga. / Do you have a body?", "no body", ""),
    ("花屋で働いてみたいと思ったことがあります / 好きな花はガーベラだよ。 / 私、好きな花のことを何て言ったっけ？", "「好きな花はガーベラだよ」", ""),
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


def test_when_is_said_as_people_say_it() -> None:
    wrong = []
    for days, ja, en in (
        (0, "今日の朝", "earlier today"), (1, "昨日", "yesterday"), (2, "おととい", "on Thursday"),
        (4, "火曜日", "on Tuesday"), (8, "先週の金曜日", "last Friday"), (60, "9月22日", "on 22 September"),
        (400, "去年の10月17日", "on 17 October last year"), (1500, "2022年10月13日", "on 13 October 2022"),
    ):  # fmt: skip
        then = datetime(2026, 11, 21, 9, 0) - timedelta(days=days)
        told = say("猫の名前を覚えてる？", hits=[hit("猫の名前はミケです", then)], recall_wanted=True)
        told += say("What is my cat's name?", MIA, hits=[hit("My cat's name is Biscuit.", then, "Alex")], recall_wanted=True)  # fmt: skip
        wrong += [told] * (ja not in told or en.lower() not in told.lower())
    assert wrong == []


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
    lines = ["来週は妹のゆきの結婚式なんだ", "妹の名前、覚えてる？"]
    told = in_one_talk(lines, NEMU, seed=0, notes="はじめて会う人が来る。まず名前を聞いてみる")
    assert "ゆき" in told
    assert "はじめて" not in told
    turns = [ChatTurn("user", "妹の名前はアヤ。覚えておいて", NOW), ChatTurn("persona", "書き留めました。", NOW)]
    told = say("妹の名前、覚えてる？", turns=turns, notes="2026-11-21 妹の名前はアヤ", recall_wanted=True)
    assert told.count("アヤ") == 1
    fact = Hit(
        "- あなた「四十六年、一緒でした」", "entity_memory", "semantic", "entity_memory/あなた.md", ("x",), 0.5, NOW
    )
    told = say("主人とは何年一緒だった？", NEMU, hits=[fact], recall_wanted=True)
    assert "四十六年、一緒だった" in told
    assert not re.search("- あなた|^今日", told)  # the file is of today, the words are not


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
    hits = [
        hit(f"I counted {n} blue herons near the long canal today.", NOW - timedelta(days=15 - n)) for n in range(3)
    ]
    hits.append(hit("Ines told me about the budget.", datetime(2026, 11, 19, 20)))
    told = say("What did we talk about last Thursday?", HAZEL, hits=hits, recall_wanted=True)
    assert "Ines" in told
    assert "herons" not in told
    turns = [
        ChatTurn("user", "妻の誕生日は11月20日です", NOW - timedelta(days=1)),
        ChatTurn("user", "コーヒーを3杯飲んだ", NOW),
    ]
    assert "コーヒー" not in say("妻の誕生日はいつ？", NEMU, turns=turns)


def test_date_and_time() -> None:
    for asked, told in (("今日は何日？", "11月21日"), ("今日は何曜日？", "土曜日"), ("明日は何曜日？", "日曜日"), ("今何時？", "午後3時"), ("What day is it today?", "Saturday, 21 November 2026")):  # fmt: skip
        assert told in say(asked, MIA if asked.isascii() else SHIORI)


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


def test_what_was_told_is_turned_to_the_listeners_side_or_not_at_all() -> None:
    ja, en = read_voice(NEMU, "ja"), read_voice(HAZEL, "en")
    friday = MONDAY + timedelta(days=4)
    assert report("Well, my exam is tomorrow.", MONDAY, friday, en) == "your exam is on Tuesday"
    assert report("明日、面接がある", MONDAY, friday, ja) == "火曜日、面接がある"
    assert report("My exam is next week.", MONDAY, friday, en) == ""  # another week by now
    assert report("Do you like my hat?", MONDAY, friday, en) == ""
    assert report("私は看護師です", MONDAY, friday, ja) == "看護師だ"
    found = [
        relation_of("Zoe", ["my best friend is Zoe"], en),
        relation_of("Biscuit", ["My cat is called Biscuit."], en),
        relation_of("Neil", ["Neil is my little brother."], en),
        relation_of("アグネス", ["アグネスは大学の友達なんだ"], ja),
        relation_of("Neil", ["My brother met Neil."], en),
    ]
    spoken = [one and one.spoken for one in found]
    assert spoken == ["your best friend", "your cat", "your little brother", "お友達", None]
    assert [v.text for v in values_in("白くてふわふわ", "ja", ["colour"])] == ["白"]
    assert [v.text for v in values_in("on 3 May at 5 pm", "en")] == ["on 3 May", "at 5 pm"]


def test_a_death_is_the_days_event_and_no_open_question() -> None:
    texts = ["主人が三月に亡くなりました", "朝、味噌汁をふたり分作ってしまうの", "ひとり分の作り方がわからない", "庭の梅の木を切ろうか迷っています", "隣の町の図書館まで歩きました"]  # fmt: skip
    messages = tuple(Message(f"m{at}", NOW + timedelta(minutes=at), "user", "和子", text) for at, text in enumerate(texts))  # fmt: skip
    day = DayMaterial(NEMU, NOW.date(), messages)
    assert any("亡くなりました" in event.text for event in summarise_day(day).key_events)
    assert not any("主人" in question.topic for question in find_questions(QuestionMaterial(day)).questions)


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
