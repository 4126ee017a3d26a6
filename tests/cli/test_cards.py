"""`import card` and `export --as card`, as people script them."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from managers.exchange.cards.png_chunks import text_chunks
from tests.cli.test_commands import lines, run
from tests.exchange.cards.made import Document, png, v3

_DATES = ("creation_date", "modification_date")
_ENTRY = {"keys": ["tower", "灯台"], "content": "{{char}} keeps it.", "extensions": {"x": 1}, "enabled": True}
_BOOK: Document = {"name": "Bruma", "extensions": {"mine": [1]}, "entries": [{**_ENTRY, "insertion_order": 3}]}


def cards_in(file: Path) -> dict[str, Document]:
    found = {}
    for chunk in text_chunks(file.read_bytes(), ("chara", "ccv3")):
        document = json.loads(base64.b64decode(chunk.data))
        kept = {key: one for key, one in document["data"].items() if key not in _DATES}
        found[chunk.keyword] = {**document, "data": kept}
    return found


def test_a_card_goes_in_once_and_comes_out_as_it_was(home: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.png"
    fields: dict[str, Any] = {
        "scenario": "A tower in the fog.\r\nNight.",
        "creator_notes": "never tell",
        "alternate_greetings": ["Again, {{user}}?", "…"],
        "character_book": _BOOK,
        "my_own": {"a": None},
        "assets": [{"type": "icon", "uri": "ccdefault:", "name": "main", "ext": "png"}],
    }
    document = v3(**fields, nickname="Ari")
    (tmp_path / "card.png").write_bytes(png(ccv3=document))
    asked = ("import", "card", str(tmp_path / "card.png"), "--persona", "Aria")
    run(*asked, "--dry-run")
    folder = home / "characters" / "Aria"
    assert not folder.exists()
    run(*asked)
    kept = {path: path.read_bytes() for path in folder.iterdir() if path.suffix in {".json", ".txt"}}
    assert (folder / "avatar.png").exists()
    assert b"never tell" not in kept[folder / "SystemPrompt.txt"]
    again = lines(run(*asked, "--json"))
    assert kept == {path: path.read_bytes() for path in kept}, again
    run("export", "Aria", str(out), "--as", "card")
    assert cards_in(out)["ccv3"] == document
    assert set(cards_in(out)) == {"chara", "ccv3"}
    run("import", str(out), "--persona", "Bea")  # recognised by itself
    run("export", "Bea", str(tmp_path / "again.png"), "--as", "card")
    assert cards_in(tmp_path / "again.png") == cards_in(out)


@pytest.mark.slow
def test_what_is_no_card_is_told_in_a_sentence_and_makes_nobody(home: Path, tmp_path: Path) -> None:
    card = tmp_path / "card.png"
    card.write_bytes(png())
    told = run("import", "card", str(card), "--persona", "Aria", expect=1)
    assert "no character card in this picture" in told.stderr
    card.write_text("[" * 100_000)
    run("import", "card", str(card), "--persona", "Aria", expect=1)
    assert not (home / "characters" / "Aria").exists()
