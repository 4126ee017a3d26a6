"""What a machine wrote when something failed: tracebacks, lines of logs, answers of servers. Nobody tells of their life in it.

The rules of `error_text.toml` are asked of each line, then of each sentence in it, in both languages: who writes Japanese
pastes English errors. What a person says of an error stays theirs.
"""

from managers.language.reading.rules import fits_any
from managers.language.words import sentences

_TOPIC = "error_text"


def part_errors(text: str) -> tuple[str, str]:
    """Return a text without what a machine wrote about a failure, and that; a text without any comes back as it is."""
    told, errors = list[str](), list[str]()
    is_inside = False
    for line in text.splitlines():
        if is_inside and _goes_on(line):
            errors.append(line)
            continue
        is_inside = fits_any(_TOPIC, "trace", line)
        if is_inside or fits_any(_TOPIC, "line", line):
            errors.append(line)
            continue
        found = [one for one in sentences(line) if fits_any(_TOPIC, "sentence", one)]
        errors += found
        for one in found:
            line = line.replace(one, "", 1)  # noqa: PLW2901  # what is left of it
        told.append(line)
    return ("\n".join(told), "\n".join(errors)) if errors else (text, "")


def _goes_on(line: str) -> bool:
    """Tell whether a line belongs to the trace before it: code and places stand further in, its end names what was raised."""
    return line[:1] in {" ", "\t"} or fits_any(_TOPIC, "trace", line) or fits_any(_TOPIC, "raised", line)
