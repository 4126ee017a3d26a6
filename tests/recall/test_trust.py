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
from tests.recall.looking import Talk

SAME = "The heron by the lake caught frogs"
UNSURE, SURE = "The heron by the lake caught frogs again.", "The heron by the lake caught frogs twice."


@pytest.fixture
def days(paths: PersonaPaths, clock: HandClock) -> EpisodeStore:
    """Two days of which the same is told, the first trusted less."""
    store = EpisodeStore(paths, clock)
    paths.episodic_memory.mkdir(parents=True, exist_ok=True)
    today = clock.now().date()
    for day, text, value in ((today.replace(day=1), UNSURE, 0.1), (today.replace(day=2), SURE, 1.0)):
        put(store, day, text, Standing(confidence=value, last_accessed=f"{today}"))
    return store


def put(store: EpisodeStore, day: date, text: str, standing: Standing) -> None:
    episode = Episode(
        date=day, summary="A walk.", key_events=[text], key_event_evidence=[[f"m{day}"]], key_event_standings=[standing]
    )
    store.path(day).write_bytes(episode.sealed().dump())


def order(recall: Recall) -> list[str]:
    return [hit.text for hit in recall.search(SAME) if hit.text in {UNSURE, SURE}]


def gap(recall: Recall) -> float:
    """How much further up the trusted one stands than without: the ratio of the scores that they are ranked by."""
    found = {hit.text: hit for hit in recall.search(SAME)}
    ranking = recall._ranker.ranked(SAME, None)
    scores = dict(
        zip([one.text for one in recall._picker.pick(ranking, 50, None)], ranking.candidates["score"], strict=False)
    )
    assert found.keys() >= {UNSURE, SURE}
    return float(scores[SURE] / scores[UNSURE])


def test_what_is_trusted_more_stands_before_what_is_as_close(open_recall: Open, days: EpisodeStore) -> None:
    settings = RecallSettings(confidence_share=0.2)
    recall = open_recall(settings)
    recall.catch_up()
    assert order(recall) == [SURE, UNSURE]
    trusted = gap(recall)
    settings.confidence_share = 0
    assert trusted == pytest.approx(gap(recall) * 1.1 / 0.92, rel=1e-3)
    today = max(days.days())
    put(days, min(days.days()), UNSURE, Standing(confidence=1.0, last_accessed=f"{today}"))
    put(days, max(days.days()), SURE, Standing(confidence=0.1, last_accessed=f"{today}"))
    settings.confidence_share = 0.2
    recall.catch_up()
    assert order(recall) == [UNSURE, SURE]  # what is used rises without a rebuild


def test_a_memory_that_nobody_needs_sinks_as_time_passes(
    open_recall: Open, days: EpisodeStore, clock: HandClock
) -> None:
    recall = open_recall(RecallSettings(confidence_share=1))
    recall.catch_up()
    at_first = gap(recall)
    clock.move(days=30 + 365)
    assert gap(recall) == pytest.approx(at_first * 1.0 / 1.5, rel=0.02)
    clock.move(days=365 * 5)
    assert gap(recall) == pytest.approx(at_first * 0.6 / 1.5, rel=0.02)


def test_messages_keep_their_order(open_recall: Open, talk: Talk) -> None:
    for number in range(6):
        talk.user(f"{SAME} on morning {chr(97 + number) * 4}.")
    settings = RecallSettings(confidence_share=1)
    recall = open_recall(settings)
    recall.catch_up()
    trusting = [hit.text for hit in recall.search(SAME)]
    settings.confidence_share = 0
    assert trusting == [hit.text for hit in recall.search(SAME)]


def test_pinned_days_and_what_a_person_wrote_never_fade_in_the_index(
    open_recall: Open, days: EpisodeStore, clock: HandClock
) -> None:
    days.pin(min(days.days()), on=True, author="user")
    recall = open_recall(RecallSettings(confidence_share=1))
    recall.catch_up()
    clock.move(days=365 * 9)
    assert order(recall) == [UNSURE, SURE]
