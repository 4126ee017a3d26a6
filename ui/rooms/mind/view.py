"""What the choice of a mind shows: what differs between two choices, and the short menu in the head of the page."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from agent.minds.known_models import fetchable_models
from agent.minds.makers import MAKERS
from agent.minds.model_files import SUFFIX
from managers.known_servers import Server
from managers.storage.settings import MindSettings
from ui.locales import Texts
from ui.rooms.mind.choice import MindFields


@dataclass(frozen=True, slots=True)
class Entry:
    """A mind in the menu: what a click sends, its name, and where it runs."""

    choice: str
    name: str
    where: str = ""


def differences(sent: MindFields, kept: MindFields, t: Texts) -> Sequence[tuple[str, str]]:
    """Return what is kept of each field in which something else was entered."""
    pairs = (
        ("provider", sent.provider, kept.provider),
        ("address", sent.address, kept.address),
        ("model", sent.model, kept.model),
        ("small", sent.small, kept.small),
    )
    return [
        (t(f"mind.{key}"), t(f"mind.{theirs}") if key == "provider" else theirs or t("options.nothing"))
        for key, mine, theirs in pairs
        if mine != theirs
    ]


def former_provider(mind: MindSettings, has_key: Callable[[str], object]) -> str:
    """Return whom the settings lead back to while the built-in mind speaks in place of a model; empty for nobody."""
    if mind.provider != "builtin":
        return ""
    if mind.base_url:
        return "openai"
    if mind.model.endswith(SUFFIX) or any(one.name == mind.model for one in fetchable_models() if one.file):
        return "engine"
    if mind.model:
        return {"gemini": "gemini", "claude": "anthropic"}.get(mind.model.split("-")[0], "openai")
    return next((provider for provider in MAKERS if has_key(provider)), "")


def menu(
    mind: MindSettings,
    speaking: tuple[str, str],
    files: Iterable[str],
    here: Iterable[tuple[Server, str]],
    former: str,
    t: Texts,
) -> list[Entry]:
    """Return the minds that one click chooses, without the one that speaks.

    Args:
        mind: the settings that hold.
        speaking: the address and the name of the model that speaks; empty where none does.
        files: the models on this computer itself.
        here: servers of this computer that were said yes to, each with one of its models.
        former: whom the settings lead back to (`former_provider`).
        t: the visitor's texts.
    """
    is_own = mind.provider == "engine"
    found = [Entry(f"engine {name}", name, t("mind.stays")) for name in files if not (is_own and name == mind.model)]
    found += [
        Entry(f"server {server.address} {model}", model, server.service)
        for server, model in here
        if (server.address, model) != speaking
    ]
    if former:
        found.append(Entry("former", mind.model or t(f"mind.{former}"), mind.base_url))
    if mind.provider != "auto":
        found.append(Entry("auto", t("mind.auto")))
    if mind.provider != "builtin" and any(speaking):
        found.append(Entry("builtin", t("mind.builtin_name"), t("mind.stays")))
    return found
