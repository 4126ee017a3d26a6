"""What an address of a server says: plain facts, for whoever sends something there."""

import ipaddress
from urllib.parse import SplitResult, urlsplit


def runs_elsewhere(model: str) -> bool:
    """Say whether a model of this name is one that Ollama passes on to its makers' computers."""
    return model.endswith((":cloud", "-cloud"))


def is_loopback(address: str) -> bool:
    """Say whether a URL's host is this computer itself."""
    host = split_address(address).hostname or ""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def host_and_port(address: str) -> str:
    """Return `openrouter.ai` or `127.0.0.1:8000`: what tells one server from another."""
    return split_address(address).netloc.rpartition("@")[2]


def listener_at(address: str) -> tuple[str, int]:
    """Return the host and the port that an address leads to; 0 where it names none."""
    parts = split_address(address)
    return parts.hostname or "", parts.port or 0


def split_address(address: str) -> SplitResult:
    """Return the parts of an address, all of them empty where it is none."""
    try:
        return urlsplit(address)
    except ValueError:
        return urlsplit("")


def key_name(address: str) -> str:
    """Return the name under which a server's key is stored: keys are kept by server, and never sent to another.

    `openrouter.ai` over https, `127.0.0.1:8000` where a port tells it apart, `http://nas` for what stands in neither
    way: the same name must not stand for a line that anybody can read along, nor for a provider's own key.
    """
    scheme, server = split_address(address).scheme, host_and_port(address).lower()
    if scheme == "https":
        server = server.removesuffix(":443")
    is_plain = ":" in server or (scheme == "https" and "." in server)
    return server if is_plain else f"{scheme}://{server}"
