"""Letters: what a persona wrote first and nobody has answered is told, its words only to who asks for them."""

from typing import Any

from starlette.testclient import TestClient

from agent.services import Services
from tests.fakes import HandClock
from tests.ui.rooms import NAME


def letters(visitor: TestClient, *, words: bool = False) -> list[dict[str, Any]]:
    answer = visitor.get(f"/letters{'?words=true' if words else ''}")
    assert answer.headers["cache-control"] == "no-store"
    found: list[dict[str, Any]] = answer.json()
    return found


def write_first(services: Services, clock: HandClock, name: str) -> str:
    log = services.sleeper(name).log
    clock.move(minutes=1)
    log.append("system", "autonomous", "退屈 0.7", time=clock.now())
    return log.append("persona", name, "ひみつの言葉", time=clock.now()).id


def test_a_first_word_is_told_until_it_is_answered_or_its_persona_is_gone(
    services: Services, clock: HandClock, visitor: TestClient
) -> None:
    assert letters(visitor) == []
    written = write_first(services, clock, NAME)
    [told] = letters(visitor)
    assert (told["persona"], told["id"]) == (NAME, written)
    assert "words" not in told
    assert visitor.get(told["face"]).headers["content-type"] == "image/png"
    assert visitor.get(told["address"]).status_code == 200
    assert letters(visitor, words=True)[0]["words"] == "ひみつの言葉"
    clock.move(minutes=1)
    services.sleeper(NAME).log.append("user", "花", "読んだよ", time=clock.now())
    assert letters(visitor) == []
    for name in (NAME, "Hazel"):
        write_first(services, clock, name)
    assert len(letters(visitor)) == 2
    with services.away(NAME):
        services.personas.delete(NAME)
    assert [told["persona"] for told in letters(visitor)] == ["Hazel"]
