"""What makes vectors: the built-in one, the cache before slow ones, Gemini on the wire, and a local model."""

import importlib.util
from pathlib import Path
from typing import cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from managers.recall.embedders.cached import IN_MEMORY, CachedEmbedder
from managers.recall.embedders.gemini import GeminiEmbedder
from managers.recall.embedders.local_model import LocalModelEmbedder
from managers.recall.embedders.ngrams import NgramEmbedder, count_frequencies
from managers.recall.embedders.requests import estimated_tokens
from managers.recall.errors import EmbeddingError
from managers.recall.index import word_vectors
from managers.storage.settings import RecallSettings, Secrets, UsageSettings
from managers.transport import BODY_BYTES
from managers.usage.meter import Meter
from tests.fakes import HandClock
from tests.recall.conftest import Open
from tests.recall.embedding_server import EmbeddingServer, Mood
from tests.recall.looking import FakeEmbedder, Talk, caught_up, codes, found
from tests.speeds import one_quick

TEXTS = ["I walked the dog.", "I was walking my dogs.", "The stock market fell.",
         "犬の散歩をした。", "散歩した犬", "株価が下がった。"]  # fmt: skip


def test_ngrams_put_like_texts_together_the_same_way_every_time_and_in_any_batch() -> None:
    embedder = NgramEmbedder(*count_frequencies(TEXTS))
    together = embedder.passages(TEXTS * 200)
    for one, like, unlike in ((0, 1, 2), (3, 4, 5)):
        assert together[one] @ together[like] > together[one] @ together[unlike]
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


def test_no_text_is_embedded_twice_even_after_a_restart_unless_it_was_forgotten(tmp_path: Path) -> None:
    counting, path = FakeEmbedder(), tmp_path / "cache.sqlite"
    asking = CachedEmbedder(counting, path)
    for _ in range(2):
        asking.query("what was said off the record")
    assert counting.asked == ["what was said off the record"]
    assert not path.exists(), "questions are remembered, but not on the disk"
    counting.asked.clear()
    first = CachedEmbedder(counting, path).passages(["a b", "c d", "a b"])
    cached = CachedEmbedder(counting, path)
    again = cached.passages(["c d", "a b", "new"])
    assert counting.asked == ["a b", "c d", "new"]
    assert np.allclose(first[0], again[1], atol=2e-3)
    assert cached.keep_only(["a b", "new"]) == 1
    for one in (cached, CachedEmbedder(counting, path)):
        one.passages(["a b", "c d"])
    assert counting.asked == ["a b", "c d", "new", "c d"]


def test_the_cache_in_memory_has_a_limit_and_a_broken_one_is_begun_anew(tmp_path: Path) -> None:
    path = tmp_path / "cache.sqlite"
    path.write_bytes(b"no database " * 1000)
    cached = CachedEmbedder(FakeEmbedder(), path)
    assert len(cached.passages([f"text {number}" for number in range(IN_MEMORY + 300)])) == IN_MEMORY + 300
    assert len(cached._memory) == IN_MEMORY


def gemini(server: EmbeddingServer, waits: list[float] | None = None) -> GeminiEmbedder:
    pauses: list[float] = [] if waits is None else waits
    return GeminiEmbedder("key", address=server.address, wait=pauses.append)


def test_gemini_gets_task_types_and_placeholders_for_what_is_private(server: EmbeddingServer) -> None:
    embedder = gemini(server)
    vectors = embedder.passages(["Write to hana@example.jp", "A red kite."])
    embedder.query("090-1234-5678って誰?")
    assert server.texts == ["Write to [REDACTED_EMAIL]", "A red kite.", "[REDACTED_PHONE]って誰?"]
    kinds = [one["taskType"] for body in server.requests for one in body["requests"]]
    assert kinds == ["RETRIEVAL_DOCUMENT", "RETRIEVAL_DOCUMENT", "RETRIEVAL_QUERY"]
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 1], abs=1e-5)
    unmasked = GeminiEmbedder("key", address=server.address, masked=False)
    assert unmasked.name != embedder.name
    unmasked.passages(["Write to hana@example.jp"])
    assert server.texts[-1] == "Write to hana@example.jp"


def test_gemini_is_tried_three_times_with_growing_pauses_and_not_when_it_refuses(server: EmbeddingServer) -> None:
    for mood in cast("list[Mood]", [429, 500, 503, "garbage", "short", "drop"]):
        waits: list[float] = []
        server.always = "well"
        server.moods.extend([mood, mood])
        assert gemini(server, waits).passages(["text"]).shape == (1, 768), mood
        assert waits == [2.0, 4.0], mood
        server.always = mood
        server.requests.clear()
        with pytest.raises(EmbeddingError):
            gemini(server, waits).passages(["text"])
        assert len(server.requests) == 3, mood
    for status in (400, 401):
        server.always = status
        server.requests.clear()
        with pytest.raises(EmbeddingError) as caught:
            gemini(server).passages(["text"])
        assert len(server.requests) == 1
        assert str(status) in caught.value.sentence("en")


@pytest.mark.parametrize("mood", one_quick(["endless", "gzip", "numberless"]))
def test_an_answer_without_an_end_or_a_number_is_no_vector(server: EmbeddingServer, mood: Mood) -> None:
    server.moods.append(mood)
    with pytest.raises(EmbeddingError):
        gemini(server).query("text")
    assert server.sent < 16 * BODY_BYTES  # what was sent before it hung up stands in the network's own buffers
    assert gemini(server).query("text").shape == (1, 768)


def test_each_request_is_counted_and_a_cap_stops_it(server: EmbeddingServer, tmp_path: Path, clock: HandClock) -> None:
    settings = UsageSettings()
    meter = Meter(tmp_path / "usage", clock, lambda _: settings)
    account = meter.account("ねむ", "embedding")
    embedder = GeminiEmbedder("key", address=server.address, wait=lambda _: None, account=account)
    server.moods.extend([429, "well"])
    embedder.passages(["川のそばでカワセミを見た。", "a kingfisher"])
    (call,) = meter.ledger.calls()  # the refused one is not counted
    assert (call.persona, call.purpose, call.model) == ("ねむ", "embedding", "gemini-embedding-001")
    assert (call.input_tokens, call.output_tokens, call.is_estimated) == (30, 0, True)
    assert call.cost == 30 * 150
    settings = UsageSettings(day_tokens=40)
    assert embedder.query("kingfisher").shape == (1, 768)
    with pytest.raises(EmbeddingError, match="40"):
        embedder.passages(["a long walk along the river"])
    assert len(server.requests) == 3
    assert meter.standings()[0].reserved == 0
    estimates = [estimated_tokens(texts) for texts in (["a kingfisher"], ["カワセミ"], ["", "a"])]
    assert estimates == [4, 8, 1], "rather too high"


def test_a_key_that_no_request_can_carry_stands_in_no_error() -> None:
    for odd in ("AIza-1234\n5678", "AIza-1234\u200b5678"):
        with pytest.raises(EmbeddingError) as refused:
            GeminiEmbedder(odd, address="http://127.0.0.1:9").query("a boat")
        chain = [refused.value, refused.value.__cause__, refused.value.__context__]
        assert "5678" not in " ".join(map(str, chain))
        assert refused.value.facts["stops"]


def test_a_missing_key_or_package_is_said(open_recall: Open, talk: Talk, tmp_path: Path) -> None:
    talk.user("A badger crossed the road.")
    lacking = [RecallSettings(embedder="gemini")]
    if importlib.util.find_spec("sentence_transformers") is None:
        lacking.append(RecallSettings(embedder="sentence-transformers"))
    if word_vectors.find_table() is None:
        lacking.append(RecallSettings(embedder="japanese-vectors"))
    for settings in lacking:
        recall = open_recall(settings, secrets=Secrets(tmp_path / "secrets.toml"))
        recall.catch_up()
        assert found(recall, "badger") == ["A badger crossed the road."]
        assert "embedder-missing" in codes(recall), settings.embedder


@pytest.mark.slow
@pytest.mark.skipif(
    importlib.util.find_spec("sentence_transformers") is None, reason="the extra sentence-transformers is not installed"
)
def test_a_tiny_local_model_is_loaded_and_used(open_recall: Open, talk: Talk, tmp_path: Path) -> None:
    from sentence_transformers import SentenceTransformer  # noqa: PLC0415  # an extra
    from sentence_transformers.sentence_transformer.modules import BoW, Normalize  # noqa: PLC0415

    bag = BoW(vocab=["crane", "river", "bread", "oven", "piano"])
    folder = tmp_path / "e5-tiny"
    SentenceTransformer(modules=[bag, Normalize()], device="cpu").save(str(folder))
    with pytest.raises(EmbeddingError):
        LocalModelEmbedder(str(folder)).query("river")
    talk.user("crane river", "bread oven")
    settings = RecallSettings(embedder="sentence-transformers", embedder_model=str(folder))
    hits = caught_up(open_recall(settings)).search("oven", 1)
    assert hits[0].text == "bread oven"
    assert dict(hits[0].why).get("semantic", 0) > 0
