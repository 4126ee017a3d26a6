"""What the windows of a conversation ask for by themselves, and what they are told."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from managers.storage.errors import PersonaNotFoundError
from tests.ui.rooms import NAME, SAID, House
from ui.chat import revision_of


def test_as_many_words_off_the_record_are_not_the_same_words(house: House) -> None:
    companion = house.services.companion(NAME)
    revisions = [revision_of(companion)]
    for text in ("ひとつめのないしょ", "ふたつめのないしょ"):
        companion.forget_off_record()
        companion.say(text, off_record=True).wait(20)
        assert len(companion.off_record) == 2
        revisions.append(revision_of(companion))
    assert len(set(revisions)) == 3


def test_a_persona_that_is_asked_for_while_it_is_deleted_leaves_nothing_behind(house: House) -> None:
    services, asked = house.services, Event()
    house.tell()

    def ask() -> None:
        asked.set()
        with pytest.raises(PersonaNotFoundError):
            services.companion(NAME)

    with ThreadPoolExecutor(1) as window:
        with services.away(NAME):
            looking = window.submit(ask)
            assert asked.wait(5)
            services.personas.delete(NAME)
        looking.result(10)
    assert not services.home.persona(NAME).folder.exists()
    services.personas.restore(services.personas.trashed()[0].id, NAME)
    assert services.companion(NAME).memories.log.tail(2)[0].text == SAID[-1][0]
