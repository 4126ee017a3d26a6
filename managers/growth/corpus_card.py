"""What is in a corpus, in brief, for the person who decides about it."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from managers.growth.corpus import Corpus
from managers.language.masking.placeholders import placeholders_in


@dataclass(frozen=True, slots=True)
class CorpusCard:
    """What is in a corpus.

    Attributes:
        since, until: the days of the first and the last example; None where there is none, or the file is older.
        learned, held_out: how many are learned from, and how many it is measured on.
        dropped, edited: how many the person left out, and how many they changed.
        topics: what they are about, and how many of them, the commonest first.
        masked: how many examples hold a placeholder, by its kind.
        left_out: how many answers were left out when it was drawn, by why.
    """

    since: date | None
    until: date | None
    learned: int
    held_out: int
    dropped: int
    edited: int
    topics: Mapping[str, int]
    masked: Mapping[str, int]
    left_out: Mapping[str, int]


def card_of_corpus(corpus: Corpus, topics: Sequence[str] = ()) -> CorpusCard:
    """Return what is in a corpus; of the topics, those that are in it."""
    kept = corpus.kept
    days = [one.day for one in kept if one.day is not None]
    texts = ["\n".join([*(text for _, text in one.said), one.reply]) for one in kept]
    plain = [text.casefold() for text in texts]
    counts = Counter({topic: sum(topic.casefold() in text for text in plain) for topic in topics})
    return CorpusCard(
        since=min(days, default=None),
        until=max(days, default=None),
        learned=len(corpus.learned),
        held_out=len(corpus.held_out),
        dropped=len(corpus.examples) - len(kept),
        edited=sum(one.is_edited for one in kept),
        topics={topic: count for topic, count in counts.most_common() if count},
        masked=dict(Counter(kind for text in texts for kind in placeholders_in(text)).most_common()),
        left_out=corpus.left_out,
    )
