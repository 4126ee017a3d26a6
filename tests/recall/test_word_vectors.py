"""A table of Japanese word vectors: read as spaCy wrote it, used where memories are Japanese, and by what words mean."""

import struct
from pathlib import Path

import numpy as np
import pytest

from managers.recall.engine import Recall
from managers.recall.index import word_vectors
from managers.recall.index.word_vectors import WordVectors
from managers.storage.settings import RecallSettings
from tests.recall.conftest import Open
from tests.recall.looking import Talk, assert_sound, caught_up, found

LANTERN = "提灯がきれいだった。"


def write_table(folder: Path, words: dict[str, list[float]]) -> Path:
    """Write a table as spaCy does: an array of vectors, and a MessagePack map from hashes to rows."""
    vocab = folder / "ja_ginza" / "ja_ginza-0.0.1" / "vocab"
    vocab.mkdir(parents=True)
    with (vocab / "vectors").open("wb") as file:
        np.save(file, np.array(list(words.values()), np.float32))
    hashes = [word_vectors._murmur(word.encode()) for word in words]
    entries = b"".join(struct.pack(">BQB", 0xCF, one, row) for row, one in enumerate(hashes))
    (vocab / "key2row").write_bytes(b"\xdf" + struct.pack(">I", len(words)) + entries)
    (folder / "ja_ginza" / "__init__.py").write_text("raise AssertionError('spaCy is not wanted')", "utf-8")
    return vocab


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    rng = np.random.default_rng(1)
    words = {word: list(rng.normal(size=50)) for word in "犬車海本傘空星茶靴森"}
    words["提灯"] = list(rng.normal(size=50))
    words["夜道"] = [value + 0.3 * float(rng.normal()) for value in words["提灯"]]
    words |= {f"語{n}": list(rng.normal(size=50)) for n in range(30)}
    vocab = write_table(tmp_path / "site", words)
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    return vocab


def told(talk: Talk, *texts: str) -> None:
    talk.user(*(texts[number % len(texts)].format(number) for number in range(60)))


def uses_words(recall: Recall) -> bool:
    recall.catch_up()
    return "ja-ginza" in recall.status().embedder


def test_the_table_is_read_as_spacy_writes_it_and_near_words_are_near(table: Path) -> None:
    # From spaCy's documentation: nlp.vocab.strings["coffee"].
    assert word_vectors._murmur(b"coffee") == 3197928453018144401
    words = WordVectors(table)
    near = words.near("夜道")
    assert near[0][1] == pytest.approx(1, abs=1e-4)
    assert near[1][0] == words.place("提灯")
    assert words.near("無い言葉") == ()


def test_the_table_is_used_where_memories_are_japanese(open_recall: Open, talk: Talk, table: Path) -> None:
    talk.user(LANTERN)
    recall = open_recall()
    assert not uses_words(recall)  # so few tell nothing
    told(talk, "本を{}冊読んだ。", "I read book {}.")
    assert uses_words(recall)
    assert recall.status().notices == ()
    for one in (recall, open_recall()):  # as another process, or after a restart
        assert LANTERN in found(one, "夜道", 3)
    plain = open_recall(RecallSettings(embedder="builtin"))
    plain.catch_up()
    assert LANTERN not in found(plain, "夜道", 3)
    word_vectors.opened.cache_clear()
    chosen = open_recall(RecallSettings(embedder="japanese-vectors"))
    assert not word_vectors.opened(table).is_loaded
    caught_up(chosen)
    assert word_vectors.opened(table).is_loaded, "it is read when a persona wakes"
    assert LANTERN in found(chosen, "夜道", 3)


@pytest.mark.usefixtures("table")
def test_the_table_is_not_used_where_they_are_not(recall: Recall, talk: Talk) -> None:
    told(talk, "I read book {}.", *["The weather is fine today, day {}."] * 8, "本を{}冊。")
    assert not uses_words(recall)


def test_a_table_that_comes_later_is_used_from_the_next_start_and_one_that_goes_is_not(
    open_recall: Open, talk: Talk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(word_vectors, "find_table", lambda: None)
    told(talk, "提灯が{}つ。")
    before = open_recall()
    assert not uses_words(before)
    before.close()
    vocab = write_table(tmp_path / "later", {"提灯": [1.0, 0.2], "夜道": [1.0, 0.3], "海": [0.0, 1.0]})
    monkeypatch.setattr(word_vectors, "find_table", lambda: vocab)
    after = open_recall()
    assert uses_words(after)
    assert "提灯" in found(after, "夜道", 1)[0]
    monkeypatch.setattr(word_vectors, "find_table", lambda: None)
    gone = open_recall()
    assert not uses_words(gone)
    assert gone.status().notices == ()
    assert_sound(gone)
