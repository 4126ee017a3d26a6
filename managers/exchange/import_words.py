"""What is said of an import, in both languages: why something was left out, or why nothing can be read."""

import re
from contextlib import suppress
from typing import Final

from managers.exchange.items import NotTaken
from managers.storage.errors import Lang
from managers.storage.texts import FOLDER, Texts

_TOPIC: Final = re.compile(r"[a-z_]{1,30}")


def both_of(code: str, /, **facts: object) -> dict[Lang, str]:
    """Return the sentence of a code (`<topic>.<key>`) in both languages.

    The code comes from the process that reads foreign files: one that is not known is said in general words.
    """
    topic, _, key = code.partition(".")
    known = {name: str(value)[:80] for name, value in facts.items()}
    if _TOPIC.fullmatch(topic) and (FOLDER / "notices" / f"import_{topic}.toml").is_file():
        with suppress(KeyError, IndexError, ValueError, TypeError, AttributeError):
            return Texts(f"notices/import_{topic}").both(key, **known)
    return Texts("notices/import_engine").both("other", code=code[:60])


def told_of(left: NotTaken) -> dict[Lang, str]:
    """Return why something was left out, in both languages."""
    return both_of(left.code, **{"count": f"{left.count:,}", "place": left.place, **left.facts})
