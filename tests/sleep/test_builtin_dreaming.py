"""What the built-in mind makes of conversations: small ones here, and the real ones where they are at hand."""

import json
import re
from collections import defaultdict
from datetime import date, datetime, timedelta
from pathlib import Path
from random import Random

import pytest

from agent.minds.builtin.dreams.statements import said_in
from agent.minds.builtin.dreams.summary import day_topics
from agent.minds.builtin.mind import BuiltInDreamMind
from managers.memory.entities import Entity, Fact, find_by_name, with_fact
from managers.memory.episodes import Episode
from managers.memory.goals import Goal, Goals, GoalStore
from managers.memory.insights import InsightStore
from managers.memory.log import ConversationLog
from managers.memory.messages import Message
from managers.memory.questions import Question, QuestionStore
from managers.mind import Cancel, Sheet
from managers.sleep.tasks import (
    AnswerMaterial,
    DayMaterial,
    EntityMaterial,
    Level,
    QuestionMaterial,
    ReflectionMaterial,
)
from managers.storage.errors import Lang
from managers.storage.paths import PersonaPaths
from tests.fakes import HandClock
from tests.sleep.dreamers import make_dreamer

DATA = Path(__file__).parents[3] / "shared" / "data"
MIND = BuiltInDreamMind()
NOON = datetime(2026, 5, 4, 12)


def day(*lines: str, lang: str = "en", by: str = "user") -> DayMaterial:
    user, persona = ("Hana", "Nemu") if lang == "en" else ("花", "ねむ")
    sheet = Sheet(persona, "en" if lang == "en" else "ja", "", user_name=user)
    messages = tuple(
        Message(
            f"m{n}",
            NOON + timedelta(minutes=n),
            "user" if by == "user" else "persona",
            user if by == "user" else persona,
            line,
        )
        for n, line in enumerate(lines)
    )
    return DayMaterial(sheet, NOON.date(), messages)


def entities(material: DayMaterial, *known: Entity) -> dict[str, list[str]]:
    found = MIND.describe_entities(EntityMaterial(material, known), Cancel()).entities
    return {f"{one.name} ({one.kind})": [fact.text for fact in one.facts] for one in found}


@pytest.mark.parametrize(
    ("lang", "line", "expected"),
    [
        ("en", "My sister Aiko moved to Oslo last month.", {"Aiko (person)", "Oslo (place)"}),
        ("en", "My little sister is visiting us today.", {"Hana's sister (person)"}),
        ("en", "I loved reading “Charlotte's Web” as a kid.", {"Charlotte's Web (work)"}),
        ("en", "We adopted a cat named Bailey last week.", {"Bailey (pet)"}),
        ("ja", "昨日、姉と有馬温泉に行きました。", {"花の姉 (person)", "有馬温泉 (place)"}),
        ("ja", "田中さんにお土産をもらいました。", {"田中さん (person)"}),
        ("ja", "うちの猫のモモちゃんが入院しています。", {"モモちゃん (pet)"}),
    ],
)
def test_people_pets_places_and_works_are_found(lang: str, line: str, expected: set[str]) -> None:
    assert expected <= entities(day(line, lang=lang)).keys()


def test_a_relative_with_a_name_is_one_person() -> None:
    found = MIND.describe_entities(
        EntityMaterial(day("My sister Aiko moved to Oslo.", "My sister loves it.")), Cancel()
    )
    aiko = next(entity for entity in found.entities if entity.name == "Aiko")
    assert aiko.aliases == ["Hana's sister"]


@pytest.mark.parametrize(
    ("lang", "line"),
    [
        ("en", "Have you ever been to Oslo?"),
        ("en", "Thanks, Nemu! That's so sweet of you."),
        ("ja", "京都に行ったことはありますか？"),
        ("ja", "ありがとうございます！よろしくお願いします。"),
    ],
)
def test_questions_and_courtesies_are_no_facts(lang: str, line: str) -> None:
    assert entities(day(line, lang=lang)) == {}


@pytest.mark.parametrize(
    ("lang", "slot", "again", "changed"),
    [
        ("ja", "home", "今は京都に住んでいます。", "先月、札幌に引っ越しました。"),
        ("ja", "work", "駅前の本屋で働いています。", "今年から図書館に転職しました。"),
        ("en", "home", "I live in Kansai, you know.", "I just moved to Sapporo with my sister."),
        ("en", "work", "I work at the bookshop on Elm Street.", "I just started a new job at the library."),
    ],
)
def test_only_a_change_replaces_what_is_true_of_one_thing(lang: str, slot: str, again: str, changed: str) -> None:
    name = "花" if lang == "ja" else "Hana"
    known = Entity(name, "person", lines=(Fact("…", ("a",), "built-in", "f_1", slot, "2026-01-01"),))

    def slots(line: str, *entities: Entity) -> list[str]:
        found = MIND.describe_entities(EntityMaterial(day(line, lang=lang), entities), Cancel()).entities
        return [fact.slot for fact in next(entity for entity in found if entity.name == name).facts]

    assert slots(again) == [slot]
    assert slots(again, known) == [""]
    assert slots(changed, known) == [slot]


def test_who_gave_up_a_job_has_none() -> None:
    known = Entity(
        "花", "person", lines=(Fact("花さん「本屋で働いています」", ("a",), "built-in", "f_1", "work", "2026-01-01"),)
    )
    found = MIND.describe_entities(
        EntityMaterial(day("先週で仕事を辞めました。", lang="ja"), (known,)), Cancel()
    ).entities
    assert [fact.replaces for fact in found[0].facts] == ["f_1"]


def test_plans_and_worries_stay_open_and_small_talk_does_not() -> None:
    material = day(
        "I'm going to visit the pottery museum next week.",
        "My grandma is in the hospital and I'm really worried about her.",
        "Nice weather today.",
        "Bye, talk to you soon!",
    )
    found = MIND.find_questions(QuestionMaterial(material), Cancel()).questions
    assert [question.evidence for question in found] == [["m1"], ["m0"]]
    assert found[0].priority > found[1].priority
    assert "pottery museum" in found[1].topic
    again = tuple(Question(topic=q.topic, context=q.context) for q in found)
    assert MIND.find_questions(QuestionMaterial(material, again), Cancel()).questions == []


def test_only_a_report_answers_a_question() -> None:
    question = Question(
        id="q_1",
        topic="visit the pottery museum next week",
        context="Hana said, “I'm going to visit the pottery museum.”",
        about="Hana",
    )
    for line in ("I'm still going to visit the pottery museum.", "Did you visit the pottery museum?", "I ate soup."):
        material = AnswerMaterial(day(line), (question,))
        assert MIND.resolve_questions(material, Cancel()).resolutions == []
    material = AnswerMaterial(day("I went to visit the pottery museum and made a bowl."), (question,))
    assert [r.evidence for r in MIND.resolve_questions(material, Cancel()).resolutions] == [["m0"]]


MOMO = Question(
    id="q_1",
    topic="うちの猫のモモ",
    context="2026-01-03に花さんが「うちの猫のモモちゃんが入院していて、とても心配です」と話していた。",
    about="花",
)
SHRINE = Question(
    id="q_1",
    topic="京都の貴船神社",
    context="2026-01-02に花さんが「来週は京都の貴船神社に行く予定です」と話していた。",
    about="花",
)


CAT = Question(
    id="q_1", topic="cat Momo", context="On 2026-01-03 Hana said, “My cat Momo is in hospital.”", about="Hana"
)


@pytest.mark.parametrize(
    ("question", "line", "is_answer"),
    [
        (CAT, "Momo came home! I am so happy.", True),
        (CAT, "Momo is fine again.", True),
        (CAT, "My cat Momo is in hospital and I am very worried.", False),
        (CAT, "I am home.", False),
        (CAT, "I dreamed that Momo came home.", False),
        (CAT, "I wish Momo was home.", False),
        (CAT, "She is worried, but Momo came home.", True),
        (CAT, "Is Momo home?", False),
        (MOMO, "うちの猫のモモちゃんが入院していて、とても心配でした。", False),
        (MOMO, "モモちゃんが退院しました!", True),
        (MOMO, "モモが退院したよ！ほっとした。", True),
        (MOMO, "モモ、すっかり元気になった〜", True),
        (MOMO, "モモが退院したらお祝いする。", False),
        (MOMO, "モモの退院はまだ", False),
        (MOMO, "モモに会いたい。", False),
        (MOMO, "仕事が終わった。", False),
        (MOMO, "モモちゃんが退院した夢を見た。", False),
        (MOMO, "モモが退院したわけじゃないんだ。", False),
        (MOMO, "彼女はモモが退院したと思い込んでいた。", False),
        (SHRINE, "貴船神社に行った夢で目が覚めた。", False),
        (SHRINE, "上司が貴船神社に行ってきたらしい。", False),
        (SHRINE, "同僚の佐藤さんが貴船神社に行ってきました。", False),
        (SHRINE, "上司と貴船神社に行ってきました。", True),
        (SHRINE, "晴れたので貴船神社に行ってきました。", True),
        (SHRINE, "貴船神社に行ってきたよ！", True),
        (SHRINE, "貴船神社、もう行った？", False),
        (SHRINE, "貴船神社に行ったら写真を撮る。", False),
        (SHRINE, "貴船神社はまだ。", False),
        (SHRINE, "近所の神社に行ってきた。", False),
    ],
)
def test_how_it_ended_may_be_told_in_other_words(question: Question, line: str, *, is_answer: bool) -> None:
    lang = "en" if line.isascii() else "ja"
    found = MIND.resolve_questions(AnswerMaterial(day(line, lang=lang), (question,)), Cancel())
    assert bool(found.resolutions) is is_answer


def test_a_day_of_greetings_makes_no_thought() -> None:
    material = day("Hi!", "Bye!")
    assert MIND.reflect(ReflectionMaterial(material.sheet, 1, material.date, (material,)), Cancel()) is None
    assert MIND.summarise_day(material, Cancel()).summary


def test_the_month_looks_back_on_long_term_goals_and_the_day_does_not() -> None:
    today = day("モモと日なたで昼寝をした。モモはあたたかかった。", lang="ja")
    goal = Goal(goal="花さんと「モモ」の話を、これからも積み重ねていく", id="lo_1")
    other = Goal(goal="花さんと「天文台」の話を、これからも積み重ねていく", id="lo_2")
    episodes = tuple(
        Episode(date=date(2026, 4, n), summary=text, key_events=[text], evidence=[f"e{n}"])
        for n, text in ((6, "花さん: モモが走った"), (9, "花さん: カレーを作った"), (20, "花さん: モモが鳴いた"))
    )
    cases: tuple[tuple[Level, list[tuple[str, str, list[str]]]], ...] = (
        (2, []),
        (3, [("lo_1", "progress", ["e6", "e20"])]),
    )
    for level, expected in cases:
        material = ReflectionMaterial(
            today.sheet, level, date(2026, 5, 5), (today,), episodes, goals=Goals((), (goal, other))
        )
        draft = MIND.reflect(material, Cancel())
        assert draft is not None
        found = [(g.goal_id, g.action, g.evidence) for g in draft.goals if g.goal_id]
        assert found == expected
    assert draft is not None
    assert "2日" in next(g.reason for g in draft.goals if g.goal_id == "lo_1")


@pytest.mark.parametrize(
    ("lang", "lines", "about"),
    [
        ("en", ("I want to run a marathon in spring.", "That is my goal."), "marathon"),
        ("ja", ("春にマラソンを走りたい。", "それが今年の目標。"), "マラソン"),
    ],
)
def test_what_is_called_a_goal_in_the_next_breath_is_one(lang: str, lines: tuple[str, str], about: str) -> None:
    material = day(*lines, lang=lang)
    draft = MIND.reflect(ReflectionMaterial(material.sheet, 1, material.date, (material,)), Cancel())
    assert draft is not None
    assert [about in one.goal for one in draft.goals] == [True]


def test_two_days_never_read_the_same() -> None:
    seen = set()
    for line in ("I painted a lake at sunrise and it calmed me.", "My exam went badly and I cried all evening."):
        material = day(line)
        draft = MIND.reflect(ReflectionMaterial(material.sheet, 1, material.date, (material,)), Cancel())
        assert draft is not None
        seen |= {draft.insight, draft.strategy, draft.log_entry}
    assert len(seen) == 6


REAL = {"realpersonachat-ad-ey": ("AD", "ja"), "locomo-1": ("Melanie", "en")}
PEOPLE_AND_THINGS = {
    "realpersonachat-ad-ey": "AD EY ゲーム キラー EYの恋人 大阪 ダイエット ヤクルトレディ ヤクルト ヤクルト1000 永谷園 EYの祖母 昆布茶 京都 有馬温泉 "
    "貴船神社 コーヒー ビール ノンアルコール セブンイレブン ローソン FF14 MMORPG MMO APEX ワンピース ゼリー フルーツ ラーメン カレー 京都市 Adoさん "
    "日本 ディズニー 沖縄 中国料理 中国 中華料理 Youtube 山梨 流しそうめん アレルギー スカイツリー 東京タワー 墨田区 千葉 ソーシャルゲーム 日商簿記 "
    "ADの祖父 ジュース ズボン ADの父 夕日ヶ浦 天橋立 関東 関西 テニス",
    "locomo-1": "Caroline|Melanie|Sweden|pottery|Charlotte's Web|Amy Ellis Nutt|Becoming Nicole|Oliver|Luna|mental health|"
    "Connected LGBTQ Activists|Melanie's kids|Melanie's daughter|Matt Patterson|Embracing Identity|Pride|Oscar|Bailey|Pride Month|"
    "Summer Sounds|Sara Bareilles|Brave|Bach|Mozart|Ed Sheeran|Perfect|Melanie's son|Grand Canyon|Perseid|"
    "Melanie's husband|Caroline's grandma|Caroline's mentor|Caroline's dad|Melanie's partner",
}
"""Judged by reading each in its conversation: whom and what the two really spoke of."""


def real_days(name: str) -> dict[date, list[Message]]:
    path = DATA / f"{name}.transcript.jsonl"
    if not path.exists():
        pytest.skip(f"the real conversations are not at hand ({path})")
    found: dict[date, list[Message]] = defaultdict(list)
    for line in path.read_text("utf-8").splitlines():
        row = json.loads(line)
        time = datetime.fromisoformat(row["time"]).replace(tzinfo=None)
        found[time.date()].append(Message(row["id"], time, row["role"], row["speaker"], row["text"]))
    return found


@pytest.mark.parametrize("name", list(REAL))
def test_real_conversations_give_entities_that_are_people_and_things_in_them(name: str) -> None:
    persona, lang = REAL[name]
    sheet = Sheet(persona, "ja" if lang == "ja" else "en", "")
    texts: dict[str, str] = {}
    known: list[Entity] = []
    for when, messages in real_days(name).items():
        material = DayMaterial(sheet, when, tuple(messages))
        texts |= {message.id: " ".join(message.text.split()).replace('"', "'") for message in messages}
        for draft in MIND.describe_entities(EntityMaterial(material, tuple(known)), Cancel()).entities:
            entity = find_by_name(known, [draft.name, *draft.aliases])
            if entity is None:
                entity = Entity(draft.name, draft.kind)
                known.append(entity)
            at = known.index(entity)
            for fact in draft.facts:
                quoted = re.sub(r"^.*?[「“]|[」”]$", "", fact.text).rstrip("…").replace("『", "「").replace("』", "」")
                said = texts[fact.evidence[0]].replace('"', "'")  # a quotation within one has the other marks
                assert quoted.rstrip("」").replace('"', "'") in said, fact  # nothing that no one said
                known[at] = with_fact(known[at], Fact(fact.text, tuple(fact.evidence), "built-in"))
    first = [entity.name for entity in known][:50]
    judged = set(PEOPLE_AND_THINGS[name].split("|" if lang == "en" else None))
    assert len(first) >= 25
    assert sum(entity in judged for entity in first) / len(first) >= 0.9


@pytest.mark.parametrize("name", list(REAL))
def test_every_real_day_gets_an_episode_whose_quotes_stand_in_its_messages(name: str) -> None:
    persona, lang = REAL[name]
    for when, messages in real_days(name).items():
        material = DayMaterial(Sheet(persona, "ja" if lang == "ja" else "en", ""), when, tuple(messages))
        draft = MIND.summarise_day(material, Cancel())
        said = {message.id: " ".join(message.text.split()) for message in messages}
        assert draft.summary
        assert set(draft.evidence) <= said.keys()
        for topic in day_topics(said_in(messages), {message.speaker for message in messages}):  # what it opens with
            assert any(topic.casefold() in said[one].casefold() for one in draft.evidence), topic
        for event in draft.key_events:
            assert event.text.split(": ", 1)[1].rstrip("…") in said[event.evidence[0]]


@pytest.mark.parametrize(
    ("lang", "asked", "told"),
    [
        ("ja", "うちの猫のクロが昨日から元気がなくて心配です。", "クロ、元気になりました！"),
        ("ja", "今度の土曜に友達の美咲と鎌倉に行く予定です。", "鎌倉に行ってきました。大仏がよかった。"),
        ("ja", "転職しようか迷っています。", "転職することにしました。"),
        (
            "en",
            "On Saturday I'm going to visit Kew Gardens with my friend Maya.",
            "We went to Kew Gardens. The orchids were lovely.",
        ),
    ],
)
def test_what_was_told_as_over_is_wondered_about_no_longer(
    paths: PersonaPaths, night: HandClock, lang: Lang, asked: str, told: str
) -> None:
    sheet = Sheet("ねむ", lang, "", user_name="遥")
    log = ConversationLog(paths, night, Random(4))
    log.append("user", "あなた", asked, time=night.now() - timedelta(hours=6))
    dreamer = make_dreamer(paths, night, log, sheet=sheet)
    dreamer.dream()
    store = QuestionStore(paths, night)
    assert len(store.open()) == 1
    night.move(days=1)
    log.append("user", "あなた", told, time=night.now() - timedelta(hours=6))
    dreamer.dream()
    assert [question.status for question in store.load().entries] == ["resolved"]


def test_who_is_only_on_their_way_has_not_been_there(paths: PersonaPaths, night: HandClock) -> None:
    log = ConversationLog(paths, night, Random(4))
    log.append("user", "花", "今度の土曜に鎌倉に行く予定です。", time=night.now() - timedelta(hours=6))
    dreamer = make_dreamer(paths, night, log)
    dreamer.dream()
    night.move(days=1)
    log.append("user", "花", "鎌倉に行ってきます！", time=night.now() - timedelta(hours=6))
    dreamer.dream()
    assert [question.topic for question in QuestionStore(paths, night).open()] == ["鎌倉"]


@pytest.mark.parametrize(
    ("lang", "wish", "told", "note"),
    [
        (
            "ja",
            "簿記の資格を取るために勉強を頑張ろうと思います。",
            "簿記の試験に合格しました！",
            "遥さん「簿記の試験に合格しました",
        ),
        ("en", "I want to learn Italian this year.", "I passed my Italian exam!", "Nora: “I passed my Italian exam!”"),
    ],
)
def test_a_goal_that_was_reached_is_reached(
    paths: PersonaPaths, night: HandClock, lang: Lang, wish: str, told: str, note: str
) -> None:
    sheet = Sheet("ねむ", lang, "", user_name="遥" if lang == "ja" else "Nora")
    log = ConversationLog(paths, night, Random(4))
    log.append("user", "あなた" if lang == "ja" else "You", wish, time=night.now() - timedelta(hours=6))
    dreamer = make_dreamer(paths, night, log, sheet=sheet)
    dreamer.dream()
    night.move(days=1)
    log.append("user", "あなた" if lang == "ja" else "You", told, time=night.now() - timedelta(hours=6))
    dreamer.dream()
    [goal] = GoalStore(paths, night).load().short_term
    assert goal.status == "completed"
    assert note in goal.reason


@pytest.mark.parametrize(
    ("lang", "name", "words"), [("ja", "遥", "おはよう、遥です。"), ("en", "Nora", "Morning, it's Nora.")]
)
def test_nobody_is_what_their_own_month_was_about(
    paths: PersonaPaths, night: HandClock, lang: Lang, name: str, words: str
) -> None:
    told = (
        ("庭の薔薇が咲きました。", "図書館で本を借りました。")
        if lang == "ja"
        else ("The roses bloom.", "I borrowed a book.")
    )
    log = ConversationLog(paths, night, Random(4))
    dreamer = make_dreamer(paths, night, log, sheet=Sheet("ねむ", lang, "", user_name=name))
    for day in range(34):
        log.append("user", "あなた", words if day > 28 else told[day % 2], time=night.now() - timedelta(hours=6))
        dreamer.dream()
        night.move(days=1)
    themes = {insight.trigger_topic.casefold() for insight in InsightStore(paths, night).load().entries}
    assert name.casefold() not in themes
    assert not [goal.goal for goal in GoalStore(paths, night).load().long_term if f"「{name}」" in goal.goal]
