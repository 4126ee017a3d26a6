"""What the person is offered about minds, and may say yes to."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field

from agent.minds.known_servers import Server
from managers.storage.errors import Lang, Notice
from managers.storage.peers import account_name


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
        """Return the question for a reader of `lang`."""
        return self.ja if lang == "ja" else self.en


OFFER_BUILT_IN = Offer(
    code="use-builtin",
    ja="いまのモデルが答えられないようです。しばらく内蔵のこころに切りかえますか?",
    en="This model cannot answer just now. Switch to the built-in mind for the time being?",
    changes={"provider": "builtin"},
)


def offer_key(provider: str, service: str, company: str, variable: str) -> Offer:
    """Return the offer to use a key that was found in an environment variable.

    Args:
        provider: as in the settings.
        service: whose key it is, such as `Gemini`.
        company: to whom goes what is said.
        variable: where it was found.
    """
    return Offer(
        code=f"use-{provider}",
        ja=f"環境変数 {variable} に{service}のキーが見つかりました。{service}で話しますか? 話した内容は{company}に送られます。",
        en=f"A key of {service} was found in the environment ({variable}). Talk through {service}? What you say will be sent to {company}.",
        changes={"provider": provider},
    )


def offer_server(server: Server, *, is_another: bool) -> Offer:
    """Return the question whether to talk through a server that was found on this computer.

    Args:
        server: the server.
        is_another: a yes was said to one at the same place that another account runs.
    """
    found_ja, found_en = _found(server)
    if is_another:
        found_ja += "前に「はい」と答えたときとは、動かしているアカウントが違います。"
        found_en += " It is not run by the account that you said yes to before."
    return Offer(
        code=f"use-server {server.key}",
        refusal=f"refuse-server {server.key}",
        ja=f"{found_ja}これで話しますか? 話した内容は、これを動かしている人が読めます。",
        en=f"{found_en} Talk through it? Whoever runs it can read what you say.",
        server=server,
    )


def server_found(server: Server) -> Notice:
    """Return what the page says of a server about which nobody was asked yet."""
    ja, en = _found(server)
    return Notice(
        "server-found",
        f"{ja}あなたが「はい」と答えるまでは、話しかけません(「設定」の「こころとモデル」か、`app.py servers`)。",
        f"{en} It is not spoken to before you say yes: in Settings, under Mind and model, or with `app.py servers`.",
        level="info",
    )


def _found(server: Server) -> tuple[str, str]:
    by_ja, by_en = run_by(server)
    return (
        f"このコンピューターで {server.service} が見つかりました({server.place}、{by_ja})。",
        f"{server.service} was found on this computer ({server.place}, {by_en}).",
    )


def run_by(server: Server) -> tuple[str, str]:
    """Return in both languages who runs a server."""
    if server.account is None:
        return "誰が動かしているかは、このシステムでは分かりません", "this system does not tell who runs it"
    if sys.platform != "win32" and server.account == os.getuid():
        return "動かしているのはあなたのアカウント", "run by your own account"
    name = account_name(server.account)
    return f"動かしているのはアカウント「{name}」", f"run by the account “{name}”"
