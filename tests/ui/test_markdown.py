"""What a mind writes is shown and can neither run nor fetch anything."""

from html.parser import HTMLParser

from hypothesis import given, settings
from hypothesis import strategies as st

from ui.components.markdown import render_markdown

ALLOWED = {
    *("p", "br", "em", "strong", "code", "pre", "ul", "ol", "li", "blockquote", "a", "span", "s", "hr"),
    *("h1", "h2", "h3", "h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td"),
}
ALLOWED_ATTRIBUTES = {"href", "target", "rel", "class", "start", "style", "title", "tabindex"}
HOSTILE = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "![cat](http://evil.example/cat.png 'a title')",
    "![x][1]\n\n[1]: http://evil.example/x.png",
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
)


class Inspector(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.problems: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in ALLOWED:
            self.problems.append(tag)
        for name, value in attrs:
            leads_out = name == "href" and not (value or "").lower().startswith(("http://", "https://", "mailto:", "#"))
            looks_odd = name == "style" and not (value or "").startswith("text-align:")
            if name not in ALLOWED_ATTRIBUTES or leads_out or looks_odd:
                self.problems.append(f"{tag} {name}={value}")


def problems(text: str) -> list[str]:
    inspector = Inspector()
    inspector.feed(render_markdown(text))
    return inspector.problems


@settings(max_examples=60)
@given(st.text(alphabet=st.sampled_from(list("<>\"'&![](){}:/#*_`~|-\\ \njavscriptonerhf=.日本")), max_size=80))
def test_no_mixture_of_signs_gets_through(text: str) -> None:
    assert problems(text) == []


def test_nothing_runs_and_nothing_is_fetched() -> None:
    assert {text: problems(text) for text in HOSTILE if problems(text)} == {}
    html = render_markdown("![ねこ](http://evil.example/cat.png)")
    assert "ねこ" in html  # a picture becomes its words
    assert "<img" not in html


def test_markdown_is_rendered_and_what_is_wider_than_the_page_is_scrolled_by_keyboard() -> None:
    html = render_markdown("**太字** と `code`\n\n- 一\n- 二\n\n[site](https://example.com)")
    assert "<strong>太字</strong>" in html
    assert html.count("<li>") == 2
    assert 'href="https://example.com"' in html
    assert 'rel="noopener noreferrer nofollow"' in html
    assert "<br" in render_markdown("一行目\n二行目")
    code = '<pre tabindex="0"><code class="language-python">print(1)\n</code></pre>\n'
    assert render_markdown("```python\nprint(1)\n```") == code
    assert render_markdown("    print(1)").startswith('<pre tabindex="0"><code>')
    assert render_markdown("|a|\n|-|\n|1|").startswith('<table tabindex="0">')
