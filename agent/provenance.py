"""What a turn carries: which memories, for the audit, and whose foreign words.

Foreign are documents, files that came with messages, what others and programs said, what was imported, and all that was answered or
dreamt of them (`managers.memory.provenance`); not what user and persona said by themselves, nor what a person let in whole.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from agent.attachments import Attached, name_of
from agent.file_contents import is_picture
from agent.prompt_parts import Composed
from agent.prompts import holding, quoting
from agent.prompts.system_prompt import PartName
from managers.memory.messages import UNKNOWN, Message
from managers.memory.provenance import Provenance
from managers.mind import Sheet, talk_given
from managers.recall.hits import Hit
from managers.storage.audit import Given
from managers.storage.errors import Lang, UtataneError

_TOLD: Final[frozenset[PartName]] = frozenset(
    {
        "world_before",
        "world",
        "lore",
        "user",
        "core_memory",
        "notepad",
        "episodes",
        "strategy",
        "advice",
        "goals",
        "questions",
    }
)
"""The parts of a prompt that hold memories; they are counted by the line."""


def files_of(attached: Attached, *, sees: bool) -> tuple[str, ...]:
    """Return the files of a message that reach the mind: a picture says nothing to one that cannot see."""
    read = [file.path or f"attachments/{file.name}" for file in attached.texts]
    own = attached.paths if any(not file.is_earlier for file in attached.texts) or (attached.images and sees) else ()
    return tuple(dict.fromkeys([*own, *read]))


class ForeignWords:
    """Whose foreign words a prompt holds: gathered while it is made, and each set apart where it stands among our lines.

    Attributes:
        origins: whose.
    """

    def __init__(self, provenance: Provenance, sheet: Sheet, *, quotes: bool = True) -> None:
        """Begin with none; a mind that reads no prompt needs no quotation (`quotes`)."""
        self.origins: dict[str, None] = {}
        self._quotes = quotes
        self._provenance = provenance
        self._lang: Lang = sheet.language
        self._names = tuple({sheet.persona, sheet.nickname, sheet.user_name} - {""})

    def of(self, text: str, evidence: Iterable[str], marked: Iterable[str] = ()) -> tuple[str, ...]:
        """Return whose foreign words a memory rests on, and gather them; `UNKNOWN` where nobody can tell."""
        try:
            found = self._provenance.of(text, evidence, marked, self._names)
        except (UtataneError, OSError):
            found = (UNKNOWN,)
        self.note(found)
        return found

    def item(self, text: str, said: str, evidence: Iterable[str], marked: Iterable[str] = ()) -> str:
        """Return a line of a prompt; quoted, under a line that tells whose words it is made of, if it is made of foreign ones.

        Args:
            text: the line.
            said: the words in it that are the memory's.
            evidence: the messages that these rest on.
            marked: whose words they are marked with themselves.
        """
        found = self.of(said, evidence, marked)
        return quoting.passage(holding.made_of(self._lang, names_of(found)), text) if found and self._quotes else text

    def of_hits(self, hits: Iterable[Hit]) -> None:
        """Gather those of what is recalled, which is quoted wherever it stands."""
        for hit in hits:
            if hit.type == "knowledge" or hit.shared_by:
                self.note([hit.path if hit.type == "knowledge" else hit.shared_by])
            else:
                self.of(hit.text, hit.message_ids)

    def of_messages(self, messages: Iterable[Message], *, sees: bool) -> None:
        """Gather those of messages that stand in the prompt; a picture says nothing to whom cannot see."""
        for message in messages:
            self.note(one for one in message.foreign if sees or one not in message.attachments or not is_picture(one))

    def note(self, origins: Iterable[str]) -> None:
        self.origins |= dict.fromkeys(origins)


def given_in(
    made: Iterable[Composed], shown: Sequence[Message], days: Sequence[str], attached: Attached, *, sees: bool
) -> Given:
    """Return, for the audit, what a prompt gives of the memories; what it recalls is told by `with_recalled`.

    Args:
        made: the parts of the prompt.
        shown: the messages that stand in it, the newest among them.
        days: whose summaries stand in it.
        attached: the files that it holds.
        sees: whether the mind can see.
    """
    kept: dict[str, int] = {name: count for one in made for name, count in one.kept.items() if name in _TOLD}
    talk = talk_given(shown)
    files = {"files": len(attached.texts), "images": len(attached.images) if sees else 0}
    return Given(talk.counts | kept | files, days=(*talk.days, *days))


def with_recalled(given: Given, hits: Sequence[Hit]) -> Given:
    """Return the same with what was recalled, by itself or by a tool."""
    ids = tuple(one for hit in hits for one in hit.message_ids)
    return replace(given, ids=ids, counts={**given.counts, "recalled": len(hits)})


def names_of(carried: Iterable[str]) -> list[str]:
    """Return the names of documents and files as people know them; other origins as they are."""
    return list(dict.fromkeys(name_of(path) for path in carried))
