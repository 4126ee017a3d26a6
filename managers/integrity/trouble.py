"""One thing that is not as it should be with a persona's files, and what a yes would do about it."""

from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from managers.storage.errors import Lang, Notice
from managers.storage.texts import Texts

_say = Texts("notices/integrity")

Kind = Literal["copy", "orphan", "set-aside", "other-encoding", "broken", "damaged", "misnamed", "lost", "history"]


class Words(NamedTuple):
    """One thing to say, in both languages."""

    ja: str
    en: str

    def sentence(self, lang: Lang) -> str:
        return self.ja if lang == "ja" else self.en


def words(key: str, /, **facts: object) -> Words:
    """Return an entry of `assets/notices/integrity.toml`, with the facts filled in."""
    return Words(**_say.both(key, **facts))


@dataclass(frozen=True, slots=True)
class Trouble:
    """What was found.

    Attributes:
        kind: what is the matter.
        name: the file, relative to the persona's folder, with `/`.
        said: what it is, and what a person can do.
        remedy: what happens on a yes; None where only a person can do something.
        original: of a copy the file that it is a copy of, of a file that was set aside the one that it was.
    """

    kind: Kind
    name: str
    said: Words
    remedy: Words | None = None
    original: str = ""

    def sentence(self, lang: Lang) -> str:
        """Return what it is, for a reader of `lang`."""
        return self.said.sentence(lang)

    def promise(self, lang: Lang) -> str:
        """Return what happens on a yes, empty where nothing can."""
        return self.remedy.sentence(lang) if self.remedy else ""

    @property
    def told(self) -> Words:
        """What it is, with the command that puts it right where one does."""
        if self.remedy is None:
            return self.said
        return words("trouble.with-command", said=self.said._asdict())

    def notice(self) -> Notice:
        """Return what stands on the page until it is dismissed or put right."""
        return Notice(f"integrity-{self.kind}", *self.told)


def summed_up(troubles: list[Trouble]) -> list[Notice]:
    """Return notices for the page: one of each kind, for a folder full of copies is one thing to know."""
    found = []
    for kind in dict.fromkeys(trouble.kind for trouble in troubles):
        first, *others = [trouble for trouble in troubles if trouble.kind == kind]
        notice = first.notice()
        if others:
            also = words("trouble.others", first={"ja": notice.ja, "en": notice.en}, count=len(others))
            notice = replace(notice, ja=also.ja, en=also.en)
        found.append(notice)
    return found
