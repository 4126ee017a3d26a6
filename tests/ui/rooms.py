"""What the tests of the rooms share: a house with one persona on real files, and what people do in it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from httpx2 import Response  # what Starlette answers with in tests
from starlette.testclient import TestClient

from agent.memories import Memories
from agent.services import Services
from managers.memory.goals import Goal
from managers.mind import Cancel
from managers.sleep.dream import DreamReport
from tests.fakes import HandClock
from tests.ui.reading import Element, press, read
from tests.ui.visitors import visitor_of
from ui.server.addresses import address_of

NAME = "ねむ"
EVIL = '<script>alert(1)</script><img src=x onerror="alert(1)"> ${alert(2)} {{alert(3)}}'
EVENING = datetime(2026, 11, 20, 21)
SAID = (
    ("うちの猫のモモちゃんが入院していて、とても心配です。", "anxious"),
    ("来週は京都の貴船神社に行く予定です。", "neutral"),
    ("日商簿記の資格を取るために勉強を頑張ろうと思います。", "joy"),
)


def aim_for(memories: Memories, goal: Goal) -> None:
    """Let somebody have a goal that a dream found."""
    memories.goals.change(lambda goals: goals.created("short_term", goal), author="dream", reason="night")


@dataclass
class House:
    """One persona at home; dreams are dreamt by the built-in mind."""

    services: Services
    clock: HandClock
    name: str = NAME

    @property
    def memories(self) -> Memories:
        return self.services.companion(self.name).memories

    def tell(self, said: Sequence[tuple[str, str]] = SAID, at: datetime = EVENING) -> list[str]:
        """Say something at some time, feel as told; return the messages' ids."""
        ids = []
        for number, (text, emotion) in enumerate(said):
            moment = at + timedelta(minutes=5 * number)
            message = self.memories.log.append("user", "花", text, time=moment)
            self.memories.emotions.append(text, emotion, message_id=message.id, time=moment)
            self.memories.inner_state.meet(emotion, moment)
            self.memories.log.append("persona", self.name, "うん、聞いてるよ。", time=moment + timedelta(seconds=8))
            ids.append(message.id)
        return ids

    def dream(self) -> DreamReport:
        return self.services.sleeper(self.name).dream(Cancel())


class Shelves:
    """A browser in front of the shelves of memories."""

    def __init__(self, services: Services, lang: str = "ja") -> None:
        self.browser: TestClient = visitor_of(services)
        self.browser.headers["accept-language"] = lang

    def answer(self, place: str = "", **query: object) -> Response:
        return self.browser.get(address_of(NAME, f"memories{place}", **query), follow_redirects=True)

    def look(self, place: str = "", **query: object) -> Element:
        return read(self.answer(place, **query)).one("#room")

    def fold(self, element: Element) -> Element:
        """Return what a fold fetches when it is opened."""
        return read(self.browser.get(element.attributes["data-src"], headers={"x-utatane": "swap"}))

    def press(self, page: Element, selector: str, **typed: str) -> Element:
        return read(press(self.browser, page, selector, **typed)).one("#room")
