"""Embeddings that a provider makes are counted, estimated where it does not say, and stopped by a cap."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from managers.recall.embedders.gemini import GeminiEmbedder, estimated_tokens
from managers.recall.errors import EmbeddingError
from managers.storage.settings import UsageSettings
from managers.usage.meter import Meter
from tests.fakes import HandClock
from tests.recall.embedding_server import EmbeddingServer, serving


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    with serving() as state:
        yield state


def test_each_request_is_counted_and_a_refused_one_is_not(
    server: EmbeddingServer, tmp_path: Path, clock: HandClock
) -> None:
    settings = UsageSettings()
    meter = Meter(tmp_path / "usage", clock, lambda _: settings)
    account = meter.account("ねむ", "embedding")
    embedder = GeminiEmbedder("key", address=server.address, wait=lambda _: None, account=account)
    server.moods.extend([429, "well"])
    embedder.passages(["川のそばでカワセミを見た。", "a kingfisher"])
    (call,) = meter.ledger.calls()
    assert (call.persona, call.purpose, call.model) == ("ねむ", "embedding", "gemini-embedding-001")
    assert (call.input_tokens, call.output_tokens, call.is_estimated) == (30, 0, True)
    assert call.cost == 30 * 150
    settings = UsageSettings(day_tokens=40)
    assert embedder.query("kingfisher").shape == (1, 768)
    with pytest.raises(EmbeddingError, match="40"):
        embedder.passages(["a long walk along the river"])
    assert len(server.requests) == 3
    assert meter.standings()[0].reserved == 0


def test_the_estimate_is_rather_too_high() -> None:
    assert estimated_tokens(["a kingfisher"]) == 4
    assert estimated_tokens(["カワセミ"]) == 8
    assert estimated_tokens(["", "a"]) == 1
