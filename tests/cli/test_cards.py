"""`import card` and `export --as card`, as people script them."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from managers.exchange.cards.png_chunks import text_chunks
from tests.cli.test_commands import lines, run
from tests.exchange.cards.made import Document, png, v2, v3

_DATES = ("creation_date", "modification_date")
_BOOK: Document = {
    "name": "Bruma",
    "extensions": {"mine": [1]},
    "scan_depth": 2,
    "entries": [
        {
            "keys": ["tower", "灯台"],
            "content": "{{char}} keeps it.",
            "extensions": {"x": 1},
            "enabled": True,
            "insertion_order": 3,
        }
    ],
}


def cards_in(file: Path) -> dict[str, Document]:
    found = {}
    for chunk in text_chunks(file.read_bytes(), ("chara", "ccv3")):
        document = json.loads(base64.b64decode(chunk.data))
        found[chunk.keyword] = {
            **document,
            "data": {key: one for key, one in document["data"].items() if key not in _DATES},
        }
    return found


@pytest.mark.parametrize("keyword", ["chara", "ccv3"])
def test_a_card_goes_in_once_and_comes_out_as_it_was(tmp_path: Path, keyword: str) -> None:
    home, out = tmp_path / "home", tmp_path / "out.png"
    fields: dict[str, Any] = {
        "scenario": "A tower in the fog.\r\nNight.",
        "creator_notes": "never tell",
        "alternate_greetings": ["Again, {{user}}?", "…"],
        "extensions": {"depth_prompt": {"depth": 4}},
        "character_book": _BOOK,
        "my_own": {"a": None},
    }
    document = v2(**fields) if keyword == "chara" else v3(**fields, nickname="Ari", assets=[{"type": "icon", "uri": "ccdefault:", "name": "main", "ext": "png"}])  # fmt: skip
    (tmp_path / "card.png").write_bytes(png(**{keyword: document}))
    asked = ("import", "card", str(tmp_path / "card.png"), "--persona", "Aria")
    run(*asked, "--dry-run", home=home)
    assert not (home / "characters" / "Aria").exists()
    run(*asked, home=home)
    folder = home / "characters" / "Aria"
    kept = {
        path.name: path.read_bytes() for path in folder.iterdir() if path.is_file() and path.suffix in {".json", ".txt"}
    }
    assert (folder / "avatar.png").exists()
    assert b"never tell" not in kept["SystemPrompt.txt"]
    again = lines(run(*asked, "--json", home=home))
    assert kept == {name: (folder / name).read_bytes() for name in kept}, again
    run("export", "Aria", str(out), "--as", "card", home=home)
    assert cards_in(out)[keyword] == document
    assert set(cards_in(out)) == {"chara", "ccv3"}
    run("import", str(out), "--persona", "Bea", home=home)  # recognised by itself
    run("export", "Bea", str(tmp_path / "again.png"), "--as", "card", home=home)
    assert cards_in(tmp_path / "again.png") == cards_in(out)


def test_what_is_no_card_is_told_in_a_sentence_and_makes_nobody(tmp_path: Path) -> None:
    home = tmp_path / "home"
    (tmp_path / "card.png").write_bytes(png())
    told = run("import", "card", str(tmp_path / "card.png"), "--persona", "Aria", home=home, expect=1)
    assert "no character card in this picture" in told.stderr
    (tmp_path / "deep.json").write_text("[" * 100_000)
    run("import", "card", str(tmp_path / "deep.json"), "--persona", "Aria", home=home, expect=1)
    assert not (home / "characters" / "Aria").exists()


def test_a_lorebook_on_its_own_joins_the_one_that_is_there(tmp_path: Path) -> None:
    home, file = tmp_path / "home", tmp_path / "world.json"
    for key in ("tower", "fog"):
        file.write_text(
            json.dumps({"entries": {"0": {"uid": 0, "key": [key], "keysecondary": [], "content": f"The {key}."}}})
        )
        for _ in range(2):
            run("import", "card", str(file), "--persona", "Hazel", home=home)
    book = json.loads((home / "characters" / "Hazel" / "lorebook.json").read_text())
    assert [one["content"] for one in book["entries"]] == ["The tower.", "The fog."]
