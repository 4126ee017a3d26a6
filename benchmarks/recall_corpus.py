"""Made-up conversations of any length: words follow Zipf's law, turns follow topics, in both languages."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import groupby
from random import Random

from managers.memory.log.format import format_message
from managers.memory.messages import Message, Role
from managers.storage.files import make_folder
from managers.storage.paths import PersonaPaths

VOCABULARY = 30_000
TOPICS = 400
_ONSETS = ("b", "br", "d", "f", "g", "gr", "h", "k", "l", "m", "n", "p", "pl", "r", "s", "st", "t", "tr", "v", "w")
_NUCLEI = ("a", "e", "i", "o", "u", "ai", "ee", "oa")
_CODAS = ("", "n", "r", "s", "t", "l", "m", "ck")
_PARTICLES = ("は", "が", "を", "に", "で", "と", "も", "の")
_ENDINGS = ("ました。", "です。", "ですね。", "ますか？", "たよ。", "だった。")
_FILLERS = ("the", "a", "and", "to", "of", "in", "was", "with", "my", "for", "it", "that")


class Speech:
    """Makes sentences, the same for the same seed."""

    def __init__(self, seed: int = 1) -> None:
        self.rng = Random(seed)
        self.english = [self._english() for _ in range(VOCABULARY)]
        self.japanese = [self._japanese() for _ in range(VOCABULARY)]
        self._weights = [1 / (rank + 2.7) for rank in range(VOCABULARY)]
        self._stock: dict[str, list[int]] = {}
        self._topics = [self.rng.sample(range(200, VOCABULARY), 60) for _ in range(TOPICS)]

    def _english(self) -> str:
        syllables = self.rng.choice((2, 2, 3))
        return "".join(
            self.rng.choice(_ONSETS) + self.rng.choice(_NUCLEI) + self.rng.choice(_CODAS) for _ in range(syllables)
        )

    def _japanese(self) -> str:
        return "".join(chr(0x4E00 + int(self.rng.triangular(0, 6000, 500))) for _ in range(2))

    def _ranks(self, count: int, topic: list[int]) -> list[int]:
        stock = self._stock.setdefault("ranks", [])
        if len(stock) < count:
            stock.extend(self.rng.choices(range(VOCABULARY), self._weights, k=50_000))
        return [self.rng.choice(topic) if self.rng.random() < 0.3 else stock.pop() for _ in range(count)]

    def sentence(self, topic_number: int, language: str) -> str:
        """Return a sentence about a topic."""
        ranks = self._ranks(self.rng.randint(3, 14), self._topics[topic_number % TOPICS])
        if language == "ja":
            words = "".join(self.japanese[rank] + self.rng.choice(_PARTICLES) for rank in ranks[:8])
            return words + self.rng.choice(_ENDINGS)
        pieces = []
        for rank in ranks:
            if self.rng.random() < 0.5:
                pieces.append(self.rng.choice(_FILLERS))
            pieces.append(self.english[rank])
        return " ".join(pieces).capitalize() + self.rng.choice((".", ".", ".", "?"))

    def messages(self, count: int, start: datetime, first: int = 0) -> Iterator[Message]:
        """Yield a conversation: topics last some turns, sessions some topics; half of them Japanese."""
        now, topic, language = start, 0, "en"
        for number in range(first, first + count):
            if number % 40 == 0:
                now += timedelta(hours=self.rng.randint(5, 20))
                language = "ja" if (number // 40) % 2 else "en"
            if number % 8 == 0:
                topic = self.rng.randrange(TOPICS)
            now += timedelta(seconds=self.rng.randint(10, 60))
            role: Role = "user" if number % 2 == 0 else "persona"
            name = "Yuki" if role == "user" else "Sora"
            yield Message(f"m{number}", now, role, name, self.sentence(topic, language))

    def questions(self, count: int) -> list[str]:
        """Return questions, half of them Japanese."""
        return [self.sentence(self.rng.randrange(TOPICS), "ja" if at % 2 else "en") for at in range(count)]


def write_archives(paths: PersonaPaths, messages: Iterator[Message]) -> None:
    """Write messages as a log's archives, month by month."""
    make_folder(paths.log_archives)
    for month, group in groupby(messages, lambda message: f"{message.time:%Y-%m}"):
        with (paths.log_archives / f"{month}.txt").open("ab") as file:
            for message in group:
                file.write(format_message(message))
