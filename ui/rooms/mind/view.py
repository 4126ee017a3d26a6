"""What the choice of a mind shows: what differs between two choices, and the short menu in the head of the page."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from agent.minds.known_models import fetchable_models
from agent.minds.makers import MAKERS
from agent.minds.model_files import SUFFIX
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


def beside(mind: MindSettings, former: str, t: Texts, *, is_model: bool) -> Iterator[Entry]:
    """Yield what else the menu offers: whom the settings lead back to (`former_provider`), and the minds without a model."""
    if former:
        yield Entry("former", mind.model or t(f"mind.{former}"), mind.base_url)
    if mind.provider != "auto":
        yield Entry("auto", t("mind.auto"))
    if mind.provider != "builtin" and is_model:
        yield Entry("builtin", t("mind.builtin_name"), t("mind.stays"))
