"""Settings: `settings.toml` for everybody, overridden per persona in `persona.json`; secrets apart.

Defaults stand in `setting_sections`. A file holds only what differs from it, so that a better default
reaches everyone who never chose.
"""

import difflib
import tomllib
from collections.abc import Iterable, Mapping, MutableMapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import tomlkit
from pydantic import Field, ValidationError

from managers.storage.errors import InvalidSettingError, MistakeInFileError, Notice, UnreadableError, as_notice
from managers.storage.files import read_bytes, write_atomic
from managers.storage.locks import holding
from managers.storage.setting_sections import (
    RETENTION_TABLE,
    BackupSettings,
    ConversationSettings,
    Data,
    EngineSettings,
    GroupSettings,
    GrowthSettings,
    MaskModels,
    MemorySettings,
    MindSettings,
    PageSettings,
    PrivacySettings,
    ProgramsSettings,
    RecallSettings,
    Section,
    SessionSettings,
    SleepSettings,
    UsageSettings,
    UserSettings,
)
from managers.storage.texts import Texts
from managers.storage.unchanged import Unchanged

__all__ = [
    "BACKUP",
    "GEMINI",
    "GEMINI_VARIABLES",
    "REDIS",
    "RETENTION_TABLE",
    "BackupSettings",
    "ConversationSettings",
    "Data",
    "EngineSettings",
    "GroupSettings",
    "GrowthSettings",
    "MaskModels",
    "MemorySettings",
    "MindSettings",
    "PageSettings",
    "PrivacySettings",
    "ProgramsSettings",
    "RecallSettings",
    "Secrets",
    "SessionSettings",
    "Settings",
    "SettingsFile",
    "SleepSettings",
    "UsageSettings",
    "UserSettings",
    "check",
    "lenient",
    "merged",
]

_say = Texts("notices/storage")

GEMINI = "gemini"
"""The name under which `secrets.toml` keeps the key for Gemini, whatever it is used for."""
BACKUP = "backup"
"""The name under which it keeps the key of encrypted backups."""
REDIS = "redis"
"""The name under which it keeps the password of the Redis that conversations of several are in."""
GEMINI_VARIABLES = ("GEMINI_API_KEY", "GOOGLE_API_KEY")
"""Where people have it in their environment."""

_NO_TOML = (ValueError, RecursionError, tomlkit.exceptions.TOMLKitError)
"""What the two parsers raise: wrong bytes or words, numbers of thousands of digits, endless nesting, a name that stands twice."""


class Settings(Section):
    """All settings, by section."""

    user: UserSettings = Field(default_factory=UserSettings)
    mind: MindSettings = Field(default_factory=MindSettings)
    engine: EngineSettings = Field(default_factory=EngineSettings)
    recall: RecallSettings = Field(default_factory=RecallSettings)
    conversation: ConversationSettings = Field(default_factory=ConversationSettings)
    memory: MemorySettings = Field(default_factory=MemorySettings)
    privacy: PrivacySettings = Field(default_factory=PrivacySettings)
    sleep: SleepSettings = Field(default_factory=SleepSettings)
    usage: UsageSettings = Field(default_factory=UsageSettings)
    page: PageSettings = Field(default_factory=PageSettings)
    group: GroupSettings = Field(default_factory=GroupSettings)
    growth: GrowthSettings = Field(default_factory=GrowthSettings)
    sessions: SessionSettings = Field(default_factory=SessionSettings)
    programs: ProgramsSettings = Field(default_factory=ProgramsSettings)
    backup: BackupSettings = Field(default_factory=BackupSettings)


class SettingsFile:
    """The global settings file. What cannot be read is named in `notices` and never overwritten."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._known = Unchanged[tuple[Settings, list[Notice]]]()
        self._last: tuple[Settings, list[Notice]] | None = None

    def load(self) -> tuple[Settings, list[Notice]]:
        """Return the settings and what was wrong with the file; wrong values fall back to defaults.

        While the file cannot be read, what it said last holds on; defaults, if nobody has read it yet.
        """
        try:
            return self.load_known()
        except UnreadableError as error:
            return Settings(), [as_notice("settings-unreadable", error)]

    def load_known(self) -> tuple[Settings, list[Notice]]:
        """Do the same for whoever must not take defaults for what the person has set.

        Raises:
            UnreadableError: the file is there, and nobody has read it yet.
        """
        try:
            self._last = self._known.get(lambda: _understood(read_bytes(self.path)), self.path)
        except UnreadableError as error:
            if self._last is None:
                raise
            settings, notices = self._last
            return settings, [*notices, as_notice("settings-unreadable", error)]
        return self._last

    def change(self, section: str, **values: object) -> Settings:
        """Set values of one section, keeping the person's comments and order; None removes a value.

        Raises:
            InvalidSettingError: a value cannot be used; nothing is written.
            MistakeInFileError: the file has a mistake that must be mended first.
            BusyError: another process has been at it for long.
        """
        for key, value in values.items():
            if value is not None:
                check(section, key, value)
        with _changing(self.path):
            document = _parsed(self.path)
            table = _table(self.path, document, section)
            for key, value in values.items():
                if value is None:
                    table.pop(key, None)
                else:
                    table[key] = value
            write_atomic(self.path, tomlkit.dumps(document))
        return self.load()[0]


def _understood(data: bytes | None) -> tuple[Settings, list[Notice]]:
    if data is None:
        return Settings(), []
    try:
        table = tomllib.loads(data.decode("utf-8-sig"))
    except _NO_TOML as error:
        return Settings(), [_say.notice("settings-broken", error=error)]
    return lenient(table)


def _changing(path: Path) -> AbstractContextManager[None]:
    """Let one writer at a time read, change and write a file, across processes and threads."""
    return holding(path.with_name(f".{path.name}.lock"), path.name)


def _parsed(path: Path) -> tomlkit.TOMLDocument:
    data = read_bytes(path) or b""
    try:
        tomllib.loads(data.decode("utf-8-sig"))  # what cannot be read is not changed either: tomlkit takes some of it
        return tomlkit.parse(data.decode("utf-8-sig"))
    except _NO_TOML as error:
        # Not the parser's own words: in secrets.toml they would quote a part of a key.
        raise MistakeInFileError(path=path, cause="TOML") from error


def _table(path: Path, document: tomlkit.TOMLDocument, name: str) -> MutableMapping[str, Any]:
    table = document.setdefault(name, tomlkit.table())
    if not isinstance(table, MutableMapping):  # `mind = 3` at the top, say
        raise MistakeInFileError(path=path, cause=f"[{name}]")
    return table


def check(section: str, key: str, value: object) -> None:
    """Refuse a value that a setting cannot have.

    Raises:
        InvalidSettingError: with the reason.
    """
    try:
        Settings.model_validate({section: {key: value}})
    except ValidationError as error:
        reason = error.errors()[0]["msg"]
        raise InvalidSettingError(key=f"{section}.{key}", value=value, reason=reason) from error


def lenient(table: Mapping[str, Any]) -> tuple[Settings, list[Notice]]:
    """Build settings from what is usable in `table`; everything else becomes a notice."""
    good: dict[str, dict[str, Any]] = {}
    notices: list[Notice] = []
    for section, values in table.items():
        field = Settings.model_fields.get(section)
        if field is None or not isinstance(values, Mapping):
            notices.append(_unknown(section, Settings.model_fields))
            continue
        known = field.annotation.model_fields  # type: ignore[union-attr]  # every section is a model
        for key, value in values.items():
            if key not in known:
                notices.append(_unknown(f"{section}.{key}", [f"{section}.{name}" for name in known]))
                continue
            try:
                check(section, key, value)
            except InvalidSettingError as error:
                notices.append(as_notice("settings-value", error))
            else:
                good.setdefault(section, {})[key] = value
    return Settings.model_validate(good), notices


def merged(base: Settings, overrides: Mapping[str, Any]) -> tuple[Settings, list[Notice]]:
    """Return `base` with a persona's own settings on top."""
    own, notices = lenient(overrides)
    layers = base.model_dump()
    for section, values in own.model_dump(exclude_unset=True).items():
        layers[section].update(values)
    return Settings.model_validate(layers), notices


def _unknown(key: str, known: Iterable[str]) -> Notice:
    near = difflib.get_close_matches(key, list(known), 1)
    return _say.notice("settings-unknown.near" if near else "settings-unknown.strange", key=key, near="".join(near))


class Secrets:
    """API keys in `secrets.toml` (mode 0600), apart from all data; never logged, never exported."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def get(self, name: str) -> str:
        """Return a key, or an empty string."""
        data = read_bytes(self.path)
        if data is None:
            return ""
        try:
            keys = tomllib.loads(data.decode("utf-8-sig")).get("keys", {})
        except _NO_TOML as error:
            raise MistakeInFileError(path=self.path, cause="TOML") from error
        if not isinstance(keys, Mapping):
            raise MistakeInFileError(path=self.path, cause="[keys]")
        return str(keys.get(name, ""))

    def set(self, name: str, value: str) -> None:
        """Store a key, or remove it when empty.

        Raises:
            MistakeInFileError: the file has a mistake that must be mended first.
        """
        with _changing(self.path):
            document = _parsed(self.path)
            keys = _table(self.path, document, "keys")
            if value:
                keys[name] = value.strip()
            else:
                keys.pop(name, None)
            write_atomic(self.path, tomlkit.dumps(document))

    def __repr__(self) -> str:
        """Show no secret."""
        return "Secrets(…)"
