"""A home that people have lived in, and its backups."""

import shutil
from pathlib import Path
from random import Random

import pytest

from managers.exchange.backups.keeping import Backups, backups_of
from managers.personas import PersonaStore
from managers.storage.paths import Home
from tests.fakes import HandClock
from tests.hygiene.erased_life import lived, services
from tests.small_life import make_life

__all__ = ["lived", "services"]  # fixtures


@pytest.fixture(scope="session")
def life(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("backed-up") / "home"
    make_life(home)
    (home / "secrets.toml").write_text('[keys]\ngemini = "not to be copied"\n')
    (home / "settings.toml").write_text('[user]\nname = "Emma"\n')
    (home / "usage").mkdir()
    (home / "usage" / "calls.jsonl").write_text("{}\n")
    return home


@pytest.fixture
def home(life: Path, tmp_path: Path) -> Home:
    return Home(Path(shutil.copytree(life, tmp_path / "lived", dirs_exist_ok=True)))


@pytest.fixture
def backups(home: Home, clock: HandClock) -> Backups:
    return backups_of(home, clock)


@pytest.fixture
def store(home: Home, clock: HandClock) -> PersonaStore:
    return PersonaStore(home, clock, Random(1))
