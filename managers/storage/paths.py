"""Every path that the program knows, in one place; and the check that makes a name a safe path."""

from __future__ import annotations

import os
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from managers.storage.errors import NoNameError, UnsafeNameError
from managers.storage.opening import guard

HOME_VARIABLE = "UTATANE_HOME"
CHECKOUT = Path(__file__).resolve().parents[2]
"""The folder of the program itself: sample characters and assets are read from here."""

# Reserved on Windows whatever the extension; a persona's folder must survive a move between systems.
_WINDOWS_DEVICES = frozenset(
    ["con", "prn", "aux", "nul", *(f"com{n}" for n in range(10)), *(f"lpt{n}" for n in range(10))]
)
_FORBIDDEN = frozenset('/\\:*?"<>|')
MAX_NAME_BYTES = 120
"""A file name may hold 255 bytes on common systems; suffixes, dates and temporary names need room."""


def safe_name(name: str) -> str:
    """Return `name` in NFC and stripped, or say why it cannot be a folder's or file's name.

    Raises:
        NoNameError: the name is empty.
        UnsafeNameError: the name is hidden, reserved, too long, or holds separators, control or
            direction-changing characters.
    """
    tidy = unicodedata.normalize("NFC", name).strip()
    if not tidy:
        raise NoNameError
    if problem := _problem(tidy):
        raise UnsafeNameError(name=tidy[:40], reason_ja=problem[0], reason_en=problem[1])
    return tidy


@lru_cache(maxsize=1 << 14)
def may_be_written(name: str) -> bool:
    """Tell whether a file of exactly this name may be written; of ten thousand in a folder it is asked in every turn."""
    try:
        return safe_name(name) == name
    except UnsafeNameError:
        return False


def is_text(name: str) -> bool:
    """Tell whether a name is text. Most systems take any bytes for one, which no index and no page can hold."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _problem(name: str) -> tuple[str, str] | None:
    if any(c in _FORBIDDEN for c in name):
        return '/ \\ : * ? " < > | は使えません。', 'it may not contain / \\ : * ? " < > |.'
    if any(unicodedata.category(c) in {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"} for c in name):
        return "目に見えない文字が入っています。", "it contains invisible characters."
    if name.startswith((".", "~", "-")) or name.endswith("."):
        return "先頭の . ~ - と末尾の . は使えません。", "it may not begin with . ~ - or end with a dot."
    if name.split(".", maxsplit=1)[0].strip().casefold() in _WINDOWS_DEVICES:
        return "Windows で予約されている名前です。", "Windows reserves it."
    if len(name.encode()) > MAX_NAME_BYTES:
        return "長すぎます(日本語で40文字まで)。", f"it is too long (at most {MAX_NAME_BYTES} bytes)."
    return None


@dataclass(frozen=True, slots=True)
class PersonaPaths:
    """The files of one persona's folder (names as in the specification)."""

    folder: Path

    def __post_init__(self) -> None:
        """Let nothing in the folder be opened but what is really in it."""
        guard(self.folder)

    @property
    def name(self) -> str:
        return self.folder.name

    @property
    def persona_json(self) -> Path:
        return self.folder / "persona.json"

    @property
    def system_prompt(self) -> Path:
        return self.folder / "SystemPrompt.txt"

    @property
    def core_memory(self) -> Path:
        return self.folder / "core_memory.txt"

    @property
    def notepad(self) -> Path:
        return self.folder / "notepad.txt"

    @property
    def log(self) -> Path:
        return self.folder / "log.txt"

    @property
    def log_archives(self) -> Path:
        return self.folder / "log_archives"

    @property
    def log_import_source(self) -> Path:
        return self.folder / "log_import_source"

    @property
    def episodic_memory(self) -> Path:
        return self.folder / "episodic_memory"

    @property
    def entity_memory(self) -> Path:
        return self.folder / "entity_memory"

    @property
    def goals(self) -> Path:
        return self.folder / "goals.json"

    @property
    def memory(self) -> Path:
        return self.folder / "memory"

    @property
    def insights(self) -> Path:
        return self.memory / "insights.json"

    @property
    def internal_state(self) -> Path:
        return self.memory / "internal_state.json"

    @property
    def emotion_log(self) -> Path:
        return self.memory / "emotion_log.json"

    @property
    def main_memory(self) -> Path:
        return self.memory / "memory_main.txt"

    @property
    def secret_diary(self) -> Path:
        return self.memory / "secret_diary.txt"

    @property
    def recall_log(self) -> Path:
        return self.memory / "recall_log.jsonl"

    @property
    def held_writes(self) -> Path:
        return self.memory / "held_writes.json"

    @property
    def knowledge(self) -> Path:
        return self.folder / "knowledge"

    @property
    def set_aside(self) -> Path:
        return self.folder / "set_aside"

    @property
    def rag_index(self) -> Path:
        return self.folder / "rag_index"

    @property
    def attachments(self) -> Path:
        return self.folder / "attachments"

    @property
    def history(self) -> Path:
        return self.folder / ".history"

    @property
    def lock(self) -> Path:
        return self.folder / ".lock"

    @property
    def mark(self) -> Path:
        return self.folder / ".persona-id"

    @property
    def home(self) -> Home:
        """The home folder that the persona lives in: the one above `characters/`, `.trash/` likewise."""
        return Home(self.folder.parent.parent)


@dataclass(frozen=True, slots=True)
class Home:
    """The user's folder: settings, secrets, characters, trash."""

    folder: Path

    @property
    def settings(self) -> Path:
        return self.folder / "settings.toml"

    @property
    def secrets(self) -> Path:
        return self.folder / "secrets.toml"

    @property
    def characters(self) -> Path:
        return self.folder / "characters"

    @property
    def trash(self) -> Path:
        return self.folder / ".trash"

    @property
    def usage(self) -> Path:
        return self.folder / "usage"

    @property
    def models(self) -> Path:
        """Sentence models that were fetched."""
        return self.folder / "models"

    @property
    def lock(self) -> Path:
        return self.folder / ".lock"

    @property
    def access(self) -> Path:
        return self.folder / ".access.json"

    @property
    def serving(self) -> Path:
        return self.folder / ".serving.json"

    @property
    def opening(self) -> Path:
        """What a browser is handed to open the page; no hidden name, for packaged browsers may read none."""
        return self.folder / "opening.html"

    @property
    def installation_key(self) -> Path:
        return self.folder / ".installation.key"

    @property
    def admitted(self) -> Path:
        return self.folder / ".admitted"

    @property
    def made_private(self) -> Path:
        """Is there once all that lies here was made its owner's alone."""
        return self.folder / ".made-private"

    @property
    def set_aside(self) -> Path:
        return self.characters / ".set-aside"

    def persona(self, name: str) -> PersonaPaths:
        """Return the paths of a persona; the name is checked, the folder need not exist."""
        return PersonaPaths(self.characters / safe_name(name))


def find_home(given: Path | None = None) -> Home:
    """Return the home folder: the given one, else `UTATANE_HOME`, else `~/Utatane`."""
    chosen = given or os.environ.get(HOME_VARIABLE) or Path.home() / "Utatane"
    return Home(Path(chosen).expanduser().resolve())
