"""How an answer is taken: with thanks, with a complaint (of what?), or by putting it right. The rules are in `helping.toml`."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from managers.language.reading.corrections import read_correction
from managers.language.reading.reading import Reading
from managers.language.reading.rules import fits

FAULTS: Final = ("too_long", "too_short", "lists", "advice", "questions")
"""What somebody may complain of by name."""
WRONG: Final = "wrong"
"""What an answer is that somebody puts right."""
OPPOSITE: Final = {"too_long": "too_short", "too_short": "too_long"}
FAULT_OF: Final = {
    "long": "too_long",
    "short": "too_short",
    "lists": "lists",
    "advises": "advice",
    "asks_back": "questions",
}
"""What is wrong with an answer that has a trait which it should not have."""


@dataclass(frozen=True, slots=True)
class Reaction:
    """Whether an answer was welcome, and what was wrong with it, as far as that was said."""

    helped: bool
    faults: tuple[str, ...] = ()


def read_reaction(message: Reading, answer: str, own: Sequence[str] = ()) -> Reaction | None:
    """Return how a message takes the answer before it; None where it says nothing of that.

    Args:
        message: what was said next.
        answer: the answer.
        own: what the speaker said before: whoever puts that right does not blame the answer.
    """

    def says(name: str) -> bool:
        return any(fits(one.lang, "helping", name, one.plain) for one in message.sentences)

    faults = tuple(filter(says, FAULTS))
    if faults or message.act("complaint"):
        return Reaction(helped=False, faults=faults)
    if says(WRONG) or (read_correction(message.text, [answer]) and not read_correction(message.text, own)):
        return Reaction(helped=False, faults=(WRONG,))
    return Reaction(helped=True) if message.act("thanks", "praise") or says("helped") else None


def faults_mended(before: Collection[str], after: Collection[str]) -> tuple[str, ...]:
    """Return what somebody mended who rewrote an answer: the traits that it has lost."""
    return tuple(FAULT_OF[one] for one in before if one in FAULT_OF and one not in after)
