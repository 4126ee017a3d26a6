"""Whether what was found is about what was asked: for questions that may as well be about the world.

"How does a fridge work?" finds whoever speaks of work. A question's topic must be there by more than half.
"""

from collections.abc import Sequence
from datetime import timedelta

from managers.recall.hits import Hit
from managers.recall.index.terms import is_question_word, listed_words, terms
from managers.recall.question.stop_phrases import without_asking


def is_about(query: str, hits: Sequence[Hit]) -> bool:
    """Whether one memory, with those from beside it, holds more than half of what a question is about."""
    topic = {
        term
        for term in terms(without_asking(query))
        if term not in listed_words("asks_of_thing") and not is_question_word(term)
    }
    held = [(hit.time, topic.intersection(terms(hit.text))) for hit in hits]
    talks = [
        set().union(words, *(others for other, others in held if time and other and abs(other - time) <= _TALK))
        for time, words in held
    ]
    return any(2 * len(words) > len(topic) for words in talks)


_TALK = timedelta(hours=1)
"""What was said so close together is of one talk: "I bought a red bicycle. It has three gears." """
