"""Who of those who speak is the user, and who the persona: as the person says, as the source says, or as a guess."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from managers.exchange.items import FoundMessage, FoundPersona, Item, NotTaken, ReadingWishes
from managers.memory.messages import NAMELESS, Role, is_unnamed

ROLE_WORDS: Final[Mapping[str, Role]] = {
    **dict.fromkeys(("user", "human", "customer", "client", "me", "you", "prompter", "person"), "user"),
    **dict.fromkeys(("あなた", "私", "僕", "俺", "自分", *(name.lower() for name in NAMELESS.values())), "user"),
    **dict.fromkeys(("assistant", "ai", "bot", "robot", "model", "gpt", "character", "char", "companion"), "persona"),
    **dict.fromkeys(("chatgpt", "claude", "gemini", "copilot", "アシスタント", "キャラクター"), "persona"),
    **dict.fromkeys(("system", "tool", "function", "developer", "システム"), "system"),
}
"""What programs and people write instead of a name."""
_FREE: Final[tuple[Role, ...]] = ("persona", "user")


@dataclass(frozen=True)
class Heard:
    """How often and how much somebody speaks at the beginning of a source."""

    messages: Counter[str]
    characters: Counter[str]
    roles: Mapping[str, Role]
    """As far as the source itself says them."""


def heard(sample: Iterable[tuple[str, Role | None, str]]) -> Heard:
    """Return who speaks in a part of a source.

    Args:
        sample: speaker, role if the source says it, and text of each message.
    """
    messages, characters = Counter[str](), Counter[str]()
    roles: dict[str, Role] = {}
    for speaker, role, text in sample:
        messages[speaker] += 1
        characters[speaker] += len(text)
        if role is not None:
            roles.setdefault(speaker, role)
    return Heard(messages, characters, roles)


def guess_roles(voices: Heard, wishes: ReadingWishes, persona: str = "") -> dict[str, Role]:
    """Return who is who: what the person says first, then what the source says, then what names tell.

    Of two who are left, the one who writes more at a time is taken for the persona, as nearly all companions do. Whoever
    is left then stands under `system`.

    Args:
        voices: who speaks.
        wishes: what the person says.
        persona: the persona's name, as far as the source itself names it.
    """
    named: dict[str, Role] = {}
    if persona:
        named[persona.casefold()] = "persona"
    if wishes.persona:
        named[wishes.persona.casefold()] = "persona"
    roles: dict[str, Role] = {}
    for speaker in voices.messages:
        is_user = bool(wishes.user) and speaker.casefold() == wishes.user.casefold()
        role = wishes.roles.get(speaker) or ("user" if is_user else voices.roles.get(speaker))
        role = role or named.get(speaker.casefold()) or ROLE_WORDS.get(speaker.casefold().strip())
        if role is not None:
            roles[speaker] = role
    left = [speaker for speaker, _ in voices.messages.most_common() if speaker not in roles][:2]
    left.sort(key=lambda one: voices.characters[one] / voices.messages[one], reverse=True)
    for role in _FREE:
        if left and role not in roles.values():
            roles[left.pop(0)] = role
    return {speaker: roles.get(speaker, "system") for speaker in voices.messages}


def introduced(roles: Mapping[str, Role], wishes: ReadingWishes) -> Iterable[Item]:
    """Yield whom the roles make the user and the persona, so that the person can see it before anything is written."""
    persona = next((name for name, role in roles.items() if role == "persona"), "")
    user = next((name for name, role in roles.items() if role == "user"), "")
    named = [name if name.casefold() not in ROLE_WORDS and not is_unnamed(name) else "" for name in (persona, user)]
    if any(named):
        yield FoundPersona(name=named[0], user_name=named[1])
    if not wishes.roles and not wishes.user:
        yield NotTaken("chats.guessed", facts={"user": user or "?", "persona": persona or "?"}, is_changed=True)


def spoken_by(message: FoundMessage, roles: Mapping[str, Role]) -> FoundMessage:
    """Return a message with the role of its speaker; who is neither user nor persona is named in the words, too."""
    role = roles.get(message.speaker, "system")
    if role != "system" or not message.speaker:
        return replace(message, role=role)
    return replace(message, role=role, text=f"{message.speaker}: {message.text}")
