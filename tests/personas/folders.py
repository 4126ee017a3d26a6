"""What the tests of personas share."""

import io

from PIL import Image

from managers.personas import PersonaStore
from managers.storage.history import History
from tests.fakes import HandClock

SAMPLES = ("Hazel", "ねむ")


def history_of(store: PersonaStore, name: str) -> History:
    return History(store.get(name).paths, HandClock())


def drawn(kind: str = "PNG", size: tuple[int, int] = (40, 20), **options: object) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", size, (200, 100, 50)).save(out, kind, **options)
    return out.getvalue()
