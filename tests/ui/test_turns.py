"""What is read and what is changed in a room take turns."""

from __future__ import annotations

from threading import Event, Thread

import pytest

from tests.ui.rooms import NAME, House, clicked
from ui.dreams import DreamHandlers
from ui.locales import texts


def test_a_room_is_not_read_while_it_is_changed(house: House, said: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    house.tell()
    entry = house.dream().entries[0]
    room = DreamHandlers(house.services, texts("ja"))
    catch_up, changed, go_on = house.memories.recall.catch_up, Event(), Event()

    def slowly() -> None:
        changed.set()
        assert go_on.wait(20)
        catch_up()

    monkeypatch.setattr(house.memories.recall, "catch_up", slowly)
    shown: list[str] = []
    undoing = Thread(target=lambda: shown.append(room.follow(NAME, 0, clicked(action="undo", entry=entry))[1]))
    undoing.start()
    assert changed.wait(20)
    reading = Thread(target=lambda: shown.append(room.open(NAME)[6]))
    reading.start()
    reading.join(0.2)
    assert shown == []
    go_on.set()
    undoing.join(20)
    reading.join(20)
    assert ['class="night undone"' in one for one in shown] == [True, True]
    assert said == [texts("ja")("dreams.undone_done")]
