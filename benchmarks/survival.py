"""A conversation whose process is killed again and again: is every acknowledged message in the log once?"""

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from threading import Timer

from managers.memory.log import ConversationLog
from managers.storage.clock import SystemClock
from managers.storage.paths import Home

ROOT = Path(__file__).resolve().parents[1]
TRANSCRIPT = ROOT.parent / "shared" / "data" / "realpersonachat-ad-ey.transcript.jsonl"
TURNS = 200
KILLS = 20


@dataclass
class Survival:
    """What became of a conversation.

    Attributes:
        acknowledged: ids of messages whose `received` line was printed, in order.
        kills: how often the process was killed.
        lost: acknowledged messages that are not in the log.
        doubled: messages that are in the log more than once.
        wrong: acknowledged messages whose text in the log is another one.
    """

    acknowledged: list[str] = field(default_factory=list)
    kills: int = 0
    lost: list[str] = field(default_factory=list)
    doubled: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)


def measure() -> Iterator[tuple[str, str, str]]:
    """Yield the outcome for 200 turns with 20 kills."""
    if not TRANSCRIPT.exists():
        yield "survival", f"skipped: {TRANSCRIPT.name} is not there", ""
        return
    said = [json.loads(line) for line in TRANSCRIPT.read_text("utf-8").splitlines()]
    lines = [message["text"] for message in said if message["role"] == "user"][:TURNS]
    with tempfile.TemporaryDirectory() as folder:
        outcome = survive(Path(folder) / "home", "ねむ", lines, kills=KILLS, rng=Random(1))
    yield "turns acknowledged, with kills", f"{len(outcome.acknowledged)}, {outcome.kills}", ""
    yield (
        "acknowledged messages lost / doubled / altered",
        f"{len(outcome.lost)} / {len(outcome.doubled)} / {len(outcome.wrong)}",
        "0 / 0 / 0",
    )


def survive(home: Path, persona: str, lines: Sequence[str], *, kills: int, rng: Random) -> Survival:
    """Say all lines through `chat --json`, killing the process in the middle, and read the log after."""
    outcome = Survival()
    spoken: dict[str, str] = {}
    position = 0
    while position < len(lines):
        kill_after = rng.uniform(0.0, 0.3) if outcome.kills < kills else None
        # The process is killed in the middle of the run of turns that is left to it.
        kill_at = rng.randint(0, max(1, (len(lines) - position) // max(1, kills - outcome.kills + 1) - 1))
        process = subprocess.Popen(
            [sys.executable, "app.py", "chat", persona, "--json"],
            cwd=ROOT,
            env=os.environ | {"UTATANE_HOME": str(home)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        assert process.stdin is not None
        assert process.stdout is not None
        killer: Timer | None = None
        for turn in range(len(lines) - position):
            if turn == kill_at and kill_after is not None:
                killer = Timer(kill_after, process.send_signal, [signal.SIGKILL])
                killer.start()
            if not _say(process, lines[position], outcome, spoken):
                break
            position += 1
        if killer is not None:
            killer.join()
        with contextlib.suppress(BrokenPipeError):  # what a dead process did not read is given up
            process.stdin.close()
        process.stdout.close()
        outcome.kills += process.wait() == -signal.SIGKILL
    _compare(home, persona, outcome, spoken)
    return outcome


def _say(process: subprocess.Popen[str], text: str, outcome: Survival, spoken: dict[str, str]) -> bool:
    """Say one line; return whether its turn came to an end."""
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write(text + "\n")
        process.stdin.flush()
    except BrokenPipeError:
        return False
    for line in process.stdout:
        event = json.loads(line)
        if event["event"] == "received":
            outcome.acknowledged.append(event["message_id"])
            spoken[event["message_id"]] = text
        else:
            return True
    return False


def _compare(home: Path, persona: str, outcome: Survival, spoken: dict[str, str]) -> None:
    messages = list(ConversationLog(Home(home).persona(persona), SystemClock(), Random(0)).messages())
    counts = Counter(message.id for message in messages)
    texts = {message.id: message.text for message in messages}
    outcome.lost = [i for i in outcome.acknowledged if i not in counts]
    outcome.doubled = [i for i, count in counts.items() if count > 1]
    outcome.wrong = [i for i, text in spoken.items() if texts.get(i, text) != text]
