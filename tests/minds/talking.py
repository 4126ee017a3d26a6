"""What the tests of language models share: a request, minds behind a scripted server, what was heard."""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import count

from agent.minds.endpoint import Endpoint
from agent.minds.errors import MindError
from agent.minds.language_model import LanguageModelMind, Patience
from agent.minds.makers import claude_mind, gemini_mind, openai_mind
from managers import mind as minds
from managers.memory.messages import Message
from managers.storage.errors import Lang, Notice
from managers.storage.settings import MindSettings
from tests.model_server import ModelServer

KEY = "sk-very-secret-key-0123456789"
NOW = datetime(2026, 1, 2, 22, 0, 0)

QUICK = Patience(retries=2, first_pause=0.01)

MakeMind = Callable[..., LanguageModelMind]


def pass_time(mind: LanguageModelMind, since: Callable[[], object]) -> None:
    """Let ten seconds pass whenever the mind looks at its clock, from the moment on that this is so: none before.

    So that its patience ends where a test wants it, however busy the machine is.
    """
    looks = count()
    mind._monotonic = lambda: 10.0 * next(looks) if since() else 0.0


def behind_openai(server: ModelServer, patience: Patience = QUICK, **settings: object) -> LanguageModelMind:
    return _behind(openai_mind, "test server", server.base_url, "test-model", patience, settings)


def behind_gemini(server: ModelServer, patience: Patience = QUICK, **settings: object) -> LanguageModelMind:
    return _behind(gemini_mind, "Gemini", server.root_url, "gemini-2.5-flash", patience, settings)


def behind_claude(server: ModelServer, patience: Patience = QUICK, **settings: object) -> LanguageModelMind:
    return _behind(claude_mind, "Anthropic", server.root_url, "claude-sonnet-5-5", patience, settings)


def _behind(
    make: MakeMind, service: str, address: str, model: str, patience: Patience, settings: dict[str, object]
) -> LanguageModelMind:
    endpoint = Endpoint(service, address, str(settings.pop("model", model)), KEY)
    return make(endpoint, MindSettings.model_validate(settings), patience)


MINDS: dict[str, MakeMind] = {"openai": behind_openai, "gemini": behind_gemini, "anthropic": behind_claude}


def request(
    *turns: minds.ChatTurn | str,
    system: str = "あなたは詩音です。",
    language: Lang = "ja",
    tools: Sequence[minds.ToolSpec] = (),
) -> minds.ReplyRequest:
    """Return a request; the last turn is the message to answer."""
    said = [minds.ChatTurn("user", turn) if isinstance(turn, str) else turn for turn in turns or ("やあ",)]
    return minds.ReplyRequest(
        sheet=minds.Sheet("詩音", language, "あなたは詩音です。"),
        system=system,
        turns=said,
        message=Message("m1", NOW, "user", "花", said[-1].text),
        now=NOW,
        tools=tools,
    )


@dataclass
class Heard:
    """The pieces of an answer, sorted, and how it ended."""

    pieces: list[minds.ReplyPiece] = field(default_factory=list)
    error: MindError | None = None

    @property
    def text(self) -> str:
        return "".join(piece.text for piece in self.pieces if isinstance(piece, minds.TextPiece))

    @property
    def thought(self) -> str:
        return "".join(piece.text for piece in self.pieces if isinstance(piece, minds.ReasoningPiece))

    @property
    def calls(self) -> list[minds.ToolCall]:
        return [piece for piece in self.pieces if isinstance(piece, minds.ToolCall)]

    @property
    def notices(self) -> list[Notice]:
        return [piece for piece in self.pieces if isinstance(piece, Notice)]

    @property
    def usage(self) -> list[minds.Usage]:
        return [piece for piece in self.pieces if isinstance(piece, minds.Usage)]


def hear(pieces: Iterable[minds.ReplyPiece]) -> Heard:
    """Listen to the end, whatever it is."""
    heard = Heard()
    try:
        heard.pieces.extend(pieces)
    except MindError as error:
        heard.error = error
    return heard


def until(is_so: Callable[[], object]) -> None:
    """Wait for what comes about in another thread, however long that takes."""
    while not is_so():
        time.sleep(0.005)


def talk(mind: LanguageModelMind, asked: minds.ReplyRequest | None = None) -> Heard:
    """Ask for one reply."""
    return hear(mind.reply(asked or request(), minds.Cancel()))
