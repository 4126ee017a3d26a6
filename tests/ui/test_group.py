"""The room for several: choosing, talking, coming and going, without any script; and the line that tells of answers."""

import pytest
from starlette.testclient import TestClient

from agent.minds.errors import UnreachableError
from agent.services import Services
from managers.mind import ReplyPiece, ReplyRequest, TextPiece
from tests.agent.group.conftest import Table
from tests.fakes import HandClock
from tests.ui.reading import Element, press, read
from tests.ui.visitors import ORIGIN, visitor_of
from ui.locales import texts
from ui.rooms.talk import view

EN = texts("en")
SEND, SOCKET = "#composer .send", ORIGIN.replace("http", "ws")


@pytest.fixture
def here(visitor: TestClient) -> str:
    """The address of a room in which two sit."""
    return sit_down(visitor, "Hazel", "ねむ")


def sit_down(visitor: TestClient, *names: str) -> str:
    answer = visitor.post("/group", data={"name": list(names)})
    assert answer.status_code == 303
    return answer.headers["location"].partition("#")[0]


def shown(visitor: TestClient, address: str) -> Element:
    return read(visitor.get(address))


def over(services: Services) -> None:
    talk = services.groups.get(services.groups.all()[0].id)
    if talk.turn is not None:
        talk.turn.wait()


def say(services: Services, visitor: TestClient, here: str, text: str) -> Element:
    """Say something, wait for all answers, and return the page."""
    press(visitor, shown(visitor, here), SEND, text=text)
    over(services)
    return shown(visitor, here)


def said(page: Element) -> list[tuple[str, str]]:
    """Return who said what; the user's words stand under nothing."""
    there = [one for one in page.all("article.message") if "live" not in one.classes]
    return [(" ".join(one.texts(".speaker")), " ".join(one.texts(".bubble"))) for one in there]


def test_it_goes_without_a_script(services: Services, visitor: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(view, "SHOWN_CHARACTERS", 1_000)
    assert EN("group.three_bring") in shown(visitor, "/group").text
    here = sit_down(visitor, "Hazel", "ねむ")
    page = say(services, visitor, here, "Everyone! " + "plum " * 300)
    assert [who for who, _ in said(page)] == ["", "Hazel", "ねむ"]
    assert page.texts(".present .name") == ["Hazel", "ねむ"]
    whole = page.all("article.user")[0].one(".whole a")  # the rest of a long message is a step away
    assert "plum plum" in visitor.get(whole.attributes["href"]).text
    others = shown(visitor, "/p/Hazel/").all("article.other")  # in its own room it is not taken for another
    assert [one.texts(".speaker") for one in others] == [["ねむ"]]
    assert all(not one.all(".face") and not one.all(".deeds") for one in others)
    page = shown(visitor, "/group")
    assert page.texts(".talks a span")[-1] == "Hazel, ねむ"
    page = read(press(visitor, page, ".talks .close"))
    assert EN("group.ended") in page.text
    assert not page.all(".talks")
    assert visitor.get(here).status_code == 404
    assert any("plum" in one.text for one in services.memories("ねむ").log.tail(5))


def test_off_the_record_stands_on_the_page_and_nowhere_else(services: Services, visitor: TestClient, here: str) -> None:
    press(visitor, shown(visitor, here), "#composer .veil")
    page = say(services, visitor, f"{here}?off_record=1", "Everyone, the plum stone is hidden.")
    assert said(page)[0] == ("", "Everyone, the plum stone is hidden.")
    page = shown(visitor, here)
    assert "off-record" in page.one("#composer").classes
    press(visitor, page, "#composer .veil")
    assert not said(shown(visitor, here))
    assert not services.memories("Hazel").log.tail(5)
    services.close()  # nothing is written any more
    files = [path for path in services.home.folder.rglob("*") if path.is_file()]
    assert not [path for path in files if b"plum stone" in path.read_bytes()]


def test_a_message_is_edited_deleted_and_erased_for_all(services: Services, visitor: TestClient, here: str) -> None:
    for text in ("I planted quinces behind the house.", "By the way, my sister is a baker.", "Back to the quinces."):
        page = say(services, visitor, here, text)
    deeds = shown(visitor, page.all("a.deeds")[0].attributes["href"])
    edit = shown(visitor, deeds.one('[data-deed="edit"]').attributes["href"])
    press(visitor, edit, "button.yes", text="I planted pears behind the house.")
    first = said(shown(visitor, here))[0][1]
    assert first == "I planted pears behind the house."
    assert [services.memories(name).log.tail(20)[0].text for name in ("Hazel", "ねむ")] == [first, first]
    erase = deeds.one('[data-deed="erase"]')
    erasing = shown(visitor, erase.attributes["href"])
    assert erasing.texts("h2") == ["Hazel", "ねむ"]
    press(visitor, erasing, "button.danger", yes="yes")
    page = shown(visitor, here)
    assert "pears" not in page.text
    mine = [one for one in page.all("article.message") if "user" in one.classes]
    press(visitor, shown(visitor, mine[-1].all("a.deeds")[0].attributes["href"]), '[data-deed="delete"]')
    assert "Back to the quinces." not in [words for _, words in said(shown(visitor, here))]


@pytest.mark.slow
def test_the_three_come_with_a_button_and_are_at_nobody_s_side_before(visitor: TestClient) -> None:
    page = shown(visitor, "/group")
    assert "Nox" not in page.texts("#personas a")
    page = read(press(visitor, page, 'form[action="/group/three"] button'))
    assert page.texts(".present .name") == ["Lumina", "Claris", "Nox"]
    assert {"Lumina", "Claris", "Nox"} <= set(page.texts("#personas li a"))


def test_who_comes_and_goes_is_said(services: Services, visitor: TestClient, here: str) -> None:
    services.personas.create("Third", language="en")
    say(services, visitor, here, "Hazel, hello.")
    visitor.post(f"{here}/invite", data={"name": "Third"})
    page = read(press(visitor, shown(visitor, here), '.present button[value="ねむ"]'))
    assert page.texts(".present .name") == ["Hazel", "Third"]
    page = say(services, visitor, here, "Third, hello.")
    assert page.texts(".announcement") == ["ねむ has left.", "Third has joined."]


def test_a_wrong_choice_and_empty_words_are_told(services: Services, visitor: TestClient) -> None:
    for names in (["Hazel"], ["Hazel", "Hazel"], ["Hazel", "Nobody"], []):
        answer = visitor.post("/group", data={"name": names})
        assert answer.status_code == 400
        assert read(answer).one(".problem").text
    assert services.groups.all() == []
    answer = visitor.post(f"{sit_down(visitor, 'Hazel', 'ねむ')}/say", data={"text": "  ", "nonce": "n"})
    assert answer.status_code == 400
    assert read(answer).one(".problem").text
    assert visitor.get("/group/nowhere").status_code in {400, 404}


def test_the_line_tells_who_speaks(services: Services, visitor: TestClient, clock: HandClock, here: str) -> None:
    table = Table(services, clock)
    talk = services.groups.get(services.groups.all()[0].id)
    told: list[str] = []

    def wait(_: ReplyRequest) -> ReplyPiece:
        with visitor_of(services).websocket_connect(f"{SOCKET}{here}/live", headers={"origin": ORIGIN}) as window:
            while (line := window.receive_json())["is"] != "live" or "Once" not in line["html"]:
                pass
            told.append(line["html"])
        page = shown(visitor, here)
        assert page.all("#live .bubble")[0].text == "Once"
        told.extend(page.texts("#composer .next"))
        visitor.post(f"{here}/skip")
        return TextPiece(" upon a time")

    table.scripted("Hazel").enqueue([TextPiece("Once"), wait, TextPiece(" and so on")])
    table.scripted("ねむ", "わたしの番。")
    talk.say("Everyone, a story.").wait()
    assert len(told) == 2
    assert 'aria-label="Hazel"' in told[0]
    assert said(shown(visitor, here))[1:] == [("Hazel", "Once upon a time"), ("ねむ", "わたしの番。")]
    assert visitor.post(f"{here}/stop").status_code == 303


@pytest.mark.slow
def test_who_could_not_answer_is_asked_again(services: Services, visitor: TestClient, clock: HandClock) -> None:
    table = Table(services, clock)
    services.personas.create("Third", language="en")
    here = sit_down(visitor, "Hazel", "ねむ", "Third")
    table.scripted("ねむ", "わたしはここだよ。", "またね。")
    gone = UnreachableError(address="http://127.0.0.1:1")
    table.scripted("Hazel").enqueue([gone], [gone])
    table.scripted("Third").enqueue([gone])
    page = say(services, visitor, here, "Hazel, Third, ねむ, hello.")
    assert [who for who, _ in said(page)] == ["", "ねむ"]
    assert "persona=Hazel" in page.all(".failure a")[0].attributes["href"]
    press(visitor, page, '.failure button[value="builtin"]')
    over(services)
    page = shown(visitor, here)
    assert [who for who, _ in said(page)] == ["", "ねむ", "Hazel"]
    assert page.texts(".failure b") == ["Third"]  # who may still be asked
    for name in ("Hazel", "ねむ"):
        spoken = [one.speaker for one in services.memories(name).log.tail(20) if one.role != "system"]
        assert sorted(spoken[1:]) == ["Hazel", "ねむ"]


def test_what_was_left_unanswered_is_answered(services: Services, visitor: TestClient, here: str) -> None:
    message = services.groups.get(services.groups.all()[0].id)._message("Everyone, hello.", ("Hazel", "ねむ"), 1)
    services.companion("Hazel").overhear(message)  # and then the process was killed
    page = shown(visitor, here)
    assert page.texts(".unanswered p") == [EN("group.unanswered")]
    press(visitor, page, ".unanswered button")
    over(services)
    page = shown(visitor, here)
    assert [who for who, _ in said(page)] == ["", "Hazel", "ねむ"]
    assert not page.all(".unanswered")
    for name in ("Hazel", "ねむ"):
        assert [one.id for one in services.memories(name).log.tail(20) if one.role == "user"] == [message.id]
