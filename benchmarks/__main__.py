"""`make bench`: measure what the design promises, and print one table.

make bench                       everything
make bench ARGS="log turns"      some of it
"""

from __future__ import annotations

import argparse
import importlib
import pkgutil
import sys
from collections.abc import Iterable

import benchmarks

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
        show(importlib.import_module(f"benchmarks.{name}").measure())


def show(rows: Iterable[Row]) -> None:
    """Print rows as a Markdown table, each as it comes."""
    print("| what | measured | at most |\n|---|---|---|", flush=True)
    for what, value, budget in rows:
        print(f"| {what} | {value} | {budget} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
