"""Folders in which something is broken or missing are still personas, and can be mended."""

import json

from managers.personas import PersonaStore
from managers.storage.settings import Settings, merged
from tests.homes import let_in
from tests.personas.folders import history_of


def test_a_broken_persona_is_listed_with_its_notice_and_usable(store: PersonaStore) -> None:
    store.create("他", language="ja")
    paths = store.create("猫", language="ja", system_prompt="わたしは猫").paths
    for content in (b"{", b"", b"[]", b"\xff\xfe\x00", b"null", b'{"a": ' * 5000):
        paths.persona_json.write_bytes(content)
        (other, broken) = store.list()
        assert (other.notices, other.name) == ((), "他")
        assert [notice.code for notice in broken.notices] == ["persona-broken"]
        assert (broken.system_prompt, broken.language) == ("わたしは猫", "ja")
        assert paths.persona_json.read_bytes() == content
        changed = store.set_greeting("猫", "にゃ")
        assert changed.greeting == "にゃ"
        (kept,) = paths.folder.glob("persona.json.broken-*")
        assert kept.read_bytes() == content
        assert kept.name in changed.notices[0].sentence("ja")
        kept.unlink()


def test_values_of_the_wrong_kind_are_not_used_and_can_be_set(store: PersonaStore) -> None:
    paths = store.create("a", language="en", system_prompt="I am a.").paths
    for document in (
        {"language": 3, "greeting": ["x"], "user": "me", "settings": 7, "colours": [], "format": "new"},
        {"language": "xx", "user": {"name": 5}, "settings": {"recall": 3}, "format": -1},
    ):
        paths.persona_json.write_text(json.dumps(document))
        persona = store.get("a")
        assert (persona.language, persona.greeting, persona.user_name) == ("en", "", "")
        merged(Settings(), persona.settings)
        store.set_user("a", user_name="Aoi")
        assert store.set_settings("a", "recall", per_index=3).user_name == "Aoi"


def test_a_folder_with_nothing_in_it_is_a_persona_and_files_and_hidden_ones_are_none(store: PersonaStore) -> None:
    (store.home.characters / "から").mkdir(parents=True)
    let_in(store.home, "から")
    persona = store.get("から")
    assert (persona.language, persona.notices, persona.avatar) == ("ja", (), None)
    assert store.set_greeting("から", "やあ").greeting == "やあ"
    (store.home.characters / "notes.txt").write_text("x")
    for name in (".git", "x" * 200):
        (store.home.characters / name).mkdir()
    assert store.list_names() == ["から"]


def test_a_prompt_of_windows_works_and_stays_as_its_editor_writes_it(store: PersonaStore) -> None:
    paths = store.create("猫", language="ja", system_prompt="わたしは猫").paths
    for mark in ("utf-16", "utf-8-sig"):
        paths.system_prompt.write_bytes("わたしは\r\n三毛猫".encode(mark))
        paths.persona_json.write_bytes(json.dumps({"greeting": "にゃ"}).encode(mark))
        persona = store.get("猫")
        assert (persona.system_prompt, persona.greeting, persona.notices) == ("わたしは\n三毛猫", "にゃ", ())
        store.write_system_prompt("猫", "わたしは\n黒猫", based_on=persona.system_prompt_digest)
        assert paths.system_prompt.read_bytes() == "わたしは\r\n黒猫".encode(mark)


def test_a_prompt_in_another_encoding_is_told_and_converted_on_a_yes(store: PersonaStore) -> None:
    for encoding, called in (("cp932", "Shift_JIS"), ("euc_jp", "EUC-JP")):
        paths = store.create(encoding, language="ja", system_prompt="わたしは猫").paths
        paths.system_prompt.write_bytes("わたしは三毛猫です。".encode(encoding))
        paths.persona_json.write_bytes('{"greeting": "にゃあ、おはよう"}'.encode(encoding))
        persona = store.get(encoding)
        assert {notice.code for notice in persona.notices} == {"persona-broken", "prompt-broken"}
        assert any(called in notice.en for notice in persona.notices)
        mended = store.mend(encoding)
        assert (mended.system_prompt, mended.greeting) == ("わたしは三毛猫です。", "にゃあ、おはよう")
        kept = {path.read_bytes() for path in paths.folder.glob("*.broken-*")}
        assert "わたしは三毛猫です。".encode(encoding) in kept


def test_a_broken_persona_gets_its_last_good_version_back_or_is_put_aside(store: PersonaStore) -> None:
    paths = store.create("猫", language="ja", system_prompt="わたしは猫", greeting="一").paths
    store.set_greeting("猫", "二")
    good = paths.persona_json.read_bytes()
    paths.persona_json.write_bytes(b"{ oops")
    history_of(store, "猫").notice_outside()
    paths.persona_json.write_bytes(b"{ oops again")
    paths.system_prompt.write_bytes(b"\xff")
    mended = store.mend("猫")
    assert (mended.greeting, mended.system_prompt) == ("二", "わたしは猫")
    assert paths.persona_json.read_bytes() == good
    assert {kept.read_bytes() for kept in paths.folder.glob("*.broken-*")} == {b"{ oops again", b"\xff"}
    assert [notice.code for notice in mended.notices] == ["file-set-aside"] * 2
    assert store.mend("猫") == store.get("猫")
    folder = store.home.characters / "犬"  # without a good version
    folder.mkdir()
    (folder / "persona.json").write_bytes(b"{ oops")
    let_in(store.home, "犬")
    assert [notice.code for notice in store.mend("犬").notices] == ["file-set-aside"]
    assert not (folder / "persona.json").exists()
