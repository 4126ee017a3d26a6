"""A round of a conversation of several: the user's message, and the answers of those who speak to it."""

from agent.events import Begins, Failed, TurnEvent
from agent.turn import Turn


class GroupTurn(Turn):
    """A round under way. Stopping it stops whoever speaks; skipping stops them alone, and the next one speaks."""

    speaking: Turn | None = None
    """The turn of the one who speaks now."""

    def failures(self, but: str) -> list[TurnEvent]:
        """Return, as events, who could not answer in it, one of them left out."""
        found: list[TurnEvent] = []
        speaker = Begins("")
        for event in self.so_far:
            if isinstance(event, Begins):
                speaker = event
            elif isinstance(event, Failed) and speaker.speaker not in {"", but}:
                found += [speaker, event]
        return found

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
