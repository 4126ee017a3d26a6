"""Web pages: what is read on them, by heading.

`html.parser` takes a minute for 60 KB of `<a ` in the Python versions that people have. Here the text is gone through
once, as the standard's own tokenizer does: what a tag or a comment has taken is never looked at again.
"""

import re
from collections.abc import Iterator
from html import unescape

from managers.recall.documents.parts import Part, as_heading
from managers.recall.documents.text import decode

_SILENT = frozenset({"noscript", "template", "svg"})
_RAW = frozenset({"script", "style", "title", "iframe", "noembed", "noframes"})
"""What is in them is no markup until their own end, and not read on the page."""
_BLOCKS = frozenset({"p", "div", "li", "tr", "br", "section", "article", "table", "ul", "ol", "blockquote", "pre"})
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})

_MARKUP = re.compile(r"<(?:(?P<end>/?)(?P<tag>[a-zA-Z][^\s/>]*+)|(?P<comment>!--)|[!?/])")
_REST_OF_TAG = re.compile(r"""(?:[^>=]++|=\s*+(?:"[^"]*+"|'[^']*+')|=)*+>""")
_RAW_END = {tag: re.compile(rf"</{tag}(?=[\s/>])", re.IGNORECASE) for tag in _RAW}
_HUGE_NUMBER = re.compile(r"&#(?:0*+[0-9]{8,}|[xX]0*+[0-9a-fA-F]{7,});?")
"""No character: `unescape` would make a number of thousands of digits of it."""


def read_html(data: bytes) -> Iterator[Part]:
    """Yield a page by its headings."""
    page = _Page()
    for part in _tokens(decode(data)):
        if isinstance(part, str):
            page.read(part)
        else:
            yield from page.meet(*part)
    yield from page.finish()


def _tokens(text: str) -> Iterator[str | tuple[str, bool]]:
    """Yield words as they are read, and tags: (name, whether it ends)."""
    at = 0
    while (markup := _MARKUP.search(text, at)) is not None:
        yield _plain(text[at : markup.start()])
        tag = (markup["tag"] or "").lower()
        if tag:
            rest = _REST_OF_TAG.match(text, markup.end())
            end = rest.end() if rest else -1
        else:
            closing = "-->" if markup["comment"] else ">"
            found = text.find(closing, markup.end())
            end = found + len(closing) if found >= 0 else len(text)
        if end < 0:  # never closed: no tag, but words
            yield _plain(text[markup.start() :])
            return
        at = end
        if not tag:
            continue
        yield tag, bool(markup["end"])
        if tag in _RAW and not markup["end"]:
            over = _RAW_END[tag].search(text, at)
            at = over.start() if over else len(text)
        elif text[at - 2] == "/" and not markup["end"]:
            yield tag, True
    yield _plain(text[at:])


def _plain(text: str) -> str:
    return unescape(_HUGE_NUMBER.sub("\ufffd", text))


class _Page:
    """Collects what is read, by heading."""

    def __init__(self) -> None:
        self._heading = ""
        self._text: list[str] = []
        self._silent = 0
        self._in_heading = False

    def meet(self, tag: str, is_end: bool) -> Iterator[Part]:
        if tag in _SILENT:
            self._silent = max(0, self._silent + (-1 if is_end else 1))
        elif tag in _HEADINGS and not is_end:
            yield from self.finish()
            self._in_heading = True
        elif tag in _HEADINGS and self._in_heading:
            self._heading = as_heading("".join(self._text))
            self._text, self._in_heading = [], False
        elif tag in _BLOCKS and not is_end:
            self._text.append("\n")

    def read(self, words: str) -> None:
        if words and not self._silent:
            self._text.append(re.sub(r"\s+", " ", words))

    def finish(self) -> Iterator[Part]:
        """Close the section under way."""
        lines = (" ".join(line.split()) for line in "".join(self._text).split("\n"))
        text = "\n".join(line for line in lines if line)
        if text:
            yield Part(self._heading, text)
        self._text = []
