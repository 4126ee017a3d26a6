"""What an adapter is to learn from: the good exchanges of a persona's own talks, as a file that the person may edit.

A persona's log holds what it was present at and nothing else. Of that are left out: words that were withdrawn, answers
that broke off, that somebody complained about or put right, the built-in mind's own (they quote, and learning from them
would teach templates), those made with a document or a file before the mind's eyes (whoever wrote that would teach it),
what is for this computer only unless it is wanted, and what says the same again.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import date, timedelta
from hashlib import sha256
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from managers.language.reading.reactions import read_reaction
from managers.language.reading.reading import read
from managers.memory.json_documents import JsonFile, encode
from managers.memory.messages import Message
from managers.storage.clock import Clock
from managers.storage.errors import Lang
from managers.storage.files import write_atomic
from managers.storage.paths import PersonaPaths

CONTEXT: Final = 4
"""So many messages before a question are told along."""
LEAST: Final = 20
"""Fewer examples teach nothing but themselves."""
HELD_OUT: Final = 10
"""One example in so many is not learned from: the adapter is measured on it."""
LEAST_HELD_OUT: Final = 2
"""So many are held out in any case: without one nobody could tell what came of a training."""
_APART: Final = timedelta(hours=2)
_SHORT: Final = 2
BUILT_IN: Final = "built-in"

Why = Literal["broken_off", "built_in", "complained", "foreign", "private", "short", "twice", "unanswered", "company"]


class Example(BaseModel):
    """One answer and what was said before it.

    Attributes:
        id: the answer's message.
        evidence: the messages that it holds words of.
        said: what came before, oldest first: who (`user` or `assistant`) and what.
        reply: the answer.
        dropped: the person does not want it learned.
        day: when it was said.
        drawn: what tells the words that the log has from others; empty where those are wanted back.
    """

    model_config = ConfigDict(extra="allow")

    id: str
    evidence: list[str]
    said: list[tuple[Literal["user", "assistant"], str]]
    reply: str
    dropped: bool = False
    day: date | None = None
    drawn: str = ""

    @property
    def words(self) -> str:
        """What tells its words, as they stand here, from others."""
        return sha256(encode([self.said, self.reply])).hexdigest()[:16]

    @property
    def is_edited(self) -> bool:
        return bool(self.drawn) and self.words != self.drawn

    @property
    def lot(self) -> tuple[bool, bytes]:
        """What settles whether it is held out: the same each time, whatever else there is."""
        drawn = sha256(self.id.encode()).digest()
        return drawn[0] % HELD_OUT != 0, drawn


class Corpus(BaseModel):
    """All examples, and how many answers were left out for which reason."""

    model_config = ConfigDict(extra="allow")

    made: str = ""
    left_out: dict[str, int] = Field(default_factory=dict)
    examples: list[Example] = Field(default_factory=list)

    @property
    def kept(self) -> list[Example]:
        return [one for one in self.examples if not one.dropped]

    @property
    def learned(self) -> list[Example]:
        held_out = {one.id for one in self.held_out}
        return [one for one in self.kept if one.id not in held_out]

    @property
    def held_out(self) -> list[Example]:
        by_lot = sorted(self.kept, key=lambda one: one.lot)
        count = max(LEAST_HELD_OUT, sum(not one.lot[0] for one in by_lot))
        chosen = {one.id for one in by_lot[:count]}
        return [one for one in self.kept if one.id in chosen]


class CorpusFile:
    """`growth/corpus.json`: what is to be learned from, for the person to look through and change."""

    def __init__(self, paths: PersonaPaths, clock: Clock) -> None:
        self.path = paths.growth / "corpus.json"
        self._file = JsonFile(paths, self.path, clock, dict)
        self._clock = clock

    def load(self) -> Corpus:
        return self._file.read_as(Corpus) or Corpus()

    def renew(self, drawn: Corpus) -> Corpus:
        """Write a corpus that was drawn anew.

        What the person dropped stays dropped, and what they changed stays changed, unless the log has other words by now.
        """
        before = {one.id: one for one in self.load().examples}
        kept = [_as_left(one, before.get(one.id)) for one in drawn.examples]
        return self._write(drawn.model_copy(update={"examples": kept, "made": f"{self._clock.now():%Y-%m-%d %H:%M}"}))

    def drop(self, ids: Collection[str], *, on: bool = True) -> Corpus:
        """Leave examples out, or take them in again."""
        corpus = self.load()
        changed = [one.model_copy(update={"dropped": on}) if one.id in ids else one for one in corpus.examples]
        return self._write(corpus.model_copy(update={"examples": changed}))

    def edit(self, example_id: str, reply: str) -> Corpus:
        """Let another answer be learned; an empty one brings back what was said, when it is next drawn."""
        corpus = self.load()
        told = {"reply": reply} if reply.strip() else {"drawn": ""}
        changed = [one.model_copy(update=told) if one.id == example_id else one for one in corpus.examples]
        return self._write(corpus.model_copy(update={"examples": changed}))

    def _write(self, corpus: Corpus) -> Corpus:
        write_atomic(self.path, encode(corpus.model_dump(mode="json")))
        return corpus


def _as_left(drawn: Example, before: Example | None) -> Example:
    """Return an example as the person left it."""
    if before is None:
        return drawn
    is_theirs = before.is_edited and before.drawn == drawn.drawn
    own = {"said": before.said, "reply": before.reply} if is_theirs else {}
    return drawn.model_copy(update={"dropped": before.dropped, **own})


def draw(
    messages: Iterable[Message],
    lang: Lang,
    hide: Callable[[str], str],
    is_private: Callable[[Sequence[str]], bool],
) -> Corpus:
    """Return what there is to learn from in a log as it reads now, oldest first."""
    left_out: Counter[Why] = Counter()
    found: list[Example] = []
    seen: set[str] = set()
    said = [one for one in messages if one.role != "system"]
    for place, answer in enumerate(said):
        if answer.role != "persona":
            continue
        before = _before(said, place)
        after = said[place + 1] if place + 1 < len(said) else None
        why = _fault(answer, before, after, lang)
        ids = [*(one.id for one in before), answer.id]
        if why is None and any(one.origins for one in (*before, answer)):
            why = "foreign"
        if why is None and is_private(ids):
            why = "private"
        if why is None and (plain := " ".join(answer.text.casefold().split())) in seen:
            why = "twice"
        if why is not None:
            left_out[why] += 1
            continue
        seen.add(plain)
        told = [("user" if one.role == "user" else "assistant", hide(one.text)) for one in before]
        one = Example.model_validate(
            {"id": answer.id, "evidence": ids, "said": told, "reply": hide(answer.text), "day": answer.time.date()}
        )
        found.append(one.model_copy(update={"drawn": one.words}))
    return Corpus(left_out=dict(left_out), examples=found)


def _before(said: Sequence[Message], place: int) -> list[Message]:
    """Return what was said before an answer, in the same talk; what others said is no part of it."""
    found: list[Message] = []
    for one in reversed(said[max(0, place - CONTEXT) : place]):
        if one.role == "other" or said[place].time - one.time > _APART:
            break
        found.insert(0, one)
    while found and found[0].role != "user":
        del found[0]
    return found


def _fault(answer: Message, before: Sequence[Message], after: Message | None, lang: Lang) -> Why | None:
    if not before or before[-1].role != "user":
        return "company" if answer.present else "unanswered"
    if answer.broken_off or answer.stopped:
        return "broken_off"
    if answer.mind == BUILT_IN:
        return "built_in"
    if len(answer.text.strip()) < _SHORT:
        return "short"
    if after is not None and after.role == "user" and after.time - answer.time <= _APART:
        own = [one.text for one in before if one.role == "user"]
        reaction = read_reaction(read(after.text, lang), answer.text, own)
        if reaction is not None and not reaction.helped:
            return "complained"
    return None
