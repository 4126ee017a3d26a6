"""Which model servers of this computer somebody said yes to: `auto` talks through no other.

A port says nothing of who listens at it: on a shared computer any account may answer there as Ollama does, and would
read the diary. So a server is known by what it answers as, by its address, and by the account that runs it, where the
system tells (`managers.storage.peers`). Another account at the same place is another server.
"""

import logging
from dataclasses import dataclass

from managers.addresses import host_and_port
from managers.storage.clock import Clock
from managers.storage.errors import UnreadableError
from managers.storage.paths import Home
from managers.storage.sealed_record import SealedRecord

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Server:
    """A model's server on this computer.

    Attributes:
        service: what it answers as, such as `Ollama`.
        address: its base URL.
        account: the user id of whoever runs it; None where the system does not tell.
    """

    service: str
    address: str
    account: int | None

    @property
    def place(self) -> str:
        """Host and port."""
        return host_and_port(self.address)

    @property
    def key(self) -> str:
        """What tells it from every other one."""
        return f"{self._where} {'-' if self.account is None else self.account}"

    @property
    def _where(self) -> str:
        return f"{self.service} {self.address}"

    def is_same_place(self, key: str) -> bool:
        """Tell whether a key is that of a server of the same name at the same address, whoever runs it."""
        return key.rpartition(" ")[0] == self._where


class KnownServers:
    """The answers that were given on this computer."""

    def __init__(self, home: Home, clock: Clock) -> None:
        self._record = SealedRecord(home, clock, "servers")

    def answer(self, server: Server) -> bool | None:
        """Return what was said to a server; None if nobody was asked yet."""
        found = self._read().get(server.key)
        return found if isinstance(found, bool) else None

    def was_another(self, server: Server) -> bool:
        """Tell whether a yes was said to a server at the same place that another account runs."""
        return any(yes is True and server.is_same_place(key) for key, yes in self._read().items() if key != server.key)

    def account_at(self, address: str, owner: int | None) -> int | None:
        """Return the account that a yes was said to at an address: `owner`, if it is one of several; None if nobody was."""
        keys = [key.rsplit(" ", 2) for key, yes in self._read().items() if yes is True]
        accounts = [int(account) for *_, at, account in keys if at == address and account.isdecimal()]
        return owner if owner in accounts else next(iter(accounts), None)

    def decide(self, server: Server, *, yes: bool) -> None:
        """Write down an answer.

        Raises:
            DiskFullError, UnwritableError, UnreadableError, BusyError: the answer that was there holds.
        """
        with self._record.changing() as entries:
            entries[server.key] = yes

    def _read(self) -> dict[str, object]:
        try:
            return dict(self._record.read())
        except UnreadableError as error:  # as long as nobody can tell, nobody was said yes to
            logger.warning("%s", error)
            return {}
