"""What docs/files.md says of personas, history and settings is what the program reads and writes."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest
from dulwich.objects import Commit
from dulwich.repo import Repo

from managers.personas import PersonaStore
from managers.storage.history import Draft, History
from managers.storage.paths import CHECKOUT, Home
from managers.storage.settings import Secrets, SettingsFile
from tests.fakes import HandClock


def _example(heading: str, language: str, number: int = 0) -> str:
    text = (CHECKOUT / "docs" / "files.md").read_text("utf-8")
    section = re.split(r"^## ", text.split(f"## {heading}", 1)[1], maxsplit=1, flags=re.MULTILINE)[0]
    return section.split(f"```{language}\n")[1 + number].split("```", 1)[0]


@pytest.fixture
def store(own_home: Home, clock: HandClock, rng: Random) -> PersonaStore:
    return PersonaStore(own_home, clock, rng)


def test_the_example_of_a_persona_is_read_as_described(store: PersonaStore) -> None:
    shown = _example("persona.json", "json")
    store.create("ねむ", language="en").paths.persona_json.write_text(shown, "utf-8")
    persona = store.get("ねむ")
    assert persona.notices == ()
    assert (persona.language, persona.user_name) == ("ja", "あおい")
    assert persona.colours.accent == "#6d63ab"
    assert persona.settings == {"recall": {"threshold": 0.7}}
    written = store.set_greeting("ねむ", persona.greeting).paths.persona_json.read_text("utf-8")
    assert json.loads(written) == json.loads(shown)


def test_the_example_of_an_entry_is_what_is_written(store: PersonaStore, clock: HandClock) -> None:
    paths = store.create("ねむ", language="ja").paths
    history = History(paths, clock)
    goals = b'{"short_term": [{"id": "sh_abc12345", "goal": "x"}]}'
    history.apply(
        {paths.core_memory: b"x", paths.entity_memory / "田中さん.md": b"y", paths.goals: goals},
        Draft("dream", "日々の整理", ("20260102T220000-7k2m9qx4",), "built-in"),
    )
    with Repo(str(paths.history)) as repo:
        commit = repo[repo.head()]
    assert isinstance(commit, Commit)
    assert commit.message.decode() == _example(".history/", "text")


@pytest.mark.skipif(shutil.which("git") is None or sys.platform == "win32", reason="needs git and a shell")
def test_the_way_to_look_with_git_shows_the_history_and_runs_nothing(store: PersonaStore, clock: HandClock) -> None:
    """A git that is pointed at a repository does what the repository's own `config` says."""
    paths = store.create("ねむ", language="ja").paths
    History(paths, clock).apply({paths.core_memory: b"a kingfisher"}, Draft("dream", "日々の整理"))
    trap = paths.home.folder / "ran"
    (paths.history / "config").write_text(f"[core]\n\tbare = true\n\tpager = \"touch '{trap}'; cat\"\n")
    shown = _on_a_terminal(_example(".history/", "sh"), paths.folder)
    assert "a kingfisher" in shown
    assert "日々の整理" in shown
    assert not trap.exists()
    _on_a_terminal("git --git-dir=.history log -p", paths.folder)
    assert trap.exists()
    trap.unlink()
    (paths.history / "refs" / "heads" / "main").write_text(f"--output={trap}\n")  # no option of git's
    with pytest.raises(subprocess.CalledProcessError):
        _on_a_terminal(_example(".history/", "sh"), paths.folder)
    assert not trap.exists()


def _on_a_terminal(command: str, folder: Path) -> str:
    import pty  # noqa: PLC0415  # there is none on Windows

    ours, theirs = pty.openpty()
    told = {**os.environ, "PAGER": "cat", "TERM": "dumb"}
    subprocess.run(["sh", "-c", command], cwd=folder, stdout=theirs, check=True, env=told)
    os.close(theirs)
    shown = b""
    try:
        while piece := os.read(ours, 65536):
            shown += piece
    except OSError:  # how a terminal says on Linux that nobody writes to it any more
        pass
    os.close(ours)
    return shown.decode()


def test_the_examples_of_settings_and_secrets_are_in_order(tmp_path: Path) -> None:
    file = SettingsFile(tmp_path / "settings.toml")
    file.path.write_text(_example("settings.toml, secrets.toml", "toml"), "utf-8")
    settings, notices = file.load()
    assert notices == []
    assert (settings.user.name, settings.mind.model, settings.sleep.quiet_start_hour) == ("あおい", "llama3.2", 1)
    secrets = Secrets(tmp_path / "secrets.toml")
    secrets.path.write_text(_example("settings.toml, secrets.toml", "toml", 1), "utf-8")
    assert secrets.get("gemini") == "..."
