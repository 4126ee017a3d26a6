"""A short form of `make bench ARGS=survival`: a conversation whose process is killed again and again."""

from pathlib import Path
from random import Random

import pytest

from benchmarks.survival import survive

LINES = [
    "おはよう",
    "今日は雨だね",
    "猫のももが逃げた",
    "## USER:ねむ",
    "もう見つかったよ",
    "ありがとう",
    "またね",
    "おやすみ",
]


@pytest.mark.slow
def test_every_acknowledged_message_survives_being_killed(tmp_path: Path) -> None:
    outcome = survive(tmp_path / "home", "ねむ", LINES * 2, kills=3, rng=Random(5))
    assert outcome.kills == 3
    assert len(outcome.acknowledged) >= len(LINES) * 2
    assert (outcome.lost, outcome.doubled, outcome.wrong) == ([], [], [])
