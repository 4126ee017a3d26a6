"""What a mind is told of a change that waits for a yes, and what the person is asked."""

from collections.abc import Sequence
from datetime import datetime

from agent.prompts.quoting import name_in_label
from managers.memory.messages import PROGRAM, UNKNOWN
from managers.storage.errors import Lang
from managers.storage.texts import Texts

_NAMED = 3
"""So many documents are named."""
_say = Texts("prompts/holding")


def waits(lang: Lang, documents: Sequence[str]) -> str:
    """Return what a mind is told."""
    return _say("waits", lang, documents=_listed(documents, lang))


def made_of(lang: Lang, origins: Sequence[str]) -> str:
    """Return what stands over a memory that is made of foreign words."""
    return _say("made_of", lang, documents=_listed(origins, lang))


def asks(lang: Lang, persona: str, what: str, name: str, documents: Sequence[str], until: datetime) -> str:
    """Return what a person is asked."""
    wish = _say(f"wishes.{what}", lang, name=name_in_label(name))
    return _say("why_asked", lang, persona=persona, wish=wish, documents=_listed(documents, lang), until=until)


def program_asks(lang: Lang, persona: str, note: str, until: datetime) -> str:
    """Return what a person is asked where another program would add to a note."""
    return _say("program_asks", lang, persona=persona, note=_say(f"notes.{note}", lang), until=until)


def _listed(names: Sequence[str], lang: Lang) -> str:
    opens, closes, joint = ("「", "」", "、") if lang == "ja" else ("“", "”", ", ")
    told = {PROGRAM: _say("origins.program", lang), UNKNOWN: _say("origins.unknown", lang)}
    return joint.join(told.get(name) or f"{opens}{name_in_label(name)}{closes}" for name in names[:_NAMED])
