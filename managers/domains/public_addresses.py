"""Which addresses a source may lead to: those of the public internet, and what a person has allowed by name."""

import socket
import threading
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import Final

_TRANSLATED: Final = (IPv6Network("64:ff9b::/96"), IPv6Network("64:ff9b:1::/48"), IPv6Network("2001::/32"))
"""NAT64 and Teredo: an IPv4 address in disguise."""


def is_public(text: str) -> bool:
    """Tell whether an IP address is one of the public internet, and says so openly.

    Refused are private, loopback, link-local, carrier's (CGNAT), reserved and multicast addresses, and IPv6 addresses that
    stand for an IPv4 one (mapped, compatible, 6to4, Teredo, NAT64): no public host needs them.
    """
    try:
        address: IPv4Address | IPv6Address = ip_address(text.partition("%")[0])
    except ValueError:
        return False
    if isinstance(address, IPv6Address) and (
        address.is_site_local
        or address.ipv4_mapped is not None
        or address.sixtofour is not None
        or any(address in network for network in _TRANSLATED)
    ):
        return False
    is_special = address.is_multicast or address.is_reserved or address.is_unspecified or address.is_link_local
    return address.is_global and not is_special


def addresses_of(host: str, port: int, seconds: float) -> list[str]:
    """Return the IP addresses of a host, each once.

    Raises:
        OSError: it has none, or nobody answered in time.
    """
    found: list[str] = []
    failed: list[OSError] = []

    def ask() -> None:
        try:
            answers = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except OSError as error:
            failed.append(error)
        except UnicodeError as error:  # a name that is none
            failed.append(OSError(str(error)))
        else:
            found.extend(dict.fromkeys(str(answer[4][0]) for answer in answers))

    asking = threading.Thread(target=ask, name="resolving", daemon=True)  # the system's resolver cannot be broken off
    asking.start()
    asking.join(max(seconds, 0))
    if failed:
        raise failed[0]
    if asking.is_alive() or not found:
        raise OSError("no answer")
    return list(found)
