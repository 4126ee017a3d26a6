"""All conversations of several of one home folder: found again, begun, opened once."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

from agent.errors import GroupNotFoundError, GroupSizeError, TwiceInGroupError
from agent.group.conversation import GroupConversation
from agent.group.seats import marks_of
from agent.group.session import RunningSession
from managers.groups import LEAST_PRESENT, MOST_PRESENT, GroupStore, Standing
from managers.personas.folders import name_key
from managers.personas.samples import FOR_GROUPS
from managers.storage.errors import Lang

if TYPE_CHECKING:
    from agent.services import Services


class Groups:
    """The conversations of several; the same object for the same conversation."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._store = GroupStore(services.home, services.clock, services.rng)
        self._open: dict[str, GroupConversation] = {}
        self._opening = threading.Lock()

    def all(self) -> Sequence[Standing]:
        """Return where all of them stand, the one that was spoken in last first."""
        return self._store.all()

    def of(self, names: Sequence[str], lang: Lang = "en") -> GroupConversation:
        """Return the conversation in which exactly these personas are; a new one where there is none.

        Args:
            names: who is to be there; samples for such conversations come when they are first named.
            lang: what those samples speak by default.

        Raises:
            GroupSizeError, TwiceInGroupError
            PersonaNotFoundError, GuestError: one of them cannot be invited.
        """
        keys = [name_key(name) for name in names]
        for name, key in zip(names, keys, strict=True):
            if keys.count(key) > 1:
                raise TwiceInGroupError(name=name)
        if not LEAST_PRESENT <= len(names) <= MOST_PRESENT:
            raise GroupSizeError(least=LEAST_PRESENT, most=MOST_PRESENT)
        self._install(names, lang)
        own = [self._services.personas.get(name).name for name in names]
        for one in self._store.with_present(own):
            if set((talk := self.get(one.id)).standing.present) == set(own):  # nobody has another's name by now
                return talk
        return self.get(self._store.begin(own, marks_of(own, self._services.personas)).id)

    def _install(self, names: Sequence[str], lang: Lang) -> None:
        personas = self._services.personas
        due = set(names) & set(FOR_GROUPS)
        if self._services.only_look or due <= set(personas.list_names()):
            return
        for new in personas.install_samples(wanted=due):
            personas.set_language(new.name, lang)

    def get(self, group: str) -> GroupConversation:
        """Return one conversation.

        Raises:
            GroupNotFoundError
        """
        if self._store.get(group) is None:
            raise GroupNotFoundError
        with self._opening:
            if group not in self._open:
                services = self._services
                self._open[group] = GroupConversation(
                    group,
                    self._store,
                    services.personas,
                    services.companion,
                    lambda: services.settings().group,
                    RunningSession(services.sessions, group),
                    services.clock,
                    services.rng,
                )
            return self._open[group]

    def to_end(self, wanted: Sequence[str]) -> str:
        """Return the id of a conversation that there is: by that id itself, or by who is in it now.

        A session whose conversation is on the list no more has only the id, as `doctor` tells it.

        Raises:
            GroupNotFoundError
        """
        [first, *others] = wanted
        if not others and (self._store.get(first) is not None or self._services.sessions.has(first)):
            return first
        keys = {name_key(name) for name in wanted}
        for one in self._store.all():
            if {name_key(name) for name in one.present} == keys:
                return one.id
        raise GroupNotFoundError

    def end(self, group: str) -> None:
        """End a conversation for good: off the list, and what is kept of it beside the logs is destroyed at every tier.

        What was said stays in the log of each who heard it. Done twice, it is done once.

        Raises:
            DiskFullError, UnwritableError, BusyError, DatabaseHeldError: it is on the list still, and can be ended again.
        """
        with self._opening:
            talk = self._open.pop(group, None)
        if talk is not None:
            talk.close()
        self._services.sessions.drop(group)
        self._store.remove(group)

    def close(self) -> None:
        """Finish what is under way."""
        for one in self._open.values():
            one.close()
