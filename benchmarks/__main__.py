"""`make bench`: measure what the design promises, print tables, and keep the figures as JSON.

make bench                       everything
make bench ARGS="log turns"      some of it
"""

import argparse
import importlib
import json
import pkgutil
import sys
from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path

import benchmarks

RESULTS = Path(__file__).resolve().parents[1] / "build" / "bench.json"
Row = tuple[str, str, str]
"""What was measured, the value with its unit, the budget (empty if there is none)."""


def available() -> list[str]:
    """Return the modules that measure something."""
    names = sorted(m.name for m in pkgutil.iter_modules(benchmarks.__path__) if not m.name.startswith("_"))
    return [name for name in names if hasattr(importlib.import_module(f"benchmarks.{name}"), "measure")]


def main(arguments: list[str]) -> None:
    """Run the benchmarks that were asked for, each in turn, and print what they found as they find it."""
    known = available()
    parser = argparse.ArgumentParser(prog="make bench")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"what to measure: {', '.join(known)}")
    wanted = parser.parse_args(arguments).names or known
    for name in wanted:
        if name not in known:
            parser.error(f"there is no benchmark {name!r}; there are {', '.join(known)}")
    for name in wanted:
        print(f"\n## {name}\n", flush=True)
        keep(name, show(importlib.import_module(f"benchmarks.{name}").measure()))


def show(rows: Iterable[Row]) -> list[Row]:
    """Print rows as a Markdown table, each as it comes; return them."""
    print("| what | measured | budget |\n|---|---|---|", flush=True)
    shown = []
    for row in rows:
        print(f"| {' | '.join(row)} |", flush=True)
        shown.append(row)
    return shown


def keep(name: str, rows: Sequence[Row]) -> None:
    """Keep what was measured beside what was measured before by other benchmarks."""
    RESULTS.parent.mkdir(exist_ok=True)
    kept = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}
    kept[name] = {
        "measured_at": f"{datetime.now():%Y-%m-%d %H:%M}",
        "rows": [{"what": what, "measured": value, "budget": budget} for what, value, budget in rows],
    }
    RESULTS.write_text(json.dumps(kept, ensure_ascii=False, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
