"""Pictures are made square, cleaned and checked."""

import io

import pytest
from PIL import Image

from managers.personas import PersonaStore
from managers.personas.avatars import SIDE
from managers.personas.errors import AvatarRefusedError
from tests.personas.folders import drawn


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
def test_a_picture_becomes_a_square_png(store: PersonaStore, kind: str) -> None:
    store.create("a", language="en")
    avatar = store.set_avatar("a", drawn(kind, (300, 100))).avatar
    assert avatar is not None
    with Image.open(avatar) as picture:
        assert (picture.format, picture.size) == ("PNG", (SIDE, SIDE))


def test_where_a_photograph_was_taken_is_not_kept(store: PersonaStore) -> None:
    exif = Image.Exif()
    exif[0x010E] = "at home, Sakura street 3"
    exif[0x0112] = 6  # lying on its side
    store.create("a", language="en")
    avatar = store.set_avatar("a", drawn("JPEG", exif=exif)).avatar
    assert avatar is not None
    assert b"Sakura" not in avatar.read_bytes()


def test_an_older_picture_in_another_format_gives_way(store: PersonaStore) -> None:
    folder = store.create("a", language="en").paths.folder
    (folder / "avatar.jpg").write_bytes(drawn("JPEG"))
    assert store.get("a").avatar == folder / "avatar.jpg"
    assert store.set_avatar("a", drawn()).avatar == folder / "avatar.png"
    assert not (folder / "avatar.jpg").exists()


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>",
        b"\x89PNG\r\n\x1a\nnot really",
        drawn()[:60],
        drawn("GIF"),
        drawn("JPEG")[:-200],
        b"0" * 15_000_001,
    ],
    ids=["empty", "svg", "not-png", "cut-png", "gif", "cut-jpeg", "large"],
)
def test_what_is_no_good_picture_is_refused(store: PersonaStore, data: bytes) -> None:
    store.create("a", language="en")
    before = store.set_avatar("a", drawn()).avatar
    assert before is not None
    content = before.read_bytes()
    with pytest.raises(AvatarRefusedError):
        store.set_avatar("a", data)
    assert before.read_bytes() == content


def test_a_picture_with_too_many_pixels_is_refused(store: PersonaStore) -> None:
    store.create("a", language="en")
    bomb = io.BytesIO()
    Image.new("1", (8_000, 8_000)).save(bomb, "PNG")
    with pytest.raises(AvatarRefusedError):
        store.set_avatar("a", bomb.getvalue())
