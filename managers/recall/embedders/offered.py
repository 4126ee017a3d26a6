"""The sentence models that a person may fetch (`assets/embedders.toml`), and where each lies."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from managers.fetching.fetched import Source
from managers.storage.errors import Lang

DEFAULT: Final = "minilm"
"""The specification's model."""
TABLE: Final = Path(__file__).resolve().parents[3] / "assets" / "embedders.toml"
_UNKNOWN_TOKENS: Final = 512


@dataclass(frozen=True, slots=True)
class OfferedModel:
    """A model that can be fetched.

    Attributes:
        name: as the settings and its folder have it.
        repository, revision: where it is, and which version.
        files: paths there, by the name that each gets here.
        megabytes: about how large all of it is.
        tokens: how much of a text it reads.
        ja, en: what it is good for, in plain words.
        factor: by what distances are multiplied; 1 where it was not measured.
    """

    name: str
    title: str
    repository: str
    revision: str
    files: Mapping[str, str]
    megabytes: int
    tokens: int
    licence: str
    ja: str
    en: str
    factor: float = 1.0

    @property
    def source(self) -> Source:
        """Where it comes from; a quarter more than its size is not fetched, whatever the registry says."""
        return Source(self.name, self.title, self.repository, self.revision, self.files, self.megabytes * 1_250_000)

    def words(self, lang: Lang) -> str:
        """Return what it is good for."""
        return self.ja if lang == "ja" else self.en


@cache
def offered() -> Mapping[str, OfferedModel]:
    """Return the models that can be fetched, by name."""
    table = tomllib.loads(TABLE.read_text("utf-8"))
    return {one["name"]: OfferedModel(**one) for one in table["model"]}


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder with a model, and what is known of it."""

    path: Path
    title: str
    tokens: int = _UNKNOWN_TOKENS
    factor: float = 1.0

    @classmethod
    def of(cls, model: str, models: Path) -> Folder:
        """Return where a model is: one of those that can be fetched, by its name, or any folder."""
        known = offered().get(model)
        if known is None:
            path = Path(model).expanduser()
            return cls(path, path.name)
        return cls(models / known.name, known.title, known.tokens, known.factor)
