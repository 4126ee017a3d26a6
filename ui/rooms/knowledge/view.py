"""What is said of documents, and what became of those that were sent."""

from dataclasses import dataclass
from typing import Final

from managers.recall.documents.document_loader import MAX_BYTES
from managers.recall.errors import DocumentTooLargeError
from managers.storage.errors import Lang
from ui.locales import Texts

_KILOBYTE: Final = 1000
MEGABYTE: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a file that was sent."""

    name: str
    sentence: str
    is_wrong: bool = False


def size(count: int, t: Texts) -> str:
    """Return a file's size as people say it."""
    if count >= MEGABYTE:
        return t("knowledge.megabytes", count=f"{count / MEGABYTE:.1f}")
    return t("knowledge.kilobytes", count=max(1, round(count / _KILOBYTE)))


def too_large(lang: Lang) -> str:
    """Return what the script says of a file that need not even be sent; its name is still to be put in."""
    return DocumentTooLargeError(name="{name}", megabytes=MAX_BYTES // MEGABYTE).sentence(lang)
