"""Damages derived files: a byte here, a stretch of noughts there, the end cut off."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

from managers.storage.paths import PersonaPaths

WAYS = ("other", "noughts", "cut", "noise", "empty")
_STRETCH = 64


@dataclass(frozen=True, slots=True)
class Damage:
    """What is done to a file: `way` at `offset`."""

    name: str
    way: str
    offset: int
    value: int

    def done_to(self, data: bytes) -> bytes:
        """Return the damaged content."""
        at = self.offset
        if self.way == "cut":
            return data[:at]
        if self.way == "empty":
            return b""
        stretch = {
            "other": bytes([self.value]),
            "noughts": bytes(_STRETCH),
            "noise": Random(self.value).randbytes(_STRETCH),
        }[self.way]
        stretch = stretch[: len(data) - at]
        return data[:at] + stretch + data[at + len(stretch) :]


def derived_files(paths: PersonaPaths) -> list[Path]:
    """Return the files that are made of others and may be thrown away."""
    found = [*paths.rag_index.rglob("*"), *(paths.log_archives / ".index").glob("*"), paths.history / "seen_files.json"]
    return sorted(path for path in found if path.is_file() and path.name != ".lock")


def damages(paths: PersonaPaths, rng: Random, each: int) -> Iterator[Damage]:
    """Yield some damages of every derived file, seeded; the beginnings, where formats are told, come often."""
    for path in derived_files(paths):
        name, size = path.relative_to(paths.folder).as_posix(), path.stat().st_size
        for number in range(each):
            where = rng.randrange(size) if number % 2 else rng.randrange(min(size, 4096))
            yield Damage(name, WAYS[number % len(WAYS)], where, rng.choice((0x00, 0xCB, 0xFF, rng.randrange(256))))
