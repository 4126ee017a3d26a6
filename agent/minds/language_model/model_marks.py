"""What in a model's words is none of them (`assets/model_marks.toml`), as patterns for one answer, by the place where each may stand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, Final

import regex

from managers.language.lexicons import load
from managers.memory.messages import is_unnamed
from managers.mind import ReplyRequest, ToolSpec
from managers.storage.texts import table

_OPENS: Final = r"[\[【]?"
_CLOSES: Final = r"[\]】]?[*_]{0,3}[ \t]*(?:さん|ちゃん|くん)?[ \t]*(?:[:：](?!//)[*_]{0,3}|(?<=[\]】])[ \t]*\n)"
_TURN: Final = r"[ \t]*+\n?[ \t]*+(?![-*] |[・#|`>\d]|(?-i:[a-z]))[^\n]{0,300}?(?:[。!?！？…♪]|\.(?=[ \t]*(?:\n|\Z)|[ \t]+(?-i:[A-Z])))"
"""What looks like somebody's turn behind a name: a sentence, and none that goes on from the name."""
_OF_LOGS: Final = r"#+[ \t]*(?:AGENT|USER|SYSTEM):"


@dataclass(frozen=True, slots=True)
class Talk:
    """What is known of an answer before it comes.

    Attributes:
        own: what the persona is called.
        others: whose words it must not write; where several talk, `agent.own_lines` knows both.
        tools: the tools that the model was told of.
        language: the language of the answer, where that is certain; else empty.
        is_form: it is to be JSON of a form, and nothing in it is looked at.
    """

    own: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    language: str = ""
    is_form: bool = False


@dataclass(frozen=True)
class Marks:
    """The patterns; what a match is tells the name of its group, such as `thought3`.

    Attributes:
        start: at the beginning of an answer.
        line: at the beginning of a line.
        inline: anywhere but in code.
        after_sentence: what ends an answer, right after the end of a sentence.
        last: what ends an answer, when nothing follows it.
        closings: what closes the thought or the call of a group.
        unopened, openings: what closes a thought that a template has opened, and opens one that it has not.
        talked: what stands behind a tag that is only talked about.
    """

    start: Any
    line: Any
    inline: Any
    after_sentence: Any
    last: Any
    closings: dict[str, Any]
    unopened: Any
    openings: Any
    talked: Any


def talk_of(request: ReplyRequest, tools: Sequence[ToolSpec], language: str) -> Talk:
    """Return what is known of the answer to a request."""
    sheet, speaker = request.sheet, request.message.speaker
    called = tuple(call.name for turn in request.turns for call in turn.tool_calls)
    names = tuple(dict.fromkeys((*(name for tool in tools for name in (tool.name, *tool.members)), *called)))
    if request.company or regex.search(table("model_marks")["roles"]["asked"], request.message.text, regex.IGNORECASE):
        return Talk(tools=names, language=language)
    roles = table("model_marks")["roles"]["others"]
    own, others = (
        {*given} - {""}
        for given in (
            (sheet.persona, sheet.nickname),
            (sheet.user_name, "" if is_unnamed(speaker) else speaker, *roles),
        )
    )
    return Talk(tuple(own), tuple(others - own), names, language)


@lru_cache(16)
def marks_for(talk: Talk) -> Marks:
    """Return the patterns for an answer."""
    known = table("model_marks")
    thoughts = {f"thought{at}": one["open"] for at, one in enumerate(known["thought"])}
    closings = {f"thought{at}": one["close"] for at, one in enumerate(known["thought"])}
    of_templates = [one for one in known["thought"] if one.get("opened_by_template")]
    closes, wrapper, end = "|".join(one["close"] for one in of_templates), known["wrapper"], known["end"]
    start = {**thoughts, "closing": closes, "lead": "|".join(known["lead"]["patterns"])}
    line: dict[str, str] = {
        "fence": rf"[ \t]*(?:```|~~~)(?!{'tool_|function_call' if talk.tools else '(?!)'})(?=[^\n]*\n)",
        "closing": closes,
    }
    inline = {"joint": known["joint"]["pattern"], "thought_between": known["joint"]["thought"]}
    inline["unopened"] = rf"(?:{closes})[ \t]*+\n"
    closings["thought_between"] = next(one["close"] for one in known["thought"] if "harmony" in one["of"])
    if not talk.is_form:
        names = _listed(talk.tools)
        calls = {f"call{at}": one["open"] for at, one in enumerate(known["call"])}
        line_calls = {f"line_call{at}": one for at, one in enumerate(known["line_call"])}
        opens = {name: one["open"].replace("{name}", names) for name, one in line_calls.items()}
        closings |= {f"call{at}": one["close"] for at, one in enumerate(known["call"])}
        closings |= {name: one["close"].replace("{name}", names) for name, one in line_calls.items()}
        roles = [one for one in talk.others if one in known["roles"]["others"]]
        own = rf"[*_]{{0,3}}{_OPENS}(?:{_listed(talk.own)}){_CLOSES}[ \t　*_]*"
        begun = {
            "others": rf"(?:[*_]{{0,3}}{_OPENS}(?:{_listed(roles)}){_CLOSES}){_TURN}|[ \t]*{_OF_LOGS}",
            "own": own,
            "mark": _own_marks(),
        }
        later = {
            "others": rf"{begun['others']}|{_OPENS}(?:{_listed(talk.others)}){_CLOSES}{_TURN}",
            "own": rf"{own}(?={_TURN})",
            "mark": begun["mark"],
        }
        first_calls = {name: opens[name] for name, one in line_calls.items() if one.get("first")} if talk.tools else {}
        start |= {"wrapper": wrapper["open"], **calls, **first_calls, **begun}
        line_opens = {name: opens[name] for name in opens if name not in first_calls} if talk.tools else {}
        line = {**line_opens, **later, **line, **({"results": end["results"]} if talk.tools else {})}
        inline = {**calls, **inline, "wrapped": wrapper["close"], "end": rf"(?:{end['tokens']}){end['follows']}"}
        inline["end_of_line"] = rf"(?:{end['tokens']}){end['line_end']}"
    at_start, at_line, within = (
        _compiled("|".join(f"(?P<{name}>{one})" for name, one in found.items())) for found in (start, line, inline)
    )
    return Marks(
        at_start,
        at_line,
        within,
        after_sentence=_compiled(end["after_sentence"]),
        last=_compiled(rf"(?:{end['tokens']})\s*\Z"),
        closings={name: _compiled(one or r"(?!)") for name, one in closings.items()},
        unopened=_compiled(closes),
        openings=_compiled("|".join(one[key] for one in of_templates for key in ("open", "close"))),
        talked=_compiled(known["talked"]),
    )


@cache
def _compiled(pattern: str) -> Any:  # noqa: ANN401  # regex has no types
    return regex.compile(pattern, regex.IGNORECASE | regex.MULTILINE)


def _listed(names: Sequence[str]) -> str:
    return "|".join(regex.escape(one) for one in sorted(names, key=len, reverse=True)) or "(?!)"


@cache
def _own_marks() -> str:
    """Return the pattern of the lines of ours that stand in prompts, which models write, too."""
    quoting, said = table("prompts/quoting"), table("prompts/system_prompt")
    both = ("ja", "en")
    lines = [quoting[key][lang] for key in ("opens", "closes", "wordless", "speaks") for lang in both]
    lines += [table("prompts/group")[key][lang] for key in ("your_turn", "you_and") for lang in both]
    lines += [table("prompts/chat_messages")["tool_said"][lang].split("\n")[0] for lang in both]
    for name, heading in said["headings"].items():
        if name != "now":  # a word that a persona may put in brackets
            lines += [form.format(heading[lang]) for lang in both for form in ("[{}]", "=== {} ===")]
    for lang in both:
        when = regex.sub(r"\\{\w+\\}", r"[\\p{L}\\d:]{1,12}", regex.escape(load(f"{lang}/day_words")["with_clock"]))
        lines.append((when, said["wrote_first"][lang]))
    written = [
        rf"\[{one[0]}(?: {regex.escape(one[1])})?\]" if isinstance(one, tuple)
        else regex.sub(r"\\{\w+\\}", r"[^\\]\\n]{0,120}?", regex.escape(one))
        for one in lines
    ]  # fmt: skip
    return rf"(?:{'|'.join(written)})[ \t]*\n?"
