"""The prompts of a dream: who the persona is, how memories are made, and each task; its answer is in `managers.sleep.tasks`."""

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import Literal, get_args

from agent.prompts.quoting import one_line, plain
from managers.language.dates_in_words import say
from managers.language.reading.rules import either
from managers.memory.messages import NAMELESS
from managers.memory.periods import Span
from managers.mind import Sheet
from managers.sleep.checks import MAX_INSIGHT, MAX_LOG_ENTRY, MAX_NEW_GOALS
from managers.sleep.tasks import Level, Task
from managers.storage.errors import Lang
from managers.storage.texts import Texts

NightPart = Literal["episodes", "past", "insights", "values", "goals", "questions", "conversation"]
"""What a night looks back on, in this order."""
PERSONA_TOKENS = 450
"""So much of the persona's description tells how it speaks of itself, and what matters to it."""

_say = Texts("prompts/dreams")


def of_day(
    task: Task,
    sheet: Sheet,
    persona: str,
    *,
    day: date,
    conversation: str,
    known: str = "",
    before: str = "",
    persona_speaks_for_itself: bool = False,
) -> tuple[str, str]:
    """Return instructions and material of a task about one day.

    Args:
        task: which.
        sheet: who dreams, and of whom.
        persona: what of its description it reads; see `excerpt`.
        day: the day.
        conversation: what was said on it.
        known: what is known already of what the task asks for.
        before: what is remembered of the day before; see `day_before`.
        persona_speaks_for_itself: whatever the persona said is a mind's invention, and no evidence of facts.
    """
    lang = sheet.language
    told = section(_say("conversation_of", lang, day=say("in_numbers", day, lang)), conversation)
    own = _say(f"{task}.task", lang, user=called(sheet))
    whole = instructions(sheet, own, persona, persona_speaks_for_itself=persona_speaks_for_itself)
    return whole, (section(_say(f"{task}.known", lang), known) if known else "") + before + told


def of_night(
    sheet: Sheet, persona: str, level: Level, *, today: date, parts: Mapping[NightPart, str]
) -> tuple[str, str]:
    """Return instructions and material of a night's reflection."""
    lang = sheet.language
    facts = {"insight": MAX_INSIGHT, "log": MAX_LOG_ENTRY, "goals": MAX_NEW_GOALS}
    own = _say("reflection.task", lang, user=called(sheet), level=_say(f"reflection.level_{level}", lang), **facts)
    told = [section(_say(f"reflection.parts.{one}", lang), parts.get(one, "")) for one in get_args(NightPart)]
    return instructions(sheet, own, persona), _say("tonight", lang, day=say("in_numbers", today, lang)) + "".join(told)


def of_period(sheet: Sheet, persona: str, span: Span, *, days: str) -> tuple[str, str]:
    """Return instructions and material of a week or a month, of which the `days` are told in short."""
    lang = sheet.language
    first, last = (say("in_numbers", day, lang) for day in span)
    what = _say("period.week" if span.is_week else "period.month", lang)
    own = _say("period.task", lang, user=called(sheet), what=what, first=first, last=last)
    return instructions(sheet, own, persona), section(_say("period.days", lang), days)


def instructions(sheet: Sheet, task: str, persona: str, *, persona_speaks_for_itself: bool = False) -> str:
    """Return the whole instruction of a task: what all tasks of a night share stands first."""
    lang = sheet.language
    names = {"persona": one_line(sheet.persona), "user": called(sheet), "nameless": NAMELESS[lang]}
    role = _say("role", lang, **names) + _say("formerly" if sheet.user_name else "unnamed", lang, **names)
    who = section(_say("who_you_are", lang, **names), persona)
    rules = _say("rules", lang) + (_say("testimony", lang, **names) if persona_speaks_for_itself else "")
    return "\n\n".join(part for part in (role, who.strip(), rules, task) if part)


def called(sheet: Sheet) -> str:
    """Return what prompts call the user."""
    return one_line(sheet.user_name) or NAMELESS[sheet.language]


def excerpt(description: str, count: Callable[[str], int], most: int = PERSONA_TOKENS) -> str:
    """Return what of a persona's description tells who it is and how it speaks, in its order.

    Sections and paragraphs stay under what stands over them: below "never do this" a line says the contrary of what it
    says by itself. Of one that does not fit, the first lines are kept.
    """
    blocks, manner = _blocks(plain(description)), either("manner", "speaks")
    kept: dict[int, str] = {}
    for number in sorted(
        range(len(blocks)), key=lambda one: (one > 0, not manner.search(blocks[one].split("\n")[0]), one)
    ):
        lines = []
        for line in blocks[number].split("\n"):
            most -= count(line) + 1
            if most < 0:
                break
            lines.append(line)
        if len(lines) > 1 or lines == [blocks[number]]:
            kept[number] = "\n".join(lines)
        if most < 0:
            break
    return "\n".join(kept[number] for number in sorted(kept))


def _blocks(text: str) -> list[str]:
    """Return the sections and paragraphs of a text, each with the heading or the sentence that it stands under."""
    blocks: list[list[str]] = [[]]
    ended = False
    for line in text.splitlines():
        opens = (bool(blocks[-1]) and blocks[-1][-1].endswith((":", "："))) or (
            blocks[-1] and blocks[-1][-1].startswith("#")
        )
        if line.startswith("#") or (ended and not opens and not (blocks[-1] and blocks[-1][0].startswith("#"))):
            blocks.append([])
        ended = not line.strip()
        if not ended:
            blocks[-1].append(line.rstrip())
    return ["\n".join(block) for block in blocks if block]


def day_before(day: date, summary: str, lang: Lang) -> str:
    """Return what was remembered of a day before, so that it is known who is meant by "she"."""
    return section(_say("before", lang, day=say("in_numbers", day, lang)), summary)


def aside(what: Literal["files", "from_file", "another_persona"], lang: Lang, names: Sequence[str] = ()) -> str:
    """Return what tells that files came with a message, that it says what one says, or that another persona spoke: nobody's testimony."""
    return _say(what, lang, names=", ".join(map(one_line, names)))


def section(title: str, body: str) -> str:
    """Return a part of the material under its heading; nothing if there is nothing in it."""
    return f"## {title}\n{body}\n" if body.strip() else ""
