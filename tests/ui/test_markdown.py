"""What a mind writes is shown and can neither run nor fetch anything."""

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ui.components.markdown import render_markdown

ALLOWED = {
    "p", "br", "em", "strong", "code", "pre", "ul", "ol", "li", "blockquote", "a", "span", "s", "hr",
    "h1", "h2", "h3", "h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td",
}  # fmt: skip
ALLOWED_ATTRIBUTES = {"href", "target", "rel", "class", "start", "style", "title", "tabindex"}


class Inspector(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.problems: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in ALLOWED:
            self.problems.append(tag)
        for name, value in attrs:
            if name not in ALLOWED_ATTRIBUTES:
                self.problems.append(f"{tag} {name}")
            if name == "href" and not (value or "").lower().startswith(("http://", "https://", "mailto:", "#")):
                self.problems.append(f"{tag} {name}={value}")
            if name == "style" and not (value or "").startswith("text-align:"):
                self.problems.append(f"{tag} {name}={value}")


def problems(html: str) -> list[str]:
    inspector = Inspector()
    inspector.feed(html)
    return inspector.problems


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "![cat](http://evil.example/cat.png)",
        "![cat](http://evil.example/cat.png 'a title')",
        "![x][1]\n\n[1]: http://evil.example/x.png",
        "[click](javascript:alert(1))",
        "[click](JaVaScRiPt:alert(1))",
        "[click](data:text/html,<script>alert(1)</script>)",
        "[click](vbscript:x)",
        "[click](file:///etc/passwd)",
        "<a href='javascript:alert(1)'>x</a>",
        "<iframe src=http://evil.example></iframe>",
        "<svg/onload=alert(1)>",
        "```html\n<script>alert(1)</script>\n```",
        '``` "><script>alert(1)</script>\nx\n```',
        '<http://evil.example/"onmouseover="alert(1)>',
        "| a |\n|---|\n| <b>x</b> |",
        "$$\\href{javascript:alert(1)}{x}$$",
    ],
)
def test_nothing_runs_and_nothing_is_fetched(text: str) -> None:
    assert problems(render_markdown(text)) == []


@given(st.text(alphabet=st.sampled_from(list("<>\"'&![](){}:/#*_`~|-\\ \njavscriptonerhf=.日本")), max_size=80))
def test_no_mixture_of_signs_gets_through(text: str) -> None:
    assert problems(render_markdown(text)) == []


def test_markdown_is_rendered() -> None:
    html = render_markdown("**太字** と `code`\n\n- 一\n- 二\n\n[site](https://example.com)")
    assert "<strong>太字</strong>" in html
    assert html.count("<li>") == 2
    assert 'href="https://example.com"' in html
    assert 'rel="noopener noreferrer nofollow"' in html


def test_a_picture_becomes_its_words() -> None:
    html = render_markdown("![ねこ](http://evil.example/cat.png)")
    assert "ねこ" in html
    assert "<img" not in html


def test_line_breaks_stay() -> None:
    assert "<br" in render_markdown("一行目\n二行目")


def test_what_is_wider_than_the_page_is_scrolled_by_keyboard_too() -> None:
    assert render_markdown("```python\nprint(1)\n```") == (
        '<pre tabindex="0"><code class="language-python">print(1)\n</code></pre>\n'
    )
    assert render_markdown("    print(1)").startswith('<pre tabindex="0"><code>')
    assert render_markdown("|a|\n|-|\n|1|").startswith('<table tabindex="0">')
