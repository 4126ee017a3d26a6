"""Whose words a memory rests on: the talk's own, or foreign ones (`Message.foreign`), which follow the evidence.

The mark itself stands in the log with each message. Here nothing is kept but what was worked out: it is made anew at each start.
"""

from collections.abc import Collection, Iterable
from typing import Final

from managers.language.reading.own_words import names_all
from managers.language.words import content_words
from managers.memory.log.reader import LogReader
from managers.memory.messages import Message

_LEAST: Final = 3
"""A line that has less than a third of the words need not be read closely."""
_KEPT: Final = 4096
"""So many memories' origins are kept in mind."""


class Provenance:
    """Tells of one persona's memories whose words they rest on."""

    def __init__(self, log: LogReader) -> None:
        self._log = log
        self._known: dict[tuple[str, tuple[str, ...]], tuple[str, ...]] = {}

    def of(
        self, text: str, evidence: Iterable[str], marked: Iterable[str] = (), names: Collection[str] = ()
    ) -> tuple[str, ...]:
        """Return whose foreign words a memory rests on; none where the user's own lines say all of it.

        Args:
            text: what it says; empty: nobody says it.
            evidence: the messages that it rests on.
            marked: whose words it is marked with itself.
            names: what the user and the persona are called.
        """
        ids = tuple(dict.fromkeys(evidence))
        origins = self._log.origins(ids)
        foreign = tuple(dict.fromkeys([*marked, *(one for message_id in ids for one in origins.get(message_id, ()))]))
        if not foreign or not text:
            return foreign
        key = text, (*ids, *foreign)
        if key not in self._known:
            if len(self._known) >= _KEPT:
                self._known.clear()
            about = set(content_words(text))
            own = (one for one in self._log.originals(ids).values() if is_own(one))
            near = (one for one in own if _LEAST * len(about.intersection(content_words(one.text))) >= len(about))
            says_it = any(names_all(one.text, text, one.time, names) for one in near)
            self._known[key] = () if says_it else foreign
        return self._known[key]


def is_own(message: Message) -> bool:
    """Tell whether the user said it themselves, whatever they sent along."""
    return message.role == "user" and not message.origins
