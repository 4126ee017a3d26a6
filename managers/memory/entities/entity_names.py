"""Names of entities: which ones mean the same, and which can be a file's."""

from __future__ import annotations

import re
import unicodedata

from managers.storage.errors import UnsafeNameError
from managers.storage.paths import safe_name

_KANJI = "[\u3400-\u9fff々]"
_HONORIFICS = ("さん", "くん", "君", "ちゃん", "様", "さま", "先生", "先輩", "氏", "殿")
_TITLES = ("mr.", "mrs.", "ms.", "dr.", "mr", "mrs", "ms", "dr", "the")


def kanji_alone(key: str) -> str:
    """Return the pattern of a name of one kanji (翔, and 航くん by its key) where it stands as no part of a longer word.

    Empty for any other key.
    """
    return rf"(?<!{_KANJI}){key}(?!{_KANJI})" if re.fullmatch(_KANJI, key) else ""


def name_key(name: str) -> str:
    """Return what two names of the same thing have in common: width, case, honorifics and titles aside."""
    plain = " ".join(unicodedata.normalize("NFKC", name).casefold().split()).strip(" 。、.,!?！？「」『』\"'")
    for title in _TITLES:
        if plain.startswith(title + " "):
            plain = plain[len(title) + 1 :]
            break
    for honorific in _HONORIFICS:
        if plain.endswith(honorific) and len(plain) > len(honorific):
            return plain[: -len(honorific)]
    return plain


def is_safe(name: str) -> bool:
    """Whether a name can be an entity's."""
    try:
        return bool(safe_name(name)) and "\n" not in name
    except UnsafeNameError:
        return False
