"""What takes long to load, and is loaded once in a process before it forks: none that it forks loads it again."""

from typing import get_args

import faiss  # noqa: F401  # the import is what takes long

from managers.language.emotion import read_emotion
from managers.language.masking.detection import find_people
from managers.language.reading import japanese
from managers.language.reading.rules import rules, topics
from managers.recall.index.related_words import marks_asked
from managers.storage.errors import Lang

_SAID = "Hello, my dog barks. こんにちは、猫が鳴くよ。"


def load_what_is_needed() -> None:
    """Load the dictionary, what keeps vectors, and the tables of both languages, which a turn reads."""
    japanese.warm_up()
    for lang in get_args(Lang):
        for topic in topics(lang):
            rules(lang, topic)
    for said in _SAID.split(". "):
        read_emotion(said)
    find_people(_SAID)
    marks_asked("")
