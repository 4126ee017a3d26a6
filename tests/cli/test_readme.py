"""The READMEs' commands work as they stand there."""

import json
import re
import shlex
from pathlib import Path

import pytest

from tests.cli.test_commands import ROOT, run

MESSAGE = {
    "id": "r:1",
    "time": "2026-11-01T10:00:00",
    "role": "user",
    "speaker": "Aoi",
    "text": "My cat is called Momo",
}


@pytest.mark.parametrize("readme", ["README.md", "README.ja.md"])
def test_every_command_of_the_readme_works(readme: str, tmp_path: Path) -> None:
    text = (ROOT / readme).read_text("utf-8")
    commands = re.findall(r"^\.venv/bin/python app\.py (.+)$", text, re.MULTILINE)
    assert len(commands) >= 6
    (tmp_path / "chat.jsonl").write_text(json.dumps(MESSAGE) + "\n", "utf-8")
    (tmp_path / "room").mkdir()
    (tmp_path / "room" / "log.txt").write_text("## USER:Aoi\nHello\n\n2026-05-12 (Tue) 09:01:20 |\n", "utf-8")
    for command in commands:
        words = shlex.split(command, comments=True)
        named = {name: str(tmp_path / name) for name in words if name.endswith((".jsonl", ".zip"))}
        named |= {name: str(tmp_path / "room") for name in words if name.startswith("~/NexusArk/")}
        arguments = [named.get(a, a) for a in words]
        run(*arguments, home=tmp_path / "home")


@pytest.mark.parametrize("readme", ["README.md", "README.ja.md"])
def test_every_link_and_picture_of_the_readme_is_there(readme: str) -> None:
    text = (ROOT / readme).read_text("utf-8")
    targets = [t.split("#")[0] for t in re.findall(r"\]\(([^)]+)\)", text) if not t.startswith("http")]
    assert targets
    assert [t for t in targets if t and not (ROOT / t).exists()] == []


def test_make_and_the_windows_starter_call_what_is_there() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    assert set(re.findall(r"^(\w+):", makefile, re.MULTILINE)) >= {"run", "install", "test", "lint", "bench"}
    for text in (makefile, (ROOT / "start.bat").read_text("utf-8")):
        for script in re.findall(r"\b(\w+\.py)\b", text):
            assert (ROOT / script).exists()
