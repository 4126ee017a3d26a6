"""Does a message tell of a death that is near? The rule is in `loss.toml`."""

import unicodedata

from managers.language.reading.bounds import MOST
from managers.language.reading.rules import fits_any
from managers.language.words import sentences


def tells_of_loss(text: str) -> bool:
    """Tell whether somebody died, in the writer's own life and lately."""
    plain = unicodedata.normalize("NFKC", text[:MOST]).lower().replace("’", "'")
    return any(fits_any("loss", "death", sentence.rstrip(" \u3000\n.。!！…~〜ー")) for sentence in sentences(plain))
