"""The answers that were given in one place of a conversation: each stays, one of them is shown.

A record that gives a message a text (`supersedes=<id>`) says in its trailer whose words these are: those of the
first answer, or (`variant=<id>`) of the one that the record of that id brought. It holds all that readers show,
so the last record about a message is all that has to be read for it.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from managers.memory.log.contents import Change
from managers.memory.messages import Message


@dataclass(frozen=True, slots=True)
class Alternatives:
    """What can be leafed through in one place of the conversation.

    Attributes:
        messages: each as it reads in that place, in the order in which they came; all have the place's id.
        current: the number of the one that stands there.
    """

    messages: tuple[Message, ...]
    current: int

    @property
    def texts(self) -> tuple[str, ...]:
        return tuple(message.text for message in self.messages)

    @property
    def shown(self) -> Message:
        return self.messages[self.current]


def alternatives_of(original: Message, changes: Iterable[Change]) -> Alternatives:
    """Return what was said in the place of a message."""
    found, current = {"": original}, ""
    for change in changes:
        if (reading := applied(original, change)) is not None:
            current = change.variant
            found[current] = reading
    return Alternatives(tuple(found.values()), list(found).index(current))


def applied(original: Message, change: Change | None) -> Message | None:
    """Return a message as a record lets it read; None if that deletes it."""
    if change is None:
        return original
    if change.text is None:
        return None
    origins = tuple(dict.fromkeys([*original.origins, *change.origins]))  # whatever stood there once may be remembered
    message = replace(original, text=change.text, variant=change.variant, origins=origins)
    if not change.mind:  # the record is no answer's, or from before answers had several
        return message
    return replace(message, mind=change.mind, broken_off=change.broken_off, stopped=change.stopped)
