"""A round of a conversation of several: the user's message, and the answers of those who speak to it."""

from agent.turn import Turn


class GroupTurn(Turn):
    """A round under way. Stopping it stops whoever speaks; skipping stops them alone, and the next one speaks."""

    speaking: Turn | None = None
    """The turn of the one who speaks now."""

    def stop(self) -> None:
        super().stop()
        self.skip()

    def break_off(self) -> None:
        super().break_off()
        if self.speaking is not None:
            self.speaking.break_off()

    def skip(self) -> None:
        """Stop whoever speaks now; what they said so far is kept."""
        if self.speaking is not None:
            self.speaking.stop()
