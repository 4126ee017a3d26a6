"""What the person is offered about minds, and may say yes to."""

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field

from managers.known_servers import Server
from managers.storage.errors import Lang, Notice
from managers.storage.peers import account_name
from managers.storage.texts import Texts

_say = Texts("prompts/minds")


@dataclass(frozen=True, slots=True)
class Offer:
    """Something that the person may say yes to.

    Attributes:
        code: `use-gemini` and the like, `use-builtin`, or `use-server` with what tells this server from every other one.
        ja, en: the question.
        changes: what a yes changes in the section `mind` of the settings.
        server: the server that a yes, or a no, is said to; then the settings stay as they are.
        refusal: the code of a no, where a no is kept.
    """

    code: str
    ja: str
    en: str
    changes: Mapping[str, str] = field(default_factory=dict)
    server: Server | None = None
    refusal: str = ""

    def sentence(self, lang: Lang) -> str:
        return self.ja if lang == "ja" else self.en


def offer_built_in() -> Offer:
    """Return the offer to let the built-in mind speak while a model cannot."""
    told = _say.both("offer.built_in")
    return Offer("use-builtin", told["ja"], told["en"], changes={"provider": "builtin"})


def offer_key(provider: str, service: str, company: str, variable: str) -> Offer:
    """Return the offer to use a key that was found in an environment variable."""
    told = _say.both("offer.key", service=service, company=company, variable=variable)
    return Offer(f"use-{provider}", told["ja"], told["en"], changes={"provider": provider})


def offer_server(server: Server, *, is_another: bool) -> Offer:
    """Return the question whether to talk through a server that was found on this computer.

    Args:
        server: the server.
        is_another: a yes was said to one at the same place that another account runs.
    """
    another = _say.both("offer.another_account") if is_another else ""
    told = _say.both("offer.server", found=_found(server), another=another)
    return Offer(
        f"use-server {server.key}", told["ja"], told["en"], server=server, refusal=f"refuse-server {server.key}"
    )


def server_found(server: Server) -> Notice:
    """Return what the page says of a server about which nobody was asked yet."""
    told = _say.both("server.notice", found=_found(server))
    return Notice("server-found", told["ja"], told["en"], level="info")


def _found(server: Server) -> dict[Lang, str]:
    runner = dict(zip(("ja", "en"), run_by(server), strict=True))
    return _say.both("server.found", service=server.service, place=server.place, runner=runner)


def run_by(server: Server) -> tuple[str, str]:
    """Return in Japanese and English who runs a server."""
    if server.account is None:
        told = _say.both("server.nobody_knows")
    elif sys.platform != "win32" and server.account == os.getuid():
        told = _say.both("server.your_own")
    else:
        told = _say.both("server.account", name=account_name(server.account))
    return told["ja"], told["en"]
