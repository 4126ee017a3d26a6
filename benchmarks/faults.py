"""Let calls of the operating system fail, one after the other, and look whether anything was lost.

Every twentieth one, unless told otherwise: `UTATANE_FAULTS=/1 make bench ARGS=faults` takes hours and leaves none out,
`UTATANE_FAULTS=turn,dream/5` does two operations with every fifth.
"""

import os
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.faults import NAMES, Fault, can_reach_sqlite
from tests.operations import OPERATIONS, Trial
from tests.small_life import make_life

Row = tuple[str, str, str]

_IN_MEMORY = Path("/dev/shm")
_EVERY = 20


def measure() -> Iterator[Row]:
    """Yield for each operation how many calls were let fail, and after how many of them something was amiss."""
    names, _, every = os.environ.get("UTATANE_FAULTS", "").partition("/")
    yield "SQLite's own calls fail too", "yes" if can_reach_sqlite() else "no: it is a part of Python here", "yes"
    with tempfile.TemporaryDirectory(dir=_IN_MEMORY if _IN_MEMORY.is_dir() else None) as folder:
        life = Path(folder) / "life"
        make_life(life)
        for name in [name for name in names.split(",") if name] or OPERATIONS:
            yield from _measured(name, life, Path(folder) / name, int(every or _EVERY))


def _measured(name: str, life: Path, folder: Path, every: int) -> Iterator[Row]:
    started = time.perf_counter()
    runs, how, amiss = 0, Counter[str](), list[str]()
    with Trial(OPERATIONS[name], life, folder) as trial:
        for way in NAMES:
            calls = trial.calls(way)
            for number in range(1, calls + 1, every):
                runs += 1
                try:
                    how[trial.survive(Fault(number, way)).how] += 1
                except AssertionError as error:
                    first = (str(error).strip().splitlines() or ["?"])[0]
                    amiss.append(f"{way} {number}: {first[:200]}")
    yield f"{name}: calls let fail", f"{runs}: {how['done']} went on, {how['said']} said why not", ""
    yield f"{name}: something lost, unsaid or not healed", str(len(amiss)), "0"
    yield from ((f"{name}: amiss", one, "") for one in amiss[:20])
    yield f"{name}: time", f"{time.perf_counter() - started:.0f} s", ""
