"""What a person is shown of the ways in for other programs, and what they paste there."""

import json
from dataclasses import dataclass

from managers.storage.errors import Lang
from ui.errors import NoMcpPackageError
from ui.server.programs.ways import MCP, Way, Ways, has_mcp

_SNIPPET = """\
import os

# {quiet}
os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"
from gradio_client import Client

token = "{token}"
utatane = Client("{origin}", headers={{"Authorization": f"Bearer {{token}}"}})
for part in utatane.submit({name}, {words}, api_name="/say"):
    print(part)
print(utatane.predict({name}, {query}, api_name="/recall"))
"""


@dataclass(frozen=True, slots=True)
class Paste:
    """Lines for another program."""

    kind: Way
    text: str


def problem(ways: Ways, way: Way, lang: Lang, begins_later: str) -> str:
    """Return why a way that is switched on is not open yet; empty where it is, or is off."""
    if not ways.is_on(way) or ways.has_begun(way):
        return ""
    return NoMcpPackageError().sentence(lang) if way == "mcp" and not has_mcp() else begins_later


def pastes(ways: Ways, origin: str, token: str, persona: str, words: dict[str, str]) -> list[Paste]:
    """Return the lines for the ways that are switched on.

    Args:
        ways: which.
        origin: where the page's addresses begin.
        token: the programs'.
        persona: whom the example talks to.
        words: what it says (`words`), asks (`query`) and remarks (`quiet`).
    """
    texts: dict[Way, str] = {
        "mcp": mcp_config(origin, token),
        "api": _SNIPPET.format(
            origin=origin.rstrip("/"),
            token=token,
            name=_literal(persona),
            words=_literal(words["words"]),
            query=_literal(words["query"]),
            quiet=words["quiet"],
        ),
    }
    return [Paste(way, text) for way, text in texts.items() if ways.is_on(way)]


def mcp_config(origin: str, token: str) -> str:
    """Return what MCP clients keep of a server, as most of them write it."""
    server = {"type": "http", "url": f"{origin.rstrip('/')}{MCP}", "headers": {"Authorization": f"Bearer {token}"}}
    return json.dumps({"mcpServers": {"utatane": server}}, indent=2)


def _literal(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
