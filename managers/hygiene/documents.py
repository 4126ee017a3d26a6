"""Looking into documents that somebody sent or keeps as knowledge: what is packed or laid out is read in the limited process."""

from pathlib import PurePosixPath
from typing import Final

from managers.hygiene.traces import Traces
from managers.recall.documents.document_loader import read_document
from managers.recall.errors import DocumentEmptyError
from managers.storage.errors import UtataneError

_LAID_OUT: Final = frozenset({".pdf", ".docx"})
"""Documents whose words do not stand in their bytes as one reads them."""
_SECONDS: Final = 60.0


def is_in_document(traces: Traces, name: str, data: bytes) -> bool | None:
    """Tell whether a file holds any of what is to be erased.

    Args:
        traces: what is looked for.
        name: the file's name, whose ending tells the kind.
        data: the file.

    Returns:
        None if nobody can tell: it is damaged or encrypted, or unfolds to too much.
    """
    is_in = traces.is_in(data)
    if is_in or PurePosixPath(name).suffix.lower() not in _LAID_OUT:
        return is_in
    try:
        parts = read_document(name, data, _SECONDS)
    except DocumentEmptyError:
        return is_in
    except UtataneError:
        return None
    words = [f"{part.heading}\n{part.text}" for part in parts]
    joined = ["".join(text.split("\n")) for text in words]  # a line may end within a name
    return any(map(traces.touches, [*words, *joined])) or is_in
