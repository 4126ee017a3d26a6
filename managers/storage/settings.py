"""Settings: `settings.toml` for everybody, overridden per persona in `persona.json`; secrets apart.

A default is written once, here. A file holds only what differs from it, so that a better default
reaches everyone who never chose.
"""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Iterable, Mapping, MutableMapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Literal

import tomlkit
from pydantic import BaseModel, ConfigDict, Field, NonNegativeFloat, ValidationError

from managers.storage.errors import InvalidSettingError, MistakeInFileError, Notice, UnreadableError, as_notice
from managers.storage.files import read_bytes, write_atomic
from managers.storage.locks import holding
from managers.storage.texts import Texts

_say = Texts("notices/storage")

GEMINI = "gemini"
"""The name under which `secrets.toml` keeps the key for Gemini, whatever it is used for."""
GEMINI_VARIABLES = ("GEMINI_API_KEY", "GOOGLE_API_KEY")
"""Where people have it in their environment."""


MaskModels = Literal["elsewhere", "always", "never"]
"""Whose prompts are masked: models' that are not on this computer, all models', nobody's."""


class _Section(BaseModel):
    model_config = ConfigDict(extra="ignore", validate_assignment=True)


class MindSettings(_Section):
    """Which mind speaks."""

    provider: Literal["auto", "builtin", "gemini", "openai", "anthropic"] = "auto"
    """`openai`: anything that speaks the OpenAI protocol at `base_url`."""
    model: str = ""
    base_url: str = ""
    """Empty: the provider's own address."""
    context_tokens: int = Field(0, ge=0)
    """How much the model can read, in tokens; 0: find out, or assume 4,096 on loopback."""
    internal_processing_model: str = ""
    """The small model for inner work (the specification's `INTERNAL_PROCESSING_MODEL`); empty: the same."""
    temperature: float = Field(0.8, ge=0, le=2)
    timeout_seconds: float = Field(60, gt=0)
    """How long to wait for the next piece of an answer."""
    retries: int = Field(3, ge=0, le=10)
    seed: int = 0
    """The built-in mind's choices are the same for the same seed and conversation."""


class RecallSettings(_Section):
    """How memories are found. Scores are squared L2 on unit vectors: lower is closer."""

    enable_auto_retrieval: bool = True
    plan_with_model: bool = False
    """Let the small model decide whether and what to search (one more call before the first word)."""
    embedder: Literal["auto", "builtin", "japanese-vectors", "sentence-model", "sentence-transformers", "gemini"] = (
        "auto"
    )
    """`auto`: the built-in one, with the Japanese word vectors where they are installed and memories are Japanese."""
    embedder_model: str = ""
    """`sentence-model`: one that was fetched (`assets/embedders.toml`), or a folder; else the library's or provider's name."""
    chunk_size: int = Field(300, ge=50)
    chunk_overlap: int = Field(50, ge=0)
    per_index: int = Field(10, ge=1)
    max_hits: int = Field(10, ge=1)
    recall_memories_hits: int = Field(7, ge=1)
    recall_memories_threshold: float = Field(0.80, ge=0, le=4)
    threshold: float = Field(0.75, ge=0, le=4)
    knowledge_in_prompt: bool = True
    knowledge_threshold: float = Field(0.5, ge=0, le=4)
    knowledge_hits: int = Field(2, ge=0)
    document_seconds: float = Field(10, ge=1, le=600)
    """How long reading one document may take; a longer one is left out, and that is said."""
    recent_hits: int = Field(5, ge=0)
    semantic_hits: int = Field(3, ge=0)
    summary_hits: int = Field(2, ge=0)
    mmr_lambda: float = Field(0.7, ge=0, le=1)
    mmr_pool: int = Field(3, ge=1)
    """The pool is this many times as large as what is asked for."""
    duplicate_similarity: float = Field(0.95, ge=0, le=1)
    neighbour_share: float = Field(0.5, ge=0, le=1)
    api_batch: int = Field(20, ge=1)
    api_pause_seconds: float = Field(2.0, ge=0)
    last_api_history_limit_option: int = Field(20, ge=0)
    """`search_past_conversations` leaves out this many of the newest messages."""


class ConversationSettings(_Section):
    """The conversation itself."""

    window_turns: int = Field(20, ge=1)
    """How many of the last turns of the thread the mind reads, if the token budget has room."""
    idle_minutes: float = Field(15, gt=0)
    """After this long without a word a conversation has ended."""
    log_days: int = Field(7, ge=1)
    """How many days `log.txt` holds before older ones move to `log_archives/`."""
    episode_memory_lookback_days: int = Field(14, ge=0)
    light_drive_threshold: float = Field(0.4, ge=0, le=1)
    read_emotion_with_model: bool = False
    """Whether the small model reads the emotion of each message anew, after the reply."""


class MemorySettings(_Section):
    """How many memories are kept active, and what is put away in the archive. Nothing is destroyed by any of these."""

    hygiene: bool = True
    """Whether memories are put away, merged and split at all."""
    max_episodes: int = Field(10_000, ge=100)
    """Days, key events, insights and facts together."""
    prune_threshold: float = Field(0.15, ge=0, le=1)
    prune_interval: int = Field(500, ge=1)
    """After so many new memories all are looked at."""
    max_generations: int = Field(10, ge=1)
    split_threshold: float = Field(0.8, ge=0, le=1)
    """The least similarity at which two statements are about the same thing."""
    max_splits_per_episode: int = Field(3, ge=0)
    insight_similarity_threshold: float = Field(0.9, ge=0, le=1)
    max_insights_per_session: int = Field(50, ge=0)
    merge_threshold: float = Field(0.95, ge=0, le=1)
    merge_interval: int = Field(1000, ge=1)


class PrivacySettings(_Section):
    """Where placeholders stand for addresses, telephone numbers, cards, national numbers and keys."""

    mask_models: MaskModels = "elsewhere"
    mask_names: bool = False
    """People's names too, wherever something is masked."""


class SleepSettings(_Section):
    """Dreaming and autonomy."""

    dreaming: bool = True
    autonomous_actions: bool = False
    autonomous_actions_per_day: int = Field(3, ge=0)
    silence: bool = False
    """One switch that keeps the persona from writing first, whatever else is set."""
    quiet_start_hour: int = Field(0, ge=0, le=23)
    quiet_end_hour: int = Field(7, ge=0, le=24)
    idle_minutes_before_dream: float = Field(30, ge=0)
    boredom_threshold: float = Field(0.6, ge=0, le=1)
    curiosity_threshold: float = Field(0.6, ge=0, le=1)
    goal_achievement_threshold: float = Field(0.6, ge=0, le=1)
    devotion_threshold: float = Field(0.6, ge=0, le=1)
    boredom_full_hours: float = Field(72, gt=0)
    """Idle hours at which boredom reaches 1 on its logarithmic curve."""
    devotion_half_life_hours: float = Field(24, gt=0)
    weekly_reflection_days: int = Field(7, ge=1)
    monthly_reflection_days: int = Field(30, ge=1)


class PageSettings(_Section):
    """The page and the server."""

    language: Literal["auto", "ja", "en"] = "auto"
    host: str = "127.0.0.1"
    port: int = Field(7860, ge=1, le=65535)
    onboarded: bool = False
    help_locale: str = ""
    """Whose help lines to show when somebody is in distress (`ja-JP`, `en-GB`, ...); empty: by language."""


class UsageSettings(_Section):
    """What models may cost. Caps of 0 are none; `day_*` and `month_*` are for everybody together."""

    day_tokens: int = Field(0, ge=0)
    month_tokens: int = Field(0, ge=0)
    day_money: float = Field(0, ge=0, allow_inf_nan=False)
    """In the person's currency, as are all amounts but `prices`."""
    month_money: float = Field(0, ge=0, allow_inf_nan=False)
    persona_day_tokens: int = Field(0, ge=0)
    """For each persona by itself; a persona may have its own."""
    persona_month_tokens: int = Field(0, ge=0)
    persona_day_money: float = Field(0, ge=0, allow_inf_nan=False)
    persona_month_money: float = Field(0, ge=0, allow_inf_nan=False)
    when_reached: Literal["stop", "builtin"] = "stop"
    """Say so and stop, or let the built-in mind answer."""
    answer_tokens: int = Field(8192, ge=256)
    """How long an answer may be while there is a cap, thoughts included: so much is set aside for it."""
    currency: str = Field("USD", min_length=1, max_length=8)
    per_dollar: float = Field(1, gt=0, allow_inf_nan=False)
    """How much of the currency a dollar is."""
    prices: dict[str, tuple[NonNegativeFloat, NonNegativeFloat]] = Field(default_factory=dict)
    """The person's own prices by model: dollars per million tokens read, and written."""


class ProgramsSettings(_Section):
    """Which ways in other programs on this computer have; each takes a token (`managers.storage.access`)."""

    api: bool = False
    """Gradio's API, for `gradio_client` and plain HTTP."""
    mcp: bool = False
    """MCP tools that look into memories."""


class UserSettings(_Section):
    """Who the user is; a persona may know them by another name."""

    name: str = ""
    profile: str = ""


class Settings(_Section):
    """All settings, by section."""

    user: UserSettings = Field(default_factory=UserSettings)
    mind: MindSettings = Field(default_factory=MindSettings)
    recall: RecallSettings = Field(default_factory=RecallSettings)
    conversation: ConversationSettings = Field(default_factory=ConversationSettings)
    memory: MemorySettings = Field(default_factory=MemorySettings)
    privacy: PrivacySettings = Field(default_factory=PrivacySettings)
    sleep: SleepSettings = Field(default_factory=SleepSettings)
    usage: UsageSettings = Field(default_factory=UsageSettings)
    page: PageSettings = Field(default_factory=PageSettings)
    programs: ProgramsSettings = Field(default_factory=ProgramsSettings)


class SettingsFile:
    """The global settings file. What cannot be read is named in `notices` and never overwritten."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._last: bytes | None = None
        self._was_read = False

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
            self._last = read_bytes(self.path)
        except UnreadableError as error:
            if not self._was_read:
                raise
            found, notices = _understood(self._last)
            return found, [*notices, as_notice("settings-unreadable", error)]
        self._was_read = True
        return _understood(self._last)

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
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        return Settings(), [_say.notice("settings-broken", error=error)]
    return lenient(table)


def _changing(path: Path) -> AbstractContextManager[None]:
    """Let one writer at a time read, change and write a file, across processes and threads."""
    return holding(path.with_name(f".{path.name}.lock"), path.name)


def _parsed(path: Path) -> tomlkit.TOMLDocument:
    try:
        return tomlkit.parse((read_bytes(path) or b"").decode("utf-8-sig"))
    except (tomlkit.exceptions.ParseError, UnicodeDecodeError) as error:
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
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
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
