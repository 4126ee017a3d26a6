"""Long answers, several questions in one, what holds from now on, and what only the whole of a talk can answer."""

import itertools

from agent.as_json import hit as shown
from managers.language.reading.clauses import clauses
from managers.language.reading.overview import asks_for_overview
from managers.language.reading.preferences import asks_for_help, is_standing_wish
from managers.recall.engine import Recall
from tests.recall.conftest import Episode
from tests.recall.looking import Talk, contents, found

FILLER = "It pays to begin with what you have and to change one thing at a time. " * 4
THINGS = itertools.product(("red", "blue", "sour", "sweet", "hot", "cold", "dark", "pale", "old", "raw"),
                           ("beet", "plum", "leek", "corn", "kale", "rice", "lamb", "sole", "yam", "oat"), range(7))  # fmt: skip
ANSWER = "".join(
    f"Step {number}: stir the {first}{second} for {number + 3} minutes.\n"
    for number, (first, second, _) in enumerate(THINGS)
)
"""Of some 6,000 tokens by the usual four characters each."""


def test_a_long_answer_is_one_hit_and_comes_back_whole_in_order_as_it_reads_now(recall: Recall, talk: Talk) -> None:
    assert len(ANSWER) // 4 >= 6000
    talk.user("How do I cook the stew of the hundred things?")
    said = talk.persona(ANSWER)
    talk.user("Thank you, my own stew is always made of at least fifty different kinds of beet and leek.")
    talk.persona("The stew is red.")
    recall.catch_up()
    hits = [hit for hit in recall.search("stir the palecorn", 10) if said.id in hit.message_ids]
    assert len(hits) == 1
    (named,) = recall.with_pieces(hits)
    assert named.piece is not None
    assert named.text in ANSWER
    assert "palecorn" in named.text
    assert (named.piece.qa_id, 0 < named.piece.chunk_index < named.piece.chunk_count) == (said.id, True)
    (whole,) = recall.with_pieces(hits, whole=True)
    assert whole.text == ANSWER.strip()
    assert {"qa_id", "chunk_index", "chunk_count"} <= shown(whole, 1).keys()
    short = recall.with_pieces([hit for hit in recall.search("stew", 9) if said.id not in hit.message_ids])
    assert len(short) == 3
    assert all(hit.piece is None for hit in short), "short answers and what the user said are no pieces"
    assert not {"qa_id", "chunk_index"} & shown(short[0], 1).keys()
    talk.log.supersede(said.id, "The stew is gone, and nobody remembers how it was made in the first place.")
    assert recall.with_pieces(hits, whole=True) == hits  # the piece is of the old answer
    recall.catch_up()
    (now,) = recall.with_pieces(recall.search("stew is gone", 1), whole=True)
    assert now.text.startswith("The stew is gone")


def test_pieces_found_side_by_side_are_told_as_one(recall: Recall, talk: Talk) -> None:
    wall = "".join(f"Then we painted the harbour wall {n}.\n" for n in range(30))
    said, other = talk.past(f"Yesterday was long.\n{wall}", 40), talk.past("We painted the harbour boat.", 41)
    talk.user("Hello.")
    recall.catch_up()
    pieces = {text for _, unit, text, _ in contents(recall) if unit == said.id}
    assert len(pieces) > 3
    for hits in (recall.for_turn("harbour wall", window=[], threshold=2), recall.recall_memories("harbour wall")):
        [hit] = [one for one in hits if said.id in one.message_ids]
        assert 1 < len([piece for piece in pieces if piece in hit.text]) <= 3
        assert hit.text in said.text, "what two pieces share stands there once"
        assert any(other.id in one.message_ids for one in hits)
    [single] = [one for one in recall.search("painted the harbour wall", 9) if said.id in one.message_ids]
    assert single.text in pieces


def test_what_rests_on_the_same_message_is_one_hit(recall: Recall, episode: Episode) -> None:
    for day in ("2026-05-01", "2026-05-02"):
        episode(day, f"We spoke about tulips on {day}.")
    recall.catch_up()
    assert len(recall.recall_memories("tulips")) == 2
    for path in recall.paths.episodic_memory.iterdir():
        path.write_text(path.read_text("utf-8").replace("e 2026-05-01", "e 2026-05-02"), "utf-8")
    recall.catch_up()
    assert len(recall.recall_memories("tulips")) == 1
    assert len(recall.search("tulips")) == 2  # whoever looks for a day finds it beside the other one


def test_each_of_several_questions_is_looked_for(recall: Recall, talk: Talk) -> None:
    reason, rope = "外食が減ったのは、健康診断の結果のせいです。", "縄跳びを三百回跳びました。"
    talk.past(reason, 9)
    talk.past(rope, 7)
    for number in range(20):
        talk.past(f"今日は{number}時に犬の散歩をして、川の写真を撮りました。", 5)
    recall.catch_up()
    for query, told in {
        "縄跳びの話をしたよね…あと、外食が減った理由は何だっけ？": reason,
        "縄跳びは何回跳んだ？ それと、外食が減った理由は？": rope,
    }.items():
        assert told in [hit.text for hit in recall.recall_memories(query)]
    for text, parts in {
        "猫の話、覚えてる？あと、外食の件は？": ["猫の話、覚えてる？", "外食の件は？"],
        "What is Tom's job? And where does Mia live?": ["What is Tom's job?", "And where does Mia live?"],
        "What is Tom's job? Does he like it?": ["What is Tom's job? Does he like it?"],
        "猫の名前は？": ["猫の名前は？"],
    }.items():
        assert clauses(text) == parts


def test_a_wish_that_holds_is_found_where_somebody_asks_for_help(recall: Recall, talk: Talk) -> None:
    question = "Could you draw up something for our Sunday in Coimbra?"
    for number in range(40):
        talk.past(f"On Sunday number {number} of the Portugal trip we walked through Coimbra and drew a map.", 50)
    recall.catch_up()
    assert found(recall, question, 10)  # though nobody wished for anything
    talk.past("For the Portugal trip never put more than two things into one day, Mum gets tired.", 60)
    recall.catch_up()
    assert any(text.startswith("For the Portugal trip never") for text in found(recall, question, 10))


def test_wishes_calls_for_help_and_for_an_overview_are_told_from_others() -> None:
    wishes = (
        "From now on, use grams.",
        "I'd rather walk.",
        "予定を組むときは、二つまでにしてください。",
        "肉より魚のほうが好き。",
    )
    tells = ("I walked to the harbour.", "港まで歩いた。")
    assert [text for text in (*wishes, *tells) if is_standing_wish(text)] == [*wishes]
    helps = ("Could you suggest a plan for Sunday?", "日曜の予定を組んでくれる？")
    looks_back = ("What did you suggest for Sunday?", "前に書いてくれた手紙、覚えてる？")
    assert [text for text in (*helps, *looks_back) if asks_for_help(text)] == [*helps]
    overviews = ("How has my app developed since we began?", "庭の話を最初から順を追って教えて。")
    others = ("What did I order at the cafe?", "How did the exam go?")
    assert [text for text in (*overviews, *others) if asks_for_overview(text)] == [*overviews]


def test_an_overview_is_spread_over_time(recall: Recall, talk: Talk) -> None:
    subjects = ("compost", "slugs", "tomatoes", "watering", "seeds", "frost")
    for number, subject in enumerate(subjects):
        for again in range(6):
            talk.past(f"About the garden: today it is {subject} that I think of, note {again}.", 60 - 10 * number)
            talk.persona(f"The garden thrives when {subject} get attention. {FILLER}")
    recall.catch_up()
    for query in ("In what order did I bring up the parts of my garden?", "Sum up all that I told you of the garden."):
        told = found(recall, query, 10)
        assert {one for text in told for one in subjects if one in text} == set(subjects)
        hits = recall.recall_memories(query)
        assert [hit.time for hit in hits] == sorted(hit.time for hit in hits if hit.time)
