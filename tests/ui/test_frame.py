"""What stands around a room: no notice is lost, whoever is visited and however many there are."""

from starlette.testclient import TestClient

from agent.services import Services
from managers.storage.errors import Notice, UnreadableError
from tests.ui.reading import read
from tests.ui.rooms import NAME
from ui.server.addresses import address_of


def told(visitor: TestClient, address: str) -> str:
    return " ".join(one.text for one in read(visitor.get(address)).all("#notices li"))


def test_every_notice_is_there_though_a_persona_cannot_be_read(services: Services, visitor: TestClient) -> None:
    notices = [f"お知らせ{number}号" for number in range(40)]
    services.notices.replace("many", [Notice(words, words, words) for words in notices])
    assert [words for words in notices if words not in told(visitor, address_of(NAME))] == []

    def unreadable(_name: str) -> None:
        raise UnreadableError(path="log.txt", cause="-")

    services.companion = unreadable  # type: ignore[assignment,method-assign]
    assert notices[-1] in told(visitor, f"/settings/user?persona={NAME}")


def test_an_address_that_leads_nowhere_stays_with_the_persona_whose_it_is(
    services: Services, visitor: TestClient
) -> None:
    other = next(name for name in services.personas.list_names() if name != NAME)
    services.companion(other).memories.log.append("user", "", "さっき")  # whoever was talked to last
    answer = visitor.get(address_of(NAME, "nothing/here"))
    assert (answer.status_code, read(answer).one("#head .who").text) == (404, NAME)
    assert read(visitor.get("/nothing")).one("#head .who").text == other
