"""How much there is to read: files, lines, long modules and functions, patterns, and names that are used twice."""

import ast
import subprocess
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from benchmarks.__main__ import Row
from managers.storage.paths import CHECKOUT

_READ: Final = (".py", ".js", ".css", ".html")
_ASIDE: Final = ("tests", "benchmarks")
_LONGEST_MODULE: Final = 400
_LONGEST_FUNCTION: Final = 40
_WITH_PATTERN: Final = frozenset(
    {"compile", "search", "match", "fullmatch", "sub", "subn", "split", "findall", "finditer"}
)
_LONGEST_PATTERN: Final = 80
_FEW_PATTERNS: Final = tuple(map(Path, ("agent/minds/builtin", "managers/language", "managers/recall")))
_BUILTIN: Final = Path("agent/minds/builtin")
_MAY_REPEAT: Final = frozenset({"__init__", "routes", "view", "errors"})


def measure() -> Iterator[Row]:
    """Count what git tracks; tests and benchmarks aside."""
    told = subprocess.run(["git", "ls-files", "-z"], cwd=CHECKOUT, capture_output=True, text=True, check=True).stdout
    files = [Path(name) for name in told.split("\0") if name]
    texts = {
        file: (CHECKOUT / file).read_text("utf-8")
        for file in files
        if file.suffix in _READ and file.parts[0] not in _ASIDE
    }
    lines = {file: text.count("\n") for file, text in texts.items()}
    trees = {file: ast.parse(text) for file, text in texts.items() if file.suffix == ".py"}
    yield "files, lines of the whole product", f"{len(lines)}, {sum(lines.values()):,}", ""
    for package in sorted({_package(file) for file in lines}):
        inside = [count for file, count in lines.items() if _package(file) == package]
        yield f"files, lines in {package}", f"{len(inside)}, {sum(inside):,}", ""
    yield "lines in the built-in mind", f"{sum(n for file, n in lines.items() if _BUILTIN in file.parents):,}", "5,200"
    yield from _long(lines, trees)
    yield from _patterns({file: [*_calls_of_re(tree)] for file, tree in trees.items()})
    branches = sum(_asks_language(tree) for file, tree in trees.items() if _BUILTIN in file.parents)
    yield "branches on the language in the built-in mind", str(branches), "30"
    names = Counter(file.stem for file in trees if file.stem not in _MAY_REPEAT)
    twice = {name: count for name, count in names.most_common() if count > 1}
    yield "names of modules used more than once", f"{len(twice)}: {_each(twice)}", ""


def _patterns(calls: dict[Path, list[ast.Call]]) -> Iterator[Row]:
    """Count calls of `re` with a pattern, and list the patterns that are too long to be read in Python."""
    here = Counter(_package(file) for file, found in calls.items() for _ in found)
    few = sum(len(found) for file, found in calls.items() if any(home in file.parents for home in _FEW_PATTERNS))
    yield "calls of re with a pattern", _each(here), ""
    yield f"of them in {', '.join(map(str, _FEW_PATTERNS))}", str(few), "100"
    longest = {
        f"{file}:{call.lineno}": _pattern_length(call.args[0]) for file, found in calls.items() for call in found
    }
    long = {place: length for place, length in longest.items() if length > _LONGEST_PATTERN}
    yield f"patterns over {_LONGEST_PATTERN} characters", f"{len(long)}: {_each(long)}" if long else "0", "0"


def _pattern_length(pattern: ast.expr) -> int:
    """Return the length of the longest literal that a pattern is made of; literals side by side are one."""
    parts = (one.value for one in ast.walk(pattern) if isinstance(one, ast.Constant) and isinstance(one.value, str))
    return max(map(len, parts), default=0)


def _package(file: Path) -> str:
    return "/".join(file.parts[:2]) if len(file.parts) > 2 else file.parts[0] if len(file.parts) > 1 else "."


def _long(lines: dict[Path, int], trees: dict[Path, ast.Module]) -> Iterator[Row]:
    modules = [f"{file} {count}" for file, count in lines.items() if file.suffix == ".py" and count > _LONGEST_MODULE]
    functions = [
        f"{file}:{one.name} {_length(one)}"
        for file, tree in trees.items()
        for one in ast.walk(tree)
        if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef) and _length(one) > _LONGEST_FUNCTION
    ]
    yield f"modules over {_LONGEST_MODULE} lines", _listed(modules), ""
    yield f"functions over {_LONGEST_FUNCTION} lines", _listed(functions), ""


def _length(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Return the lines of a function without its docstring."""
    first = function.body[0]
    is_docstring = (
        isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)
    )
    docstring = (first.end_lineno or 0) - first.lineno + 1 if is_docstring else 0
    return (function.end_lineno or 0) - function.lineno + 1 - docstring


def _calls_of_re(tree: ast.Module) -> Iterator[ast.Call]:
    for one in ast.walk(tree):
        match one:
            case ast.Call(func=ast.Attribute(value=ast.Name("re"), attr=name), args=[_, *_]) if name in _WITH_PATTERN:
                yield one


def _asks_language(tree: ast.Module) -> int:
    """Return how often something is compared with a language's name."""
    return sum(
        isinstance(side, ast.Constant) and side.value in {"ja", "en"}
        for one in ast.walk(tree)
        if isinstance(one, ast.Compare)
        for side in (one.left, *one.comparators)
    )


def _listed(found: Sequence[str]) -> str:
    return f"{len(found)}: {', '.join(found)}" if found else "0"


def _each(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items())
