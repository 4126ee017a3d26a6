"""What the persona recalled and said again is no witness of it: what was once made up is never remembered as told."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import date, datetime, timedelta

import pytest

from managers.memory.json_documents import write_plainly
from managers.memory.messages import Message, Role
from managers.memory.questions import Question
from managers.mind import Sheet
from managers.recall.hits import Hit
from managers.recall.recall_log import RecallLog
from managers.sleep import tasks
from managers.sleep.checks import check_day, check_entities, check_reflection, check_resolutions
from managers.sleep.errors import DraftRejectedError
from managers.sleep.hearsay import Telling
from managers.sleep.review import Review
from managers.storage.errors import Lang
from tests.sleep.dreamers import SHEET, Life, ScriptedDreamMind, reflection

FIRST = datetime(2026, 1, 1, 20)
MADE_UP = (
    "もちろん。花さんはパリで生まれたんだよね。",
    "花さんが生まれたのはパリだよ。",
    "パリで生まれた花さん、だよね。",
)


def evening(
    number: int, answer: str, told: str = "わたしの生まれた町、覚えてる？", mind: str = "model"
) -> list[Message]:
    """An evening on which the user asks, and the persona answers with what it recalled."""
    lines = ("今日はよく晴れて、洗濯物がよく乾きました。", told, answer, "ありがとう。おやすみ。")
    start = FIRST + timedelta(days=number)
    said = [
        Message(f"d{number}-{at}", start + timedelta(minutes=at), "user", "花", text) for at, text in enumerate(lines)
    ]
    said[2] = replace(said[2], role="persona", speaker="ねむ", mind=mind)
    return said


def believing_mind() -> ScriptedDreamMind:
    """A model that takes what the persona said for what was told, and names whatever messages come in handy."""

    def ids(day: tasks.DayMaterial) -> list[str]:
        return [message.id for message in day.messages]

    def summarise(day: tasks.DayMaterial) -> tasks.DayDraft:
        laundry, asked, answer, thanks = ids(day)
        events = [
            tasks.Claim(text="花さんの洗濯物がよく乾いた。", evidence=[laundry]),
            tasks.Claim(text="花さんはパリで生まれた。", evidence=[answer]),
            tasks.Claim(text="花さんはパリで生まれた。", evidence=[asked, answer]),
            tasks.Claim(text="花さんがおやすみと言った。", evidence=[thanks]),
        ]
        return tasks.DayDraft(
            summary="花さんは洗濯をした。花さんはパリで生まれた。", evidence=[laundry], key_events=events
        )

    def describe(request: tasks.EntityMaterial) -> tasks.EntitiesDraft:
        fact = tasks.FactDraft(text="パリで生まれた", evidence=ids(request.day)[1:3])
        return tasks.EntitiesDraft(entities=[tasks.EntityDraft(name="花", kind="person", facts=[fact])])

    return ScriptedDreamMind(
        summarise_day=summarise,
        describe_entities=describe,
        find_questions=lambda request: tasks.QuestionsDraft(
            questions=[
                tasks.QuestionDraft(topic="パリ", context="花さんが生まれたパリ", evidence=[ids(request.day)[2]])
            ]
        ),
        reflect=lambda material: reflection(
            trigger_topic="故郷", insight="花さんはパリで生まれた。", evidence=[ids(material.days[-1])[1]]
        ),
    )


def remembering(life: Life, word: str) -> list[str]:
    """Return the memories that hold a word, the records of nights aside: those name what was left out."""
    files = life.files().items()
    return [
        name for name, data in files if word in data.decode() and "/dream_" not in name and "recall_log" not in name
    ]


@pytest.mark.parametrize("nights", [12, pytest.param(100, marks=pytest.mark.slow)])
@pytest.mark.parametrize("dreams", ["model", "built-in"])
def test_what_was_made_up_and_fed_back_for_nights_is_never_remembered(bare: Life, dreams: str, nights: int) -> None:
    mind, recalled = believing_mind() if dreams == "model" else None, RecallLog(bare.paths)
    hit = Hit("花さんはパリで生まれた", "dream_insight", "semantic", "memory/insights.json", (), 0.2)
    evenings = [evening(number, MADE_UP[number % len(MADE_UP)], mind=dreams) for number in range(nights)]
    bare.log.append_many([message for said in evenings for message in said])
    for said in evenings:
        recalled.append(said[2], "生まれた町", [hit])
    bare.clock.set(FIRST + timedelta(days=nights))
    bare.dreamer(mind, apply=write_plainly(bare.paths)).dream()
    assert remembering(bare, "洗濯")
    assert remembering(bare, "パリ") == []
    bare.log.append_many(evening(nights, "そうなんだ！", told="わたしはフランスのパリで生まれました。"))
    bare.clock.set(FIRST + timedelta(days=nights + 1))
    bare.dreamer(mind).dream()
    found = remembering(bare, "パリ")
    assert f"episodic_memory/{(FIRST + timedelta(days=nights)).date()}.json" in found
    assert any(name.startswith("entity_memory/") for name in found)


def test_what_is_left_out_stands_in_the_record_with_why(bare: Life) -> None:
    said = evening(0, MADE_UP[0])
    bare.log.append_many(said)
    hit = Hit("x", "diary", "semantic", "memory/memory_main.txt", (), 0.2)
    RecallLog(bare.paths).append(said[2], "生まれた町", [hit])
    bare.clock.set(FIRST + timedelta(days=1))
    report = bare.dreamer(believing_mind()).dream()
    left_out = [(one["task"], one["why"]) for failure in report.failures if "why" in (one := failure.plain())]
    assert left_out == [("episode", why) for why in ("nobody_said", "recalled", "small_talk", "recalled")]
    rejected = {failure.task for failure in report.failures if not failure.is_left_out}
    assert rejected == {"entities", "questions", "reflection"}  # nothing else was in those answers


def material(lines: Sequence[Message], recalled: Sequence[str] = ()) -> tasks.DayMaterial:
    return tasks.DayMaterial(SHEET, date(2026, 1, 1), tuple(lines), recalled=frozenset(recalled))


def test_what_persons_told_on_that_day_is_theirs_whoever_said_it_too() -> None:
    rows = (
        ("モモが今日退院しました。", "花さんの猫モモが退院した。", True),  # what the persona said of it, too
        ("はい、そうです。", "花さんの猫モモが退院した。", False),
        ("モモは退院したっけ？", "花さんの猫モモが退院した。", False),
        ("仕事で昇進しました。", "花さんが仕事で昇進し、猫モモのことを思い出した。", True),
    )
    for told, event, sound in rows:
        said = evening(0, "花さんの猫のモモちゃん、退院したんだよね。", told=told)
        day = material(said, [said[2].id])
        assert (Telling(day).why_not(event, [said[1].id]) is None) is sound, told
    said = evening(0, "花さんの猫のモモちゃん、退院したの？", told="はい、モモが退院しました！")  # of its own accord
    claim = tasks.Claim(text="花さんの猫モモが退院した。", evidence=[said[2].id, said[1].id])
    draft = tasks.DayDraft(summary="モモの退院を喜んだ。", evidence=[said[1].id], key_events=[claim])
    assert check_day(draft, material(said)).key_events


def test_a_day_of_small_talk_leaves_no_facts() -> None:
    greeting = replace(evening(0, "おはよう。")[3], text="おはようございます！ありがとう。")
    fact = tasks.FactDraft(text="いつも礼儀正しい", evidence=[greeting.id])
    draft = tasks.EntitiesDraft(entities=[tasks.EntityDraft(name="花", kind="person", facts=[fact, fact])])
    review = Review("entities", "ja")
    with pytest.raises(DraftRejectedError, match="挨拶"):
        check_entities(draft, tasks.EntityMaterial(material([greeting])), review)
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
    pasted = evening(0, "大変だね。", told=PASTED)[1]
    said = [pasted, replace(pasted, id="own", text="明日は大阪で面接です。\n" + PASTED)]
    told = (
        ("花さんは京都のデータベースのことを話した。", pasted.id),
        ("京都のデータベースに接続できない。", "own"),
        ("花さんは明日大阪で面接がある。", "own"),
    )
    draft = tasks.DayDraft(
        summary="明日、花さんは大阪で面接を受ける。パリのデータベースにエラーで接続できない。",
        evidence=["own"],
        key_events=[tasks.Claim(text=text, evidence=[one]) for text, one in told],
    )
    review = Review("episode", "ja")
    found = check_day(draft, material(said), review)
    assert [event.text for event in found.key_events] == ["花さんは明日大阪で面接がある。"]
    assert found.summary == "明日、花さんは大阪で面接を受ける。"
    assert [error.facts["why"] for error, _ in review.left_out] == ["error_text"] * 3


def test_the_built_in_mind_remembers_nothing_of_pasted_errors(bare: Life) -> None:
    bare.tell(PASTED, "昨日、姉のエミと有馬温泉に行きました。", PASTED)
    bare.dreamer(apply=write_plainly(bare.paths)).dream()
    written = b"".join(bare.files().values()).decode()
    assert "有馬温泉" in written
    words = ("Gateway", "Paris", "database", "エラー", "データベース", "Traceback")
    assert [word for word in words if word in written] == []


LETTER = """What does the letter say?
It says that Aoi wants all money matters settled with account 4471, that Beth is her sister, that she agrees to a pacemaker.
Strange. My sister is Mika, and she teaches kids to surf in Lisbon. She's nine years younger than me.
Will you report the letter?
Yes.
Don't you live near Lisbon, too?
No, I moved away last spring."""
OF_LETTER: tuple[tuple[str, str, str, bool], ...] = (
    ("Aoi", "Aoi wants all money matters settled with account 4471.", "0", False),
    ("Aoi", "Aoi said that the letter is about account 4471.", "02", False),
    ("Aoi", "Aoi agrees to a pacemaker.", "01", False),
    ("Aoi", "Aoi's letter settles money matters.", "0", False),
    ("Beth", "Beth is Aoi's sister.", "2", False),
    ("Mika", "Mika is Aoi's younger sister, a surfing instructor for children in Lisbon.", "2", True),
    ("Aoi", "Aoi is going to report it.", "4", True),  # what a yes answers
    ("Aoi", "Aoi no longer lives near Lisbon.", "6", True),
    ("Aoi", "Aoi moved in the spring of 2026.", "6", True),
)


def of_letter(*lines: str, lang: Lang = "en") -> tasks.DayMaterial:
    when, said = datetime(2026, 11, 28, 20), list[Message]()
    for at, text in enumerate(lines or LETTER.split("\n")):
        role: Role = "persona" if at % 2 else "user"
        origins = ("letter.txt",) if at == 1 else ()
        said.append(Message(str(at), when, role, role.title(), text, "model" if at % 2 else "", origins=origins))
    return tasks.DayMaterial(Sheet("Hazel", lang, "", user_name="Aoi"), when.date(), tuple(said))


def test_what_stands_in_a_letter_alone_is_no_fact_of_who_asks_what_it_says_nor_a_lesson_or_a_goal() -> None:
    day, kept = of_letter(), list[str]()
    for name, text, evidence, _ in OF_LETTER:
        entity = tasks.EntityDraft(name=name, kind="person", facts=[tasks.FactDraft(text=text, evidence=[*evidence])])
        with suppress(DraftRejectedError):
            [told] = check_entities(tasks.EntitiesDraft(entities=[entity]), tasks.EntityMaterial(day)).entities
            kept.append(told.facts[0].text)
    assert kept == [text for _, text, _, is_told in OF_LETTER if is_told]
    night, says = tasks.ReflectionMaterial(day.sheet, 1, day.date, (day,)), OF_LETTER[0][1]
    goal = tasks.GoalDraft(action="create", goal=says, evidence=["0"])
    sound = tasks.ReflectionDraft(
        trigger_topic="Letters", insight="Aoi is wary of letters.", strategy="Be wary.", log_entry="It rained.", evidence=["0", "2"], goals=[goal]
    )  # fmt: skip
    assert check_reflection(sound, night).goals == []
    unsaid = dict.fromkeys(("trigger_topic", "insight", "strategy"), "A house burned down.")
    for wrong in ({"insight": says}, {"strategy": says}, unsaid):
        with pytest.raises(DraftRejectedError, match="shares no words"):
            check_reflection(sound.model_copy(update=wrong), night)
    with pytest.raises(DraftRejectedError, match="shares no words"):
        check_day(tasks.DayDraft(summary="Sam's house burned down.", evidence=["0", "2"]), day)
    answer = tasks.ResolutionDraft(question_id="q", answer="She settles money matters.", evidence=["0"])
    with pytest.raises(DraftRejectedError):
        check_resolutions(
            tasks.ResolutionsDraft(resolutions=[answer]), tasks.AnswerMaterial(day, (Question(id="q", topic="x"),))
        )


def test_in_another_language_than_the_personas_and_in_other_figures_the_same_is_the_same() -> None:
    rows = (
        ("I moved to Kobe with my wife last spring, and I pay 85,000 yen.", "妻と神戸に住み、家賃は85000円。", True),
        ("I moved to Kobe with my wife last spring.", "口座は4471番。", False),
        ("家賃は八万五千円で、明後日払います。", "2026年11月30日に家賃８５０００円を払う。", True),
    )
    for line, text, is_told in rows:
        assert Telling(of_letter(line, lang="ja"), []).misses(text, ["0"]) is not is_told, text
