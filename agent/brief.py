"""A brief for talking to the persona elsewhere: who it is and what it knows, in a chosen number of tokens.

What it holds leaves this computer, so nothing that is for minds on this computer only is in it. Its last lines ask the
other place to hand the talk out again, in a form that is read here.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Final

from agent.addressing import called, card_of, names_of_user, with_name
from agent.memories import Memories
from agent.minds.tokens import count_tokens
from agent.prompt_parts import cut_to
from managers.hygiene.inventory import Memory, of_entity, of_episode
from managers.memory.audience import NOTES, Kept
from managers.memory.entities import Entity
from managers.mind import Sheet
from managers.personas.macros import fill_names
from managers.storage.errors import Lang
from managers.storage.texts import Texts

FEWEST_TOKENS: Final = 400
MOST_TOKENS: Final = 32_000
_DAYS: Final = 120
_HALF_LIFE: Final = 30
"""Days after which a day is worth half: what is recent is what one talks about."""
_say = Texts("notices/briefs")
Hide = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of the brief: its heading, what it says, and what share of the room it may take before others take theirs.

    `items` are in the order of their worth; `order` is that in which they are told. An item that does not fit falls whole,
    unless the part is `prose`, which is cut.
    """

    heading: str
    items: Sequence[str]
    share: float
    is_prose: bool = False
    order: Sequence[str] = ()


def make_brief(memories: Memories, lang: Lang | None, tokens: int, hide: Hide = str) -> str:
    """Return the brief as Markdown; it takes at most so many tokens.

    Args:
        memories: the persona's.
        lang: of the words around; None: the persona's.
        tokens: how long it may be, from `FEWEST_TOKENS` on.
        hide: puts placeholders where something private stands.

    Raises:
        AudienceUnknownError, UnreadableError: nobody can tell what may leave, or a memory cannot be read.
    """
    sheet = with_name(memories.sheet(), memories)
    lang = lang or sheet.language
    names = {"name": sheet.persona, "user": called(sheet)}
    head, tail = (hide(_say(key, lang, **names)) for key in ("head", "tail"))
    room = max(tokens, FEWEST_TOKENS) - count_tokens(head) - count_tokens(tail) - 2
    parts = [one for one in _parts(memories, sheet, lang, hide) if any(item.strip() for item in one.items)]
    return "\n\n".join([head, *_filled(parts, room), tail]) + "\n"


def _parts(memories: Memories, sheet: Sheet, lang: Lang, hide: Hide) -> list[_Part]:
    kept, today, user = memories.audiences.kept(), memories.clock.now().date(), called(sheet)

    def part(
        key: str, items: Iterable[str], share: float, *, is_prose: bool = False, order: Iterable[str] = ()
    ) -> _Part:
        heading = hide(_say(f"part.{key}", lang, name=sheet.persona, user=user))
        return _Part(heading, [hide(one) for one in items], share, is_prose, [hide(one) for one in order])

    known, others = _cards(memories, sheet, kept)
    core = [] if kept.holds_file(NOTES["core_memory"]) else [memories.notes.read("core_memory").text]
    days = _days(memories, kept, today)
    goals = memories.goals.load()
    wanted = kept.others([*goals.active("short_term"), *goals.active("long_term")])
    return [
        part("persona", [fill_names(sheet.system_prompt, sheet.nickname or sheet.persona, user)], 0.35, is_prose=True),
        part("user", [*filter(None, [sheet.user_profile]), *_facts(known, today, named=False)], 0.25),
        part("core_memory", core, 0.15, is_prose=True),
        part("goals", [one.goal for one in sorted(wanted, key=lambda one: one.priority)[:5]], 0.05),
        part("days", days, 0.12, order=sorted(days)),
        part("others", _facts(others, today, named=True), 0.08),
    ]


def _cards(memories: Memories, sheet: Sheet, kept: Kept) -> tuple[list[Entity], list[Entity]]:
    """Return what may leave of what is known of the user, and of everybody and everything else."""
    store = memories.entities
    own = {card.name: card for name in names_of_user(sheet) if (card := card_of(store, name)) is not None}
    others = [card for card in store.all() if card.name not in own]
    return [kept.card(card) for card in own.values()], [kept.card(card) for card in others]


def _facts(cards: Iterable[Entity], today: date, *, named: bool) -> list[str]:
    """Return what holds now of some cards, what is trusted most first."""
    found: list[tuple[float, str, str]] = []
    for card in cards:
        current = replace(card, lines=tuple(card.current_facts))
        found += [(-one.confidence(today), _newest_first(one), _told(one, named=named)) for one in of_entity(current)]
    return [f"- {text}" for _, _, text in sorted(found)]


def _newest_first(memory: Memory) -> str:
    return f"{99999999 - (memory.made.toordinal() if memory.made else 0)}"


def _told(memory: Memory, *, named: bool) -> str:
    return f"{memory.place}: {memory.text}" if named else memory.text


def _days(memories: Memories, kept: Kept, today: date) -> list[str]:
    """Return the days of late that may leave, what is trusted and recent first."""
    since = date.fromordinal(max(1, today.toordinal() - _DAYS))
    found: list[tuple[float, str]] = []
    for episode in kept.other_days(memories.episodes.between(since, today)):
        day = next(iter(of_episode(episode)))
        worth = day.confidence(today) * 0.5 ** ((today - episode.date).days / _HALF_LIFE)
        found.append((-worth, f"- {episode.date}: {' '.join(episode.summary.split())}"))
    return [text for _, text in sorted(found)]


def _filled(parts: Sequence[_Part], room: int) -> list[str]:
    """Return the parts as far as there is room: first each within its share, then in order what is left."""
    needs = [count_tokens(_whole(part, [])) + sum(map(_cost, part.items)) for part in parts]
    given = [min(need, int(room * part.share)) for need, part in zip(needs, parts, strict=True)]
    left = room - sum(given)
    for at, need in enumerate(needs):
        more = min(need - given[at], left)
        given[at] += more
        left -= more
    return [told for part, has in zip(parts, given, strict=True) if (told := _fitted(part, has))]


def _cost(item: str) -> int:
    return count_tokens(f"{item}\n\n")


def _whole(part: _Part, items: Sequence[str]) -> str:
    between = "\n\n" if part.is_prose else "\n"
    return f"## {part.heading}\n\n{between.join(items)}\n\n"


def _fitted(part: _Part, room: int) -> str:
    """Return a part with what fits of it; empty where nothing does."""
    room -= count_tokens(_whole(part, []))
    if part.is_prose:
        text = cut_to("\n\n".join(part.items).strip(), room, count_tokens)
        return _whole(part, [text]).rstrip() if text else ""
    taken: list[str] = []
    for item in part.items:
        if (cost := _cost(item)) <= room:
            taken.append(item)
            room -= cost
    if part.order:
        taken = [one for one in part.order if one in taken]
    return _whole(part, taken).rstrip() if taken else ""
