"""How far a dreamt memory is trusted moves its place among what is found, and nothing that was said."""

from datetime import date

import pytest

from managers.memory.confidence import Standing
from managers.memory.episodes import Episode, EpisodeStore
from managers.recall.engine import Recall
from managers.storage.paths import PersonaPaths
from managers.storage.settings import RecallSettings
from tests.fakes import HandClock
from tests.recall.conftest import Open
from tests.recall.looking import found

SAME = "The heron by the lake caught frogs"
UNSURE, SURE = "The heron by the lake caught frogs again.", "The heron by the lake caught frogs twice."
FIRST, SECOND = date(2026, 11, 1), date(2026, 11, 2)


@pytest.fixture
def days(paths: PersonaPaths, clock: HandClock) -> EpisodeStore:
    """Two days of which the same is told, the first trusted less."""
    store = EpisodeStore(paths, clock)
    paths.episodic_memory.mkdir(parents=True, exist_ok=True)
    put(store, FIRST, UNSURE, 0.1)
    put(store, SECOND, SURE, 1.0)
    return store


def put(store: EpisodeStore, day: date, text: str, confidence: float) -> None:
    standing = Standing(confidence=confidence, last_accessed="2026-11-21")
    evidence = [[f"m{day}"]]
    episode = Episode(
        date=day, summary="A walk.", key_events=[text], key_event_evidence=evidence, key_event_standings=[standing]
    )
    store.path(day).write_bytes(episode.sealed().dump())


def order(recall: Recall) -> list[str]:
    return [text for text in found(recall, SAME) if text in {UNSURE, SURE}]


def gap(recall: Recall) -> float:
    """How much further up the trusted one stands than without: the ratio of the scores that they are ranked by."""
    ranking = recall._ranker.ranked(SAME, None)
    picked = [one.text for one in recall._picker.pick(ranking, 50, None)]
    scores = dict(zip(picked, ranking.candidates["score"], strict=False))
    return float(scores[SURE] / scores[UNSURE])


def test_what_is_trusted_more_stands_before_what_is_as_close(open_recall: Open, days: EpisodeStore) -> None:
    settings = RecallSettings(confidence_share=0.2)
    recall = open_recall(settings)
    recall.catch_up()
    assert order(recall) == [SURE, UNSURE]
    trusted = gap(recall)
    settings.confidence_share = 0
    assert trusted == pytest.approx(gap(recall) * 1.1 / 0.92, rel=1e-3)
    put(days, FIRST, UNSURE, 1.0)
    put(days, SECOND, SURE, 0.1)
    settings.confidence_share = 0.2
    recall.catch_up()
    assert order(recall) == [UNSURE, SURE]  # what is used rises without a rebuild


def test_what_nobody_needs_sinks_but_no_pinned_one(open_recall: Open, days: EpisodeStore, clock: HandClock) -> None:
    recall = open_recall(RecallSettings(confidence_share=1))
    recall.catch_up()
    at_first = gap(recall)
    clock.move(days=30 + 365)
    assert gap(recall) == pytest.approx(at_first * 1.0 / 1.5, rel=0.02)
    clock.move(days=365 * 5)
    assert gap(recall) == pytest.approx(at_first * 0.6 / 1.5, rel=0.02)
    days.pin(FIRST, on=True, author="user")
    recall.catch_up()
    clock.move(days=365 * 3)
    assert order(recall) == [UNSURE, SURE]
