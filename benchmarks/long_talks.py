"""How well messages are found in long talks with long answers, beside a plain full-text search over the same messages.

The talks are made of `long_talks.toml`: months of sessions about a few projects, in each language; answers of thousands
of characters, in one paragraph of which a detail stands; what the user tells, asks for once and for all, prefers, and
changes. Everything is drawn from a fixed seed.
"""

import math
import re
import sqlite3
import tempfile
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from benchmarks._recall_data import ids_of, open_persona, rebuilt
from managers.memory.log import ConversationLog
from managers.memory.messages import Message, Role
from managers.recall.engine import Recall
from managers.storage.clock import SystemClock
from managers.storage.paths import PersonaPaths

Row = tuple[str, str, str]
DATA = Path(__file__).with_suffix(".toml")
LANGUAGES = ("en", "ja")
SESSIONS = 60
EXCHANGES = 4
START = datetime(2025, 1, 6, 19, 30)
DEPTH = 10
LEAST_TIMES = 1.25
"""How many times as much of the evidence must be found as by a plain full-text search."""

Search = Callable[[str], Sequence[str]]
"""A question → the ids of messages, best first."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question, its kind, and the messages that answer it."""

    kind: str
    text: str
    evidence: frozenset[str]


@dataclass(slots=True)
class Exchange:
    """A question and an answer about one part of a project, as they are put together."""

    project: Mapping[str, Any]
    part: Mapping[str, Any]
    said: list[str]
    details: list[tuple[str, str]]
    """Sentences that one paragraph of the answer holds, each with the subject that the paragraph is about."""


class Talk:
    """One long talk, and questions about it."""

    def __init__(self, language: str, seed: int = 1) -> None:
        self._words: Mapping[str, Any] = tomllib.loads(DATA.read_text("utf-8"))[language]
        self._rng = Random(f"{language} {seed}")
        self._space = "" if language == "ja" else " "
        self._exchanges = self._outline()
        self._asked: list[tuple[str, str, list[tuple[int, Role]]]] = []
        for project in self._words["projects"]:
            self._place(project)
        self.messages = list(self._written())
        self.questions = [
            Question(kind, text, frozenset(f"{role[0]}{place}" for place, role in evidence))
            for kind, text, evidence in self._asked
        ]

    def _outline(self) -> list[Exchange]:
        """Return what is talked about, session by session: one project each, whose parts come up one after the other."""
        found = []
        projects = self._words["projects"]
        for number in range(SESSIONS):
            parts = projects[number % len(projects)]["parts"]
            done = (number // len(projects) + 1) / (SESSIONS // len(projects))
            known = parts[: max(2, math.ceil(done * len(parts)))]
            latest = [known[-1], *self._rng.choices(known, k=EXCHANGES - 1)]
            self._rng.shuffle(latest)
            found += [Exchange(projects[number % len(projects)], part, [], []) for part in latest]
        return found

    def _place(self, project: Mapping[str, Any]) -> None:
        """Draw where all that is to be found about a project is said."""
        places = [place for place, one in enumerate(self._exchanges) if one.project is project]
        early, late = places[: len(places) // 4], places[-len(places) // 4 :]
        for kind in ("instruction", "preference"):
            for said, asked in project[f"{kind}s"]:
                self._say(kind, [said], asked, [self._rng.choice(early)])
        for before, after, asked in project["updates"]:
            self._say("update", [before, after], asked, [self._rng.choice(early), self._rng.choice(late)])
        first: list[int] = []
        pairs: list[tuple[str, int]] = []
        for part in project["parts"]:
            about = [place for place in places if self._exchanges[place].part is part]
            first.append(about[0])
            said, asked = part["told"]
            pairs.append((asked, self._rng.choice(about)))
            self._say("told", [said], asked, [pairs[-1][1]])
            for written, question in part["details"]:
                place = self._rng.choice(about if self._rng.random() < 0.5 else places)
                self._exchanges[place].details.append((written, part["topic"]))
                self._asked.append(("paragraph", question, [(place, "persona")]))
        for (one, place), (other, elsewhere) in zip(pairs[::2], pairs[1::2], strict=True):
            self._asked.append(("both", f"{one}{self._space}{other}", [(place, "user"), (elsewhere, "user")]))
        told = [place for place in places if self._exchanges[place].said]
        for kind, evidence in (("order", first), ("summary", told)):
            for asked in self._words[{"order": "orders", "summary": "summaries"}[kind]]:
                self._asked.append((kind, asked.format(name=project["name"]), [(place, "user") for place in evidence]))

    def _say(self, kind: str, said: Sequence[str], asked: str, places: Sequence[int]) -> None:
        for sentence, place in zip(said, places, strict=True):
            self._exchanges[place].said.append(sentence)
        self._asked.append((kind, asked, [(place, "user") for place in places]))

    def _written(self) -> Iterator[Message]:
        now = START
        for place, exchange in enumerate(self._exchanges):
            now += timedelta(minutes=self._rng.randint(3, 12))
            if place % EXCHANGES == 0:
                now += timedelta(days=self._rng.randint(1, 6))
            yield Message(f"u{place}", now, "user", "Robin", self._request(exchange))
            yield Message(f"p{place}", now + timedelta(minutes=1), "persona", "Sora", self._answer(exchange))

    def _request(self, exchange: Exchange) -> str:
        opener = self._rng.choice(self._words["openers"])
        sentences = [*exchange.said, *self._rng.sample(self._words["small_talk"], self._rng.randint(1, 2))]
        self._rng.shuffle(sentences)
        return self._space.join([self._filled(opener, exchange, exchange.part["topic"]), *sentences])

    def _answer(self, exchange: Exchange) -> str:
        own = exchange.part["topic"]
        others = [part["topic"] for part in exchange.project["parts"] if part is not exchange.part]
        paragraphs = [(self._rng.choice([own, own, *others]), "") for _ in range(self._rng.randint(7, 14))]
        for sentence, topic in exchange.details:
            paragraphs.insert(self._rng.randint(1, len(paragraphs)), (topic, sentence))
        written = [
            self._paragraph(number, topic, sentence, exchange) for number, (topic, sentence) in enumerate(paragraphs, 1)
        ]
        lead, closing = self._rng.choice(self._words["leads"]), self._rng.choice(self._words["closings"])
        return "\n\n".join([lead, *written, self._filled(closing, exchange, own)])

    def _paragraph(self, number: int, topic: str, sentence: str, exchange: Exchange) -> str:
        sentences = [
            self._filled(one, exchange, topic)
            for one in self._rng.sample(self._words["fillers"], self._rng.randint(1, 3))
        ]
        if sentence:
            sentences.insert(self._rng.randint(0, len(sentences)), sentence)
        style = self._rng.randrange(3)
        if style == 0:
            return f"### {number}. {topic}\n\n{self._space.join(sentences)}"
        if style == 1:
            return f"**{topic}**\n" + "\n".join(f"- {one}" for one in sentences)
        return self._space.join(sentences)

    def _filled(self, template: str, exchange: Exchange, topic: str) -> str:
        others = [part["topic"] for part in exchange.project["parts"] if part["topic"] != topic]
        return template.format(topic=topic, other=self._rng.choice(others), name=exchange.project["name"])


def recall_of(questions: Sequence[Question], search: Search) -> dict[str, float]:
    """Return the share of the evidence among the first ten distinct messages for each kind, and their mean under ""."""
    found: dict[str, list[float]] = {}
    for one in questions:
        named = list(dict.fromkeys(search(one.text)))[:DEPTH]
        share = len(one.evidence & set(named)) / len(one.evidence)
        found.setdefault(one.kind, []).append(share)
    means = {kind: sum(shares) / len(shares) for kind, shares in found.items()}
    return {"": sum(means.values()) / len(means), **means}


def full_text(messages: Sequence[Message], language: str) -> sqlite3.Connection:
    """Return a plain FTS5 table of messages; Japanese is cut into trigrams, as FTS5 knows no words there."""
    connection = sqlite3.connect(":memory:")
    tokenizer = "trigram" if language == "ja" else "porter unicode61"
    connection.execute(f"CREATE VIRTUAL TABLE said USING fts5(id UNINDEXED, text, tokenize='{tokenizer}')")
    connection.executemany("INSERT INTO said VALUES (?, ?)", [(one.id, one.text) for one in messages])
    return connection


def search_full_text(connection: sqlite3.Connection, language: str, query: str) -> list[str]:
    """Return the ids of the messages that hold any word of a question, best first by FTS5's own BM25."""
    runs = re.findall(r"\w+", query)
    words = [run[at : at + 3] for run in runs for at in range(len(run) - 2)] if language == "ja" else runs
    asked = " OR ".join(f'"{word}"' for word in dict.fromkeys(words))
    rows = connection.execute("SELECT id FROM said WHERE said MATCH ? ORDER BY bm25(said) LIMIT ?", (asked, DEPTH))
    return [str(one) for (one,) in rows]


def measure() -> Iterator[Row]:
    """Yield what recall finds in long talks, and what a plain full-text search does."""
    for language in LANGUAGES:
        talk = Talk(language)
        long = [len(one.text) for one in talk.messages if one.role == "persona"]
        yield f"{language}: messages / mean length of an answer", f"{len(talk.messages)} / {sum(long) // len(long)}", ""
        with closing(full_text(talk.messages, language)) as table:
            plain = recall_of(talk.questions, partial(search_full_text, table, language))
        with tempfile.TemporaryDirectory() as folder, closing(_remembered(Path(folder) / "Sora", talk)) as recall:
            ours = recall_of(talk.questions, partial(_search, recall))
        yield f"{language}: R@10, FTS5", figures(plain), ""
        yield f"{language}: R@10, ours", figures(ours), f"≥ {LEAST_TIMES * plain['']:.3f}"


def _remembered(folder: Path, talk: Talk) -> Recall:
    folder.mkdir()
    ConversationLog(PersonaPaths(folder), SystemClock(), Random(1)).append_many(talk.messages)
    recall = open_persona(folder)
    rebuilt(recall)
    return recall


def _search(recall: Recall, query: str) -> list[str]:
    return [one for hit in recall.search(query, 2 * DEPTH) for one in ids_of(hit)]


def figures(found: Mapping[str, float]) -> str:
    """Write a score and its parts."""
    parts = ", ".join(f"{kind} {value:.2f}" for kind, value in found.items() if kind)
    return f"{found['']:.3f} ({parts})"
