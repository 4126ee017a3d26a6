"""A long answer is found by any of its pieces, is one hit, and is put together again."""

from agent.as_json import hit as shown
from managers.memory.log import ConversationLog
from managers.recall.engine import Recall
from tests.recall.looking import Talk, contents

SENTENCES = [
    f"Step {number}: stir the {name} for {number + 3} minutes.\n"
    for number, name in enumerate(
        [
            f"{first}{second}"
            for first in ("red", "blue", "sour", "sweet", "hot", "cold", "dark", "pale", "old", "raw")
            for second in ("beet", "plum", "leek", "corn", "kale", "rice", "lamb", "sole", "yam", "oat")
            for _ in range(7)
        ]
    )
]
ANSWER = "".join(SENTENCES)
"""Of some 6,000 tokens by the usual four characters each."""


def test_a_long_answer_is_one_hit_and_comes_back_whole_in_order(recall: Recall, talk: Talk) -> None:
    assert len(ANSWER) // 4 >= 6000
    talk.user("How do I cook the stew of the hundred things?")
    said = talk.persona(ANSWER)
    talk.user("Thank you, I will try.")
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


def test_pieces_found_side_by_side_are_told_as_one(recall: Recall, talk: Talk) -> None:
    said = talk.past(
        "Yesterday was long.\n" + "".join(f"Then we painted the harbour wall {n}.\n" for n in range(30)), 40
    )
    other = talk.past("We painted the harbour boat.", 41)
    talk.user("Hello.")
    recall.catch_up()
    pieces = {text for _, unit, text, _ in contents(recall) if unit == said.id}
    assert len(pieces) > 3
    for found in (
        recall.for_turn("painted the harbour wall", window=[], threshold=2),
        recall.recall_memories("painted the harbour wall"),
    ):
        [hit] = [one for one in found if said.id in one.message_ids]
        joined = [piece for piece in pieces if piece in hit.text]
        assert 1 < len(joined) <= 3
        assert hit.text in said.text, "what two pieces share stands there once"
        assert any(other.id in one.message_ids for one in found)
    [single] = [one for one in recall.search("painted the harbour wall", 9) if said.id in one.message_ids]
    assert single.text in pieces


def test_an_answer_that_was_reworded_comes_back_as_it_reads_now(
    recall: Recall, talk: Talk, log: ConversationLog
) -> None:
    said = talk.persona(ANSWER)
    recall.catch_up()
    hits = recall.search("palecorn", 1)
    log.supersede(said.id, "The stew is gone, and nobody remembers how it was made in the first place.")
    (left,) = recall.with_pieces(hits, whole=True)
    assert left == hits[0]  # the piece is of the old answer
    recall.catch_up()
    (now,) = recall.with_pieces(recall.search("stew", 1), whole=True)
    assert now.text.startswith("The stew is gone")


def test_short_answers_and_what_the_user_said_are_no_pieces(recall: Recall, talk: Talk) -> None:
    talk.persona("The stew is red.")
    talk.user("My own stew is always made of at least fifty different kinds of beet and leek.")
    recall.catch_up()
    hits = recall.with_pieces(recall.search("stew", 5))
    assert len(hits) == 2
    assert all(hit.piece is None for hit in hits)
    assert not {"qa_id", "chunk_index"} & shown(hits[0], 1).keys()
