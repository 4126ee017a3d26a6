"""Which mind speaks, as it is chosen on the page: its fields, where the choice is kept, and what is offered."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Final

from fastapi import Depends

from agent.minds.endpoint import OPENROUTER_ADDRESS
from agent.minds.makers import secret_name
from agent.minds.offers import Offer
from agent.services import Services
from managers.known_servers import Server
from managers.storage.errors import InvalidSettingError
from managers.storage.files import digest
from managers.storage.settings import MindSettings
from ui.server.visit import FormText

PROVIDERS: Final = ("auto", "builtin", "engine", "gemini", "anthropic", "openrouter", "openai")
"""As they are chosen; for the settings OpenRouter is a server of OpenAI's protocol."""
REMOTE: Final = frozenset(PROVIDERS[3:])
"""Those that have a model to name and a key."""
_CHOSEN: Final = ("provider", "base_url", "model", "internal_processing_model")
"""What is chosen here, of the settings of the mind."""


@dataclass(frozen=True, slots=True)
class MindFields:
    """What the fields of the choice hold (`ui/components/mind_fields.html`).

    Attributes:
        provider, address, model: which mind.
        small: the model for inner work.
        key: as it was typed; a key that is stored is never shown.
        has_key: one is stored for this choice.
    """

    provider: str = PROVIDERS[0]
    address: str = ""
    model: str = ""
    small: str = ""
    key: str = ""
    has_key: bool = False


def fields_of_form(
    provider: FormText = PROVIDERS[0],
    address: FormText = "",
    model: FormText = "",
    small: FormText = "",
    key: FormText = "",
) -> MindFields:
    """Return what a form has sent."""
    return MindFields(provider, address.strip(), model.strip(), small.strip(), key.strip())


SentMind = Annotated[MindFields, Depends(fields_of_form)]
"""What a route takes whose form has these fields."""


def fields_of(services: Services, mind: MindSettings) -> MindFields:
    """Return what the fields hold for a mind as it is set."""
    has_key = mind.provider in REMOTE and bool(services.secrets.get(secret_name(mind)))
    is_openrouter = mind.provider == "openai" and mind.base_url == OPENROUTER_ADDRESS
    provider, address = ("openrouter", "") if is_openrouter else (mind.provider, mind.base_url)
    return MindFields(provider, address, mind.model, mind.internal_processing_model, key="", has_key=has_key)


def chosen_mind(fields: MindFields) -> dict[str, str]:
    """Return a choice as settings: what its provider has no use for is empty.

    Raises:
        InvalidSettingError: there is no such provider.
    """
    if fields.provider not in PROVIDERS:
        raise InvalidSettingError(key="mind.provider", value=fields.provider, reason="")
    is_remote = fields.provider in REMOTE
    addresses = {"openrouter": OPENROUTER_ADDRESS, "openai": fields.address}
    return {
        "provider": "openai" if fields.provider == "openrouter" else fields.provider,
        "base_url": addresses.get(fields.provider, ""),
        "model": fields.model if is_remote or fields.provider == "engine" else "",
        "internal_processing_model": fields.small if is_remote else "",
    }


def mark_of(mind: MindSettings) -> str:
    """Return what stands for a choice, so that a form can say which one it began from."""
    return digest("\n".join(getattr(mind, key) for key in _CHOSEN))


def mind_of(services: Services, persona: str = "") -> MindSettings:
    """Return the settings of the mind that hold for a persona; without a name, everybody's."""
    return services.companion(persona).memories.settings().mind if persona else services.settings().mind


def has_own_mind(services: Services, persona: str) -> bool:
    """Tell whether a persona has a choice of its own."""
    own = services.personas.get(persona).settings.get("mind")
    return isinstance(own, Mapping) and any(key in own for key in _CHOSEN)


def keep_mind(services: Services, chosen: Mapping[str, str], persona: str = "") -> MindSettings:
    """Write a choice, for everybody or for one persona; return the settings that hold then.

    A persona's own empty value is written too: it must not be filled with everybody's address or model.

    Raises:
        InvalidSettingError, MistakeInFileError, BusyError: nothing was written.
    """
    if persona:
        services.personas.set_settings(persona, "mind", **chosen)
    else:
        services.settings_file.change("mind", **{key: value or None for key, value in chosen.items()})
    return mind_of(services, persona)


def give_mind_back(services: Services, persona: str) -> None:
    """Let a persona speak with everybody's mind again."""
    services.personas.set_settings(persona, "mind", **dict.fromkeys(_CHOSEN))


def keep_key(services: Services, mind: MindSettings, key: str) -> None:
    """Store a key for the server of this choice, where one was typed.

    Raises:
        MistakeInFileError: the file of the keys has a mistake; nothing was written.
    """
    if key:
        services.secrets.set(secret_name(mind), key)


def forget_key(services: Services, mind: MindSettings) -> None:
    """Delete the key of the server of this choice."""
    services.secrets.set(secret_name(mind), "")


def all_offers(
    services: Services, mind: MindSettings, here: Sequence[tuple[Server, bool | None]] | None = None
) -> Sequence[Offer]:
    """Return what a person may say yes to: a key in the environment, servers here about which nobody was asked yet."""
    minds = services.minds
    found = minds.local_servers() if here is None else here
    waiting = [minds.offer(server) for server, answer in found if answer is None]
    return list({offer.code: offer for offer in (*minds.choose(mind).offers, *waiting)}.values())


def answer_offer(services: Services, mind: MindSettings, code: str) -> Mapping[str, str] | None:
    """Say yes or no to an offer; return what that changes in the choice, None where nothing such is offered any more.

    A server on this computer is answered to for everybody: it is the same one for each persona.
    """
    for offer in all_offers(services, mind):
        if offer.server is not None and code in {offer.code, offer.refusal}:
            is_yes = code == offer.code
            services.minds.answer(offer.server, yes=is_yes)
            return through(offer.server) if is_yes and mind.provider != "auto" else {}
        if offer.code == code:
            return offer.changes
    return None


def through(server: Server, model: str = "") -> Mapping[str, str]:
    """Return the choice of a model's server on this computer, and of one of its models."""
    return chosen_mind(MindFields("openai", server.address, model))
