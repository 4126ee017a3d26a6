"""What was dreamed, stands in a story, is denied or is told of somebody else is no fact of the user's life."""

from datetime import timedelta
from random import Random

import pytest

from agent.minds.builtin.mind import BuiltInDreamMind
from agent.services import open_services
from managers.language.reading.slots import told_slot
from managers.memory.entities import Entity, Fact
from managers.memory.goals import GoalStore
from managers.memory.log import ConversationLog
from managers.mind import Cancel, Sheet
from managers.sleep.tasks import EntityDraft, EntityMaterial
from managers.storage.errors import Lang
from managers.storage.paths import Home, PersonaPaths
from tests.fakes import HandClock
from tests.sleep.dreamers import make_dreamer
from tests.sleep.test_builtin_dreaming import day

MIND = BuiltInDreamMind()
NAMES: dict[Lang, str] = {"ja": "花", "en": "Hana"}


def own_card(line: str, lang: Lang) -> EntityDraft:
    """Return what a night keeps of the user, who told of their work besides."""
    work = "私は図書館で司書の仕事をしています。" if lang == "ja" else "I love my work at the library."
    found = MIND.describe_entities(EntityMaterial(day(line, work, lang=lang)), Cancel()).entities
    return next(one for one in found if one.name == NAMES[lang])


@pytest.mark.parametrize(
    ("lang", "line"),
    [
        ("ja", "うちの亀をカメ吉って呼んでいます。"),
        ("ja", "息子のことはタロって呼んでね。"),
        ("ja", "隣の鈴木さんに、ミチって呼んでと頼まれました。"),
        ("ja", "芝居の台詞「僕の名前はハムレットだ」を練習した。"),
        ("ja", "私の名前がソラで、私の名前はソラだった夢を見た。"),
        ("ja", "犬の名前はクロじゃないよ、シロだよ。"),
        ("en", "The hero shouts: “My name is Zorro!”"),
        ("en", "My aunt wrote to me: call me Lulu."),
        ("en", "Last night I dreamt my name is Ophelia."),
        ("en", "I'd laugh if my name was Rex, or if my name is Rex to them."),
    ],
)
def test_somebody_elses_name_is_none_of_the_user(lang: Lang, line: str) -> None:
    assert own_card(line, lang).aliases == []


@pytest.mark.parametrize(
    ("lang", "line", "name"),
    [
        ("ja", "これからはリリーって呼んでね。", "リリー"),
        ("ja", "私のことは気軽にケンと呼んでください。", "ケン"),
        ("ja", "妹にもマリって呼んでほしい。", "マリ"),
        ("en", "At the library people call me Tommy.", "Tommy"),
        ("en", "As I said, my name is really Thomas.", "Thomas"),
    ],
)
def test_the_name_that_the_user_asks_to_be_called_is_theirs(lang: Lang, line: str, name: str) -> None:
    assert name in own_card(line, lang).aliases


@pytest.mark.parametrize(
    ("lang", "line"),
    [
        ("ja", "今朝、長崎に引っ越した夢を見た。"),
        ("ja", "図書館を退職した先輩に駅で会った。"),
        ("ja", "会社を辞めたわけじゃないんです。"),
        ("ja", "盛岡に引っ越したとしても友達でいよう。"),
        ("ja", "ヒロインは16歳です。"),
        ("ja", "近所のお子さんは4歳になりました。"),
        ("ja", "看護師をしているという設定で話した。"),
        ("ja", "同級生が会社を辞めた。"),
        ("ja", "8歳のとき、那覇に引っ越しました。"),
        ("ja", "那覇に引っ越したことは一度もありません。"),
        ("en", "In my dream I quit my job and flew."),
        ("en", "If I moved to Perth, we would hardly meet."),
        ("en", "My neighbour says I live in Paradise."),
        ("en", "Tom wrote: “I lost my job. Call me.”"),
        ("en", "It's a rumour that I quit my job."),
        ("en", "I'm 16 in the musical."),
        ("en", "I lost my job in 2009 and found another one."),
        ("en", "As a child I moved to Cork."),
    ],
)
def test_what_is_not_so_replaces_nothing_and_is_no_answer(lang: Lang, line: str) -> None:
    facts = (("住所", "home"), ("仕事", "work"), ("歳", "age"))
    lines = tuple(Fact(text, ("m9",), "built-in", id=slot, slot=slot, since="2026-01-01") for text, slot in facts)
    known = Entity(NAMES[lang], "person", "2026-01-01", lines=lines)
    found = MIND.describe_entities(EntityMaterial(day(line, lang=lang), (known,)), Cancel()).entities
    assert [(fact.slot, fact.replaces) for one in found for fact in one.facts if fact.slot or fact.replaces] == []
    assert told_slot(line, lang) is None


@pytest.mark.parametrize(
    ("lang", "line", "slot"),
    [
        ("ja", "夢だった小樽に引っ越しました。", "home"),
        ("ja", "友達の紹介で銀行に就職しました。", "work"),
        ("ja", "母は58歳、私は30歳です。", "age"),
        ("ja", "小樽に引っ越したけど友達がいない。", "home"),
        ("en", "My sister thinks it's crazy, but I moved to Perth.", "home"),
        ("en", "I told you I just got a new job at the film museum.", "work"),
        ("en", "If you ask me how old I am: I'm 41 now.", "age"),
    ],
)
def test_what_is_so_is_read_beside_dreams_and_others(lang: Lang, line: str, slot: str) -> None:
    found = MIND.describe_entities(EntityMaterial(day(line, lang=lang)), Cancel()).entities
    assert [fact.slot for one in found if one.name == NAMES[lang] for fact in one.facts if fact.slot] == [slot]
    assert told_slot(line, lang) == slot


@pytest.mark.parametrize(
    ("lang", "wish", "told", "status"),
    [
        ("ja", "簿記の資格を取りたいので勉強を頑張ろうと思います。", "簿記の試験に合格した夢を見た。", "active"),
        ("ja", "簿記の資格を取りたいので勉強を頑張ろうと思います。", "姉が簿記の試験に合格しました。", "active"),
        ("ja", "簿記の資格を取りたいので勉強を頑張ろうと思います。", "簿記の試験に合格した先輩と話した。", "active"),
        ("ja", "簿記の資格を取りたいので勉強を頑張ろうと思います。", "簿記の試験に合格しなかった。", "active"),
        ("ja", "簿記の資格を取りたいので勉強を頑張ろうと思います。", "昨日、簿記の試験に合格しました。", "completed"),
        ("ja", "簿記の資格を取りたいので勉強を頑張ろうと思います。", "姉と一緒に簿記の試験に受かりました。", "completed"),
        ("en", "I want to learn Italian this year.", "I dreamt that I passed my Italian exam.", "active"),
        ("en", "I want to learn Italian this year.", "My brother passed his Italian exam.", "active"),
        ("en", "I want to learn Italian this year.", "If only I passed my Italian exam.", "active"),
        ("en", "I want to learn Italian this year.", "My teacher was glad that I passed my Italian exam.", "completed"),
    ],
)  # fmt: skip
def test_nobody_but_the_user_reaches_their_goal_and_in_no_dream(
    paths: PersonaPaths, night: HandClock, lang: Lang, wish: str, told: str, status: str
) -> None:
    log, sheet = ConversationLog(paths, night, Random(4)), Sheet("ねむ", lang, "", user_name=NAMES[lang])
    dreamer = make_dreamer(paths, night, log, sheet=sheet)
    for line in (wish, told):
        log.append("user", NAMES[lang], line, time=night.now() - timedelta(hours=6))
        dreamer.dream()
        night.move(days=1)
    assert [goal.status for goal in GoalStore(paths, night).load().short_term] == [status]


@pytest.mark.parametrize(
    ("lang", "greeting", "said", "cards"),
    [
        ("ja", "私は岬の灯台に住んでいます。兄の正夫は船乗りです。猫のミケは先月亡くなりました。", "妹のノラは看護師です。", {"ノラ"}),
        ("en", "Hi! I live in Bergen. My brother Neil is a sailor. My cat died.", "My sister Nora is a nurse.", {"Nora"}),
    ],
)  # fmt: skip
def test_what_a_persona_was_given_to_say_first_is_nobodys_life(
    own_home: Home, clock: HandClock, rng: Random, lang: Lang, greeting: str, said: str, cards: set[str]
) -> None:
    services = open_services(own_home, clock, rng)
    services.personas.create("Rook", language=lang, user_name="Hana", greeting=greeting)
    companion = services.companion("Rook")
    assert list(companion.say(said).events())
    companion.settle()
    clock.move(hours=12)
    services.sleeper("Rook").dream(Cancel(), today=False)
    memories = services.memories("Rook")
    first, *_ = memories.log.tail(9)
    assert first.text == greeting
    texts = {path.stem: path.read_text("utf-8") for path in memories.paths.entity_memory.iterdir()}
    assert texts.keys() >= cards
    assert not any(
        word in text for text in texts.values() for word in ("灯台", "正夫", "ミケ", "Bergen", "Neil", "cat")
    )
    episodes = [memories.episodes.get(day) for day in memories.episodes.days()]
    told = [event for episode in episodes if episode for event in episode.key_events]
    assert told
    assert not any(word in event for event in told for word in ("灯台", "ミケ", "Bergen", "cat"))
    services.close()


@pytest.mark.parametrize(
    ("lang", "line"),
    [
        ("ja", "推しは東京に住んでいます。"),
        ("ja", "友達の健太は大工をしてる。"),
        ("ja", "美咲は妹なんだ。大阪に住んでるよ。"),
        ("en", "My friend Tom works at a bakery."),
    ],
)
def test_what_is_told_of_others_is_no_fact_of_the_user(lang: Lang, line: str) -> None:
    told = [fact.text for fact in own_card(line, lang).facts]
    assert len(told) == 1, told
