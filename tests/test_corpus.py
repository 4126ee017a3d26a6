"""What a parser once stumbled over (`benchmarks/fuzzing.py` finds such inputs): it does so no more."""

from pathlib import Path
from random import Random

import pytest

_CORPUS = Path(__file__).parent / "corpus"
_FILES = sorted(path.relative_to(_CORPUS).as_posix() for path in _CORPUS.glob("*/*"))


_TIMED = (pytest.mark.slow,)


@pytest.mark.parametrize("name", [pytest.param(one, marks=_TIMED * one.endswith(".recipe")) for one in _FILES])
def test_every_parser_returns_in_time_whatever_it_is_given(name: str) -> None:
    from tests.parsers import PARSERS  # noqa: PLC0415  # the whole program is loaded for that
    from tests.parsers.growth import MOST_GROWTH, Recipe, growth  # noqa: PLC0415

    parser = PARSERS[name.partition("/")[0]]
    data = (_CORPUS / name).read_bytes()
    if name.endswith(".recipe"):
        times = growth(parser.read, Recipe.loads(data.decode("ascii")), parser.most)
        assert times < MOST_GROWTH, f"{times:.0f} times as long for eight times as much"
    else:
        parser.read(data)


@pytest.mark.parametrize("inputs", [10, pytest.param(200, marks=pytest.mark.slow)])
def test_what_parsers_understand_and_what_is_made_of_their_language_harms_none(inputs: int) -> None:
    from tests.parsers import PARSERS  # noqa: PLC0415  # the whole program is loaded for that

    rng, failed = Random(inputs), {}
    for parser in PARSERS.values():
        made = [b"".join(rng.choices(parser.tokens, k=rng.randint(1, 60))) for _ in range(inputs)]
        for data in (*parser.seeds, *(one[: parser.most or None] for one in made)):
            try:
                parser.read(data)
            except Exception as error:  # noqa: BLE001  # any is a fault; all are told
                failed[parser.name] = (data, repr(error))
    assert failed == {}
