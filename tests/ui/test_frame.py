"""What stands around a room: no notice is lost, whoever is visited and however many there are."""

from starlette.testclient import TestClient

from agent.services import Services
from managers.storage.errors import Notice, UnreadableError
from tests.ui.reading import read
from tests.ui.rooms import NAME
from tests.ui.visitors import visitor_of
from ui.server.addresses import address_of


def said(visitor: TestClient, address: str) -> str:
    page = read(visitor.get(address))
    return " ".join(one.text for one in page.all("#notices li"))


def test_every_notice_is_there_however_many_there_are(services: Services) -> None:
    services.notices.replace(
        "many", [Notice(f"n{number}", f"お知らせ{number}号", f"お知らせ{number}号") for number in range(40)]
    )
    told = said(visitor_of(services), address_of(NAME))
    assert all(f"お知らせ{number}号" in told for number in range(40))


def test_what_concerns_the_house_is_told_though_a_persona_cannot_be_read(services: Services) -> None:
    services.notices.replace("house", [Notice("h", "家のお知らせ", "家のお知らせ")])

    def unreadable(_name: str) -> None:
        raise UnreadableError(path="log.txt", cause="-")

    visitor = visitor_of(services)
    services.companion = unreadable  # type: ignore[assignment,method-assign]
    assert "家のお知らせ" in said(visitor, f"/settings/user?persona={NAME}")


def test_an_address_that_leads_nowhere_stays_with_the_persona_whose_it_is(services: Services) -> None:
    visitor = visitor_of(services)
    other = next(name for name in services.personas.list_names() if name != NAME)
    services.companion(other).memories.log.append("user", "", "さっき")  # whoever was talked to last
    answer = visitor.get(address_of(NAME, "nothing/here"))
    assert (answer.status_code, read(answer).one("#head .who").text) == (404, NAME)
    assert read(visitor.get("/nothing")).one("#head .who").text == other
