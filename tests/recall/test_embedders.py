import importlib.util
import struct
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from managers.recall.embedders import Vectors
from managers.recall.embedders.cached import IN_MEMORY, CachedEmbedder
from managers.recall.embedders.gemini import GeminiEmbedder
from managers.recall.embedders.local_model import LocalModelEmbedder
from managers.recall.embedders.ngrams import DIMENSIONS, NgramEmbedder, count_frequencies
from managers.recall.embedders.word_means import WordMeansEmbedder
from managers.recall.engine import Recall
from managers.recall.errors import EmbeddingError
from managers.recall.index import word_vectors
from managers.recall.index.scalar_quantization import STEP
from managers.recall.index.word_vectors import WordVectors
from managers.storage.paths import PersonaPaths
from managers.storage.settings import RecallSettings, Secrets
from managers.transport import BODY_BYTES
from tests.recall.conftest import Open
from tests.recall.embedding_server import EmbeddingServer, Mood, serving
from tests.recall.looking import Talk, assert_sound

TEXTS = [
    "I walked the dog.",
    "I was walking my dogs.",
    "The stock market fell.",
    "犬の散歩をした。",
    "散歩した犬",
    "株価が下がった。",
]


def test_ngrams_put_like_texts_together() -> None:
    embedder = NgramEmbedder(*count_frequencies(TEXTS))
    vectors = embedder.passages(TEXTS)
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2]
    assert vectors[3] @ vectors[4] > vectors[3] @ vectors[5]


def test_ngrams_are_the_same_every_time_and_in_any_batch() -> None:
    embedder = NgramEmbedder(*count_frequencies(TEXTS))
    together = embedder.passages(TEXTS * 200)
    for place, text in enumerate(TEXTS):
        assert np.allclose(together[place], embedder.query(text)[0], atol=1e-6)
    assert NgramEmbedder(*count_frequencies(TEXTS)).name == embedder.name
    assert NgramEmbedder().name != embedder.name


@given(st.lists(st.text(max_size=80), max_size=6))
def test_any_text_gets_a_unit_vector(texts: list[str]) -> None:
    vectors = NgramEmbedder().passages(texts)
    assert vectors.shape[0] == len(texts)
    assert np.isfinite(vectors).all()
    assert (np.linalg.norm(vectors, axis=1) < 1.0001).all()


class Counting:
    """An embedder that counts what it is asked."""

    name = "counting"
    factor = 1.0
    is_remote = True
    is_slow = True
    is_ready = True

    def load(self) -> None:
        """Nothing."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def passages(self, texts: Sequence[str]) -> Vectors:
        self.asked += texts
        return NgramEmbedder().passages(texts)

    def query(self, text: str) -> Vectors:
        self.asked.append(text)
        return NgramEmbedder().query(text)


def test_no_text_is_embedded_twice_even_after_a_restart(tmp_path: Path) -> None:
    counting = Counting()
    cached = CachedEmbedder(counting, tmp_path / "cache.sqlite")
    first = cached.passages(["a b", "c d", "a b"])
    again = CachedEmbedder(counting, tmp_path / "cache.sqlite").passages(["c d", "a b", "new"])
    assert counting.asked == ["a b", "c d", "new"]
    assert np.allclose(first[0], again[1], atol=2e-3)


def test_questions_are_remembered_but_not_on_the_disk(tmp_path: Path) -> None:
    counting, path = Counting(), tmp_path / "cache.sqlite"
    cached = CachedEmbedder(counting, path)
    cached.query("what was said off the record")
    cached.query("what was said off the record")
    assert counting.asked == ["what was said off the record"]
    assert not path.exists()


def test_the_cache_in_memory_has_a_limit(tmp_path: Path) -> None:
    cached = CachedEmbedder(Counting(), tmp_path / "cache.sqlite")
    cached.passages([f"text {number}" for number in range(IN_MEMORY + 300)])
    assert len(cached._memory) == IN_MEMORY


def test_a_broken_cache_is_begun_anew(tmp_path: Path) -> None:
    path = tmp_path / "cache.sqlite"
    path.write_bytes(b"no database " * 1000)
    assert CachedEmbedder(Counting(), path).passages(["a"]).shape[0] == 1


def test_forgotten_texts_leave_the_cache(tmp_path: Path) -> None:
    counting = Counting()
    cached = CachedEmbedder(counting, tmp_path / "cache.sqlite")
    cached.passages(["secret", "known"])
    assert cached.keep_only(["known"]) == 1
    cached.passages(["secret", "known"])
    assert counting.asked == ["secret", "known", "secret"]


# Gemini, on the wire


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    with serving() as running:
        yield running


def gemini(server: EmbeddingServer, waits: list[float] | None = None) -> GeminiEmbedder:
    pauses: list[float] = [] if waits is None else waits
    return GeminiEmbedder("key", address=server.address, wait=pauses.append)


def test_gemini_gets_task_types_and_gives_unit_vectors(server: EmbeddingServer) -> None:
    embedder = gemini(server)
    vectors = embedder.passages(["A red kite.", "A blue whale."])
    embedder.query("kite")
    kinds = [one["taskType"] for body in server.requests for one in body["requests"]]
    assert kinds == ["RETRIEVAL_DOCUMENT", "RETRIEVAL_DOCUMENT", "RETRIEVAL_QUERY"]
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 1], abs=1e-5)


def test_gemini_gets_placeholders_for_what_is_private_unless_somebody_says_otherwise(server: EmbeddingServer) -> None:
    embedder = gemini(server)
    embedder.passages(["Write to hana@example.jp", "A red kite."])
    embedder.query("090-1234-5678って誰?")
    assert server.texts == ["Write to [REDACTED_EMAIL]", "A red kite.", "[REDACTED_PHONE]って誰?"]
    open_one = GeminiEmbedder("key", address=server.address, masked=False)
    assert open_one.name != embedder.name
    open_one.passages(["Write to hana@example.jp"])
    assert server.texts[-1] == "Write to hana@example.jp"


@pytest.mark.parametrize("mood", [429, 500, 503, "garbage", "short", "drop"])
def test_gemini_tries_three_times_with_growing_pauses(server: EmbeddingServer, mood: object) -> None:
    waits: list[float] = []
    server.moods.extend([mood, mood])  # type: ignore[list-item]  # moods
    assert gemini(server, waits).passages(["text"]).shape == (1, 768)
    assert waits == [2.0, 4.0]
    server.always = mood  # type: ignore[assignment]  # a mood
    server.requests.clear()
    with pytest.raises(EmbeddingError):
        gemini(server, waits).passages(["text"])
    assert len(server.requests) == 3


@pytest.mark.parametrize("mood", ["endless", "gzip", "numberless"])
def test_an_answer_without_an_end_or_a_number_is_no_vector(server: EmbeddingServer, mood: Mood) -> None:
    server.moods.append(mood)
    with pytest.raises(EmbeddingError):
        gemini(server).query("text")
    assert server.sent < 16 * BODY_BYTES  # what was sent before it hung up stands in the network's own buffers
    assert gemini(server).query("text").shape == (1, 768)


@pytest.mark.parametrize("mood", [400, 401])
def test_gemini_does_not_insist_when_it_is_refused(server: EmbeddingServer, mood: int) -> None:
    server.always = mood  # type: ignore[assignment]  # a mood
    with pytest.raises(EmbeddingError) as caught:
        gemini(server).passages(["text"])
    assert len(server.requests) == 1
    assert str(mood) in caught.value.sentence("en")


def test_batches_of_twenty_two_seconds_apart_and_a_failed_one_is_not_marked_as_done(
    open_recall: Open, talk: Talk, server: EmbeddingServer
) -> None:
    for number in range(45):
        talk.user(f"Heron number {number}.")
    pauses: list[float] = []
    embedder = gemini(server)
    server.moods.extend(["well", 503, 503, 503, 503])
    recall = open_recall(embedder=embedder, wait=pauses.append)
    recall.catch_up()
    worker = recall._upkeep.vectors.worker
    assert worker is not None
    worker.join()
    asked = [len(body["requests"]) for body in server.requests]
    assert asked == [20, 20, 20, 20, 1]  # three tries, and one whether it is the texts
    assert pauses == [2.0]
    status = recall.status()
    assert status.unembedded == 25
    assert "embedder-failed" in {notice.code for notice in status.notices}
    assert "Heron number 3." in [hit.text for hit in recall.search("heron number", 50)]  # words find all meanwhile
    assert_sound(recall)
    recall.catch_up()
    worker = recall._upkeep.vectors.worker
    assert worker is not None
    worker.join()
    assert recall.status().unembedded == 0
    assert recall.status().notices == ()
    assert {text for text in server.texts if text.startswith("Heron")} == {f"Heron number {n}." for n in range(45)}
    assert_sound(recall)


def test_a_change_of_embedder_keeps_words_working_while_vectors_are_made(
    open_recall: Open, talk: Talk, server: EmbeddingServer
) -> None:
    for number in range(25):
        talk.user(f"Otter number {number}.")
    own = open_recall()
    own.catch_up()
    own.close()
    changed = open_recall(embedder=gemini(server), wait=lambda _: False)
    server.always = 400
    changed.catch_up()
    worker = changed._upkeep.vectors.worker
    assert worker is not None
    worker.join()
    assert changed.status().unembedded == 25
    assert changed.search("otter")
    server.always = "well"
    changed.catch_up()
    worker = changed._upkeep.vectors.worker
    assert worker is not None
    worker.join()
    assert changed.status().unembedded == 0
    back = open_recall()
    back.catch_up()
    assert back.status().unembedded == 0
    assert dict(back.search("otters", 1)[0].why).keys() >= {"semantic"}


def test_a_missing_key_or_package_is_said(open_recall: Open, talk: Talk, paths: PersonaPaths, tmp_path: Path) -> None:
    talk.user("A badger crossed the road.")
    without_key = open_recall(RecallSettings(embedder="gemini"), secrets=Secrets(tmp_path / "secrets.toml"))
    without_key.catch_up()
    assert [hit.text for hit in without_key.search("badger")] == ["A badger crossed the road."]
    assert "embedder-missing" in {notice.code for notice in without_key.status().notices}
    if importlib.util.find_spec("sentence_transformers") is None:
        without_package = open_recall(RecallSettings(embedder="sentence-transformers"))
        without_package.catch_up()
        assert without_package.search("badger")
        assert "embedder-missing" in {notice.code for notice in without_package.status().notices}
    if word_vectors.find_table() is None:
        without_table = open_recall(RecallSettings(embedder="japanese-vectors"))
        without_table.catch_up()
        assert "embedder-missing" in {notice.code for notice in without_table.status().notices}


# Word vectors


def write_table(folder: Path, words: dict[str, list[float]]) -> Path:
    """Write a table as spaCy does: an array of vectors, and a MessagePack map from hashes to rows."""
    vocab = folder / "ja_ginza" / "ja_ginza-0.0.1" / "vocab"
    vocab.mkdir(parents=True)
    with (vocab / "vectors").open("wb") as file:
        np.save(file, np.array(list(words.values()), np.float32))
    entries = b"".join(
        b"\xcf" + struct.pack(">Q", word_vectors._murmur(word.encode())) + bytes([row])
        for row, word in enumerate(words)
    )
    (vocab / "key2row").write_bytes(b"\xdf" + struct.pack(">I", len(words)) + entries)
    (folder / "ja_ginza" / "__init__.py").write_text("raise AssertionError('spaCy is not wanted')", "utf-8")
    return vocab


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    rng = np.random.default_rng(1)
    words = {word: list(rng.normal(size=50)) for word in ("犬", "車", "海", "本", "傘", "空", "星", "茶", "靴", "森")}
    words["提灯"] = list(rng.normal(size=50))
    words["夜道"] = [value + 0.3 * float(rng.normal()) for value in words["提灯"]]
    words |= {f"語{n}": list(rng.normal(size=50)) for n in range(30)}
    vocab = write_table(tmp_path / "site", words)
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    return vocab


def test_the_hash_is_the_one_that_spacy_uses() -> None:
    # From spaCy's documentation: nlp.vocab.strings["coffee"].
    assert word_vectors._murmur(b"coffee") == 3197928453018144401


def test_near_words_are_near(table: Path) -> None:
    words = WordVectors(table)
    near = words.near("夜道")
    assert near[0][1] == pytest.approx(1, abs=1e-4)
    assert near[1][0] == words.place("提灯")
    assert words.near("無い言葉") == ()


def test_a_question_finds_words_of_like_meaning(open_recall: Open, talk: Talk, table: Path) -> None:
    talk.user("提灯がきれいだった。")
    talk.user("車を洗った。")
    for number in range(12):
        talk.user(f"本を{number}冊読んだ。")
    plain = open_recall()
    plain.catch_up()
    assert "提灯がきれいだった。" not in [hit.text for hit in plain.search("夜道", 3)]
    plain.close()
    rich: Recall = open_recall(RecallSettings(embedder="japanese-vectors"))
    rich.catch_up()
    assert rich.search("夜道", 1)[0].text == "提灯がきれいだった。"
    assert rich.status().notices == ()


def told(talk: Talk, texts: Sequence[str]) -> None:
    for number in range(60):
        talk.user(texts[number % len(texts)].format(number))


def uses_words(recall: Recall) -> bool:
    recall.catch_up()
    return "ja-ginza" in recall.status().embedder


def test_the_table_is_used_where_memories_are_japanese(open_recall: Open, talk: Talk, table: Path) -> None:
    talk.user("提灯がきれいだった。")
    recall = open_recall()
    assert not uses_words(recall)  # so few tell nothing
    told(talk, ["本を{}冊読んだ。", "I read book {}."])
    assert uses_words(recall)
    assert "提灯がきれいだった。" in [hit.text for hit in recall.search("夜道", 3)]
    assert recall.status().notices == ()
    other = open_recall()  # as another process, or after a restart
    assert "提灯がきれいだった。" in [hit.text for hit in other.search("夜道", 3)]
    plain = open_recall(RecallSettings(embedder="builtin"))
    plain.catch_up()
    assert "提灯がきれいだった。" not in [hit.text for hit in plain.search("夜道", 3)]


def test_the_table_is_not_used_where_they_are_not(open_recall: Open, talk: Talk, table: Path) -> None:
    told(talk, ["I read book {}.", *["The weather is fine today, day {}."] * 8, "本を{}冊。"])
    recall = open_recall()
    assert not uses_words(recall)


def test_a_table_that_comes_later_is_used_from_the_next_start(
    open_recall: Open, talk: Talk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(word_vectors, "find_table", lambda: None)
    told(talk, ["提灯が{}つ。"])
    before = open_recall()
    assert not uses_words(before)
    before.close()
    vocab = write_table(tmp_path / "later", {"提灯": [1.0, 0.2], "夜道": [1.0, 0.3], "海": [0.0, 1.0]})
    monkeypatch.setattr(word_vectors, "find_table", lambda: vocab)
    after = open_recall()
    assert uses_words(after)
    assert "提灯" in after.search("夜道", 1)[0].text
    assert not uses_words(open_recall(RecallSettings(embedder="builtin")))
    monkeypatch.setattr(word_vectors, "find_table", lambda: None)
    gone = open_recall()
    assert not uses_words(gone)
    assert gone.status().notices == ()
    assert_sound(gone)


def test_the_table_is_read_when_a_persona_wakes(open_recall: Open, talk: Talk, table: Path) -> None:
    told(talk, ["提灯が{}つ。"])
    open_recall().catch_up()
    word_vectors.opened.cache_clear()
    recall = open_recall()
    assert not word_vectors.opened(table).is_loaded
    recall.catch_up()
    worker = recall._upkeep.vectors.worker
    assert worker is not None
    worker.join()
    assert word_vectors.opened(table).is_loaded


def test_a_message_is_found_by_what_its_words_have_in_common(
    open_recall: Open, talk: Talk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(2)
    fields = {name: rng.normal(size=50) for name in ("music", "food", "town")}
    shared = rng.normal(size=50)  # what all words of a table have in common says nothing
    kinds = {"music": "歌 笛 琴 曲 太鼓", "food": "米 塩 魚 豆 芋", "town": "橋 駅 塔 門 店"}
    words = {
        word: list(shared + fields[kind] + 1.2 * rng.normal(size=50))
        for kind, held in kinds.items()
        for word in held.split()
    }
    write_table(tmp_path / "means", words)
    monkeypatch.syspath_prepend(str(tmp_path / "means"))
    for number in range(60):
        talk.user(f"{'橋駅塔門'[number % 4]}と店と{'米塩魚豆'[number % 4]}、{number}番。")
    talk.user("琴と笛と曲。")
    recall = open_recall(RecallSettings(embedder="japanese-vectors"))
    recall.catch_up()
    assert recall.search("太鼓、歌", 1)[0].text == "琴と笛と曲。"
    recall.close()
    again = open_recall(RecallSettings(embedder="japanese-vectors"))
    assert again.search("太鼓、歌", 1)[0].text == "琴と笛と曲。"
    kept = again._choice.embedder
    assert isinstance(kept, WordMeansEmbedder)
    assert kept.habits is not None  # the weights are those that the index was made with
    vectors = kept.passages(["琴と笛", "The bridge and the tower", "琴" * 40, ""])
    assert np.linalg.norm(vectors[:3], axis=1) == pytest.approx(1, abs=1e-3)
    assert vectors.shape[1] == DIMENSIONS + STEP  # 50 numbers of meaning, and noughts
    like, unlike = kept.passages(["歌と太鼓", "橋と米"])[:, DIMENSIONS:] @ vectors[0, DIMENSIONS:]
    assert like > 0.2 > unlike
    assert not vectors[1, DIMENSIONS:].any()  # nothing of English is in the table


# sentence-transformers, through the real loading code


@pytest.mark.skipif(
    importlib.util.find_spec("sentence_transformers") is None, reason="the extra sentence-transformers is not installed"
)
def test_a_tiny_local_model_is_loaded_and_used(open_recall: Open, talk: Talk, tmp_path: Path) -> None:
    from sentence_transformers import SentenceTransformer  # noqa: PLC0415  # an extra
    from sentence_transformers.sentence_transformer.modules import BoW, Normalize  # noqa: PLC0415

    bag = BoW(vocab=["crane", "river", "bread", "oven", "piano"])
    folder = tmp_path / "e5-tiny"
    SentenceTransformer(modules=[bag, Normalize()], device="cpu").save(str(folder))
    embedder = LocalModelEmbedder(str(folder))
    with pytest.raises(EmbeddingError):
        embedder.query("river")
    talk.user("crane river")
    talk.user("bread oven")
    recall = open_recall(RecallSettings(embedder="sentence-transformers", embedder_model=str(folder)))
    recall.catch_up()
    worker = recall._upkeep.vectors.worker
    assert worker is not None
    worker.join()
    hits = recall.search("oven", 1)
    assert hits[0].text == "bread oven"
    assert dict(hits[0].why).get("semantic", 0) > 0


@pytest.mark.parametrize("odd", ["AIza-1234\n5678", "AIza-1234\u200b5678"])
def test_a_key_that_no_request_can_carry_stands_in_no_error(odd: str) -> None:
    with pytest.raises(EmbeddingError) as refused:
        GeminiEmbedder(odd, address="http://127.0.0.1:9").query("a boat")
    chain = [refused.value, refused.value.__cause__, refused.value.__context__]
    assert "5678" not in " ".join(map(str, chain))
    assert refused.value.facts["stops"]
