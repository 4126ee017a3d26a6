"""The room for several: choosing, talking, coming and going, without any script; and the line that tells of answers."""

import pytest
from starlette.testclient import TestClient

from agent.minds.errors import UnreachableError
from agent.services import Services
from managers.mind import ReplyPiece, ReplyRequest, TextPiece
from managers.storage.errors import Lang
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


def test_off_the_record_stands_on_the_page_and_nowhere_else(services: Services, visitor: TestClient) -> None:
    here = room(visitor, services, "Hazel", "ねむ")
    press(visitor, read(visitor.get(here)), "#composer .veil")
    page = read(visitor.get(f"{here}?off_record=1"))
    press(visitor, page, SEND, text="Everyone, the plum stone is hidden.")
    over(services)
    page = read(visitor.get(here))
    assert said(page)[0] == ("", "Everyone, the plum stone is hidden.")
    assert "off-record" in page.one("#composer").classes
    assert not services.memories("Hazel").log.tail(5)
    press(visitor, page, "#composer .veil")
    assert not said(read(visitor.get(here)))


def test_a_message_is_edited_deleted_and_erased_for_all_and_topics_are_marked(
    services: Services, visitor: TestClient
) -> None:
    here = room(visitor, services, "Hazel", "ねむ")
    for text in ("I planted quinces behind the house.", "By the way, my sister is a baker.", "Back to the quinces."):
        press(visitor, read(visitor.get(here)), SEND, text=text)
        over(services)
    page = read(visitor.get(here))
    assert page.texts(".separator.topic") == ["A new topic begins here", "Back to: I planted quinces behind the house."]
    deeds = read(visitor.get(page.all("a.deeds")[0].attributes["href"]))
    assert "everybody who heard" in deeds.text
    edit = read(visitor.get(deeds.one('[data-deed="edit"]').attributes["href"]))
    press(visitor, edit, "button.yes", text="I planted pears behind the house.")
    first = said(read(visitor.get(here)))[0][1]
    assert first == "I planted pears behind the house."
    for name in ("Hazel", "ねむ"):
        assert services.memories(name).log.tail(20)[0].text == first
    erase = deeds.one('[data-deed="erase"]')
    assert "icon" in erase.classes  # as small as what stands beside it
    assert erase.attributes["aria-label"]
    erasing = read(visitor.get(erase.attributes["href"]))
    assert erasing.texts("h2") == ["Hazel", "ねむ"]
    press(visitor, erasing, "button.danger", yes="yes")
    assert "pears" not in read(visitor.get(here)).text
    press(visitor, deeds_of_last(visitor, here), '[data-deed="delete"]')
    assert "Back to the quinces." not in [words for _, words in said(read(visitor.get(here)))]


def deeds_of_last(visitor: TestClient, here: str) -> Element:
    page = read(visitor.get(here))
    mine = [one for one in page.all("article.message") if "user" in one.classes]
    return read(visitor.get(mine[-1].all("a.deeds")[0].attributes["href"]))


def test_what_a_persona_is_among_others_is_written_on_its_page(services: Services, visitor: TestClient) -> None:
    page = read(visitor.get("/p/Hazel/persona"))
    typed = {
        "domain": "garden",
        "domain_keywords": "quince、pear, apple\nplum",
        "names": "Haze",
        "domain_about": "fruit",
    }
    press(visitor, page, "#persona-form button.main", **typed)
    own = services.memories("Hazel").settings().group
    assert (own.domain, own.domain_about, own.names) == ("garden", "fruit", ["Haze"])
    assert own.domain_keywords == ["quince", "pear", "apple", "plum"]
    press(visitor, read(visitor.get("/p/Hazel/persona")), "#persona-form button.main", domain="", names="")
    own = services.memories("Hazel").settings().group
    assert (own.domain, own.names) == ("", [])


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


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_conversation_is_ended_where_they_are_chosen(services: Services, visitor: TestClient, lang: Lang) -> None:
    visitor.headers["accept-language"] = lang
    here = room(visitor, services, "Hazel", "ねむ")
    press(visitor, read(visitor.get(here)), SEND, text="Everyone, the plum stone is hidden.")
    over(services)
    page = read(visitor.get("/group"))
    assert page.one(".talks .close").attributes["data-ask"] == texts(lang)("group.end_ask")
    page = read(press(visitor, page, ".talks .close"))
    assert texts(lang)("group.ended") in page.text
    assert not page.all(".talks")
    assert visitor.get(here).status_code == 404
    assert any("plum" in one.text for one in services.memories("ねむ").log.tail(5))


def test_the_rest_of_a_long_message_is_a_step_away(services: Services, visitor: TestClient) -> None:
    here = room(visitor, services, "Hazel", "ねむ")
    press(visitor, read(visitor.get(here)), SEND, text="Everyone! " + "plum " * 5_000)
    over(services)
    page = read(visitor.get(here))
    [whole] = page.all(".whole a")
    assert "plum plum" in visitor.get(whole.attributes["href"]).text
    assert "data-cut" in page.all("article.user")[0].attributes


def test_who_could_not_answer_is_asked_again_by_the_built_in_mind_or_left(
    services: Services, visitor: TestClient, clock: HandClock
) -> None:
    table = Table(services, clock)
    services.personas.create("Third", language="en")
    here = room(visitor, services, "Hazel", "ねむ", "Third")
    table.scripted("ねむ", "わたしはここだよ。", "またね。")
    gone = UnreachableError(address="http://127.0.0.1:1")
    table.scripted("Hazel").enqueue([gone], [gone])
    table.scripted("Third").enqueue([gone])
    press(visitor, read(visitor.get(here)), SEND, text="Hazel, Third, ねむ, hello.")
    over(services)
    page = read(visitor.get(here))
    assert [who for who, _ in said(page)] == ["", "ねむ"]
    assert "persona=Hazel" in page.all(".failure a")[0].attributes["href"]
    press(visitor, page, '.failure button[value="builtin"]')
    over(services)
    page = read(visitor.get(here))
    assert [who for who, _ in said(page)] == ["", "ねむ", "Hazel"]
    assert page.texts(".failure b") == ["Third"]  # who may still be asked
    for name in ("Hazel", "ねむ"):
        spoken = [one.speaker for one in services.memories(name).log.tail(20) if one.role != "system"]
        assert sorted(spoken[1:]) == ["Hazel", "ねむ"]
    press(visitor, page, SEND, text="Hazel, goodbye.")
    over(services)
    page = read(press(visitor, read(visitor.get(here)), '.failure form[action$="/decline"] button'))
    assert page.texts(".failure p") == [] or "unanswered" in page.one(".failure").classes


@pytest.mark.parametrize("lang", LANGUAGES)
def test_what_a_killed_process_left_unanswered_is_answered_on_a_wish(
    services: Services, visitor: TestClient, clock: HandClock, lang: Lang
) -> None:
    visitor.headers["accept-language"] = lang
    here = room(visitor, services, "Hazel", "ねむ")
    message = services.groups.get(services.groups.all()[0].id)._message("Everyone, hello.", ("Hazel", "ねむ"), 1)
    services.companion("Hazel").overhear(message)  # and then the process was killed
    page = read(visitor.get(here))
    assert page.texts(".unanswered p") == [texts(lang)("group.unanswered")]
    press(visitor, page, ".unanswered button")
    over(services)
    page = read(visitor.get(here))
    assert [who for who, _ in said(page)] == ["", "Hazel", "ねむ"]
    assert not page.all(".unanswered")
    for name in ("Hazel", "ねむ"):
        assert [one.id for one in services.memories(name).log.tail(20) if one.role == "user"] == [message.id]
    assert visitor.post(f"{here}/messages/{said_id(page)}/answer").status_code == 400


def said_id(page: Element) -> str:
    return page.all("article.message")[-1].attributes["data-id"]
