"""The notes room on real files: what of a note a model does not read is said where it is written."""

from agent.services import Services
from managers.storage.errors import Lang
from tests.ui.rooms import NAME
from tests.ui.visitors import visitor_of
from ui.server.addresses import address_of

TOLD: dict[Lang, str] = {"ja": "入りきりません", "en": "too many for what the model"}


def test_the_editor_says_what_does_not_fit(services: Services) -> None:
    visitor = visitor_of(services)

    def languages_that_tell(room: str = "core_memory") -> list[str]:
        place = address_of(NAME, f"notes/{room}")
        pages = {lang: visitor.get(place, headers={"accept-language": lang}).text for lang in TOLD}
        return [lang for lang, words in TOLD.items() if words in pages[lang]]

    address = "http://127.0.0.1:9/v1"
    services.settings_file.change("mind", provider="openai", base_url=address, model="m", context_tokens=4096)
    assert languages_that_tell() == []
    promises = "\n".join(f"約束{number}をまもる。" for number in range(400))
    services.companion(NAME).memories.notes.append("core_memory", promises, author="user", reason="-")
    assert languages_that_tell() == ["ja", "en"]
    assert languages_that_tell("notepad") == []
    services.settings_file.change("mind", context_tokens=200_000)
    assert languages_that_tell() == []
