"""Markdown of a persona's answers as HTML that can neither run nor fetch anything."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.renderer import RendererHTML as Html
    from markdown_it.token import Token
    from markdown_it.utils import EnvType, OptionsDict

    Tokens = Sequence[Token]

_LINKS = ("http://", "https://", "mailto:")


def render_markdown(text: str) -> str:
    """Return safe HTML: raw HTML is shown as text, pictures become their description.

    Nothing in it makes the browser fetch something: a picture would tell a stranger's server that
    the answer was read. Links lead out only when they are clicked.
    """
    return str(_renderer().render(text))


@cache
def _renderer() -> MarkdownIt:
    from markdown_it import MarkdownIt  # noqa: PLC0415  # first needed when a message is shown, not at the start

    renderer = MarkdownIt("commonmark", {"html": False, "breaks": True}).enable(["table", "strikethrough"])
    renderer.disable("entity")  # `&lt;` typed by a mind stays what it typed
    renderer.add_render_rule("image", _describe_image)
    renderer.add_render_rule("link_open", _open_link)
    for block in ("fence", "code_block"):
        renderer.add_render_rule(block, _code(block))
    renderer.add_render_rule("table_open", _open_table)
    return renderer


def _describe_image(_html: Html, tokens: Tokens, at: int, _options: OptionsDict, _env: EnvType) -> str:
    token = tokens[at]
    return f'<span class="picture-link">{escape(token.content)} {escape(str(token.attrGet("src") or ""))}</span>'


def _code(block: str) -> Callable[[Html, Tokens, int, OptionsDict, EnvType], str]:
    """Return the rule for a block of code: it may be wider than the page, and is scrolled by keyboard too."""

    def render(html: Html, tokens: Tokens, at: int, options: OptionsDict, env: EnvType) -> str:
        code = str(getattr(type(html), block)(html, tokens, at, options, env))
        return code.replace("<pre>", '<pre tabindex="0">', 1)

    return render


def _open_table(html: Html, tokens: Tokens, at: int, options: OptionsDict, env: EnvType) -> str:
    tokens[at].attrSet("tabindex", "0")
    return html.renderToken(tokens, at, options, env)


def _open_link(html: Html, tokens: Tokens, at: int, options: OptionsDict, env: EnvType) -> str:
    token = tokens[at]
    if not str(token.attrGet("href") or "").lower().startswith(_LINKS):
        token.attrSet("href", "#")
    token.attrSet("target", "_blank")
    token.attrSet("rel", "noopener noreferrer nofollow")
    return html.renderToken(tokens, at, options, env)
