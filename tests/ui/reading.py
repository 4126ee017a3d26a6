"""Pages as a person reads them: elements by simple selectors, their words, and forms that are filled in and sent."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

from httpx2 import Response  # what Starlette answers with in tests
from starlette.testclient import TestClient

_VOID = frozenset({"area", "base", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"})
_PART = re.compile(
    r"""(?P<tag>^[\w-]+)|\#(?P<id>[\w-]+)|\.(?P<class>[\w-]+)|\[(?P<key>[\w-]+)(?:="(?P<value>[^"]*)")?\]"""
)


@dataclass
class Element:
    """One element of a page."""

    tag: str
    attributes: dict[str, str]
    children: list[Element | str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """Its words, with single spaces."""
        return " ".join("".join(self._texts()).split())

    @property
    def classes(self) -> list[str]:
        return self.attributes.get("class", "").split()

    def all(self, selector: str) -> list[Element]:
        """Return what is within it by a selector (`ol.nights > li` without the `>`: `ol.nights li`)."""
        *before, last = selector.split()
        within = self.all(" ".join(before)) if before else [self]
        found = {id(one): one for place in within for one in place._within() if one._is(last)}
        return list(found.values())

    def one(self, selector: str) -> Element:
        """Return the one such element."""
        found = self.all(selector)
        assert len(found) == 1, f"{len(found)} of {selector}"
        return found[0]

    def texts(self, selector: str) -> list[str]:
        return [one.text for one in self.all(selector)]

    def _texts(self) -> Iterator[str]:
        for child in self.children:
            if isinstance(child, str):
                yield child
            elif child.tag not in {"script", "style"}:
                yield from child._texts()

    def _within(self) -> Iterator[Element]:
        for child in self.children:
            if isinstance(child, Element):
                yield child
                yield from child._within()

    def _is(self, selector: str) -> bool:
        for part in _PART.finditer(selector):
            tag, name, kind, key, value = part.group("tag", "id", "class", "key", "value")
            if (tag and tag != self.tag) or (name and name != self.attributes.get("id")):
                return False
            if (kind and kind not in self.classes) or (key and key not in self.attributes):
                return False
            if value is not None and value != self.attributes[key]:
                return False
        return True


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.root = Element("", {})
        self._open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = Element(tag, {key: value or "" for key, value in attrs})
        self._open[-1].children.append(found)
        if tag not in _VOID:
            self._open.append(found)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._open[-1].children.append(Element(tag, {key: value or "" for key, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        if tag not in _VOID:
            assert self._open[-1].tag == tag, f"</{tag}> closes <{self._open[-1].tag}>"
            self._open.pop()

    def handle_data(self, data: str) -> None:
        self._open[-1].children.append(data)


def read(answer: Response | str) -> Element:
    """Return a page; every element in it must be closed by its own end."""
    reader = _Reader()
    reader.feed(answer if isinstance(answer, str) else answer.text)
    assert reader._open == [reader.root], f"<{reader._open[-1].tag}> is not closed"
    return reader.root


def press(visitor: TestClient, page: Element, selector: str, **typed: str) -> Response:
    """Press the first such button: its form is sent as a browser does, and followed to the page that it leads to.

    Args:
        visitor: whose browser.
        page: what the button stands on.
        selector: the button.
        typed: what is written into fields before.
    """
    button = page.all(selector)[0]
    form = next(one for one in page.all("form") if any(within is button for within in one._within()))
    sent = dict[str, str | list[str]]()
    for one in filter(_is_sent, form._within()):
        sent.setdefault(one.attributes["name"], []).append(_value(one))  # type: ignore[union-attr]  # no text yet
    sent |= typed
    if "name" in button.attributes:
        sent[button.attributes["name"]] = button.attributes.get("value", "")
    address = button.attributes.get("formaction") or form.attributes["action"]
    return visitor.post(address, data=sent, follow_redirects=True)


def _is_sent(one: Element) -> bool:
    if one.tag not in {"input", "textarea"} or "name" not in one.attributes:
        return False
    kind = one.attributes.get("type")
    return kind != "file" and (kind not in {"checkbox", "radio"} or "checked" in one.attributes)


def _value(one: Element) -> str:
    if one.tag == "textarea":
        return "".join(one._texts()).removeprefix("\n")
    return one.attributes.get("value", "on")
