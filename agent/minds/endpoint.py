"""Where a language model answers and what is known about it: plain facts, and no library."""

from dataclasses import dataclass, field
from urllib.parse import urlsplit

from agent.minds.errors import OddKeyError, WrongAddressError
from managers.addresses import host_and_port, is_loopback, key_name, listener_at, runs_elsewhere, split_address
from managers.transport import fits_header
from managers.usage.prices import Model

__all__ = ["host_and_port", "is_loopback", "key_name", "listener_at", "runs_elsewhere"]
"""Of `managers.addresses`, which stands here for whoever speaks to a model."""

OPENAI_ADDRESS = "https://api.openai.com/v1"
GEMINI_ADDRESS = "https://generativelanguage.googleapis.com"
GEMINI_MODEL = "gemini-flash-latest"
"""A name that Google keeps pointing at its current fast model."""
OPENAI_MODEL, ANTHROPIC_MODEL = "gpt-6-luna", "claude-haiku-5-5"
"""The fast models as of `as_of` in `assets/models.toml`; neither maker has a name that stays."""
ANTHROPIC_ADDRESS = "https://api.anthropic.com"
OPENROUTER_ADDRESS = "https://openrouter.ai/api/v1"
OPENROUTER_MODEL = "openrouter/auto"
"""OpenRouter's own choice for each request."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A model on a server.

    Attributes:
        service: what people call it: `Gemini`, `Ollama`, `openrouter.ai`.
        address: the base URL, as the provider's library wants it.
        model: the model's name there.
        key: the API key; never shown, not even in `repr`.
        account: the user id of whoever runs it, where a yes was said to that account; nobody else is spoken to then.
    """

    service: str
    address: str
    model: str
    key: str = field(default="", repr=False)
    account: int | None = None

    @property
    def leaves_machine(self) -> bool:
        """Whether what is said goes over the network."""
        return not is_loopback(self.address) or runs_elsewhere(self.model)

    @property
    def shown_address(self) -> str:
        """The base URL as it may be shown and noted: without a name and password, and without a query."""
        parts = split_address(self.address)
        return f"{parts.scheme}://{host_and_port(self.address)}{parts.path}"

    @property
    def priced(self) -> Model:
        """The model as prices and the ledger of calls name it."""
        host = host_and_port(self.address).partition(":")[0]
        return Model(self.model, self.service, host, is_local=not self.leaves_machine)

    def without_secrets(self, text: str) -> str:
        """Return the text with the key taken out, whole or shortened as servers like to echo it."""
        if password := split_address(self.address).password:
            text = text.replace(password, "…")
        if not self.key:
            return text
        for shown in (self.key, self.key[:12], self.key[-6:]):
            if len(shown) >= 6:  # noqa: PLR2004  # a shorter run of letters is no secret, and common
                text = text.replace(shown, "…")
        return text


def checked_address(address: str, page: str = "/chat/completions") -> str:
    """Return a base URL in its plain form; who copied the address of its `page` means it, too.

    Raises:
        WrongAddressError: it is no URL.
    """
    plain = address.strip().rstrip("/").removesuffix(page)
    if plain.startswith(("http://", "https://")) and plain.count("/") == 2:  # noqa: PLR2004  # no path at all
        plain += "/v1"  # where nearly all of them are
    try:
        parts = urlsplit(plain)
        usable = parts.scheme in {"http", "https"} and bool(parts.hostname) and (parts.port is None or parts.port > 0)
        usable = (
            usable and "\\" not in parts.netloc
        )  # some libraries take it for a slash: another server would be asked
    except ValueError:
        usable = False
    if not usable:
        raise WrongAddressError(model="", address=address)
    return plain


def check_key(key: str) -> None:
    """Refuse a key that no header can carry.

    Raises:
        OddKeyError: it has a character that is no visible one of ASCII.
    """
    if not fits_header(key):
        raise OddKeyError(model="")


def is_server(address: str, own: str) -> bool:
    """Tell whether an address leads to the server of another one in the same way, and with nobody's name in it."""
    parts = split_address(address)
    return parts.scheme == urlsplit(own).scheme and "@" not in parts.netloc and key_name(address) == key_name(own)
