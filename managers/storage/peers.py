"""Which account of this computer is at the other end, where the system tells: Linux does, for any socket on it.

A browser shows its cookie to whoever serves a page under our name, at any port: another account that lures it
there, or takes the port while Utatane sleeps, has the cookie then. It is of no use to that account here.
Windows and macOS tell an ordinary program nothing of other accounts' connections; there the cookie decides alone.

In the same way a port says nothing of who listens at it: what is said to a model's server goes to whichever account
came first.
"""

import os
import socket
import struct
import sys
from contextlib import suppress
from ipaddress import ip_address

_Address = tuple[str, int]

_SOCK_DIAG = 4  # NETLINK_SOCK_DIAG
_BY_FAMILY = 20  # SOCK_DIAG_BY_FAMILY
_REQUEST = 1  # NLM_F_REQUEST
_ANY = 0xFFFFFFFF
_ESTABLISHED, _LISTENING = 1, 10
_NOWHERE = {socket.AF_INET: "0.0.0.0", socket.AF_INET6: "::"}  # noqa: S104  # a listener's other end; nothing is bound
_HEADER = struct.Struct("=IHHII")  # nlmsghdr: length, type, flags, sequence, port
_QUERY = struct.Struct("=BBBBI")  # inet_diag_req_v2 up to its id: family, protocol, extensions, padding, states
_PORTS = struct.Struct("!HH")  # inet_diag_sockid: source and destination port
_REST = struct.Struct("=III")  # and, after the addresses, interface and cookie
_ANSWER = struct.Struct("=BBBB48xIIII")  # inet_diag_msg: family, state, timer, retransmits, id, three counts, uid


def is_of_another_account(client: _Address | None, server: _Address | None) -> bool:
    """Tell whether somebody else of this computer is at the other end; False where nobody can tell.

    Root is nobody else: it may read everything anyway.
    """
    if sys.platform != "linux" or client is None or server is None:
        return False
    return _owner(client, server, _ESTABLISHED) not in {None, 0, os.getuid()}


def owner_of_listener(host: str, port: int) -> int | None:
    """Return the user id of whoever listens at an address of this computer; None if nobody does, or nobody can tell."""
    return _owner((host, port), None, _LISTENING) if sys.platform == "linux" else None


def account_name(owner: int) -> str:
    """Return what an account of this computer is called; its number where it has no name."""
    if sys.platform == "win32":
        return str(owner)
    import pwd  # noqa: PLC0415  # Windows has none

    try:
        return pwd.getpwuid(owner).pw_name
    except KeyError:
        return str(owner)


def _owner(end: _Address, other: _Address | None, state: int) -> int | None:
    """Return the user id of a socket of this computer, None if there is none in that state or the system does not tell."""
    with suppress(OSError, ValueError, struct.error):
        found = _asked(end, other)
        if found is not None and found[0] == state:
            return found[1]
    return None


def _asked(end: _Address, other: _Address | None) -> tuple[int, int] | None:
    """Ask for the state and the user id of a socket (sock_diag(7))."""
    if not ip_address(end[0]).is_loopback:
        return None
    family = socket.AF_INET6 if ":" in end[0] else socket.AF_INET
    other = other or (_NOWHERE[family], 0)
    ends = [socket.inet_pton(family, one[0]).ljust(16, b"\0") for one in (end, other)]
    query = _QUERY.pack(family, socket.IPPROTO_TCP, 0, 0, _ANY) + _PORTS.pack(end[1], other[1])
    query += b"".join(ends) + _REST.pack(0, _ANY, _ANY)
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, _SOCK_DIAG) as line:
        line.settimeout(0.2)
        line.send(_HEADER.pack(_HEADER.size + len(query), _BY_FAMILY, _REQUEST, 0, 0) + query)
        answer = line.recv(4096)
    if _HEADER.unpack_from(answer)[1] != _BY_FAMILY:
        return None
    _family, state, *_counts, owner = _ANSWER.unpack_from(answer, _HEADER.size)
    return state, owner
