"""Where a conversation's topics begin, are interrupted, and are come back to: read locally, no model is asked.

A message says so itself ("back to the film", 「ところで」; rules in `assets/language/*/threads.toml`), or it is seen: by the
domain that it is about, by a pause, by words that it has in common with a topic, and by how alike they are.
"""

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property, lru_cache
from typing import Final, Literal

from managers.language.lexicons import word_list
from managers.language.reading.reading import asks_anything
from managers.language.reading.rules import fits_any, rules
from managers.language.words import content_words
from managers.recall.question.follow_ups import follows_up
from managers.storage.errors import Lang

Kind = Literal["goes_on", "begins", "returns"]
LikenessTo = Callable[[str, Sequence[str]], Sequence[float]]
"""How alike each of some texts is to one: 1 is the same, 0 has nothing to do with it."""
PAUSE: Final = timedelta(hours=2)
"""After it a topic is not gone on with, unless the message is about it."""
_FEW: Final = 3
"""A message of fewer words of content says too little to begin a topic by itself, and so does a greeting."""
_MANY: Final = 5
"""So many words that a topic of somebody's domain does not have are of another one."""
_ALIKE: Final = 0.45
_NAMED: Final = 0.2
"""From this on a text is about a topic: a whole message, and the words that name one."""
_LANGS: Final[tuple[Lang, ...]] = ("ja", "en")


@dataclass(frozen=True)
class Topic:
    """One thread, as it is known again.

    Attributes:
        texts: what was said in it, oldest first.
        last: when it was last spoken of.
        domain: what it is about; may be empty.
        is_open: it was interrupted, and not ended.
    """

    thread_id: int
    texts: tuple[str, ...]
    last: datetime
    domain: str = ""
    is_open: bool = False

    @cached_property
    def words(self) -> frozenset[str]:
        """Its words of content."""
        return frozenset().union(*map(telling_words, self.texts))


@dataclass(frozen=True, slots=True)
class Move:
    """Which thread a message belongs to.

    Attributes:
        kind: whether the thread goes on, begins, or is come back to.
        leaves_open: the thread before it was broken off in the middle.
    """

    kind: Kind
    thread_id: int
    leaves_open: bool = False


@dataclass(frozen=True)
class Said:
    """A message of the user's, as it is read here.

    Attributes:
        domains: whose knowledge it is about, the one that it fits best first.
        asked: whose knowledge it asks for, where it speaks to one persona alone.
    """

    text: str
    time: datetime
    domains: tuple[str, ...] = ()
    asked: str = ""

    @cached_property
    def plain(self) -> str:
        return unicodedata.normalize("NFKC", self.text).lower().replace("’", "'").strip()

    @cached_property
    def words(self) -> frozenset[str]:
        return telling_words(self.text)

    def named_by(self, rule: str) -> str:
        """Return the words by which a rule sees a topic named; empty where it sees none."""
        for lang in _LANGS:
            if found := rules(lang, "threads")[rule].search(self.plain):
                return next(one for one in found.groupdict().values() if one)
        return ""

    @property
    def wants_back(self) -> bool:
        """Whether it says so that an earlier topic is come back to."""
        return self.has("returns") or self.has("returns_there") or self.has("names_again")

    @property
    def ends(self) -> bool:
        """Whether it says that its topic is over."""
        return self.has("ends")

    def has(self, rule: str) -> bool:
        return fits_any("threads", rule, self.plain)


def place(said: Said, current: Topic | None, past: Sequence[Topic], likeness: LikenessTo) -> Move:
    """Return which thread a message belongs to."""
    highest = max((one.thread_id for one in (*past, *([current] if current else []))), default=0)
    if current is None:
        return Move("begins", highest + 1)
    back = _wanted_back(said, current, past, likeness)
    if back is not None:
        return Move("goes_on" if back.thread_id == current.thread_id else "returns", back.thread_id)
    is_announced, is_interruption = said.has("begins"), said.has("interrupts")
    again = _come_back_to(said, current, past, likeness)
    is_again = again is not None and not said.words & current.words
    if not is_again and not _leaves(said, current, likeness, announced=is_announced or is_interruption):
        return Move("goes_on", current.thread_id)
    opens = is_interruption or not (is_announced or said.time - current.last >= PAUSE)
    return Move("returns", again.thread_id, opens) if again else Move("begins", highest + 1, opens)


@lru_cache(maxsize=4096)
def telling_words(text: str) -> frozenset[str]:
    """Return the words by which a text is known to be about the same as another one."""
    light = word_list("ja", "topic_light") | word_list("en", "topic_light")
    return frozenset(one for one in content_words(text) if one not in light and not one.isnumeric())


def _wanted_back(said: Said, current: Topic, past: Sequence[Topic], likeness: LikenessTo) -> Topic | None:
    """Return the topic that somebody says they want back to, or names once more, if there is one."""
    named, again = said.named_by("returns"), telling_words(said.named_by("names_again"))
    if named and (found := _named(named, said.domains, [*past, current], likeness)):
        return found
    if said.has("returns_there"):
        return max(past, key=lambda one: (one.is_open, one.last), default=None)
    if again & current.words:
        return None
    return max(
        (one for one in past if again & one.words), key=lambda one: (len(again & one.words), one.last), default=None
    )


def _named(named: str, domains: Sequence[str], topics: Sequence[Topic], likeness: LikenessTo) -> Topic | None:
    """Return the topic that some words name, the best and last one; None where they name none."""
    words = frozenset(content_words(named))
    alike = _alike(named, topics, likeness)
    scores = {
        one: len(words & one.words) / (len(words) or 1) + (one.domain in domains) / 2 + close
        for one, close in zip(topics, alike, strict=True)
        if words & one.words or one.domain in domains or close >= _NAMED
    }
    return max(scores, key=lambda one: (scores[one], one.last), default=None)


def _leaves(said: Said, current: Topic, likeness: LikenessTo, *, announced: bool) -> bool:
    """Tell whether a message is about something else than the running topic."""
    shared = said.words & current.words
    is_of_it = current.domain in said.domains
    if announced:
        return not is_of_it and 2 * len(shared) < max(len(said.words), 2)
    if said.time - current.last >= PAUSE:
        return not is_of_it and len(shared) < 2  # noqa: PLR2004  # words
    if is_of_it or shared or said.has("goes_on") or follows_up(said.text, [*said.words]):
        return False
    if said.domains or (said.asked not in ("", current.domain) and len(said.words) >= _FEW):
        return bool(current.domain) or len(current.words) >= _FEW
    if asks_anything(said.text) or len(said.words) < (_MANY if current.domain else 2 * _FEW):
        return False
    return max(_alike(said.text, [current], likeness)) < _ALIKE


def _come_back_to(said: Said, current: Topic, past: Sequence[Topic], likeness: LikenessTo) -> Topic | None:
    """Return the earlier topic that a message is about which names none: by its words, or its domain where it was left open."""
    alike = _alike(said.text, past, likeness)
    own = said.words - current.words
    scores = {
        one: (one.is_open and one.domain in said.domains) + len(own & one.words) / (len(own) or 1) + close
        for one, close in zip(past, alike, strict=True)
        if (one.is_open and one.domain in said.domains) or len(own & one.words) >= max(2, len(own) / 3)
    }
    return max(scores, key=lambda one: (scores[one], one.last), default=None)


def _alike(text: str, topics: Sequence[Topic], likeness: LikenessTo) -> list[float]:
    """Return how alike some words are to what is nearest to them in each topic."""
    texts = [one for topic in topics for one in topic.texts]
    near = iter(likeness(text, texts) if texts else ())
    return [max((float(next(near)) for _ in topic.texts), default=0.0) for topic in topics]
