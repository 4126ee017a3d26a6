"""Whatever a model, a folder, a document or a server says: on the terminal it is text and no order."""

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.test_commands import ROOT, lines, run
from tests.cli.test_faults import settle_on
from tests.model_server import ModelServer, Refuse, Say
from tests.speeds import one_quick

EVIL = "\x1b]52;c;ZXZpbA==\x07\x9b2J\x7f\u202edneirf\u2069"
"""Writes the clipboard, clears the screen, and turns a word round."""
OBEYED = {chr(n) for n in (*range(32), *range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A))} - {*"\n\t"}


def harmless(done: subprocess.CompletedProcess[str]) -> str:
    """Return all that was printed, when none of it is an order."""
    said = done.stdout + done.stderr
    assert not OBEYED & set(said), ascii(said)
    return said


def test_what_a_model_says_is_no_order_and_json_keeps_it_whole(home: Path) -> None:
    with ModelServer() as server:
        settle_on(server, home)
        server.otherwise = Say(f"Good evening. {EVIL}")
        assert "Good evening. ]52" in harmless(run("chat", "Hazel", "-m", "Hello"))
        done = run("chat", "Hazel", "-m", "Hello again", "--json")
        harmless(done)
        assert lines(done)[-1]["text"] == f"Good evening. {EVIL}"
        server.enqueue(Refuse(400, f"no {EVIL}\nand no"))
        done = run("chat", "Hazel", "-m", "Well?", expect=1)
        assert "no ]52" in harmless(done)
        assert len(done.stderr.splitlines()) == 1
    assert "evening" in harmless(run("recall", "Hazel", "evening"))
    found = run("recall", "Hazel", "evening", "--json")
    harmless(found)
    assert any(EVIL in hit["text"] for hit in lines(found)[0]["results"])


@pytest.mark.slow
def test_names_in_folders_and_documents_are_no_orders(home: Path) -> None:
    run("personas", "list")
    folder = home / "characters" / "Hazel"
    told = json.loads((folder / "persona.json").read_text("utf-8"))
    told["user"] = {"name": f"You{EVIL}"}
    (folder / "persona.json").write_text(json.dumps(told), "utf-8")
    (folder / "core_memory.txt").write_text(f"Kept.\n{EVIL}\n", "utf-8")
    note = home.parent / "note.md"
    note.write_text(f"# Lighthouse {EVIL}\n\nThe lamp is lit at dusk {EVIL}.\n", "utf-8")
    run("knowledge", "add", "Hazel", str(note))
    for command, expect in (
        (["personas", "list"], 0), (["recall", "Hazel", "lamp at dusk"], 0), (["doctor"], 0),
        (["chat", f"Hazel{EVIL}", "-m", "Hello"], 1), ([f"no{EVIL}"], 2)
    ):  # fmt: skip
        harmless(run(*command, expect=expect))
        harmless(run(*command, "--json", expect=expect))
    entry = next(line.split()[0] for line in run("history", "Hazel").stdout.splitlines() if "core" in line)
    assert "Kept." in harmless(run("history", "Hazel", "--show", entry))


def test_nothing_prints_but_the_one_writer() -> None:
    for file in [ROOT / "app.py", *(ROOT / "commands").glob("*.py")]:
        calls = (node for node in ast.walk(ast.parse(file.read_text("utf-8"))) if isinstance(node, ast.Call))
        names = {ast.unparse(node.func) for node in calls}
        printing = {"print", "input", "typer.echo", "typer.secho", "sys.stdout.write", "sys.stderr.write"}
        assert file.name == "terminal.py" or not names & printing, file


UNFORESEEN = """
import logging, sys, threading
import commands.doctor, managers.storage.access, managers.storage.notices
def fails(*_anything, **_options):
    thread = threading.Thread(target=lambda: 1 // 0)
    thread.start()
    thread.join()
    logging.getLogger("a.library").warning("a word to nobody: %d", "no number")
    raise KeyError("nobody foresaw this")
commands.doctor.examine = managers.storage.access.Access.__init__ = fails
from commands.line import run
sys.exit(run(sys.argv[1:]))
"""


@pytest.mark.parametrize("command", one_quick(["access", "doctor"]))
def test_what_nobody_foresaw_is_one_line_also_where_no_log_is_written(home: Path, command: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", UNFORESEEN, command], cwd=ROOT, env=os.environ | {"UTATANE_LANG": "en"},
        capture_output=True, text=True, check=False
    )  # fmt: skip
    assert done.returncode == 1
    assert "nobody foresaw this" in done.stderr
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert not home.exists()
