"""What is in a corpus, in sentences: for the page and the command line."""

from collections.abc import Callable, Iterator
from datetime import date

from managers.growth.corpus_card import CorpusCard
from ui.locales import Texts


def corpus_facts(card: CorpusCard, t: Texts, day: Callable[[date], str]) -> Iterator[str]:
    """Yield from when it is, how much there is of what, and what was left out."""
    joint = t("group.joint")
    if card.since is not None and card.until is not None:
        yield t("growth.span", since=day(card.since), until=day(card.until))
    yield t("growth.counts", learned=card.learned, held_out=card.held_out, dropped=card.dropped, edited=card.edited)
    if card.topics:
        told = (t("growth.counted", what=topic, count=count) for topic, count in card.topics.items())
        yield t("growth.topics", topics=joint.join(told))
    if card.masked:
        kinds = {t(f"growth.masked_{kind}"): count for kind, count in card.masked.items()}
        yield t("growth.masked", kinds=joint.join(t("growth.counted", what=kind, count=kinds[kind]) for kind in kinds))
    yield from (t(f"growth.why.{why}", count=count) for why, count in sorted(card.left_out.items()))
