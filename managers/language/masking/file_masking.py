"""Files as they may be given away: whatever is text with placeholders, and nothing else."""

import gzip
import json
import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import PurePosixPath
from typing import Final

from managers.language.masking.placeholders import Mask, mask

_PARAGRAPHS: Final = re.compile(r"(\n\s*\n)")


class FileMask:
    """Hides what is private in one file after the other: the same thing has the same placeholder in all of them.

    Attributes:
        left_out: the files in which nothing can be hidden (pictures, PDFs, the history), or whose names are private.
    """

    def __init__(self) -> None:
        self.left_out: list[str] = []
        self._mask = Mask()
        self._ways: dict[str, Callable[[str], str]] = {
            **dict.fromkeys(("txt", "md", "csv", "html"), self._paragraphs),
            "json": self._json,
            "jsonl": self._lines,
        }

    def __call__(self, name: str, data: bytes) -> bytes | None:
        """Return what a file may hold; None if it must stay away.

        Args:
            name: its path in the persona's folder, parts apart by `/`.
            data: what is in it.
        """
        parts = PurePosixPath(name).parts
        if len(parts) == 1 and parts[0].startswith("avatar."):
            return data
        change = self._ways.get(parts[-1].rpartition(".")[2])
        if not is_plain_name(name):
            self.left_out.append(name)
            return None
        with suppress(ValueError, OSError, EOFError, RecursionError):  # no text, or no JSON
            if name.endswith(".json.gz"):
                return gzip.compress(self._json(gzip.decompress(data).decode()).encode(), mtime=0)
            if change is not None and ".history" not in parts:
                return change(data.decode()).encode()
        self.left_out.append(name)
        return None

    def _paragraphs(self, text: str) -> str:
        return "".join(map(self._mask.hide, _PARAGRAPHS.split(text)))

    def _lines(self, text: str) -> str:
        return "".join(f"{self._json(line, None)}\n" for line in text.split("\n") if line.strip())

    def _json(self, text: str, indent: int | None = 2) -> str:
        return json.dumps(self._mask.hide_in(json.loads(text)), ensure_ascii=False, indent=indent)


def is_plain_name(name: str) -> bool:
    """Tell whether a path has nothing in it that would have to be hidden: other files name it, so it cannot change."""
    return mask(name).text == name
