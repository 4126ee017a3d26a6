"""What the built-in mind makes of conversations: small ones here, and the real ones where they are at hand."""

import json
import re
from collections import defaultdict
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from itertools import zip_longest
from pathlib import Path

import pytest

from agent.minds.builtin.mind import BuiltInDreamMind
from managers.memory.entities import Entity, Fact, find_by_name, with_fact
from managers.memory.messages import Message
from managers.memory.questions import Question
from managers.mind import Cancel, Sheet
from managers.sleep.tasks import AnswerMaterial, DayMaterial, EntityMaterial, QuestionMaterial, ReflectionMaterial
from managers.storage.errors import Lang

DATA = Path(__file__).parents[3] / "shared" / "data"
MIND = BuiltInDreamMind()
NOON = datetime(2026, 5, 4, 12)
NAMES: dict[Lang, str] = {"ja": "花", "en": "Hana"}


def day(lang: Lang, *lines: str, speakers: Sequence[str] = (), user_name: str | None = None) -> DayMaterial:
    """Return a day on which the user said some lines."""
    user = NAMES[lang] if user_name is None else user_name
    who = zip_longest(lines, speakers[: len(lines)], fillvalue=speakers[-1] if speakers else NAMES[lang])
    messages = tuple(
        Message(f"m{n}", NOON + timedelta(minutes=n), "user", speaker, line) for n, (line, speaker) in enumerate(who)
    )
    return DayMaterial(Sheet("ねむ" if lang == "ja" else "Nemu", lang, "", user_name=user), NOON.date(), messages)


def test_plans_and_worries_stay_open_and_small_talk_does_not() -> None:
    worry = "My grandma is in the hospital and I'm really worried about her."
    plan = "I'm going to visit the pottery museum next week."
    material = day("en", plan, worry, "Nice weather today.", "Bye, talk to you soon!")
    found = MIND.find_questions(QuestionMaterial(material), Cancel()).questions
    assert [question.evidence for question in found] == [["m1"], ["m0"]]
    assert found[0].priority > found[1].priority
    assert "pottery museum" in found[1].topic
    again = tuple(Question(topic=q.topic, context=q.context) for q in found)
    assert MIND.find_questions(QuestionMaterial(material, again), Cancel()).questions == []


QUESTIONS = {
    "museum": ("visit the pottery museum next week", "Hana said, “I'm going to visit the pottery museum.”"),
    "cat": ("cat Momo", "On 2026-01-03 Hana said, “My cat Momo is in hospital.”"),
    "猫": (
        "うちの猫のモモ",
        "2026-01-03に花さんが「うちの猫のモモちゃんが入院していて、とても心配です」と話していた。",
    ),
    "神社": ("京都の貴船神社", "2026-01-02に花さんが「来週は京都の貴船神社に行く予定です」と話していた。"),
}
ANSWERS = (
    ("museum", "I went to visit the pottery museum and made a bowl."),
    ("cat", "Momo came home! I am so happy."),
    ("cat", "She is worried, but Momo came home."),
    ("猫", "モモちゃんが退院しました!"),
    ("神社", "上司と貴船神社に行ってきました。"),
)
NO_ANSWERS = (
    ("museum", "I'm still going to visit the pottery museum."),
    ("museum", "Did you visit the pottery museum?"),
    ("cat", "My cat Momo is in hospital and I am very worried."),
    ("cat", "I dreamed that Momo came home."),
    ("cat", "I wish Momo was home."),
    ("猫", "うちの猫のモモちゃんが入院していて、とても心配でした。"),
    ("猫", "モモが退院したらお祝いする。"),
    ("猫", "モモちゃんが退院した夢を見た。"),
    ("猫", "モモが退院したわけじゃないんだ。"),
    ("神社", "同僚の佐藤さんが貴船神社に行ってきました。"),
    ("神社", "貴船神社に行ったら写真を撮る。"),
)


def test_only_a_report_answers_a_question_in_whatever_words() -> None:
    def is_answer(name: str, line: str) -> bool:
        topic, context = QUESTIONS[name]
        lang: Lang = "en" if line.isascii() else "ja"
        question = Question(id="q_1", topic=topic, context=context, about=NAMES[lang])
        found = MIND.resolve_questions(AnswerMaterial(day(lang, line), (question,)), Cancel()).resolutions
        assert all(one.evidence == ["m0"] for one in found)
        return bool(found)

    assert [row for row in ANSWERS if not is_answer(*row)] == []
    assert [row for row in NO_ANSWERS if is_answer(*row)] == []


def test_a_day_of_greetings_makes_no_thought() -> None:
    material = day("en", "Hi!", "Bye!")
    assert MIND.reflect(ReflectionMaterial(material.sheet, 1, material.date, (material,)), Cancel()) is None
    assert MIND.summarise_day(material, Cancel()).summary


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
    found: dict[date, list[Message]] = defaultdict(list)
    for line in (DATA / f"{name}.transcript.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        time = datetime.fromisoformat(row["time"]).replace(tzinfo=None)
        found[time.date()].append(Message(row["id"], time, row["role"], row["speaker"], row["text"]))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", list(REAL))
@pytest.mark.skipif(not DATA.exists(), reason="the real conversations are not at hand")
def test_real_days_give_entities_that_are_people_and_things_and_quotes_that_stand_in_their_messages(name: str) -> None:
    persona, lang = REAL[name]
    sheet = Sheet(persona, "ja" if lang == "ja" else "en", "")
    texts: dict[str, str] = {}
    known: list[Entity] = []
    for when, messages in real_days(name).items():
        material = DayMaterial(sheet, when, tuple(messages))
        said = {message.id: " ".join(message.text.split()) for message in messages}
        texts |= said
        for draft in MIND.describe_entities(EntityMaterial(material, tuple(known)), Cancel()).entities:
            entity = find_by_name(known, [draft.name, *draft.aliases])
            if entity is None:
                entity = Entity(draft.name, draft.kind)
                known.append(entity)
            at = known.index(entity)
            for fact in draft.facts:
                quoted = re.sub(r"^.*?[「“]|[」”]$", "", fact.text).rstrip("…").replace("『", "「").replace("』", "」")
                meant = texts[fact.evidence[0]].replace('"', "'")  # a quotation within one has the other marks
                assert quoted.rstrip("」").replace('"', "'") in meant, fact  # nothing that no one said
                known[at] = with_fact(known[at], Fact(fact.text, tuple(fact.evidence), "built-in"))
        episode = MIND.summarise_day(material, Cancel())
        assert episode.summary
        assert set(episode.evidence) <= said.keys()
        for event in episode.key_events:
            assert event.text.split(": ", 1)[1].rstrip("…") in said[event.evidence[0]]
    first = [entity.name for entity in known][:50]
    judged = set(PEOPLE_AND_THINGS[name].split("|" if lang == "en" else None))
    assert len(first) >= 25
    assert sum(entity in judged for entity in first) / len(first) >= 0.9
