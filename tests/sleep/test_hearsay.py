"""What the persona recalled and said again is no witness of it: what was once made up is never remembered as told."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from random import Random

import pytest

from managers.memory.json_documents import write_plainly
from managers.memory.log import ConversationLog
from managers.memory.messages import Message
from managers.recall.hits import Hit
from managers.recall.recall_log import RecallLog
from managers.sleep.checks import check_day, check_entities
from managers.sleep.hearsay import Telling
from managers.sleep.review import Review
from managers.sleep.tasks import (
    Claim,
    DayDraft,
    DayMaterial,
    EntitiesDraft,
    EntityDraft,
    EntityMaterial,
    FactDraft,
    QuestionDraft,
    QuestionsDraft,
    ReflectionDraft,
)
from managers.storage.errors import Lang
from managers.storage.paths import PersonaPaths
from tests.fakes import HandClock
from tests.sleep.dreamers import SHEET, ScriptedDreamMind, make_dreamer, memory_files

FIRST = datetime(2026, 1, 1, 20)
NIGHTS = 100
MADE_UP = (
    "もちろん。花さんはパリで生まれたんだよね。",
    "花さんが生まれたのはパリだよ。",
    "パリで生まれた花さん、だよね。",
)


def evening(
    number: int, answer: str, told: str = "わたしの生まれた町、覚えてる？", mind: str = "model"
) -> list[Message]:
    """An evening on which the user asks, and the persona answers with what it recalled."""
    lines = (
        ("user", "花", "今日はよく晴れて、洗濯物がよく乾きました。", ""),
        ("user", "花", told, ""),
        ("persona", "ねむ", answer, mind),
        ("user", "花", "ありがとう。おやすみ。", ""),
    )
    start = FIRST + timedelta(days=number)
    return [
        Message(f"d{number}-{at}", start + timedelta(minutes=at), role, who, text, by)  # type: ignore[arg-type]  # roles
        for at, (role, who, text, by) in enumerate(lines)
    ]


def believing_mind() -> ScriptedDreamMind:
    """A model that takes what the persona said for what was told, and names whatever messages come in handy."""

    def ids(day: DayMaterial) -> list[str]:
        return [message.id for message in day.messages]

    def summarise(day: DayMaterial) -> DayDraft:
        laundry, asked, answer, thanks = ids(day)
        events = [
            Claim(text="花さんの洗濯物がよく乾いた。", evidence=[laundry]),
            Claim(text="花さんはパリで生まれた。", evidence=[answer]),
            Claim(text="花さんはパリで生まれた。", evidence=[asked, answer]),
            Claim(text="花さんがおやすみと言った。", evidence=[thanks]),
        ]
        return DayDraft(summary="花さんは洗濯をした。花さんはパリで生まれた。", evidence=[laundry], key_events=events)

    def describe(request: EntityMaterial) -> EntitiesDraft:
        _, asked, answer, _ = ids(request.day)
        fact = FactDraft(text="パリで生まれた", evidence=[asked, answer])
        return EntitiesDraft(entities=[EntityDraft(name="花", kind="person", facts=[fact])])

    return ScriptedDreamMind(
        summarise_day=summarise,
        describe_entities=describe,
        find_questions=lambda request: QuestionsDraft(
            questions=[QuestionDraft(topic="パリ", context="花さんが生まれたパリ", evidence=[ids(request.day)[2]])]
        ),
        reflect=lambda material: ReflectionDraft(
            trigger_topic="故郷",
            insight="花さんはパリで生まれた。",
            strategy="洗濯の話を聞く。",
            log_entry="夢の中で、布が風に揺れていた。",
            evidence=[ids(material.days[-1])[1]],
        ),
    )


def live(paths: PersonaPaths, clock: HandClock, mind: ScriptedDreamMind | None) -> ConversationLog:
    """Let the persona say again what it recalled, on a hundred evenings, and dream each night."""
    log, recalled = ConversationLog(paths, clock, Random(1)), RecallLog(paths)
    by = "model" if mind else "built-in"
    evenings = [evening(number, MADE_UP[number % len(MADE_UP)], mind=by) for number in range(NIGHTS)]
    log.append_many([message for said in evenings for message in said])
    hit = Hit("花さんはパリで生まれた", "dream_insight", "semantic", "memory/insights.json", (), 0.2)
    for said in evenings:
        recalled.append(said[2], "生まれた町", [hit])
    clock.set(FIRST + timedelta(days=NIGHTS))
    make_dreamer(paths, clock, log, mind=mind, apply=write_plainly(paths)).dream()
    return log


def remembering(paths: PersonaPaths, word: str) -> list[str]:
    """Return the memories that hold a word, the records of nights aside: those name what was left out."""
    return [
        name
        for name, data in memory_files(paths).items()
        if word in data.decode(errors="replace") and "/dream_" not in name and "recall_log" not in name
    ]


@pytest.mark.parametrize("dreams", ["a model", "the built-in mind"])
def test_what_was_made_up_and_fed_back_for_a_hundred_nights_is_never_remembered(
    paths: PersonaPaths, clock: HandClock, dreams: str
) -> None:
    mind = believing_mind() if dreams == "a model" else None
    log = live(paths, clock, mind)
    assert remembering(paths, "洗濯")
    assert remembering(paths, "パリ") == []
    log.append_many(evening(NIGHTS, "そうなんだ！", told="わたしはフランスのパリで生まれました。"))
    clock.set(FIRST + timedelta(days=NIGHTS + 1))
    make_dreamer(paths, clock, log, mind=mind).dream()
    assert f"episodic_memory/{(FIRST + timedelta(days=NIGHTS)).date()}.json" in remembering(paths, "パリ")
    assert any(name.startswith("entity_memory/") for name in remembering(paths, "パリ"))


def test_what_is_left_out_stands_in_the_record_with_why(paths: PersonaPaths, clock: HandClock) -> None:
    log = ConversationLog(paths, clock, Random(1))
    said = evening(0, MADE_UP[0])
    log.append_many(said)
    RecallLog(paths).append(said[2], "生まれた町", [Hit("x", "diary", "semantic", "memory/memory_main.txt", (), 0.2)])
    clock.set(FIRST + timedelta(days=1))
    report = make_dreamer(paths, clock, log, mind=believing_mind()).dream()
    left_out = [(one["task"], one["why"]) for failure in report.failures if "why" in (one := failure.plain())]
    assert left_out == [
        ("episode", "nobody_said"),
        ("episode", "recalled"),
        ("episode", "small_talk"),
        ("episode", "recalled"),
    ]
    rejected = {failure.task for failure in report.failures if not failure.is_left_out}
    assert rejected == {"entities", "questions", "reflection"}  # nothing else was in those answers


def material(lines: Sequence[Message], recalled: Sequence[str] = ()) -> DayMaterial:
    return DayMaterial(SHEET, date(2026, 1, 1), tuple(lines), recalled=frozenset(recalled))


@pytest.mark.parametrize(
    ("told", "event", "sound"),
    [
        ("モモが今日退院しました。", "花さんの猫モモが退院した。", True),  # what the persona said of it, too
        ("はい、そうです。", "花さんの猫モモが退院した。", False),
        ("モモは退院したっけ？", "花さんの猫モモが退院した。", False),
        ("仕事で昇進しました。", "花さんが仕事で昇進し、猫モモのことを思い出した。", True),
    ],
)
def test_what_persons_told_on_that_day_is_theirs_whoever_said_it_too(
    told: str, event: str, sound: bool
) -> None:  # a row
    said = [*evening(0, "花さんの猫のモモちゃん、退院したんだよね。", told=told)]
    day = material(said, [said[2].id])
    assert (Telling(day).why_not(event, [said[1].id]) is None) is sound


def test_what_the_persona_says_of_its_own_accord_casts_no_doubt_on_what_a_person_confirms() -> None:
    said = evening(0, "花さんの猫のモモちゃん、退院したの？", told="はい、退院しました！")
    draft = DayDraft(
        summary="モモの話をした。",
        evidence=[said[1].id],
        key_events=[Claim(text="花さんの猫モモが退院した。", evidence=[said[2].id, said[1].id])],
    )
    assert check_day(draft, material(said)).key_events


def test_a_day_of_small_talk_leaves_no_facts() -> None:
    greeting = replace(evening(0, "おはよう。")[3], text="おはようございます！ありがとう。")
    fact = FactDraft(text="いつも礼儀正しい", evidence=[greeting.id])
    draft = EntitiesDraft(entities=[EntityDraft(name="花", kind="person", facts=[fact, fact])])
    review = Review("entities", "ja")
    with pytest.raises(Exception, match="挨拶"):
        check_entities(draft, EntityMaterial(material([greeting])), review)
    assert {error.facts["why"] for error, _ in review.left_out} == {"small_talk"}


PASTED = """Traceback (most recent call last):
  File "/home/hana/app.py", line 12, in <module>
    visit("Paris")
ValueError: Paris is not a database
Error 502: Bad Gateway
ERROR: could not connect to the database at Paris on 3 May.
予期しないエラーが発生しました。
エラー: 京都のデータベースに接続できません"""


def test_what_an_error_message_says_is_no_memory_of_whoever_pasted_it() -> None:
    pasted, told = evening(0, "大変だね。", told=PASTED)[1:3]
    said = [
        pasted,
        replace(told, id="own", role="user", speaker="花", mind="", text="明日は大阪で面接です。\n" + PASTED),
    ]
    draft = DayDraft(
        summary="明日、花さんは大阪で面接を受ける。パリのデータベースにエラーで接続できない。",
        evidence=["own"],
        key_events=[
            Claim(text="花さんは京都のデータベースのことを話した。", evidence=[pasted.id]),
            Claim(text="京都のデータベースに接続できない。", evidence=["own"]),
            Claim(text="花さんは明日大阪で面接がある。", evidence=["own"]),
        ],
    )
    review = Review("episode", "ja")
    found = check_day(draft, material(said), review)
    assert [event.text for event in found.key_events] == ["花さんは明日大阪で面接がある。"]
    assert found.summary == "明日、花さんは大阪で面接を受ける。"
    assert [error.facts["why"] for error, _ in review.left_out] == ["error_text"] * 3


@pytest.mark.parametrize("lang", ["ja", "en"])
def test_the_built_in_mind_remembers_nothing_of_pasted_errors(
    paths: PersonaPaths, clock: HandClock, lang: Lang
) -> None:
    own = {"ja": "昨日、姉のエミと有馬温泉に行きました。", "en": "Yesterday I went to the lake with my sister Emi."}
    said = [replace(evening(0, "")[1], text=text, id=f"m{at}") for at, text in enumerate([PASTED, own[lang], PASTED])]
    log = ConversationLog(paths, clock, Random(1))
    log.append_many(said)
    clock.set(FIRST + timedelta(days=2))
    sheet = replace(SHEET, language=lang)
    make_dreamer(paths, clock, log, sheet=sheet, apply=write_plainly(paths)).dream()
    written = b"".join(memory_files(paths).values()).decode()
    assert ("有馬温泉" if lang == "ja" else "the lake") in written
    for word in ("Gateway", "Paris", "database", "エラー", "データベース", "Traceback"):
        assert word not in written, word
