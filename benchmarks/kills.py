"""Kill each feature at random steps: the tests that `make test` runs with one seed, with others."""

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from random import SystemRandom

from benchmarks.__main__ import Row

ROUNDS = 20
ROOT = Path(__file__).resolve().parents[1]


def measure(rounds: int = ROUNDS) -> Iterator[Row]:
    """Yield how many rounds all tests held, and what failed with which seed."""
    started, held = time.perf_counter(), 0
    for _ in range(rounds):
        seed = SystemRandom().randrange(1 << 31)
        command = [sys.executable, "-m", "pytest", "-n", "auto", "--dist", "loadfile", "-k", "killed_once"]
        done = subprocess.run(
            [*command, "--seed", str(seed)], cwd=ROOT, check=False, capture_output=True, encoding="utf-8"
        )
        held += done.returncode == 0
        for line in done.stdout.splitlines():
            if line.startswith(("FAILED", "ERROR")):
                yield f"--seed {seed}", line[:200], ""
    yield "rounds in which each feature survived its death", f"{held} of {rounds}", f"{rounds} of {rounds}"
    yield "time", f"{time.perf_counter() - started:.0f} s", ""
