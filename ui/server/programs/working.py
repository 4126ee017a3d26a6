"""What the API and the MCP tools work with."""

from __future__ import annotations

from collections.abc import Callable

from agent.services import Services
from managers.storage.errors import Lang


class ForPrograms:
    """Methods that other programs may call."""

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
