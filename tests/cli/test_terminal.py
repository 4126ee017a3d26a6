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

EVIL = "\x1b]52;c;ZXZpbA==\x07\x9b2J\x7f\u202edneirf\u2069"
"""Writes the clipboard, clears the screen, and turns a word round."""
OBEYED = {chr(n) for n in (*range(32), *range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A))} - {
    "\n",
    "\t",
}


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
        assert len(run("chat", "Hazel", "-m", "Well?", expect=1).stderr.splitlines()) == 1
        server.enqueue(Refuse(400, f"no {EVIL}"))
        assert "no ]52" in harmless(run("chat", "Hazel", "-m", "Well?", expect=1))
    assert "evening" in harmless(run("recall", "Hazel", "evening"))
    found = run("recall", "Hazel", "evening", "--json")
    harmless(found)
    assert any(EVIL in hit["text"] for hit in lines(found)[0]["results"])


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
    for command in (
        ["personas", "list"],
        ["knowledge", "list", "Hazel"],
        ["recall", "Hazel", "lamp at dusk"],
        ["history", "Hazel"],
        ["doctor"],
        ["usage"],
        ["chat", f"Hazel{EVIL}", "-m", "Hello"],
        [f"no{EVIL}"],
    ):
        done = run(*command, expect=1 if "chat" in command else 2 if len(command[0]) > 9 else 0)
        harmless(done)
        harmless(run(*command, "--json", expect=done.returncode))
    entry = next(line.split()[0] for line in run("history", "Hazel").stdout.splitlines() if "core" in line)
    assert "Kept." in harmless(run("history", "Hazel", "--show", entry))


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals of this kind")
def test_the_prompt_of_a_conversation_is_no_order(home: Path) -> None:
    import pty  # noqa: PLC0415  # not there on Windows

    run("personas", "edit", "Hazel", "--user-name", f"Aoi{EVIL}")
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "app.py", "chat", "Hazel"],
        cwd=ROOT,
        env=os.environ | {"UTATANE_HOME": str(home), "UTATANE_LANG": "en", "TERM": "dumb"},
        stdin=follower,
        stdout=follower,
        stderr=follower,
    )
    os.close(follower)
    said = b""
    while b"dneirf>" not in said:
        said += os.read(leader, 1000)
    os.write(leader, b"\x04")
    process.wait(60)
    os.close(leader)
    assert not (OBEYED - {"\r"}) & set(said.decode())


def test_nothing_prints_but_the_one_writer() -> None:
    for file in [ROOT / "app.py", *(ROOT / "commands").glob("*.py")]:
        if file.name == "terminal.py":
            continue
        names = {
            ast.unparse(node.func)
            for node in ast.walk(ast.parse(file.read_text("utf-8")))
            if isinstance(node, ast.Call)
        }
        assert not names & {"print", "input", "typer.echo", "typer.secho", "sys.stdout.write", "sys.stderr.write"}, file


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


@pytest.mark.parametrize("command", ["doctor", "access"])
def test_what_nobody_foresaw_is_one_line_also_where_no_log_is_written(home: Path, command: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", UNFORESEEN, command, "--home", str(home)],
        cwd=ROOT,
        env=os.environ | {"UTATANE_LANG": "en"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "nobody foresaw this" in done.stderr
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert not home.exists()
