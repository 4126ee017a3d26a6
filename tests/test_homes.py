"""The homes that were lived in: each opens as a person's own, with what it is said to hold."""

from random import Random

import pytest

from agent.services import open_services
from tests.fakes import HandClock
from tests.homes import AT_TABLE, PERSONAS, Kind, LivedIn
from tests.speeds import one_quick

HELD: dict[Kind, dict[str, int]] = {
    "empty": {"Hazel": 0, "ねむ": 0}, "two_months_en": {"Hazel": 240}, "two_months_ja": {"ねむ": 240},
    "group": dict.fromkeys(AT_TABLE, 6), "ten_years": {"ねむ": 80}
}  # fmt: skip


@pytest.mark.parametrize("kind", one_quick(HELD, quick=2))
def test_opens_as_its_own(lived_in: LivedIn, kind: Kind) -> None:
    services = open_services(lived_in(kind), HandClock(), Random(3))
    for name, least in HELD[kind].items():
        memories = services.companion(name).memories
        assert len(list(memories.log.messages())) >= least
        dreamt = kind in {"two_months_en", "two_months_ja", "ten_years"} and name in PERSONAS.values()
        assert bool(memories.episodes.days()) == dreamt
        if least:
            assert memories.recall.search("Kyoto" if name == "Hazel" else "京都")
    assert services.notices.all == []
    services.close()
