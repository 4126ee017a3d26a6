"""What the built-in mind takes a name for, and whose a fact is: what was dreamed, stands in a story, is denied or is told of
somebody else is no fact of the user's life.
"""

from datetime import timedelta

import pytest

from agent.services import open_services
from managers.language.reading.slots import told_slot
from managers.memory.entities import Entity, Fact
from managers.mind import Cancel, Sheet
from managers.sleep.checks import check_entities
from managers.sleep.tasks import EntityDraft, EntityMaterial
from managers.storage.errors import Lang
from managers.storage.paths import Home
from tests.fakes import HandClock
from tests.sleep.dreamers import Life
from tests.sleep.test_builtin_dreaming import MIND, NAMES, day


def dreamt(
    lang: Lang, lines: str, *speakers: str, name: str = "", known: Entity | None = None, checked: bool = False
) -> dict[str, EntityDraft]:
    """Return what is found in lines of the user, by what they are called."""
    told = day(lang, *lines.split("|"), speakers=speakers or (NAMES[lang],), user_name=name)
    material = EntityMaterial(told, (known,) if known else ())
    found = MIND.describe_entities(material, Cancel())
    return {draft.name: draft for draft in (check_entities(found, material) if checked else found).entities}


def own_card(lang: Lang, line: str) -> EntityDraft:
    """Return what a night keeps of the user, who told of their work besides."""
    work = "私は図書館で司書の仕事をしています。" if lang == "ja" else "I love my work at the library."
    return dreamt(lang, f"{line}|{work}", name=NAMES[lang])[NAMES[lang]]


KINDS: tuple[tuple[Lang, str, str, str], ...] = (
    ("en", "My sister Aiko moved to Oslo last month.", "Aiko", "person"),
    ("en", "My sister Aiko moved to Oslo last month.", "Oslo", "place"),
    ("en", "My little sister is visiting us today.", "Hana's sister", "person"),
    ("en", "I loved reading “Charlotte's Web” as a kid.", "Charlotte's Web", "work"),
    ("en", "We adopted a cat named Bailey last week.", "Bailey", "pet"),
    ("ja", "昨日、姉と有馬温泉に行きました。", "花の姉", "person"),
    ("ja", "昨日、姉と有馬温泉に行きました。", "有馬温泉", "place"),
    ("ja", "田中さんにお土産をもらいました。", "田中さん", "person"),
    ("ja", "うちの猫のモモちゃんが入院しています。", "モモちゃん", "pet"),
    # What is said of a name counts for more than the dictionary
    ("ja", "夫の名前は正夫です。|正夫で良かったと思う。", "正夫", "person"),
    ("ja", "友達の美咲と京都に行った。|美咲へ手紙を書いた。", "美咲", "person"),
    ("ja", "友達の美咲と京都に行った。", "京都", "place"),
    ("ja", "松本に住んでいます。|松本で働いています。", "松本", "place"),
    ("en", "My friend Florence came over and made pasta.", "Florence", "person"),
    ("en", "We went to Florence in May with the whole choir.", "Florence", "place"),
    # And what somebody is told to be for more than a pet nearby
    ("en", "Our cat Luna was at the vet today.|Nora came along with me.|Nora is my sister.", "Nora", "person"),
    ("ja", "うちの猫のルナが病院に行きました。|ノラが一緒に来てくれました。|ノラは私の妹です。", "ノラ", "person"),
)


def test_what_is_said_of_a_name_tells_what_it_is() -> None:
    found = [(lang, lines, name, dreamt(lang, lines, name=NAMES[lang]).get(name)) for lang, lines, name, _ in KINDS]
    assert [(one.kind if one else None, *row) for *row, one in found] == [(kind, *row) for *row, kind in KINDS]


def test_links_code_help_lines_questions_and_courtesies_name_nobody() -> None:
    rows: tuple[tuple[Lang, str], ...] = (
        ("en", "I read https://Berlin.example/Nora and `Paris.Run()` today.|```\nclass Florence:\n  Oslo = 1\n```"),
        ("en", "def greet(Robert): return Robert|from Olivia import Emma|git commit --amend Alice"),
        ("ja", "def 山田(佐藤): return 佐藤|git commit --amend 鈴木|console.log(美咲);"),
        ("ja", "よりそいホットライン 0120-279-338 に電話した。|https://example.jp/ノラ を読んだ。"),
        ("en", "Have you ever been to Oslo?|Thanks, Nemu! That's so sweet of you.|You are kind to me."),
        ("ja", "京都に行ったことはありますか？|ありがとうございます！よろしくお願いします。|あなたは優しいね。"),
    )
    found = [(lines, dreamt(lang, lines).keys() - {"花", "Hana"}) for lang, lines in rows]
    assert [one for one in found if one[1]] == []


def test_the_user_is_kept_as_a_person_under_the_name_that_is_known() -> None:
    told = "私は長野に住んでいます。|私は65歳です。|あなたは優しいね。|あなたが好きな本は何ですか。"
    unnamed = dreamt("ja", told, "あなた")["あなた"]
    assert unnamed.kind == "person"
    assert not any("優しい" in fact.text or "好きな本" in fact.text for fact in unnamed.facts)
    named = dreamt("ja", told, name="花")
    assert "あなた" not in named
    assert any("長野" in fact.text and fact.slot == "home" for fact in named["花"].facts)
    bremen = dreamt("en", "I live in Bremen now.", "You", name="Greta")["Greta"]
    assert bremen.facts[0].text == "Greta: “I live in Bremen now.”"


@pytest.mark.parametrize(
    ("lang", "lines", "sister", "cat"),
    [
        ("en", "Our cat Nora ran off.|My sister Nora came.|Nora works at a hospital.", "Nora", "Tom's cat"),
        ("ja", "妹のハナが来た。|うちの猫のハナが逃げた。", "ハナ", "健一の猫"),
    ],
)
def test_a_cat_of_the_sisters_name_is_somebody_else(lang: Lang, lines: str, sister: str, cat: str) -> None:
    found = dreamt(lang, lines, "Tom" if lang == "en" else "健一")
    assert (found[sister].kind, found[cat].kind) == ("person", "pet")
    ran_off = next(line for line in lines.split("|") if "ran off" in line or "逃げた" in line).rstrip("。")
    assert not any(ran_off in fact.text for fact in found[sister].facts)
    assert all(ran_off in fact.text for fact in found[cat].facts)
    assert not {found[cat].name, *found[cat].aliases} & {sister, *found[sister].aliases}


def test_the_users_card_holds_what_is_told_of_the_user_and_nothing_of_others() -> None:
    rows: tuple[tuple[Lang, str, str], ...] = (
        ("ja", "妹は大阪に住んでいます。|母は58歳です。|うちの猫のルナが入院しました。|", "私は京都に住んでいます"),
        ("ja", "妹のノラと会いました。|ノラは病院で働いています。|", "妹と京都に住んでいます"),
        ("ja", "推しは東京に住んでいます。|友達の健太は大工をしてる。|美咲は妹なんだ。大阪に住んでるよ。|", "私は本屋で働いています"),
        ("en", "My sister lives in Oslo.|My brother is 34 years old.|My friend Tom works at a bakery.|", "I live in Bergen."),
        ("en", "My sister Nora came.|Nora works at a hospital.|", "My sister and I live in Bergen."),
    )  # fmt: skip
    for lang, others, own in rows:
        [fact] = dreamt(lang, others + own, name=NAMES[lang])[NAMES[lang]].facts
        assert own in fact.text


@pytest.mark.parametrize(
    ("lang", "lines", "names"),
    [
        ("en", "You: I love sailing.|Tom: I live in Bergen with my sister.|Tommy: My sister came by.|Thomas: My name is actually Thomas, not Tom.", {"Tom", "Tommy", "Thomas"}),
        ("ja", "あなた: 私は船が好きです。|健太: 私は長野に住んでいます。|健一: 私の名前は本当は健一なんだ。", {"健太", "健一"}),
        ("en", "Thomas: Call me Tommy, I love sailing.|Thomas: My name is actually Thomas, not Tom.|Thomas: Tom is what my wife calls me.", {"Tom", "Tommy", "Thomas"}),
        ("ja", "健一: 健太って呼んでください。|健一: 私の名前は本当は健一なんだ。|健一: 健太じゃなくて、健一って呼んで。", {"健太", "健一"}),
    ],
)  # fmt: skip
def test_one_who_puts_their_name_right_is_one_person(lang: Lang, lines: str, names: set[str]) -> None:
    said = [line.split(": ") for line in lines.split("|")]
    cards = dreamt(lang, "|".join(text for _, text in said), *(who for who, _ in said), checked=True)
    last = said[-1][0]
    assert cards.keys() & {*names, "You", "あなた"} == {last}
    assert {last, *cards[last].aliases} == names
    assert not any(name.startswith(("Tom's", "Tommy's", "健太の")) for name in cards)


def test_the_name_that_the_user_asks_to_be_called_is_theirs_and_nobody_elses_is() -> None:
    rows: tuple[tuple[Lang, str, str], ...] = (
        ("ja", "これからはリリーって呼んでね。", "リリー"),
        ("ja", "私のことは気軽にケンと呼んでください。", "ケン"),
        ("en", "At the library people call me Tommy.", "Tommy"),
        ("en", "As I said, my name is really Thomas.", "Thomas"),
        ("ja", "うちの亀をカメ吉って呼んでいます。", ""),
        ("ja", "隣の鈴木さんに、ミチって呼んでと頼まれました。", ""),
        ("ja", "芝居の台詞「僕の名前はハムレットだ」を練習した。", ""),
        ("ja", "犬の名前はクロじゃないよ、シロだよ。", ""),
        ("en", "My aunt wrote to me: call me Lulu.", ""),
        ("en", "I'd laugh if my name was Rex, or if my name is Rex to them.", ""),
    )
    found = [(line, name, own_card(lang, line).aliases) for lang, line, name in rows]
    assert [one for one in found if (one[1] not in one[2] if one[1] else one[2])] == []


SLOTS: tuple[tuple[Lang, str, str | None], ...] = (
    ("ja", "夢だった小樽に引っ越しました。", "home"),
    ("ja", "母は58歳、私は30歳です。", "age"),
    ("en", "My sister thinks it's crazy, but I moved to Perth.", "home"),
    ("en", "If you ask me how old I am: I'm 41 now.", "age"),
    ("ja", "今朝、長崎に引っ越した夢を見た。", None),
    ("ja", "会社を辞めたわけじゃないんです。", None),
    ("ja", "8歳のとき、那覇に引っ越しました。", None),
    ("en", "In my dream I quit my job and flew.", None),
    ("en", "If I moved to Perth, we would hardly meet.", None),
    ("en", "My neighbour says I live in Paradise.", None),
    ("en", "Tom wrote: “I lost my job. Call me.”", None),
    ("en", "I lost my job in 2009 and found another one.", None),
)


def test_what_is_so_replaces_what_was_and_what_is_not_so_replaces_nothing() -> None:
    wrong = []
    facts = (("住所", "home"), ("仕事", "work"), ("歳", "age"))
    lines = tuple(Fact(text, ("m9",), "built-in", id=slot, slot=slot, since="2026-01-01") for text, slot in facts)
    for lang, line, slot in SLOTS:
        name = NAMES[lang]
        known = None if slot else Entity(name, "person", "2026-01-01", lines=lines)
        card = dreamt(lang, line, name=name, known=known).get(name)
        told = [fact.slot or fact.replaces for fact in (card.facts if card else ()) if fact.slot or fact.replaces]
        if (told, told_slot(line, lang)) != ([slot] if slot else [], slot):
            wrong.append((line, told, told_slot(line, lang)))
    assert wrong == []


@pytest.mark.parametrize(
    ("lang", "slot", "again", "changed"),
    [
        ("ja", "home", "今は京都に住んでいます。", "先月、札幌に引っ越しました。"),
        ("ja", "work", "駅前の本屋で働いています。", "今年から図書館に転職しました。"),
        ("en", "home", "I live in Kansai, you know.", "I just moved to Sapporo with my sister."),
        ("en", "work", "I work at the bookshop on Elm Street.", "I just started a new job at the library."),
    ],
)
def test_only_a_change_replaces_what_is_true_of_one_thing(lang: Lang, slot: str, again: str, changed: str) -> None:
    name = NAMES[lang]
    known = Entity(name, "person", lines=(Fact("…", ("a",), "built-in", "f_1", slot, "2026-01-01"),))

    def slots(line: str, entity: Entity | None = None) -> list[str]:
        return [fact.slot for fact in dreamt(lang, line, name=name, known=entity)[name].facts]

    assert (slots(again), slots(again, known), slots(changed, known)) == ([slot], [""], [slot])


def test_who_gave_up_a_job_has_none() -> None:
    work = Fact("花さん「本屋で働いています」", ("a",), "built-in", "f_1", "work", "2026-01-01")
    found = dreamt("ja", "先週で仕事を辞めました。", name="花", known=Entity("花", "person", lines=(work,)))
    assert [fact.replaces for fact in found["花"].facts] == ["f_1"]


EXAM, ITALIAN = "簿記の資格を取りたいので勉強を頑張ろうと思います。", "I want to learn Italian this year."


@pytest.mark.parametrize(
    ("lang", "wish", "told", "status"),
    [
        ("ja", EXAM, "簿記の試験に合格した夢を見た。", "active"),
        ("ja", EXAM, "姉が簿記の試験に合格しました。", "active"),
        ("ja", EXAM, "簿記の試験に合格しなかった。", "active"),
        ("ja", EXAM, "姉と一緒に簿記の試験に受かりました。", "completed"),
        ("en", ITALIAN, "I dreamt that I passed my Italian exam.", "active"),
        ("en", ITALIAN, "My brother passed his Italian exam.", "active"),
        ("en", ITALIAN, "My teacher was glad that I passed my Italian exam.", "completed"),
    ],
)
def test_only_the_user_reaches_a_goal_in_no_dream(bare: Life, lang: Lang, wish: str, told: str, status: str) -> None:
    dreamer = bare.dreamer(sheet=Sheet("ねむ", lang, "", user_name=NAMES[lang]))
    for line in (wish, told):
        bare.log.append("user", NAMES[lang], line, time=bare.clock.now() - timedelta(hours=6))
        dreamer.dream()
        bare.clock.move(days=1)
    [goal] = bare.goals.load().short_term
    assert (goal.status, told.rstrip("。") in goal.reason) == (status, status == "completed")


def test_what_a_persona_was_given_to_say_first_is_nobodys_life(own_home: Home, clock: HandClock) -> None:
    greeting = "私は岬の灯台に住んでいます。兄の正夫は船乗りです。猫のミケは先月亡くなりました。"
    services = open_services(own_home, clock)
    services.personas.create("Rook", language="ja", user_name="花", greeting=greeting)
    companion = services.companion("Rook")
    assert list(companion.say("妹のノラは看護師です。").events())
    companion.settle()
    clock.move(hours=12)
    services.sleeper("Rook").dream(Cancel(), today=False)
    memories = services.memories("Rook")
    assert memories.log.tail(9)[0].text == greeting
    told = [path.read_text("utf-8") for path in memories.paths.entity_memory.iterdir()]
    assert memories.entities.find("ノラ")
    for episode in map(memories.episodes.get, memories.episodes.days()):
        assert episode is not None
        assert episode.key_events
        told += episode.key_events
    assert [text for text in told if any(word in text for word in ("灯台", "正夫", "ミケ"))] == []
    services.close()
