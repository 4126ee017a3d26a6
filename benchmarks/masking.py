"""How well masking finds what it is for, on the examples it was developed on and on those that were kept apart."""

import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from managers.language.masking.detection import find

FOLDER = Path(__file__).resolve().parents[1] / "tests" / "language"
NAMES = {"dev": "developed on", "held_out": "kept apart"}
KINDS = {"email": "EMAIL", "phone": "PHONE", "card": "CC", "id": "SSN", "ip": "IP", "key": "API_KEY"}
LEAST = 0.97
_MARK = re.compile("⟦([a-z]+):([^⟧]*)⟧")


@dataclass(frozen=True)
class Example:
    """A text, and what is to be found in it, as (kind, start, end)."""

    text: str
    wanted: frozenset[tuple[str, int, int]]


@dataclass(frozen=True)
class Figures:
    """What was found, span by span: right, wrongly, and not."""

    right: int
    wrong: Sequence[tuple[str, str]]
    missed: Sequence[tuple[str, str]]

    @property
    def precision(self) -> float:
        return self.right / max(self.right + len(self.wrong), 1)

    @property
    def recall(self) -> float:
        return self.right / max(self.right + len(self.missed), 1)


def examples(name: str) -> list[Example]:
    """Read `tests/language/masking.<name>.txt`."""
    lines = (FOLDER / f"masking.{name}.txt").read_text("utf-8").splitlines()
    return [_example(line.replace("\\n", "\n")) for line in lines if line and not line.startswith("#")]


def figures(name: str) -> Figures:
    """Count what is found in the examples; a thing is right if it is found whole, and as what it is."""
    right, wrong, missed = 0, [], []
    for example in examples(name):
        found = {(one.kind, one.start, one.end) for one in find(example.text)}
        right += len(found & example.wanted)
        wrong += [(kind, _around(example.text, start, end)) for kind, start, end in found - example.wanted]
        missed += [(kind, _around(example.text, start, end)) for kind, start, end in example.wanted - found]
    return Figures(right, wrong, missed)


def measure() -> Iterator[tuple[str, str, str]]:
    """Yield precision and recall on both halves, and what a long prompt takes."""
    for name, said in NAMES.items():
        counted, count = figures(name), len(examples(name))
        yield f"precision, {count} examples {said}", f"{counted.precision:.3f}", f"≥ {LEAST}"
        yield f"recall, {count} examples {said}", f"{counted.recall:.3f}", f"≥ {LEAST}"
    prompt = "\n".join(example.text for name in NAMES for example in examples(name)) * 2
    find("090-1234-5678")  # loads what it needs
    began = time.process_time()
    find.__wrapped__(prompt)
    yield f"masking {len(prompt):,} characters for the first time", f"{(time.process_time() - began) * 1000:.0f} ms", ""


def _example(line: str) -> Example:
    text, wanted = "", set()
    at = 0
    for mark in _MARK.finditer(line):
        text += line[at : mark.start()]
        wanted.add((KINDS[mark[1]], len(text), len(text) + len(mark[2])))
        text += mark[2]
        at = mark.end()
    return Example(text + line[at:], frozenset(wanted))


def _around(text: str, start: int, end: int) -> str:
    return f"{text[max(start - 12, 0) : start]}⟦{text[start:end]}⟧{text[end : end + 12]}"
