"""An export of half a million messages, imported as a person does it: how long that takes, and what memory.

make bench ARGS=imports                    all of it
python -m benchmarks.imports 50000         so many messages
"""

import json
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from threading import Event, Thread

import psutil

from benchmarks.__main__ import Row, show
from benchmarks.sleep import START, day_of_talk

MESSAGES = 500_000
A_CONVERSATION = 100
MINUTES = 5.0
MEGABYTES = 500
_ROOT = Path(__file__).resolve().parents[1]
_LOOK_SECONDS = 0.05


@dataclass
class Watched:
    """What a command took: seconds, and the most memory of its own process and of those that it began, in MB."""

    seconds: float = 0.0
    processor: float = 0.0
    own: float = 0.0
    others: float = 0.0
    told: str = ""


def measure(messages: int = MESSAGES) -> Iterator[Row]:
    """Yield what an import took, and what the same import took again."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "export.zip"
        size = write_export(path, messages)
        yield "the export", f"{messages:,} messages, {size / 1e6:.0f} MB unpacked", ""
        for what, budget in (("import", f"{MINUTES:.0f} min"), ("again", "")):
            took = watched(["import", "chatgpt", str(path), "--persona", "ねむ", "--home", f"{folder}/home", "--json"])
            report = json.loads(took.told.splitlines()[-1])
            added = next(value for key, value in report.items() if key in {"added", "messages_added"})
            yield f"{what}: messages added", f"{added:,}", ""
            yield f"{what}: time (of the processor)", f"{took.seconds:.0f} s ({took.processor:.0f} s)", budget
            for whose, most in (("the program", took.own), ("who reads", took.others)):
                yield f"{what}: memory of {whose}", f"{most:.0f} MB", f"{MEGABYTES} MB"


def write_export(path: Path, messages: int) -> int:
    """Write an export as ChatGPT makes it, newest conversation first; return how many bytes it has unpacked."""
    rng, size = Random(3), 0
    count = -(-messages // A_CONVERSATION)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("conversations.json", "w") as file:
        for number in range(count):
            begun = START + timedelta(days=3650 * (count - number) // count)
            told = json.dumps(_conversation(number, begun, rng), ensure_ascii=False).encode()
            size += file.write((b"[" if number == 0 else b",") + told)
        file.write(b"]")
    return size


def _conversation(number: int, begun: object, rng: Random) -> dict[str, object]:
    assert isinstance(begun, type(START))
    mapping: dict[str, object] = {"root": {"id": "root", "message": None, "parent": None, "children": []}}
    parent = "root"
    for said in day_of_talk(begun, A_CONVERSATION, rng):
        name = f"{number:05}-{said.id}-4b1c-9f7e-0242ac120002"
        mapping[name] = {
            "id": name,
            "message": _message(name, said.role == "user", said.text, said.time),
            "parent": parent,
        }
        parent = name
    return {
        "title": f"会話 {number}",
        "create_time": datetime.combine(begun, datetime.min.time()).timestamp(),
        "mapping": mapping,
        "current_node": parent,
        "conversation_id": f"c-{number}",
        "default_model_slug": "gpt-4o",
    }


def _message(name: str, is_user: bool, text: str, time: datetime) -> dict[str, object]:
    return {
        "id": name,
        "author": {"role": "user" if is_user else "assistant", "name": None, "metadata": {}},
        "create_time": time.timestamp(),
        "update_time": None,
        "content": {"content_type": "text", "parts": [text]},
        "status": "finished_successfully",
        "end_turn": True,
        "weight": 1.0,
        "metadata": {
            "request_id": "0f1e2d3c",
            "message_source": None,
            "timestamp_": "absolute",
            "model_slug": "gpt-4o",
        },
        "recipient": "all",
        "channel": None,
    }


def watched(arguments: list[str]) -> Watched:
    """Run the command line, and look at its processes all the while."""
    took, ended = Watched(), Event()
    started = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, "app.py", *arguments], cwd=_ROOT, stdout=subprocess.PIPE, text=True
    ) as process:
        watcher = Thread(target=_watch, args=(psutil.Process(process.pid), took, ended))
        watcher.start()
        took.told = process.communicate()[0]
        ended.set()
        watcher.join()
    took.seconds = time.perf_counter() - started
    if process.returncode:
        raise RuntimeError(arguments)
    return took


def _watch(process: psutil.Process, took: Watched, ended: Event) -> None:
    spent: dict[int, float] = {}
    while not ended.wait(_LOOK_SECONDS):
        try:
            took.own = max(took.own, process.memory_info().rss / 1e6)
            for one in (process, *process.children(recursive=True)):
                times = one.cpu_times()
                spent[one.pid] = times.user + times.system
                if one.pid != process.pid:
                    took.others = max(took.others, one.memory_info().rss / 1e6)
        except psutil.Error:  # one of them has just ended
            continue
    took.processor = sum(spent.values())


if __name__ == "__main__":
    show(measure(*map(int, sys.argv[1:2])))
