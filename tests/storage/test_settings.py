"""Settings: a mistake in the file is named, never fatal, and never overwritten."""

import os
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from managers.storage.errors import InvalidSettingError, MistakeInFileError
from managers.storage.settings import Secrets, Settings, SettingsFile, check, lenient, merged


@pytest.fixture
def file(tmp_path: Path) -> SettingsFile:
    return SettingsFile(tmp_path / "settings.toml")


def test_a_typo_in_a_name_is_not_used_and_a_wrong_value_falls_back_alone(file: SettingsFile) -> None:
    file.path.write_text(
        "[mind]\nporvider = 'gemini'\nmodel = 'x'\ntemperature = 9\n[reccall]\nthreshold = 1\n"
        "[conversation]\nlog_days = 1000000\nidle_minutes = inf\nepisode_memory_lookback_days = 1000000\n",
        "utf-8",
    )
    found, notices = file.load()
    assert found == merged(Settings(), {"mind": {"model": "x"}})[0]
    unknown = [notice for notice in notices if notice.code == "settings-unknown"]
    wrong = [notice.en for notice in notices if notice.code == "settings-value"]
    assert (len(unknown), len(wrong)) == (2, 4)
    assert "mind.provider" in unknown[0].en
    assert "recall" in unknown[1].ja
    assert any("mind.temperature" in sentence for sentence in wrong)


BROKEN = {
    "cut short": b"[%s]\nmodel=", "no text": b"\xff\xfe\x00", "no section": b"%s = 3",
    "a list": b"[[%s]]\nmodel='x'\n", "a name that stands twice": b"[%s]\nmodel = 'a'\nmodel = 'b'\n",
    "endless nesting": b"[%s]\nmodel = " + b"[" * 20_000,
    "an endless number": b"[%s]\ncontext_tokens = " + b"9" * 6_000 + b"\n",
    "a secret before the mistake": b"[%s]\nmodel = 's3cret"
}  # fmt: skip


@pytest.mark.parametrize("content", BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_file_is_named_and_neither_used_nor_overwritten_nor_shown(tmp_path: Path, content: bytes) -> None:
    file, secrets = SettingsFile(tmp_path / "settings.toml"), Secrets(tmp_path / "secrets.toml")
    for path, section in ((file.path, b"mind"), (secrets.path, b"keys")):
        path.write_bytes(content.replace(b"%s", section))
    found, notices = file.load()
    assert (found, len(notices)) == (Settings(), 1)
    for work in (
        lambda: file.change("mind", model="x"), lambda: file.change("mind", model=None),
        lambda: secrets.get("model"), lambda: secrets.set("model", "x")
    ):  # fmt: skip
        with pytest.raises(MistakeInFileError) as refused:
            work()
        assert "s3cret" not in str(refused.value)
    assert file.path.read_bytes() == content.replace(b"%s", b"mind")
    assert secrets.path.read_bytes() == content.replace(b"%s", b"keys")


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
_NAMES = {section: sorted(values) for section, values in Settings().model_dump().items()}
_SECTIONS = st.one_of(
    *(st.tuples(st.just(section), st.dictionaries(st.sampled_from(names), _TOML)) for section, names in _NAMES.items())
)


@settings(max_examples=50)
@given(st.lists(_SECTIONS, max_size=3).map(dict) | st.dictionaries(st.sampled_from([*_NAMES, "x"]), _TOML, max_size=4))
def test_nothing_in_a_file_can_break_the_settings(table: dict[str, object]) -> None:
    found, _ = lenient(table)
    assert Settings.model_validate(found.model_dump()) == found


def test_the_defaults_hold_without_a_file_and_each_can_be_set_and_comes_back(file: SettingsFile) -> None:
    assert file.load() == (Settings(), [])
    assert not file.path.exists()
    for section, values in Settings().model_dump().items():
        for key, value in values.items():
            check(section, key, value)
        file.change(section, **{key: value for key, value in values.items() if value is not None})
    assert file.load() == (Settings(), [])


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
        for value in range(1, 11):
            file.change(section, **{key: value})

    jobs = [("recall", "per_index"), ("recall", "max_hits"), ("conversation", "window_turns")]
    with ThreadPoolExecutor() as pool:
        _ = [*pool.map(lambda job: change(*job), jobs)]
    found = file.load()[0]
    assert [getattr(getattr(found, section), key) for section, key in jobs] == [10, 10, 10]
