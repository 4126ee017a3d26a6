"""Give each parser inputs that nobody would write, and look whether it returns, in time, whatever they are.

100,000 for each unless told otherwise: `UTATANE_FUZZ=1000 make bench ARGS=fuzzing`, `UTATANE_FUZZ=log,html/5000`.
With the extra `fuzzing` (atheris) as many again are led by what of the parser they reach. What somebody stumbled over
lies in `build/fuzzing/` then; mended, it belongs into `tests/corpus/`.
"""

import importlib.util
import json
import os
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from random import Random
from threading import Timer
from types import FunctionType

from tests.parsers import PARSERS, Parser
from tests.parsers.growth import MOST_GROWTH, Recipe, growth

Row = tuple[str, str, str]
_ROOT = Path(__file__).resolve().parents[1]
_FOUND = _ROOT / "build" / "fuzzing"
_CORPUS = _ROOT / "tests" / "corpus"
_COUNT = 100_000
_RECIPES = 100
_LONG = 4096
_VERY_LONG = 65_536
_SLOW = 0.5
"""Seconds for an input of a few kilobytes."""
_PATIENCE = 0.05
_HANGS = 60.0
_MOST_TOLD = 10
_KINDS = ("crash", "slow", "hangs", "grows")


def measure() -> Iterator[Row]:
    """Yield for each parser how many inputs it was given, how long that took, and what was amiss."""
    names, _, count = os.environ.get("UTATANE_FUZZ", "").rpartition("/")
    names, count = (names, count) if count.isdecimal() or not count else (count, "")
    for name in [name for name in names.split(",") if name] or PARSERS:
        yield from _measured(name, int(count or _COUNT))


def _measured(name: str, count: int) -> Iterator[Row]:
    started = time.perf_counter()
    found = _tried(name, count)
    amiss = {kind: [one for one in found if one["kind"] == kind] for kind in _KINDS}
    yield f"{name}: inputs", f"{count:,} in {time.perf_counter() - started:.0f} s", ""
    if importlib.util.find_spec("atheris") is not None:
        started = time.perf_counter()
        guided = _guided(name, count)
        yield f"{name}: inputs led by coverage", f"{count:,} in {time.perf_counter() - started:.0f} s", ""
        yield f"{name}: of them amiss", str(len(guided)), "0"
        yield from ((f"{name}: led", one, "") for one in guided[:10])
    for kind, said in (
        ("crash", "raised something"),
        ("hangs", "never ended"),
        ("slow", "took too long"),
        ("grows", "grew"),
    ):
        yield f"{name}: {said}", str(len(amiss[kind])), "0"
        yield from ((f"{name}: {kind}", f"{one['said'][:160]} ({one['at']})", "") for one in amiss[kind][:10])


def _tried(name: str, count: int) -> list[dict[str, str]]:
    """Let a process of its own try a parser; where it hangs, another one goes on behind that input."""
    found: list[dict[str, str]] = []
    begin = 0
    while begin < count:
        at, told = _child(name, begin, count)
        found += told
        if at is None:
            return found
        found.append({"kind": "hangs", "at": _keep(name, "hangs", _input(PARSERS[name], at)), "said": f"input {at}"})
        begin = at + 1
    return found


def _child(name: str, begin: int, count: int) -> tuple[int | None, list[dict[str, str]]]:
    """Return the number of the input that a child hung at (None: it did not), and what it found."""
    child = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.fuzzing", name, str(begin), str(count)],
        cwd=_ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    now, found = begin, []
    watch = Timer(_HANGS, child.kill)
    watch.start()
    try:
        for line in child.stdout:
            watch.cancel()
            watch = Timer(_HANGS, child.kill)
            watch.start()
            said = json.loads(line)
            if "now" in said:
                now = said["now"]
            else:
                found.append(said)
    finally:
        watch.cancel()
        child.wait()
    return (None if child.returncode == 0 else now), found


def _try_all(name: str, begin: int, count: int) -> None:
    """Be that process: say where one is, and what was found, each kind of it once."""
    parser, seen, said = PARSERS[name], set[str](), 0.0
    for number in range(begin, count):
        if time.monotonic() - said > 1:
            said = time.monotonic()
            _say({"now": number})
        data = _input(parser, number)
        begun = time.thread_time()
        wrong = _raised(parser, data)
        seconds = time.thread_time() - begun
        if wrong is not None and _where(wrong) not in seen:
            seen.add(_where(wrong))
            _tell_crash(parser, data, wrong)
        if seconds > _SLOW and len(seen) < _MOST_TOLD:
            seen.add(str(number))
            _say({"kind": "slow", "at": _keep(name, "slow", data), "said": f"{seconds:.1f} s for {len(data)} bytes"})
    for recipe in _recipes(parser, _RECIPES if not begin else 0):
        _say({"now": count})
        try:
            times = growth(parser.read, recipe, parser.most, _PATIENCE)
        except Exception as error:  # noqa: BLE001  # it is looked for
            if _where(error) not in seen:
                seen.add(_where(error))
                _tell_crash(parser, recipe.made(_VERY_LONG), error)
            continue
        if times >= MOST_GROWTH:
            at = _keep(name, "grows", recipe.dumps().encode())
            _say({"kind": "grows", "at": at, "said": f"{times:.0f} times: {recipe}"})


def _tell_crash(parser: Parser, data: bytes, wrong: Exception) -> None:
    small = _smaller(data, lambda tried: isinstance(_raised(parser, tried), type(wrong)))
    _say({"kind": "crash", "at": _keep(parser.name, "crash", small), "said": f"{_where(wrong)}: {wrong}"})


def _raised(parser: Parser, data: bytes) -> Exception | None:
    try:
        parser.read(data)
    except Exception as error:  # noqa: BLE001  # it is looked for
        return error
    return None


def _where(wrong: Exception) -> str:
    """Return what it is and where it was raised: many inputs come to the same."""
    place = traceback.extract_tb(wrong.__traceback__)[-1]
    return f"{type(wrong).__name__} {place.filename.rpartition('/')[2]}:{place.lineno}"


def _say(said: dict[str, object]) -> None:
    print(json.dumps(said), flush=True)


def _smaller(data: bytes, still: Callable[[bytes], bool]) -> bytes:
    """Return less of an input that is amiss in the same way."""
    size = len(data) // 2
    while size:
        at = 0
        while at < len(data):
            tried = data[:at] + data[at + size :]
            if still(tried):
                data = tried
            else:
                at += size
        size //= 2
    return data


def _keep(name: str, kind: str, data: bytes) -> str:
    path = _FOUND / name / f"{kind}-{sha256(data).hexdigest()[:8]}"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path.relative_to(_ROOT).as_posix()


def _input(parser: Parser, number: int) -> bytes:
    """Return one of the inputs; the same number is the same input."""
    rng = Random(f"{parser.name} {number}")
    most = parser.most or (_VERY_LONG if rng.random() < 0.002 else _LONG)
    data = rng.choice((*parser.seeds, b"", b"".join(rng.choices(parser.tokens, k=rng.randint(1, 12)))))
    for _ in range(rng.choice((1, 1, 2, 3, 5, 8, 13))):
        data = rng.choice(_CHANGES)(data, rng, parser)[:most]
    return data


def _recipes(parser: Parser, count: int) -> Iterator[Recipe]:
    rng = Random(parser.name)
    ends = (b"", b"x", *parser.tokens, *parser.seeds)
    for _ in range(count):
        piece = (
            b"".join(rng.choices(parser.tokens, k=rng.choice((1, 1, 2, 2, 3, 5))))
            if rng.random() < 0.9
            else rng.choice(parser.seeds)
        )
        yield Recipe(rng.choice(ends), piece, rng.choice(ends))


def _span(data: bytes, rng: Random) -> tuple[int, int]:
    start = rng.randint(0, len(data))
    return start, min(len(data), start + rng.choice((1, 2, 4, 16, 64, 512)))


def _cut(data: bytes, rng: Random, _: Parser) -> bytes:
    start, end = _span(data, rng)
    return data[:start] + data[end:]


def _double(data: bytes, rng: Random, _: Parser) -> bytes:
    start, end = _span(data, rng)
    return data[:end] + data[start:end] * rng.choice((1, 1, 2, 7, 100)) + data[end:]


def _put_in(data: bytes, rng: Random, parser: Parser) -> bytes:
    at = rng.randint(0, len(data))
    return data[:at] + rng.choice(parser.tokens) * rng.choice((1, 1, 1, 2, 5, 50)) + data[at:]


def _put_over(data: bytes, rng: Random, parser: Parser) -> bytes:
    start, end = _span(data, rng)
    return data[:start] + rng.choice(parser.tokens) + data[end:]


def _flip(data: bytes, rng: Random, _: Parser) -> bytes:
    at = rng.randint(0, max(0, len(data) - 1))
    return data[:at] + bytes([rng.choice((0, 0x0A, 0x20, 0x7F, 0x80, 0xFF, rng.randint(0, 255)))]) + data[at + 1 :]


def _join(data: bytes, rng: Random, parser: Parser) -> bytes:
    other = rng.choice(parser.seeds)
    return data[: rng.randint(0, len(data))] + other[rng.randint(0, len(other)) :]


def _swap(data: bytes, rng: Random, _: Parser) -> bytes:
    start, end = _span(data, rng)
    return data[end:] + data[start:end] + data[:start]


def _end_early(data: bytes, rng: Random, _: Parser) -> bytes:
    return data[: rng.randint(0, len(data))]


_CHANGES = (_cut, _double, _put_in, _put_in, _put_over, _put_over, _flip, _join, _swap, _end_early)


# Led by what is reached


def _guided(name: str, count: int) -> list[str]:
    """Let atheris lead; return what it found."""
    place = _FOUND / name
    begun = place / "begun"
    begun.mkdir(parents=True, exist_ok=True)
    (place / "words").write_text("".join(f'"{_escaped(one)}"\n' for one in PARSERS[name].tokens))
    for number, seed in enumerate(PARSERS[name].seeds):
        (begun / f"seed-{number}").write_bytes(seed)
    known = _CORPUS / name
    call = [
        sys.executable,
        "-m",
        "benchmarks.fuzzing",
        "--guided",
        name,
        f"-runs={count}",
        "-seed=1",
        f"-max_len={_LONG}",
    ]
    call += [f"-timeout={_HANGS:.0f}", f"-dict={place / 'words'}", f"-artifact_prefix={place}/led-", str(begun)]
    done = subprocess.run(
        [*call, *([str(known)] if known.is_dir() else [])],
        cwd=_ROOT,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    if done.returncode == 0:
        return []
    lines = [
        line
        for line in (done.stdout + done.stderr).splitlines()
        if "Error" in line or "ERROR" in line or "Test unit" in line
    ]
    return lines or [f"ended with {done.returncode}"]


def _functions() -> Iterator[FunctionType]:
    for name, module in list(sys.modules.items()):
        if name.startswith(("managers.", "agent.", "ui.")):
            for value in vars(module).values():
                held = vars(value).values() if isinstance(value, type) else (value,)
                yield from (one for one in held if isinstance(one, FunctionType) and one.__module__ == name)


def _escaped(token: bytes) -> str:
    return "".join(f"\\x{byte:02x}" for byte in token)


def _lead(name: str, arguments: list[str]) -> None:
    import atheris  # noqa: PLC0415  # an extra

    parser = PARSERS[name]
    for function in _functions():
        atheris.instrument_func(function)  # in its place
    atheris.Setup([sys.argv[0], *arguments], parser.read)
    atheris.Fuzz()


if __name__ == "__main__":
    if sys.argv[1] == "--guided":
        _lead(sys.argv[2], sys.argv[3:])
    else:
        _try_all(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
