"""The `Mind` seam: whatever thinks for a persona, a language model or the built-in one, awake and asleep."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from agent.minds.endpoint import Endpoint
from agent.minds.errors import MindError
from agent.minds.masking import Masking
from managers.mind import Cancel, ReplyPiece, ReplyRequest
from managers.sleep.autonomy import Deed, Occasion
from managers.sleep.tasks import DreamMind
from managers.usage.meter import Account


class Mind(Protocol):
    """Whatever thinks for a persona."""

    @property
    def name(self) -> str:
        """What stands in a message's trailer: `built-in`, `gemini-2.5-flash`, ..."""

    @property
    def endpoint(self) -> Endpoint | None:
        """Where its model answers; None: it has no model."""

    @property
    def context_tokens(self) -> int:
        """How much it can read and write at once, in tokens."""

    @property
    def can_see(self) -> bool:
        """Whether images may be sent to it."""

    @property
    def takes_tools(self) -> bool:
        """Whether tools may be offered to it, as far as is known."""

    @property
    def trouble(self) -> MindError | None:
        """What went wrong at the last call; None when it went well."""

    @property
    def dreams(self) -> DreamMind:
        """The same mind asleep."""

    def count_tokens(self, text: str) -> int:
        """Estimate the tokens of a text, never too low."""

    def reply(self, request: ReplyRequest, cancel: Cancel) -> Iterator[ReplyPiece]:
        """Think and speak, piece by piece.

        Raises:
            MindError: one of the named ways of failing, with its sentence.
        """

    def impulse(self, occasion: Occasion) -> Deed | None:
        """Return what the persona does when a drive moves it; None: rather nothing.

        Raises:
            MindError: one of the named ways of failing.
            CapReachedError: nothing was asked.
        """

    def is_answering(self, *, server_answered: bool = True) -> bool:
        """Tell whether it can be reached as far as is known, after what the last look at its server found."""

    def charged_to(self, account: Account, /) -> Mind:
        """Return the same mind with its calls counted on an account."""

    def masked(self, masking: Masking, /) -> Mind:
        """Return the same mind, which is shown placeholders for what is private where the person wishes so."""

    def learn(
        self, *, context_tokens: int | None = None, can_see: bool | None = None, takes_tools: bool | None = None
    ) -> Mind:
        """Take in what its server said about the model."""
