"""The room for several: choosing, talking, coming and going, without any script; and the line that tells of answers."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from agent.services import Services
from managers.mind import ReplyPiece, ReplyRequest, TextPiece
from tests.agent.choosing import ScriptedMind
from tests.agent.group.conftest import Table
from tests.fakes import HandClock
from tests.ui.reading import Element, press, read
from tests.ui.visitors import ORIGIN, visitor_of
from ui.locales import LANGUAGES, texts

SEND, SOCKET = "#composer .send", ORIGIN.replace("http", "ws")


@pytest.fixture
def visitor(services: Services) -> TestClient:
    visitor = visitor_of(services)
    visitor.headers["accept-language"] = "en"
    return visitor


def room(visitor: TestClient, services: Services, *names: str) -> str:
    """Sit down with some; return the room's address."""
    answer = visitor.post("/group", data={"name": list(names)})
    assert answer.status_code == 303
    return answer.headers["location"].partition("#")[0]


def over(services: Services) -> None:
    talk = services.groups.get(services.groups.all()[0].id)
    if talk.turn is not None:
        assert talk.turn.wait(60)


def said(page: Element) -> list[tuple[str, str]]:
    """Return who said what; the user's words stand under nothing."""
    return [
        (" ".join(one.texts(".speaker")), " ".join(one.texts(".bubble")))
        for one in page.all("article.message")
        if "live" not in one.classes
    ]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_one_chooses_and_talks_without_a_script(services: Services, visitor: TestClient, lang: str) -> None:
    visitor.headers["accept-language"] = lang
    page = read(visitor.get("/group"))
    assert texts("ja" if lang == "ja" else "en")("group.three_bring") in page.text
    here = room(visitor, services, "Hazel", "ねむ")
    press(visitor, read(visitor.get(here)), SEND, text="Hello everyone. みんな、こんにちは。")
    over(services)
    page = read(visitor.get(here))
    assert [who for who, _ in said(page)] == ["", "Hazel", "ねむ"]
    assert page.texts(".present .name") == ["Hazel", "ねむ"]
    assert read(visitor.get("/group")).texts(".talks a span")[-1] in {"Hazel, ねむ", "Hazel、ねむ"}


def test_the_three_come_with_a_button_and_are_at_nobody_s_side_before(services: Services, visitor: TestClient) -> None:
    page = read(visitor.get("/group"))
    assert "Nox" not in page.texts("#personas a")
    page = read(press(visitor, page, 'form[action="/group/three"] button'))
    assert page.texts(".present .name") == ["Lumina", "Claris", "Nox"]
    assert {"Lumina", "Claris", "Nox"} <= set(page.texts("#personas li a"))


def test_who_comes_and_goes_is_said(services: Services, visitor: TestClient) -> None:
    services.personas.create("Third", language="en")
    here = room(visitor, services, "Hazel", "ねむ")
    press(visitor, read(visitor.get(here)), SEND, text="Hazel, hello.")
    over(services)
    visitor.post(f"{here}/invite", data={"name": "Third"})
    page = read(press(visitor, read(visitor.get(here)), '.present button[value="ねむ"]'))
    assert page.texts(".present .name") == ["Hazel", "Third"]
    press(visitor, page, SEND, text="Third, hello.")
    over(services)
    assert read(visitor.get(here)).texts(".announcement") == ["ねむ has left.", "Third has joined."]


@pytest.mark.parametrize("names", [["Hazel"], ["Hazel", "Hazel"], ["Hazel", "Nobody"], []])
def test_a_wrong_choice_is_told_and_nothing_is_begun(services: Services, visitor: TestClient, names: list[str]) -> None:
    answer = visitor.post("/group", data={"name": names})
    assert answer.status_code == 400
    assert read(answer).one(".problem").text
    assert services.groups.all() == []


def test_words_that_cannot_be_said_stay_in_the_field(services: Services, visitor: TestClient) -> None:
    here = room(visitor, services, "Hazel", "ねむ")
    answer = visitor.post(f"{here}/say", data={"text": "  ", "nonce": "n"})
    assert answer.status_code == 400
    assert read(answer).one(".problem").text
    assert visitor.get("/group/nowhere").status_code in {400, 404}


def test_stop_and_skip_work_and_the_line_tells_who_speaks(
    services: Services, visitor: TestClient, clock: HandClock
) -> None:
    table = Table(services, clock)
    here = room(visitor, services, "Hazel", "ねむ")
    talk = services.groups.get(services.groups.all()[0].id)
    shown: list[str] = []

    def wait(_: ReplyRequest) -> ReplyPiece:
        with visitor_of(services).websocket_connect(f"{SOCKET}{here}/live", headers={"origin": ORIGIN}) as window:
            while (told := window.receive_json())["is"] != "live" or "Once" not in told["html"]:
                pass
            shown.append(told["html"])
        page = read(visitor.get(here))
        assert page.all("#live .bubble")[0].text == "Once"
        shown.extend(page.texts("#composer .next"))
        visitor.post(f"{here}/skip")
        return TextPiece(" upon a time")

    mind: ScriptedMind = table.scripted("Hazel")
    mind.enqueue([TextPiece("Once"), wait, TextPiece(" and so on")])
    table.scripted("ねむ", "わたしの番。")
    turn = talk.say("Everyone, a story.")
    assert turn.wait(60)
    assert len(shown) == 2
    assert 'aria-label="Hazel"' in shown[0]
    assert said(read(visitor.get(here)))[1:] == [("Hazel", "Once upon a time"), ("ねむ", "わたしの番。")]
    assert visitor.post(f"{here}/stop").status_code == 303


def test_in_its_own_room_a_persona_is_not_taken_for_another(services: Services, visitor: TestClient) -> None:
    here = room(visitor, services, "Hazel", "ねむ")
    press(visitor, read(visitor.get(here)), SEND, text="Everyone, hello.")
    over(services)
    page = read(visitor.get("/p/Hazel/"))
    others = page.all("article.other")
    assert [one.texts(".speaker") for one in others] == [["ねむ"]]
    assert all(not one.all(".face") and not one.all(".deeds") for one in others)
