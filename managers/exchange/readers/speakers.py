"""Who of those who speak is the user, and who the persona: as the person says, as the source says, as names tell.

Where nothing tells, the person is asked: words that stand under the wrong name would be a memory that nobody has.
"""

import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from managers.exchange.items import BETWEEN, UNSURE, FoundMessage, FoundPersona, Item, NotTaken, ReadingWishes
from managers.memory.messages import NAMELESS, Role, is_unnamed

ROLE_WORDS: Final[Mapping[str, Role]] = {
    **dict.fromkeys(("user", "human", "customer", "client", "me", "you", "prompter", "person"), "user"),
    **dict.fromkeys(("あなた", "私", "僕", "俺", "自分", *(name.lower() for name in NAMELESS.values())), "user"),
    **dict.fromkeys(("assistant", "ai", "bot", "robot", "model", "gpt", "character", "char", "companion"), "persona"),
    **dict.fromkeys(("chatgpt", "claude", "gemini", "copilot", "アシスタント", "キャラクター"), "persona"),
    **dict.fromkeys(
        ("replika", "kindroid", "nomi", "character.ai", "grok", "deepseek", "meta ai", "cotomo"), "persona"
    ),
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


@dataclass(frozen=True)
class Cast:
    """Who is who.

    Attributes:
        roles: of each speaker; of those who are `unsure` a guess.
        unsure: who may be the user or the persona, and nothing tells which.
        is_said: whether the person said it.
    """

    roles: Mapping[str, Role]
    unsure: tuple[str, ...] = ()
    is_said: bool = False


def cast_of(voices: Heard, wishes: ReadingWishes, partners: Iterable[str] = ()) -> Cast:
    """Return who is who: what the person says first, then what the source says, then what names tell.

    Where one is left and the other is known, that one is it. Who else is left when both are known stands under `system`.
    """
    said: dict[str, Role] = {name: role for name, role in wishes.roles.items() if name in voices.messages}
    for speaker in _named(voices, [wishes.user]):
        said.setdefault(speaker, "user")
    roles = {**_told_by_flags(voices), **said}
    for names, role in (([wishes.persona, *partners], "persona"), (wishes.users, "user"), (wishes.personas, "persona")):
        found = [speaker for speaker in _named(voices, names) if speaker not in roles]
        if len(found) == 1 and role not in roles.values():
            roles[found[0]] = "user" if role == "user" else "persona"
    for speaker in voices.messages:
        if role_word := ROLE_WORDS.get(speaker.casefold().strip()):
            roles.setdefault(speaker, role_word)
    left = [speaker for speaker, _ in voices.messages.most_common() if speaker not in roles]
    free = [role for role in _FREE if role not in roles.values()]
    unsure = tuple(filter(None, left)) if free and (len(left) > 1 or len(free) > 1) else ()
    left = sorted(left[:2], key=lambda one: voices.characters[one] / voices.messages[one], reverse=True)
    roles.update(zip(left, free, strict=False))
    return Cast({one: roles.get(one, "system") for one in voices.messages}, unsure, bool(said))


def _told_by_flags(voices: Heard) -> dict[str, Role]:
    """Return what a source says of those who speak; that several are no program says not which of them is the user."""
    if len(voices.roles) > 1 and {*voices.roles.values()} == {"user"}:
        return {}
    return dict(voices.roles)


def _named(voices: Heard, names: Iterable[str]) -> list[str]:
    """Return who speaks under one of some names, however it is decorated."""
    wanted = {_bare(name) for name in names if name}
    return [speaker for speaker in voices.messages if speaker and _bare(speaker) in wanted]


def _bare(name: str) -> str:
    """Return a name without case, blanks and signs; one of nothing else as it is."""
    told = unicodedata.normalize("NFKC", name).casefold()
    return "".join(char for char in told if char.isalnum()) or told


def introduced(cast: Cast) -> Iterable[Item]:
    """Yield whom the roles make the user and the persona, so that the person can see it before anything is written."""
    if cast.unsure:
        yield NotTaken(UNSURE, facts={"names": BETWEEN.join(cast.unsure)}, is_changed=True)
        return
    persona = next((name for name, role in cast.roles.items() if role == "persona"), "")
    user = next((name for name, role in cast.roles.items() if role == "user"), "")
    named = [name if name.casefold() not in ROLE_WORDS and not is_unnamed(name) else "" for name in (persona, user)]
    if any(named):
        yield FoundPersona(name=named[0], user_name=named[1])
    if not cast.is_said:
        yield NotTaken("chats.guessed", facts={"user": user or "?", "persona": persona or "?"}, is_changed=True)


def spoken_by(message: FoundMessage, roles: Mapping[str, Role]) -> FoundMessage:
    """Return a message with the role of its speaker; who is neither user nor persona is named in the words, too."""
    role = roles.get(message.speaker, "system")
    if role != "system" or not message.speaker:
        return replace(message, role=role)
    return replace(message, role=role, text=f"{message.speaker}: {message.text}")
