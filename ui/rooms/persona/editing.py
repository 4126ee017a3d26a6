"""What the form of a persona holds, and how it is written: what was changed in it, and nothing else."""

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Annotated, Final

from fastapi import Depends, Form

from agent.services import Services
from managers.personas import Persona
from managers.storage.errors import Lang
from managers.storage.files import digest
from managers.storage.settings import Settings, merged
from ui.server.visit import FormText

_MARK_CHARACTERS = 12
_BETWEEN = "\n===\n"
"""What parts several greetings in their field: a line of its own."""
AMONG_OTHERS: Final = frozenset({"domain", "domain_about", "domain_keywords", "names"})
"""What a persona is in conversations with several."""
_COMMAS: Final = re.compile("[,、，\n]")
Conflicts = Sequence[tuple[str, str]]
"""Fields that were changed elsewhere too, and what they hold there."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """What the fields hold."""

    name: str
    language: Lang
    greeting: str
    alternate_greetings: str
    nickname: str
    user_name: str
    user_profile: str
    prompt: str
    domain: str
    domain_about: str
    domain_keywords: str
    names: str

    @property
    def marks(self) -> str:
        """Stands for the texts that a form begins from, field by field."""
        return " ".join(digest(text)[:_MARK_CHARACTERS] for text in asdict(self).values())

    def changed_since(self, marks: str) -> set[str]:
        """Return the fields that hold something else than those that the marks stand for."""
        pairs = zip(asdict(self), self.marks.split(), marks.split(), strict=False)
        return {field for field, now, then in pairs if now != then}


def sheet_of_form(
    *,
    name: FormText = "",
    language: Annotated[Lang, Form()] = "en",
    greeting: FormText = "",
    alternate_greetings: FormText = "",
    nickname: FormText = "",
    user_name: FormText = "",
    user_profile: FormText = "",
    prompt: FormText = "",
    domain: FormText = "",
    domain_about: FormText = "",
    domain_keywords: FormText = "",
    names: FormText = "",
) -> Sheet:
    """Return what a form has sent."""
    among = (domain.strip(), domain_about.strip(), _listed(_parted(domain_keywords)), _listed(_parted(names)))
    texts = (greeting, alternate_greetings, nickname, user_name, user_profile, prompt)
    return Sheet(name.strip(), language, *texts, *among)


SentSheet = Annotated[Sheet, Depends(sheet_of_form)]


def sheet_of(persona: Persona) -> Sheet:
    """Return what the fields hold of a persona as it stands in its folder."""
    own = merged(Settings(), persona.settings)[0].group
    return Sheet(
        persona.name,
        persona.language,
        persona.greeting,
        _BETWEEN.join(persona.alternate_greetings),
        persona.nickname,
        persona.user_name,
        persona.user_profile,
        persona.system_prompt,
        own.domain,
        own.domain_about,
        _listed(own.domain_keywords),
        _listed(own.names),
    )


def _parted(text: str) -> list[str]:
    """Return the words of a list as people write it."""
    return list(dict.fromkeys(word for one in _COMMAS.split(text) if (word := one.strip())))


def _listed(words: Sequence[str]) -> str:
    return ", ".join(words)


def conflicts(persona: Persona, sent: Sheet, begun: str) -> Conflicts:
    """Return the fields that were changed in the form and elsewhere since `begun` (`Sheet.marks`), and what each holds now."""
    now = sheet_of(persona)
    both = sent.changed_since(begun) & now.changed_since(begun)
    theirs, mine = asdict(now), asdict(sent)
    return [(field, str(theirs[field])) for field in theirs if field in both and theirs[field] != mine[field]]


def save(services: Services, persona: Persona, sent: Sheet, begun: str) -> str:
    """Write what was changed in the form; each change has its own entry in the history. Return the persona's name.

    Raises:
        PersonaExistsError, UnsafeNameError: the new name cannot be had; nothing was written.
        ExternallyChangedError: the system prompt was changed in this very moment; nothing was written.
    """
    personas, name = services.personas, persona.name
    now = sheet_of(persona).marks
    changed = sent.changed_since(now) & sent.changed_since(begun or now)
    new_name = personas.usable_name(sent.name, instead_of=name) if "name" in changed else name
    if "prompt" in changed:
        # Emptied by hand is meant, and the history keeps it.
        personas.write_system_prompt(name, sent.prompt, based_on=persona.system_prompt_digest, emptied=True)
    if among := changed & AMONG_OTHERS:
        sent_lists = {"domain_keywords": _parted(sent.domain_keywords), "names": _parted(sent.names)}
        values: dict[str, object] = {**asdict(sent), **sent_lists}
        personas.set_settings(name, "group", **{field: values[field] or None for field in among})
    if "greeting" in changed:
        personas.set_greeting(name, sent.greeting)
    if "alternate_greetings" in changed:
        personas.set_alternate_greetings(name, sent.alternate_greetings.strip("\n").split(_BETWEEN))
    if "nickname" in changed:
        personas.set_nickname(name, sent.nickname.strip())
    if "language" in changed:
        personas.set_language(name, sent.language)
    if changed & {"user_name", "user_profile"}:
        personas.set_user(
            name,
            user_name=sent.user_name if "user_name" in changed else None,
            profile=sent.user_profile if "user_profile" in changed else None,
        )
    if new_name == name:
        return name
    with services.away(name):
        return personas.rename(name, new_name).name
