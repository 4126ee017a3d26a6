"""How fast a password may be guessed: one guess after the other over all addresses, and a wrong one takes its time."""

import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

import anyio

PAUSE, LONGEST_PAUSE = 1.0, 8.0
"""Seconds after a wrong guess; twice as many after every ten of the last ten minutes."""
_SLOWER_AFTER, _REMEMBERED_SECONDS = 10, 600.0
MOST_WAITING = 8
"""Addresses that stand in line; whoever comes then is told to come again."""


class TooManyGuessesError(Exception):
    """This guess is not even looked at; the caller says so."""


class Guesses:
    """Lets guesses in one by one, in the order they came, each address with one at a time.

    So whoever guesses from a thousand addresses is no faster than from one, and cannot keep the owner out: they wait
    for those before them, some seconds each. Who sits at this computer stands in a line of their own.
    """

    def __init__(self, pause: float = PAUSE) -> None:
        """Take the seconds after a first wrong guess."""
        self._here, self._elsewhere = _Line(pause), _Line(pause)

    @asynccontextmanager
    async def turn(self, address: str) -> AsyncIterator[Callable[[], Awaitable[None]]]:
        """Wait for one's turn; what is yielded is called, and takes its time, where the guess was wrong.

        Args:
            address: the socket's other end. What a request says of itself (`X-Forwarded-For`) can be made up.

        Raises:
            TooManyGuessesError
        """
        who = _household(address)
        line = self._here if _is_here(address) else self._elsewhere
        if who in line.waiting or len(line.waiting) >= MOST_WAITING:
            raise TooManyGuessesError
        line.waiting.add(who)
        try:
            async with line.turn:
                yield line.wait
        finally:
            line.waiting.discard(who)


class _Line:
    """Those who wait for their turn."""

    def __init__(self, pause: float) -> None:
        self.turn = anyio.Lock()
        self.waiting: set[str] = set()
        self._pause = pause
        self._wrong: deque[float] = deque()

    async def wait(self) -> None:
        now = time.monotonic()
        while self._wrong and now - self._wrong[0] > _REMEMBERED_SECONDS:
            self._wrong.popleft()
        self._wrong.append(now)
        await anyio.sleep(self._pause * min(2 ** (len(self._wrong) // _SLOWER_AFTER), LONGEST_PAUSE / PAUSE))


def _household(address: str) -> str:
    """Return what counts as one guesser: a household has as many IPv6 addresses as it likes, in one network."""
    found = parsed_address(address)
    if isinstance(found, IPv6Address):
        return str(ip_network((found, 64), strict=False))
    return address


def _is_here(address: str) -> bool:
    found = parsed_address(address)
    return found is not None and found.is_loopback


def parsed_address(address: str) -> IPv4Address | IPv6Address | None:
    """Return an address that is written in numbers; None for a name."""
    try:
        found = ip_address(address)
    except ValueError:
        return None
    return (found.ipv4_mapped or found) if isinstance(found, IPv6Address) else found
