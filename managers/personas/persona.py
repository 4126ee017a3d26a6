"""One persona as it stands in its folder now."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast, get_args

from managers.personas import persona_file
from managers.personas.avatars import find_avatar
from managers.personas.errors import BrokenPersonaFileError
from managers.personas.sensitive_settings import NOTHING, Wishes, counting, digest_of, is_same, wishes_of
from managers.storage.encodings import NAMES, foreign_encoding
from managers.storage.errors import Lang, Notice, UnreadableError, as_notice
from managers.storage.files import digest, read_bytes
from managers.storage.paths import PersonaPaths
from managers.storage.spelling import decode
from managers.storage.texts import Texts

_say = Texts("notices/personas")

_JAPANESE = re.compile("[\u3040-\u30ff\u4e00-\u9fff]")


@dataclass(frozen=True, slots=True)
class Colours:
    """The persona's own colours on the page, as `#rrggbb`."""

    accent: str = "#6a64a8"
    background: str = "#f6efe2"


@dataclass(frozen=True, slots=True)
class Persona:
    """A persona as it was read. Nothing here writes; see `PersonaStore`.

    Attributes:
        paths: its folder.
        name: the folder's name, in NFC.
        language: the tongue it speaks by default.
        greeting: what it says first.
        nickname: what its own words call it (`{{char}}`), where that is not its name.
        alternate_greetings: what it may say first instead; one is chosen where nothing was ever said.
        about: one line for people who choose between personas.
        system_prompt, system_prompt_digest: who it is; the digest for writing it against.
        user_name, user_profile: how it knows the user, where that differs from the settings.
        settings: its own settings over the common ones, by section (see `managers.storage.settings.merged`), as far
            as they count on this computer.
        wishes: the settings in its folder that count only after a yes (see `managers.personas.sensitive_settings`).
        asks: they are others than somebody said yes or no to; nobody has answered yet.
        colours: its colours.
        avatar: its picture.
        created_at: when it was made, ISO 8601; empty if nobody wrote it down.
        notices: what is wrong with its files.
    """

    paths: PersonaPaths
    name: str
    language: Lang
    greeting: str = ""
    nickname: str = ""
    alternate_greetings: tuple[str, ...] = ()
    about: str = ""
    system_prompt: str = ""
    system_prompt_digest: str | None = None
    user_name: str = ""
    user_profile: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    wishes: Wishes = field(default_factory=dict)
    asks: bool = False
    colours: Colours = field(default_factory=Colours)
    avatar: Path | None = None
    created_at: str = ""
    notices: tuple[Notice, ...] = ()


def read_persona(paths: PersonaPaths, agreed: Wishes = NOTHING, refused: str = "") -> Persona:
    """Read a persona. Broken files are named in its notices, and it can be talked to all the same.

    Args:
        paths: its folder.
        agreed: the wishes that somebody said yes to.
        refused: the digest of those that somebody said no to.
    """
    name = persona_file.normal(paths.name)
    notices: list[Notice] = []
    document = _document(name, paths, notices)
    prompt, prompt_digest = _prompt(paths, notices)
    own = persona_file.settings_of(document)
    is_broken = any(notice.code == "persona-broken" for notice in notices)
    wishes = agreed if is_broken else wishes_of(own)
    asks = not is_same(wishes, agreed) and digest_of(wishes) != refused
    if asks:
        notices.append(_say.notice("persona-asks", name=name))
    defaults = Colours()
    return Persona(
        paths=paths,
        name=name,
        language=_language(persona_file.text(document, "language"), prompt + name),
        greeting=persona_file.text(document, "greeting"),
        nickname=persona_file.text(document, "nickname"),
        alternate_greetings=persona_file.texts(document, "alternate_greetings"),
        about=persona_file.text(document, "about"),
        system_prompt=prompt,
        system_prompt_digest=prompt_digest,
        user_name=persona_file.text(document, "user", "name"),
        user_profile=persona_file.text(document, "user", "profile"),
        settings=counting(own, agreed),
        wishes=wishes,
        asks=asks,
        colours=Colours(
            persona_file.colour(document, "accent", defaults.accent),
            persona_file.colour(document, "background", defaults.background),
        ),
        avatar=find_avatar(paths.folder),
        created_at=persona_file.text(document, "created_at"),
        notices=tuple(notices),
    )


def _document(name: str, paths: PersonaPaths, notices: list[Notice]) -> persona_file.Document:
    try:
        data = read_bytes(paths.persona_json)
        document = {} if data is None else persona_file.parse(name, data)
    except (BrokenPersonaFileError, UnreadableError) as error:
        notices.append(as_notice("persona-broken", error))
        return {}
    notices += persona_file.newer_format(name, document)
    return persona_file.migrated(document)


def _prompt(paths: PersonaPaths, notices: list[Notice]) -> tuple[str, str | None]:
    try:
        data = read_bytes(paths.system_prompt)
        return ("", None) if data is None else (decode(data)[0].replace("\r\n", "\n"), digest(data))
    except UnreadableError as error:
        notices.append(as_notice("prompt-unreadable", error))
        return "", None
    except UnicodeDecodeError:
        encoding = NAMES.get(foreign_encoding(data or b"") or "", "")
        how = _say.both("saved-as" if encoding else "no-utf-8", encoding=encoding)
        notices.append(_say.notice("prompt-broken", name=paths.name, how=how))
        return "", digest(data or b"")


def _language(given: str, words: str) -> Lang:
    """Return the given language; without one, what the persona's own words are written in."""
    if given in get_args(Lang):
        return cast("Lang", given)
    return "ja" if _JAPANESE.search(words) or not words.strip() else "en"
