"""What a persona is: its settings, its user, its prompt, its colours, its picture, names in its words; whatever version wrote them."""

import io
import json

import pytest
from PIL import Image

from managers.personas import Colours, PersonaStore
from managers.personas.avatars import SIDE
from managers.personas.errors import AvatarRefusedError, ShrinkRefusedError
from managers.personas.macros import fill_names
from managers.personas.persona_file import FORMAT, migrated, version
from managers.storage.errors import ExternallyChangedError, InvalidSettingError
from managers.storage.settings import Settings, merged
from tests.fakes import HandClock
from tests.personas.folders import drawn


def test_settings_of_its_own_are_checked_and_taken_back(store: PersonaStore) -> None:
    store.create("a", language="en")
    store.set_settings("a", "recall", per_index=5, threshold=0.5)
    with pytest.raises(InvalidSettingError, match=r"recall\.per_index"):
        store.set_settings("a", "recall", threshold=0.1, per_index=0)
    persona = store.set_settings("a", "recall", threshold=None)
    assert merged(Settings(), persona.settings)[0].recall.per_index == 5
    assert persona.settings == {"recall": {"per_index": 5}}


def test_colours_that_are_none_are_not_used(store: PersonaStore) -> None:
    path = store.create("a", language="en").paths.persona_json
    path.write_text(json.dumps({"colours": {"accent": "#A0b1C2"}}))
    assert store.get("a").colours.accent == "#A0b1C2"
    path.write_text(json.dumps({"colours": {"accent": "red; } body {"}}))
    assert store.get("a").colours.accent == Colours().accent


def test_what_this_version_does_not_know_is_left_alone(store: PersonaStore) -> None:
    path = store.create("a", language="en").paths.persona_json
    document = {**json.loads(path.read_text()), "format": FORMAT + 1, "voice": {"pitch": 2}}
    path.write_text(json.dumps(document))
    persona = store.set_greeting("a", "hello")
    assert [notice.code for notice in persona.notices] == ["persona-newer"]
    assert json.loads(path.read_text()) == {**document, "greeting": "hello"}


def test_an_older_file_is_brought_up_to_date_and_says_so(store: PersonaStore, clock: HandClock) -> None:
    path = store.create("a", language="en").paths.persona_json
    path.write_text('{"language": "ja", "user_name": "あおい", "user_profile": "教師"}', "utf-8")
    persona = store.get("a")
    assert (persona.user_name, persona.user_profile, persona.language) == ("あおい", "教師", "ja")
    assert "format" not in path.read_text()
    store.set_greeting("a", "やあ")
    document = json.loads(path.read_text("utf-8"))
    assert version(document) == FORMAT
    assert document["user"] == {"name": "あおい", "profile": "教師"}
    assert document["migrations"] == [{"step": "gather_user", "applied_at": "2026-11-21T12:00:00"}]
    assert migrated(document, clock.now()) == document


def test_the_system_prompt_is_written_against_what_was_read(store: PersonaStore) -> None:
    read = store.create("a", language="en", system_prompt="one")
    written = store.write_system_prompt("a", "two", based_on=read.system_prompt_digest)
    with pytest.raises(ExternallyChangedError) as conflict:
        store.write_system_prompt("a", "three", based_on=read.system_prompt_digest)
    assert conflict.value.facts["theirs"] == "two"
    with pytest.raises(ShrinkRefusedError):
        store.write_system_prompt("a", " ", based_on=written.system_prompt_digest)
    assert store.get("a").system_prompt == "two"
    store.write_system_prompt("a", "", based_on=written.system_prompt_digest, emptied=True)
    assert store.get("a").system_prompt == ""


def test_a_picture_becomes_a_square_png_that_does_not_tell_where_it_was_taken(store: PersonaStore) -> None:
    exif = Image.Exif()
    exif[0x010E] = "at home, Sakura street 3"
    exif[0x0112] = 6  # lying on its side
    folder = store.create("a", language="en").paths.folder
    (folder / "avatar.jpg").write_bytes(drawn("JPEG"))
    assert store.get("a").avatar == folder / "avatar.jpg"  # an older one in another format gives way
    for kind in ("PNG", "WEBP", "JPEG"):
        avatar = store.set_avatar("a", drawn(kind, (300, 100), exif=exif)).avatar
        assert avatar == folder / "avatar.png"
        with Image.open(avatar) as picture:
            assert (picture.format, picture.size) == ("PNG", (SIDE, SIDE))
        assert b"Sakura" not in avatar.read_bytes()
    assert not (folder / "avatar.jpg").exists()


def test_what_is_no_good_picture_is_refused(store: PersonaStore) -> None:
    store.create("a", language="en")
    before = store.set_avatar("a", drawn()).avatar
    assert before is not None
    content, bomb = before.read_bytes(), io.BytesIO()
    Image.new("1", (8_000, 8_000)).save(bomb, "PNG")
    svg = b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>"
    cut = (drawn()[:60], drawn("JPEG")[:-200])
    for data in (b"", svg, b"\x89PNG\r\n\x1a\nnot", *cut, drawn("GIF"), b"0" * 15_000_001, bomb.getvalue()):
        with pytest.raises(AvatarRefusedError):
            store.set_avatar("a", data)
        assert before.read_bytes() == content


def test_macros_are_filled_in_what_nobody_knows_stays_and_names_bring_none() -> None:
    rows = (
        ("{{char}} greets {{ User }}.", "Aria greets Aoi."),
        ("<USER>と<BOT>", "AoiとAria"),
        ("a {{// for the writer}}b{{comment: x}}{{hidden_key:tower}}", "a b"),
        ("{{original}}Be kind.", "Be kind."),
        ("{{reverse:abc}}", "cba"),
        ("{{roll:d1}} {{roll:1d1}} {{roll: 1 }} {{roll:x}} {{roll:0}}", "1 1 1 x 0"),
        ("<START>\n{{user}}: hi", "***\nAoi: hi"),
        ("{{unknown}} {char} {{}} <user> a < b {{char", "{{unknown}} {char} {{}} <user> a < b {{char"),
        ("{{charcoal}} {{user_name}}", "{{charcoal}} {{user_name}}"),
    )
    assert [(text, fill_names(text, "Aria", "Aoi")) for text, _ in rows] == list(rows)
    assert fill_names("{{user}}", "Aria", "{{char}}") == "{{char}}"
