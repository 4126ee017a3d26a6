"""Pictures are made square, cleaned and checked."""

import io

import pytest
from PIL import Image

from managers.personas import PersonaStore
from managers.personas.avatars import SIDE
from managers.personas.errors import AvatarRefusedError
from tests.personas.folders import drawn


def test_a_picture_becomes_a_square_png_that_does_not_tell_where_it_was_taken(store: PersonaStore) -> None:
    exif = Image.Exif()
    exif[0x010E] = "at home, Sakura street 3"
    exif[0x0112] = 6  # lying on its side
    folder = store.create("a", language="en").paths.folder
    (folder / "avatar.jpg").write_bytes(drawn("JPEG"))
    assert store.get("a").avatar == folder / "avatar.jpg"  # an older one in another format gives way
    for kind in ("PNG", "WEBP", "JPEG"):
        avatar = store.set_avatar("a", drawn(kind, (300, 100), exif=exif)).avatar
        assert avatar == folder / "avatar.png"
        with Image.open(avatar) as picture:
            assert (picture.format, picture.size) == ("PNG", (SIDE, SIDE))
        assert b"Sakura" not in avatar.read_bytes()
    assert not (folder / "avatar.jpg").exists()


def test_what_is_no_good_picture_is_refused(store: PersonaStore) -> None:
    store.create("a", language="en")
    before = store.set_avatar("a", drawn()).avatar
    assert before is not None
    content, bomb = before.read_bytes(), io.BytesIO()
    Image.new("1", (8_000, 8_000)).save(bomb, "PNG")
    svg = b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>"
    cut = (drawn()[:60], drawn("JPEG")[:-200])
    for data in (b"", svg, b"\x89PNG\r\n\x1a\nnot", *cut, drawn("GIF"), b"0" * 15_000_001, bomb.getvalue()):
        with pytest.raises(AvatarRefusedError):
            store.set_avatar("a", data)
        assert before.read_bytes() == content
