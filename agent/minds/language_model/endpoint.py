"""Where a language model lives and what is known about it: plain facts, and no library."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from agent.errors import WrongAddressError


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A model on a server.

    Attributes:
        service: what people call it: `Gemini`, `Ollama`, `openrouter.ai`.
        address: the base URL, as the provider's library wants it.
        model: the model's name there.
        key: the API key; never shown, not even in `repr`.
    """

    service: str
    address: str
    model: str
    key: str = field(default="", repr=False)

    @property
    def leaves_machine(self) -> bool:
        """Whether what is said goes over the network."""
        return not is_loopback(self.address) or runs_elsewhere(self.model)

    @property
    def shown_address(self) -> str:
        """The base URL as it may be shown and noted: without a name and password, and without a query."""
        parts = urlsplit(self.address)
        return f"{parts.scheme}://{host_and_port(self.address)}{parts.path}"

    def without_secrets(self, text: str) -> str:
        """Return the text with the key taken out, whole or shortened as servers like to echo it."""
        if password := urlsplit(self.address).password:
            text = text.replace(password, "…")
        if not self.key:
            return text
        for shown in (self.key, self.key[:12], self.key[-6:]):
            if len(shown) >= 6:  # noqa: PLR2004  # a shorter run of letters is no secret, and common
                text = text.replace(shown, "…")
        return text


def runs_elsewhere(model: str) -> bool:
    """Say whether a model of this name is one that Ollama passes on to its makers' computers."""
    return model.endswith((":cloud", "-cloud"))


def is_loopback(address: str) -> bool:
    """Say whether a URL's host is this computer itself."""
    host = urlsplit(address).hostname or ""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def checked_address(address: str) -> str:
    """Return a base URL in its plain form.

    Raises:
        WrongAddressError: it is no URL.
    """
    plain = address.strip().rstrip("/").removesuffix("/chat/completions")
    if plain.startswith(("http://", "https://")) and plain.count("/") == 2:  # noqa: PLR2004  # no path at all
        plain += "/v1"  # where nearly all of them are
    try:
        parts = urlsplit(plain)
        usable = parts.scheme in {"http", "https"} and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        usable = False
    if not usable:
        raise WrongAddressError(model="", address=address)
    return plain


def host_and_port(address: str) -> str:
    """Return `openrouter.ai` or `127.0.0.1:8000`: what tells one server from another."""
    return urlsplit(address).netloc.rpartition("@")[2]
