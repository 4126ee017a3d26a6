"""What the API and the MCP tools work with."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from agent.audience import other_hits
from agent.memories import Memories
from agent.services import Services
from managers.recall.hits import Hit
from managers.storage.audit import Given, Recipient, record
from managers.storage.errors import Lang


class ForPrograms:
    """Methods that other programs may call; `door` is by which they come in."""

    door = ""

    def __init__(self, services: Services, lang: Callable[[], Lang], when_begun: Callable[[str], None]) -> None:
        """Take what they work with.

        Args:
            services: of the home folder.
            lang: the user's language, for sentences.
            when_begun: called with a persona's name when something has begun that its page shows.
        """
        self._services = services
        self._lang = lang
        self._when_begun = when_begun

    def _handed(self, memories: Memories, given: Given) -> None:
        """Note what a program was handed; nothing of it is masked, and where it goes from there nobody knows."""
        if any(given.counts.values()):
            now = memories.clock.now()
            record(memories.paths, now, "program", replace(given, is_masked=False), to=Recipient(self.door))

    def _found(self, memories: Memories, hits: Sequence[Hit]) -> Sequence[Hit]:
        """Return what a program may be handed of what was found, and note it."""
        shown = other_hits(memories.audiences.kept(), hits)
        ids = tuple(one for hit in shown for one in hit.message_ids)
        self._handed(memories, Given({"recalled": len(shown)}, ids=ids))
        return shown
