"""The notes room on real files: what of a note a model does not read is said where it is written."""

import pytest

from agent.services import Services
from managers.storage.errors import Lang
from tests.ui.rooms import NAME
from tests.ui.visitors import visitor_of
from ui.server.addresses import address_of

TOLD: dict[Lang, str] = {"ja": "入りきりません", "en": "too many for what the model"}


@pytest.mark.parametrize("lang", ["ja", "en"])
def test_the_editor_says_what_does_not_fit(services: Services, lang: Lang) -> None:
    services.settings_file.change(
        "mind", provider="openai", base_url="http://127.0.0.1:9/v1", model="m", context_tokens=4096
    )
    visitor = visitor_of(services)
    visitor.headers["accept-language"] = lang
    room = address_of(NAME, "notes/core_memory")
    assert TOLD[lang] not in visitor.get(room).text
    promises = "\n".join(f"約束{number}をまもる。" for number in range(400))
    services.companion(NAME).memories.notes.append("core_memory", promises, author="user", reason="-")
    assert TOLD[lang] in visitor.get(room).text
    assert TOLD[lang] not in visitor.get(address_of(NAME, "notes/notepad")).text
    services.settings_file.change("mind", context_tokens=200_000)
    assert TOLD[lang] not in visitor.get(room).text
