"""What the built-in mind takes a name for, and whom it makes no entity of."""

from datetime import date, datetime

import pytest

from agent.minds.builtin.dreams.entities import describe_entities
from managers.memory.messages import Message
from managers.mind import Sheet
from managers.sleep.checks import check_entities
from managers.sleep.tasks import DayMaterial, EntityDraft, EntityMaterial
from managers.storage.errors import Lang


def dreamt(lang: Lang, lines: str, *, speaker: str = "", name: str = "") -> dict[str, EntityDraft]:
    who = speaker or {"ja": "あなた", "en": "You"}[lang]
    messages = tuple(
        Message(f"m{number}", datetime(2026, 11, 20, 9, number), "user", who, line)
        for number, line in enumerate(lines.split("|"))
    )
    day = DayMaterial(Sheet("ねむ", lang, "", name), date(2026, 11, 20), messages)
    return {draft.name: draft for draft in describe_entities(EntityMaterial(day)).entities}


@pytest.mark.parametrize(
    ("lines", "name", "kind"),
    [
        ("主人の正夫が定年になりました。", "正夫", "person"),
        ("夫の名前は正夫です。|正夫で良かったと思う。", "正夫", "person"),
        ("正夫が帰ってきたら、夕飯を作ります。", "正夫", "person"),
        ("友達の美咲と京都に行った。|美咲へ手紙を書いた。", "美咲", "person"),
        ("娘の陽菜が生まれた。", "陽菜", "person"),
        ("弟の福島が駅まで来た。", "福島", "person"),
        ("友達の美咲と京都に行った。", "京都", "place"),
        ("父は広島に行った。", "広島", "place"),
        ("松本に住んでいます。|松本で働いています。", "松本", "place"),
        ("母の京都のお土産がおいしかった。", "京都", "place"),
    ],
)
def test_what_is_said_of_a_name_counts_for_more_than_the_dictionary(lines: str, name: str, kind: str) -> None:
    assert dreamt("ja", lines)[name].kind == kind


@pytest.mark.parametrize(
    ("lines", "name", "kind"),
    [
        ("My friend Florence came over and made pasta.", "Florence", "person"),
        ("My husband, Paris, is a nurse.", "Paris", "person"),
        ("We went to Florence in May with the whole choir.", "Florence", "place"),
        ("My dog Luna was ill yesterday.", "Luna", "pet"),
    ],
)
def test_a_friend_with_a_towns_name_is_a_person(lines: str, name: str, kind: str) -> None:
    assert dreamt("en", lines)[name].kind == kind


def test_the_user_is_kept_as_a_person_under_the_name_that_is_known() -> None:
    told = "私は長野に住んでいます。|私は65歳です。|あなたは優しいね。|あなたが好きな本は何ですか。"
    unnamed = dreamt("ja", told)["あなた"]
    assert unnamed.kind == "person"
    assert not any("優しい" in fact.text or "好きな本" in fact.text for fact in unnamed.facts)
    assert "あなた" not in dreamt("ja", told, speaker="花")
    named = dreamt("ja", told, name="花")
    assert "あなた" not in named
    assert named["花"].kind == "person"
    assert any("長野" in fact.text and fact.slot == "home" for fact in named["花"].facts)
    assert "You" not in dreamt("en", "You are kind to me.|Do you live in Bremen?")
    assert (
        dreamt("en", "I live in Bremen now.", name="Greta")["Greta"].facts[0].text == "Greta: “I live in Bremen now.”"
    )


@pytest.mark.parametrize(
    ("lang", "lines", "name"),
    [
        ("en", "Our cat Luna was at the vet today.|My sister Nora came along.|Nora works at a hospital.", "Nora"),
        ("en", "Our cat Luna was at the vet today.|Nora came along with me.|Nora is my sister.", "Nora"),
        ("ja", "うちの猫のルナが病院に行きました。|妹のノラが一緒に来てくれました。", "ノラ"),
        ("ja", "うちの猫のルナが病院に行きました。|ノラが一緒に来てくれました。|ノラは私の妹です。", "ノラ"),
    ],
)
def test_what_somebody_is_told_to_be_counts_for_more_than_a_pet_nearby(lang: Lang, lines: str, name: str) -> None:
    assert dreamt(lang, lines)[name].kind == "person"


@pytest.mark.parametrize(
    ("lang", "lines", "sister", "cat"),
    [
        ("en", "My sister Nora came.|Our cat Nora ran off.|Nora works at a hospital.", "Nora", "Tom's cat"),
        ("en", "Our cat Nora ran off.|My sister Nora came.", "Nora", "Tom's cat"),
        ("ja", "妹のハナが来た。|うちの猫のハナが逃げた。", "ハナ", "健一の猫"),
    ],
)
def test_a_cat_of_the_sisters_name_is_somebody_else(lang: Lang, lines: str, sister: str, cat: str) -> None:
    found = dreamt(lang, lines, speaker="Tom" if lang == "en" else "健一")
    assert (found[sister].kind, found[cat].kind) == ("person", "pet")
    ran_off = next(line for line in lines.split("|") if "ran off" in line or "逃げた" in line).rstrip("。")
    assert not any(ran_off in fact.text for fact in found[sister].facts)
    assert all(ran_off in fact.text for fact in found[cat].facts)
    assert not {found[cat].name, *found[cat].aliases} & {sister, *found[sister].aliases}


@pytest.mark.parametrize(
    ("lang", "lines", "own"),
    [
        (
            "ja",
            "妹は大阪に住んでいます。|母は58歳です。|うちの猫のルナが入院しました。|私は京都に住んでいます。",
            ["私は京都に住んでいます"],
        ),
        (
            "ja",
            "妹のノラと会いました。|ノラは病院で働いています。|妹と京都に住んでいます。",
            ["妹と京都に住んでいます"],
        ),
        ("en", "My sister lives in Oslo.|My brother is 34 years old.|I live in Bergen.", ["I live in Bergen."]),
        (
            "en",
            "My sister Nora came.|Nora works at a hospital.|My sister and I live in Bergen.",
            ["My sister and I live in Bergen."],
        ),
    ],
)
def test_the_users_card_holds_what_is_told_of_the_user(lang: Lang, lines: str, own: list[str]) -> None:
    card = dreamt(lang, lines, speaker="花", name="花")["花"]
    told = [text for fact in card.facts for text in own if text in fact.text]
    assert told == own
    assert len(card.facts) == len(own)


@pytest.mark.parametrize(
    ("lang", "lines", "names"),
    [
        (
            "en",
            "Call me Tommy, I love sailing.|My name is actually Thomas, not Tom.|Tom is what my wife calls me.",
            {"Tom", "Tommy", "Thomas"},
        ),
        (
            "ja",
            "健太って呼んでください。|私の名前は本当は健一なんだ。|健太じゃなくて、健一って呼んで。",
            {"健太", "健一"},
        ),
    ],
)
def test_one_who_puts_their_name_right_is_one_person(lang: Lang, lines: str, names: set[str]) -> None:
    found = dreamt(lang, lines, name="Thomas" if lang == "en" else "健一")
    assert len(names & found.keys()) == 1
    card = found["Thomas" if lang == "en" else "健一"]
    assert {card.name, *card.aliases} >= names


@pytest.mark.parametrize(
    ("lang", "said", "names"),
    [
        (
            "en",
            [
                ("You", "I love sailing."),
                ("Tom", "I live in Bergen with my sister."),
                ("Tommy", "My sister came by."),
                ("Thomas", "My name is actually Thomas, not Tom."),
                ("Thomas", "I work at the harbour."),
            ],
            {"Tom", "Tommy", "Thomas"},
        ),
        (
            "ja",
            [
                ("あなた", "私は船が好きです。"),
                ("健太", "私は長野に住んでいます。"),
                ("健一", "私の名前は本当は健一なんだ。"),
            ],
            {"健太", "健一"},
        ),
    ],
)
def test_a_day_on_which_the_users_name_changed_is_the_day_of_one_person(
    lang: Lang, said: list[tuple[str, str]], names: set[str]
) -> None:
    messages = tuple(
        Message(f"m{number}", datetime(2026, 11, 20, 9, number), "user", who, text)
        for number, (who, text) in enumerate(said)
    )
    day = DayMaterial(Sheet("ねむ", lang, ""), date(2026, 11, 20), messages)
    material = EntityMaterial(day)
    cards = {draft.name: draft for draft in check_entities(describe_entities(material), material).entities}
    last = said[-1][0]
    assert cards.keys() & {*names, "You", "あなた"} == {last}
    assert {last, *cards[last].aliases} == names
    assert not any(name.startswith(("Tom's", "Tommy's", "健太の")) for name in cards)


@pytest.mark.parametrize(
    ("lang", "lines"),
    [
        ("en", "I read https://Berlin.example/Nora and `Paris.Run()` today.|```\nclass Florence:\n  Oslo = 1\n```"),
        ("en", "They gave me a number: 988 Suicide & Crisis Lifeline, call or text 988."),
        (
            "en",
            "def greet(Robert): return Robert|from Olivia import Emma|console.log(Harold);|git commit --amend Alice",
        ),
        ("ja", "def 山田(佐藤): return 佐藤|git commit --amend 鈴木|console.log(美咲);"),
        ("ja", "よりそいホットライン 0120-279-338 に電話した。|https://example.jp/ノラ を読んだ。"),
    ],
)
def test_links_code_and_help_lines_name_nobody(lang: Lang, lines: str) -> None:
    assert not dreamt(lang, lines).keys() - {"You", "あなた"}
