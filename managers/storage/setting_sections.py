"""What can be set, section by section. A default is written once, here."""

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, NonNegativeFloat

MaskModels = Literal["elsewhere", "always", "never"]
"""Whose prompts are masked: models' that are not on this computer, all models', nobody's."""


MOST_DAYS: Final = 700_000
"""Longer ago than that there is no date."""
MOST_MINUTES: Final = 1_000_000_000
"""Some 1,900 years; Python counts no more than a little above that."""


class Section(BaseModel):
    """A section of the settings: what is unknown is passed over, and what is set is checked."""

    model_config = ConfigDict(extra="ignore", validate_assignment=True)


class MindSettings(Section):
    """Which mind speaks."""

    provider: Literal["auto", "builtin", "gemini", "openai", "anthropic", "local", "engine"] = "auto"
    """`openai`: anything that speaks the OpenAI protocol at `base_url`; `local`: the model in the folder `growth.base`;
    `engine`: the one that `model` names, in the engine that comes with the program."""
    model: str = ""
    """With `engine`: a name in `assets/models.toml`, or the path of a GGUF file."""
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


class EngineSettings(Section):
    """How a model runs in the engine that comes with the program; all personas share one."""

    threads: int = Field(0, ge=0, le=256)
    """0: one less than this computer has cores."""
    context_tokens: int = Field(0, ge=0, le=1_000_000)
    """How much of a talk the model reads, in tokens; 0: what memory has room for, from 4,096 to 32,768."""
    gpu_layers: int = Field(-1, ge=-1, le=10_000)
    """How much of the model goes to a graphics card; -1: as much as fits."""
    keep_minutes: float = Field(15, ge=1, le=MOST_MINUTES)
    """How long the model stays loaded after it was used."""


class RecallSettings(Section):
    """How memories are found. Scores are squared L2 on unit vectors: lower is closer."""

    enable_auto_retrieval: bool = True
    plan_with_model: bool = False
    """Let the small model decide whether and what to search (one more call before the first word)."""
    embedder: Literal[
        "auto", "builtin", "japanese-vectors", "sentence-model", "sentence-transformers", "server", "gemini"
    ] = "auto"
    """`auto`: the built-in one, with the Japanese word vectors where they are installed and memories are Japanese."""
    embedder_address: str = ""
    """`server`: the base URL of what speaks the OpenAI protocol (`/v1/embeddings`)."""
    embedder_dimensions: int = Field(0, ge=0)
    """How many numbers its vectors had when it was chosen; 0: nobody asked."""
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
    confidence_share: float = Field(0.2, ge=0, le=1)
    """How much the C-value of what a dream made moves its place among what is found."""
    mask_embeddings: bool = True
    """Whether a provider that makes vectors gets placeholders for what is private (see `PrivacySettings`)."""
    api_batch: int = Field(20, ge=1)
    api_pause_seconds: float = Field(2.0, ge=0)
    last_api_history_limit_option: int = Field(20, ge=0)
    """`search_past_conversations` leaves out this many of the newest messages."""


class ConversationSettings(Section):
    """The conversation itself."""

    window_turns: int = Field(20, ge=1)
    """How many of the last turns of the thread the mind reads, if the token budget has room."""
    idle_minutes: float = Field(15, gt=0, le=MOST_MINUTES)
    """After this long without a word a conversation has ended."""
    log_days: int = Field(7, ge=1, le=MOST_DAYS)
    """How many days `log.txt` holds before older ones move to `log_archives/`."""
    episode_memory_lookback_days: int = Field(14, ge=0, le=MOST_DAYS)
    light_drive_threshold: float = Field(0.4, ge=0, le=1)
    read_emotion_with_model: bool = False
    """Whether the small model reads the emotion of each message anew, after the reply."""


Data = Literal["conversation", "patterns", "episodes", "insights", "facts"]
"""Kinds of what is remembered that stay in use for a time of their own."""
RETENTION_TABLE: Final[Mapping[Data, int]] = {"conversation": 30, "patterns": 90}
"""Days, by the specification. It lets settings go after a session, or 24 hours: here what a person set stays, as the audit and
all other kinds do."""


class MemorySettings(Section):
    """How many memories are kept active, and what is put away in the archive. Nothing is destroyed by any of these."""

    shared: bool = False
    """Whether other personas that share, too, are given what this one knows of the user, and it what they know."""
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
    retention: Literal["everything", "table", "own"] = "everything"
    """How long what is remembered stays in use: for ever, by the specification's table, or by the days that follow."""
    conversation_days: int = Field(30, ge=0)
    """0 is for ever, here and for the other kinds. Talk that is older is out of searches and prompts, and stays in its files."""
    patterns_days: int = Field(90, ge=0)
    episodes_days: int = Field(0, ge=0)
    insights_days: int = Field(0, ge=0)
    facts_days: int = Field(0, ge=0)

    def kept_days(self, data: Data) -> int:
        """Return for how many days something of a kind stays in use; 0 for ever."""
        if self.retention == "own":
            days: int = getattr(self, f"{data}_days")
            return days
        return RETENTION_TABLE.get(data, 0) if self.retention == "table" else 0

    def said_since(self, today: date) -> date | None:
        """Return the first day whose talk is in use; None where all of it is."""
        days = self.kept_days("conversation")
        return today - timedelta(days=min(days, today.toordinal() - 1)) if days else None


class PrivacySettings(Section):
    """Where placeholders stand for addresses, telephone numbers, cards, national numbers and keys.

    What leaves is masked by default. What stays is not: an export is somebody's own, and a memory that was written with
    placeholders stays so.
    """

    mask_models: MaskModels = "elsewhere"
    mask_names: bool = False
    """People's names too, before a model."""
    mask_exports: bool = False
    mask_summaries: bool = False
    """Before a night writes down a day."""
    mask_memories: bool = False
    """Before a night or a tool writes anything."""


class SleepSettings(Section):
    """Dreaming and autonomy."""

    dreaming: bool = True
    autonomous_actions: bool = False
    autonomous_actions_per_day: int = Field(3, ge=0)
    silence: bool = False
    """One switch that keeps the persona from writing first, whatever else is set."""
    quiet_start_hour: int = Field(0, ge=0, le=23)
    quiet_end_hour: int = Field(7, ge=0, le=24)
    idle_minutes_before_dream: float = Field(30, ge=0, le=MOST_MINUTES)
    boredom_threshold: float = Field(0.6, ge=0, le=1)
    curiosity_threshold: float = Field(0.6, ge=0, le=1)
    goal_achievement_threshold: float = Field(0.6, ge=0, le=1)
    devotion_threshold: float = Field(0.6, ge=0, le=1)
    boredom_full_hours: float = Field(72, gt=0)
    """Idle hours at which boredom reaches 1 on its logarithmic curve."""
    devotion_half_life_hours: float = Field(24, gt=0)
    weekly_reflection_days: int = Field(7, ge=1, le=MOST_DAYS)
    monthly_reflection_days: int = Field(30, ge=1, le=MOST_DAYS)


class PageSettings(Section):
    """The page and the server."""

    language: Literal["auto", "ja", "en"] = "auto"
    host: str = "127.0.0.1"
    hosts: list[Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]+$")]] = Field(default_factory=list, max_length=100)
    """What else the page is called where it asks for a password: names that a proxy before it goes by, say."""
    port: int = Field(7860, ge=1, le=65535)
    onboarded: bool = False
    offers_models: bool = True
    """Whether a card beside the talk shows the way to a language model while the built-in mind speaks."""
    help_locale: str = ""
    """Whose help lines to show when somebody is in distress (`ja-JP`, `en-GB`, ...); empty: by language."""


class UsageSettings(Section):
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


class GroupSettings(Section):
    """Conversations of the user with several personas. What `domain` and the others below it say is a persona's own."""

    max_ct: int = Field(2, ge=1, le=5)
    """How many times in a row one persona may speak."""
    max_auto_prompt: int = Field(3, ge=0, le=10)
    """How many times the personas may go on among themselves before it is the user's turn."""
    domain: str = ""
    """What the persona knows about, in a word: `movie`, `history`, `gossip`."""
    domain_about: str = ""
    """The same in a sentence, for its prompt."""
    domain_keywords: list[str] = Field(default_factory=list, max_length=200)
    """Words by which a message is known to be about it."""
    names: list[str] = Field(default_factory=list, max_length=20)
    """What else it is called."""
    remarks: dict[Literal["ja", "en"], list[str]] = Field(default_factory=dict)
    """What it likes to say of its domain, for the built-in mind."""


class SessionSettings(Section):
    """How long conversations of several are kept in the middle term, and where."""

    redis_url: str = ""
    """A Redis of one's own (`redis://`, `rediss://`, `unix://`) that holds running conversations too; empty: none. A
    password goes into `secrets.toml`."""
    after_week: Literal["summary", "archive"] = "summary"
    """What becomes of full logs after a week: only the summary stays, or they go into a compressed archive."""


class GrowthSettings(Section):
    """Adapters of a local model, which learn from a persona's own talks (the extra `growth`)."""

    base: str = ""
    """The folder of the model that they are made for, in the safetensors format; empty: none."""
    mark: float = Field(1000, ge=0)
    """When so much has come together since the last one (see `managers/growth/kpi.py`), another is offered; 0: never."""
    monthly: bool = False
    """Whether one is trained by itself each month, at night."""
    private: bool = False
    """Whether it may learn what is for this computer only."""
    rank: int = Field(8, ge=1, le=256)
    epochs: int = Field(3, ge=1, le=100)
    rate: float = Field(2e-4, gt=0, le=0.1)
    """The learning rate."""
    most_tokens: int = Field(1024, ge=64, le=32_768)
    """Of an example; what stands before the answer is cut first."""


class BackupSettings(Section):
    """Backups: where they lie, and how many are kept."""

    daily: bool = True
    """Whether one is made by itself each day."""
    place: str = ""
    """A folder, another disk's at best; empty: `backups/` in the home folder."""
    keep_daily: int = Field(7, ge=1, le=1000)
    """Of the last so many days that have one, the newest."""
    keep_weekly: int = Field(4, ge=0, le=1000)
    keep_monthly: int = Field(12, ge=0, le=1000)
    trash: bool = False
    """Whether deleted personas go into them too."""
    secrets: bool = False
    """Whether the keys of models do; only where backups are encrypted."""


class ProgramsSettings(Section):
    """Which ways in other programs on this computer have; each takes a token (`managers.storage.access`)."""

    api: bool = False
    """Gradio's API, for `gradio_client` and plain HTTP."""
    mcp: bool = False
    """MCP tools that look into memories."""


class UserSettings(Section):
    """Who the user is; a persona may know them by another name."""

    name: str = ""
    profile: str = ""
    uid: str = Field("me", pattern=r"^[a-z0-9][a-z0-9_-]{0,31}$")
    """Whose memory it is that personas share, and whose talks are counted: a key, no account."""
