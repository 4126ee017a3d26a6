"""What a parser once stumbled over (`benchmarks/fuzzing.py` finds such inputs): it does so no more."""

from pathlib import Path

import pytest

from tests.parsers import PARSERS, Parser
from tests.parsers.growth import MOST_GROWTH, Recipe, growth

_CORPUS = Path(__file__).parent / "corpus"
_FILES = [path.relative_to(_CORPUS).as_posix() for path in sorted(_CORPUS.glob("*/*"))]


@pytest.mark.parametrize("name", _FILES)
def test_every_parser_returns_in_time_whatever_it_is_given(name: str) -> None:
    parser = PARSERS[name.partition("/")[0]]
    data = (_CORPUS / name).read_bytes()
    if name.endswith(".recipe"):
        times = growth(parser.read, Recipe.loads(data.decode("ascii")), parser.most)
        assert times < MOST_GROWTH, f"{times:.0f} times as long for eight times as much"
    else:
        parser.read(data)


@pytest.mark.parametrize("parser", PARSERS.values(), ids=PARSERS)
def test_what_a_parser_is_tried_with_begins_with_what_it_understands(parser: Parser) -> None:
    for seed in parser.seeds:
        parser.read(seed)
