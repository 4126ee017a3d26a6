"""Templates of the page: every room's own folder, what rooms share in `ui/components`, the door's beside this file."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from ui.components.frame import frame_of, script_texts
from ui.components.markdown import render_markdown
from ui.components.palette import PALETTE
from ui.locales import LANGUAGES, OWN_NAMES, texts
from ui.server.addresses import address_of
from ui.server.assets import static, styles

_UI = Path(__file__).resolve().parents[1]
_DOOR = Path(__file__).parent / "templates"
DOOR_HEADERS: Mapping[str, str] = {
    "content-security-policy": (
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'self'; frame-ancestors 'none'; "
        "base-uri 'none'"
    ),
    "cache-control": "no-store",
}
"""For pages that load nothing: whoever stands before the door can ask for nothing behind it."""


def render(template: str, **values: object) -> str:
    """Return a page or a part of one; an undefined value raises, whatever is no markup is escaped.

    Args:
        template: its file: `rooms/heart/heart.html`, `components/base.html`, or one of the door's by its name alone.
        values: what it shows, besides `texts` and `languages`, which every template has.
    """
    return _environment().get_template(template).render(values)


def part(template: str, name: str, *values: object) -> Markup:
    """Return what a macro of a template makes of some values."""
    module = _environment().get_template(template).module
    return Markup(getattr(module, name)(*values))  # noqa: S704  # the template has escaped what it was given


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader([_UI, _DOOR]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["markdown"] = lambda text: Markup(render_markdown(text))  # noqa: S704  # rendered safely
    moon = (_UI / "static" / "moon.svg").read_text("utf-8")
    environment.globals |= {
        "texts": texts,
        "languages": LANGUAGES,
        "own_names": OWN_NAMES,
        "static": static,
        "styles": styles,
        "address_of": address_of,
        "frame_of": frame_of,
        "script_texts": script_texts,
        "palette": PALETTE,
        "moon": Markup(moon),  # noqa: S704  # our own file
        "door_style": Markup((_DOOR / "door.css").read_text("utf-8")),  # noqa: S704  # our own file
    }
    return environment
