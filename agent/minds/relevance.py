"""What of a conversation tells most, for whoever has to leave some out, or tells it in brief."""

from collections import Counter
from collections.abc import Sequence

from agent.minds.builtin.dreams.statements import said_in
from agent.minds.builtin.dreams.summary import day_topics, summarise_talk, weight_of
from managers.memory.messages import Message
from managers.storage.errors import Lang


def by_relevance(messages: Sequence[Message], wanted: frozenset[str]) -> list[Message]:
    """Return messages by how much they tell, the most first; one that holds wanted terms before all others."""
    spoken = said_in(messages)
    counts = Counter(term for said in spoken for term in said.terms)
    weights: dict[str, float] = {}
    for said in spoken:
        hits = len(said.terms & wanted) / (len(wanted) or 1)
        weights[said.message.id] = weights.get(said.message.id, 0.0) + weight_of(said, counts) + 100 * hits
    return sorted(messages, key=lambda message: -weights.get(message.id, 0.0))


def in_brief(messages: Sequence[Message], lang: Lang) -> tuple[str, list[str]]:
    """Return a summary of some messages and its keywords, made on this computer and quoted from them."""
    return summarise_talk(messages, lang)


def topics_among(messages: Sequence[Message], most: int) -> list[str]:
    """Return what some messages are about: so many noun phrases at most, those that come up most first."""
    return day_topics(said_in(messages), {one.speaker for one in messages}, most)
