"""A persona's picture: what people upload is looked at, cut square, and written anew.

Writing it anew leaves nothing of the upload but the pixels: no place where the photograph was taken,
no second file hidden behind the picture. SVG is a program in disguise and is not taken.
"""

import io
import warnings
from functools import lru_cache
from pathlib import Path

from PIL import Image, ImageOps, UnidentifiedImageError

from managers.personas.errors import AvatarRefusedError
from managers.storage.opening import is_file
from managers.storage.texts import Texts

_say = Texts("notices/personas")
SIDE = 512
MOST_BYTES = 15_000_000
MOST_PIXELS = 60_000_000
_FORMATS = ("PNG", "JPEG", "WEBP")
_SUFFIXES = (".png", ".jpg", ".jpeg", ".webp")


def find_avatar(folder: Path) -> Path | None:
    """Return the persona's picture, None if there is none."""
    return next((path for path in avatar_files(folder) if is_file(path)), None)


@lru_cache(maxsize=1024)
def avatar_files(folder: Path) -> tuple[Path, ...]:
    """Return where a persona's picture may lie, the one that counts first."""
    return tuple(folder / f"avatar{suffix}" for suffix in _SUFFIXES)


def prepare_avatar(data: bytes) -> bytes:
    """Return an uploaded picture as a square PNG.

    Raises:
        AvatarRefusedError: it is too large, broken, or no PNG, JPEG or WebP.
    """
    if len(data) > MOST_BYTES:
        raise _refused("too-large")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)  # our own limit is lower
            return _square(data)
    except UnidentifiedImageError as error:
        raise _refused("kind") from error
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        raise _refused("broken") from error


def _square(data: bytes) -> bytes:
    with Image.open(io.BytesIO(data), formats=_FORMATS) as picture:
        if picture.width * picture.height > MOST_PIXELS:
            raise _refused("pixels")
        upright = ImageOps.exif_transpose(picture)
        square = ImageOps.fit(upright.convert("RGBA"), (SIDE, SIDE), Image.Resampling.LANCZOS)
    out = io.BytesIO()
    square.save(out, "PNG", optimize=True)
    return out.getvalue()


def _refused(why: str) -> AvatarRefusedError:
    told = _say.both(f"avatar.{why}", megabytes=MOST_BYTES // 1_000_000)
    return AvatarRefusedError(reason_ja=told["ja"], reason_en=told["en"])
