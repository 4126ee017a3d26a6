"""Settings: a mistake in the file is named, never fatal, and never overwritten."""

import os
import threading
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from managers.storage.errors import InvalidSettingError, MistakeInFileError
from managers.storage.settings import Secrets, Settings, SettingsFile, check, lenient, merged


@pytest.fixture
def file(tmp_path: Path) -> SettingsFile:
    return SettingsFile(tmp_path / "settings.toml")


def test_without_a_file_the_defaults_hold(file: SettingsFile) -> None:
    assert file.load() == (Settings(), [])
    assert not file.path.exists()


def test_a_typo_in_a_name_is_not_used_and_the_near_name_is_offered(file: SettingsFile) -> None:
    file.path.write_text("[mind]\nporvider = 'gemini'\nmodel = 'x'\n[reccall]\nthreshold = 1\n", "utf-8")
    settings, notices = file.load()
    assert settings.mind.provider == "auto"
    assert settings.mind.model == "x"
    assert [notice.code for notice in notices] == ["settings-unknown"] * 2
    assert "mind.provider" in notices[0].sentence("en")
    assert "recall" in notices[1].sentence("ja")


def test_a_wrong_value_falls_back_alone(file: SettingsFile) -> None:
    file.path.write_text("[mind]\ntemperature = 9\nseed = 3\n[sleep]\nquiet_end_hour = 'seven'\n", "utf-8")
    settings, notices = file.load()
    assert settings.mind.temperature == Settings().mind.temperature
    assert settings.mind.seed == 3
    assert settings.sleep.quiet_end_hour == Settings().sleep.quiet_end_hour
    assert len(notices) == 2
    assert "mind.temperature" in notices[0].sentence("en")


@pytest.mark.parametrize("content", [b"[mind\nmodel=", b"\xff\xfe\x00", b"mind = 3", b"[[mind]]\nmodel='x'\n"])
def test_a_broken_file_is_named_and_left_alone(file: SettingsFile, content: bytes) -> None:
    file.path.write_bytes(content)
    settings, notices = file.load()
    assert settings == Settings()
    assert len(notices) == 1
    assert file.path.read_bytes() == content


def test_a_broken_file_is_not_overwritten_by_a_change(file: SettingsFile) -> None:
    file.path.write_bytes(b"[mind\nmodel=")
    with pytest.raises(MistakeInFileError):
        file.change("mind", model="x")
    assert file.path.read_bytes() == b"[mind\nmodel="


@pytest.mark.parametrize(
    "setting",
    ["episode_memory_lookback_days = 1000000", "log_days = 1000000", "idle_minutes = inf"],
)
def test_a_time_that_no_clock_reaches_is_named_and_not_used(file: SettingsFile, setting: str) -> None:
    file.path.write_text(f"[conversation]\n{setting}\n", "utf-8")
    settings, notices = file.load()
    assert settings == Settings()
    assert [notice.code for notice in notices] == ["settings-value"]


NO_TOML_EITHER = {
    "a name that stands twice": b"[%s]\nmodel = 'a'\nmodel = 'b'\n",
    "endless nesting": b"[%s]\nmodel = " + b"[" * 20_000,
    "an endless number": b"[%s]\ncontext_tokens = " + b"9" * 6_000 + b"\n",
}
"""What the parsers refuse in other ways than wrong words."""


@pytest.mark.parametrize("content", NO_TOML_EITHER.values(), ids=NO_TOML_EITHER.keys())
def test_what_the_parsers_trip_over_is_a_mistake_like_any_other(tmp_path: Path, content: bytes) -> None:
    file, secrets = SettingsFile(tmp_path / "settings.toml"), Secrets(tmp_path / "secrets.toml")
    file.path.write_bytes(content % b"mind")
    secrets.path.write_bytes(content % b"keys")
    assert [notice.code for notice in file.load()[1]] == ["settings-broken"]
    for work in (
        lambda: file.change("mind", model=None),
        lambda: secrets.get("model"),
        lambda: secrets.set("model", "x"),
    ):
        with pytest.raises(MistakeInFileError):
            work()
    assert file.path.read_bytes() == content % b"mind"
    assert secrets.path.read_bytes() == content % b"keys"


def test_a_section_that_is_no_section_is_not_overwritten(file: SettingsFile) -> None:
    file.path.write_text("mind = 3\n", "utf-8")
    with pytest.raises(MistakeInFileError):
        file.change("mind", model="x")
    assert file.path.read_text("utf-8") == "mind = 3\n"


def test_a_change_keeps_comments_and_order_and_none_goes_back(file: SettingsFile) -> None:
    file.path.write_text("# 私の設定\n[recall]\nmax_hits = 5  # 少なめ\n\n[mind]\nmodel = 'x'\n", "utf-8")
    assert file.change("mind", temperature=0.2, model=None).mind.temperature == 0.2
    text = file.path.read_text("utf-8")
    assert "# 私の設定" in text
    assert "max_hits = 5  # 少なめ" in text
    assert tomllib.loads(text)["mind"] == {"temperature": 0.2}
    assert file.load()[0].recall.max_hits == 5


def test_an_unusable_value_is_refused_with_its_reason(file: SettingsFile) -> None:
    with pytest.raises(InvalidSettingError, match=r"mind\.temperature.*7"):
        file.change("mind", temperature=7)
    assert not file.path.exists()


def test_a_persona_overrides_what_it_chose_only() -> None:
    base = merged(Settings(), {"mind": {"model": "common"}})[0]
    own, notices = merged(base, {"mind": {"temperature": 0.1}, "recall": {"per_index": "many"}, "sleep": 3})
    assert (own.mind.model, own.mind.temperature) == ("common", 0.1)
    assert own.recall == base.recall
    assert len(notices) == 2


_TOML = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner, max_size=3),
    max_leaves=9,
)


@given(st.dictionaries(st.sampled_from([*Settings.model_fields, "x"]), _TOML, max_size=4))
def test_nothing_in_a_file_can_break_the_settings(table: dict[str, object]) -> None:
    settings, _ = lenient(table)
    assert Settings.model_validate(settings.model_dump()) == settings


def test_every_default_is_a_value_that_may_be_set() -> None:
    for section, values in Settings().model_dump().items():
        for key, value in values.items():
            check(section, key, value)


def test_secrets_are_for_the_owner_alone_and_never_shown(tmp_path: Path) -> None:
    secrets = Secrets(tmp_path / "secrets.toml")
    assert secrets.get("gemini") == ""
    secrets.set("gemini", " s3cret\n")
    secrets.set("openai", "other")
    assert secrets.get("gemini") == "s3cret"
    assert "s3cret" not in repr(secrets)
    if os.name == "posix":
        assert secrets.path.stat().st_mode & 0o777 == 0o600
    secrets.set("gemini", "")
    assert (secrets.get("gemini"), secrets.get("openai")) == ("", "other")


def test_a_broken_secrets_file_is_not_overwritten(tmp_path: Path) -> None:
    secrets = Secrets(tmp_path / "secrets.toml")
    secrets.path.write_bytes(b"[keys\ngemini = 's3cret'")
    for work in (lambda: secrets.get("gemini"), lambda: secrets.set("openai", "x")):
        with pytest.raises(MistakeInFileError) as refused:
            work()
        assert "s3cret" not in str(refused.value)
    assert secrets.path.read_bytes() == b"[keys\ngemini = 's3cret'"


@pytest.mark.parametrize("content", ["keys = 3\n", "[[keys]]\ngemini = 'x'\n"])
def test_a_secrets_file_of_another_shape_is_named(tmp_path: Path, content: str) -> None:
    secrets = Secrets(tmp_path / "secrets.toml")
    secrets.path.write_text(content, "utf-8")
    with pytest.raises(MistakeInFileError):
        secrets.get("gemini")
    with pytest.raises(MistakeInFileError):
        secrets.set("gemini", "y")
    assert secrets.path.read_text("utf-8") == content


def test_files_with_a_byte_order_mark_are_read(tmp_path: Path) -> None:
    """Windows' Notepad writes one."""
    (tmp_path / "settings.toml").write_text("\ufeff[mind]\nmodel = 'x'\n", "utf-8")
    (tmp_path / "secrets.toml").write_text("\ufeff[keys]\ngemini = 'k'\n", "utf-8")
    file = SettingsFile(tmp_path / "settings.toml")
    assert file.load()[0].mind.model == "x"
    assert file.change("mind", seed=2).mind.model == "x"
    assert Secrets(tmp_path / "secrets.toml").get("gemini") == "k"


def test_two_who_change_at_once_lose_nothing(file: SettingsFile) -> None:
    def change(section: str, key: str) -> None:
        for value in range(1, 21):
            file.change(section, **{key: value})

    jobs = [("recall", "per_index"), ("recall", "max_hits"), ("conversation", "window_turns")]
    threads = [threading.Thread(target=change, args=job) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    settings = file.load()[0]
    assert [getattr(getattr(settings, section), key) for section, key in jobs] == [20, 20, 20]
