"""The READMEs' commands work as they stand there."""

import re
import shlex
from pathlib import Path

import pytest

from tests.cli.test_commands import ROOT, run, transcript

READMES = ["README.md", "README.ja.md"]


@pytest.mark.slow
@pytest.mark.parametrize("readme", READMES)
def test_every_command_of_the_readme_works(readme: str, tmp_path: Path) -> None:
    text = (ROOT / readme).read_text("utf-8")
    commands = re.findall(r"^\.venv/bin/python app\.py (.+)$", text, re.MULTILINE)
    assert len(commands) >= 6
    transcript(tmp_path)
    (tmp_path / "room").mkdir()
    (tmp_path / "room" / "log.txt").write_text("## USER:Aoi\nHello\n\n2026-05-12 (Tue) 09:01:20 |\n", "utf-8")
    for command in commands:
        words = shlex.split(command, comments=True)
        named = {name: str(tmp_path / name) for name in words if name.endswith((".jsonl", ".zip"))}
        named |= {name: str(tmp_path / "room") for name in words if name.startswith("~/NexusArk/")}
        run(*(named.get(word, word) for word in words))


def test_every_link_and_picture_and_what_make_and_the_windows_starter_call_is_there() -> None:
    for readme in READMES:
        text = (ROOT / readme).read_text("utf-8")
        assert (targets := [t.split("#")[0] for t in re.findall(r"\]\(([^)]+)\)", text) if not t.startswith("http")])
        assert [t for t in targets if t and not (ROOT / t).exists()] == []
    makefile = (ROOT / "Makefile").read_text("utf-8")
    assert set(re.findall(r"^(\w+):", makefile, re.MULTILINE)) >= {"run", "install", "test", "lint", "bench"}
    for text in (makefile, (ROOT / "start.bat").read_text("utf-8")):
        assert [name for name in re.findall(r"\b(\w+\.py)\b", text) if not (ROOT / name).exists()] == []
