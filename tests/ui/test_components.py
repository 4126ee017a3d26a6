"""What a mind writes, what has changed, and colours: shown so that it can be read, and can neither run nor fetch anything."""

from datetime import date, datetime, timedelta
from html.parser import HTMLParser
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from agent.events import Failed, Received, Speaking, Thinking, TurnEvent
from agent.minds.errors import EmptyAnswerError
from agent.minds.mind_status import MindStatus
from managers.memory.messages import GREETING, Message, Role
from managers.storage.history.diff import unified
from tests.ui.reading import read
from ui.components.diffs import all_diff_lines, diff_lines
from ui.components.faces import Face
from ui.components.markdown import render_markdown
from ui.components.palette import PALETTE, palette_css
from ui.components.times import day_name
from ui.locales import Texts, texts
from ui.rooms.talk import view
from ui.server.templates import part

ALLOWED = {
    *("p", "br", "em", "strong", "code", "pre", "ul", "ol", "li", "blockquote", "a", "span", "s", "hr"),
    *("h1", "h2", "h3", "h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td"),
}
ALLOWED_ATTRIBUTES = {"href", "target", "rel", "class", "start", "style", "title", "tabindex"}
HOSTILE = (
    "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "![cat](http://evil.example/cat.png 'a title')",
    "![x][1]\n\n[1]: http://evil.example/x.png", "[click](JaVaScRiPt:alert(1))",
    "[click](data:text/html,<script>alert(1)</script>)", "[click](vbscript:x)", "[click](file:///etc/passwd)",
    "[click](ftp://evil.example/x) [click](/p/Hazel/persona/delete) [click](tel:1)",
    "<a href='javascript:alert(1)'>x</a>", "<iframe src=http://evil.example></iframe>", "<svg/onload=alert(1)>",
    "```html\n<script>alert(1)</script>\n```", '``` "><script>alert(1)</script>\nx\n```',
    '<http://evil.example/"onmouseover="alert(1)>', "| a |\n|---|\n| <b>x</b> |",
    "$$\\href{javascript:alert(1)}{x}$$"
)  # fmt: skip


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


LINES = ["plain", "++ two signs", "-- two signs", "@@ -1 +1 @@", "\\ a backslash", "--- a/head", "+++ b/head", ""]


def test_a_line_is_shown_whatever_it_begins_with_or_holds() -> None:
    for line in [*LINES, "one\u2028two", "one\x0btwo", "one\x85two", "one\rtwo"]:
        for end in ("", "\n"):
            put_in = diff_lines(unified("a\n", f"a\n{line}\nb{end}", "notepad.txt"))
            assert put_in == [("same", " a"), ("added", f"+{line}"), ("added", "+b")]
            taken = diff_lines(unified(f"{line}\nb{end}", f"b{end}", "notepad.txt"))
            assert taken == [("removed", f"-{line}"), ("same", " b")]
    before = [f"{number}" for number in range(40)]
    after = [*before[:5], *LINES, *before[5:35], *LINES, *before[35:]]
    shown = diff_lines(unified("\n".join(before), "\n".join(after), "notepad.txt"))
    assert [text[1:] for kind, text in shown if kind == "added"] == LINES * 2


def test_what_has_no_head_is_shown_and_what_is_long_is_cut_where_nobody_is_asked() -> None:
    headless = [("removed", "-20:00 Ann: hi"), ("removed", "-20:01 Rook: hello")]
    assert diff_lines("-20:00 Ann: hi\n-20:01 Rook: hello\n") == headless
    assert diff_lines("") == []
    diff = unified("", "".join(f"{number}\n" for number in range(1_000)), "notepad.txt")
    assert diff_lines(diff)[-1] == ("same", "…")
    assert len(all_diff_lines(diff)) == 1_000


def test_what_nobody_sees_is_shown_by_its_number() -> None:
    turned = "pay \u202e0001\u202c to \u2066Ann\u2069\u200b\U000e0041"
    [(kind, line)] = diff_lines(unified("", f"{turned}\n", "notepad.txt"))
    assert (kind, line) == ("added", "+pay ⟨U+202E⟩0001⟨U+202C⟩ to ⟨U+2066⟩Ann⟨U+2069⟩⟨U+200B⟩⟨U+E0041⟩")
    plain = "אבג 家族 👩\u200d👧 می\u200cخواهم"  # other directions and joiners are words
    assert diff_lines(unified("", f"{plain}\n", "notepad.txt")) == [("added", f"+{plain}")]


AA_TEXT, AA_SIGNS = 4.5, 3.0
TEXT_ON = {
    "ink": ("paper", "surface", "raised", "peach", "added", "removed"),
    "quiet": ("paper", "surface", "raised", "peach"),
    "hint": ("paper", "surface", "raised"),
    "accent": ("paper", "surface", "raised"),
    "danger": ("surface", "raised"),
    "on-accent": ("accent", "accent-strong"),
}


def luminance(colour: str) -> float:
    """Relative luminance, WCAG 2.2."""
    channels = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_text_can_be_read_light_and_dark() -> None:
    for look in (0, 1):
        for text, grounds in TEXT_ON.items():
            for ground in grounds:
                ratio = contrast(PALETTE[text][look], PALETTE[ground][look])
                assert ratio >= AA_TEXT, f"{text} on {ground}: {ratio:.2f}"
    css = palette_css()
    for name, (light, dark) in PALETTE.items():
        assert css.count(f"--{name}:light-dark({light},{dark});") == 1


JA, EN = texts("ja"), texts("en")
NOW = datetime(2026, 3, 14, 22, 5)


def message(number: int, role: Role, text: str = "x", time: datetime = NOW, **more: Any) -> Message:
    speaker = {"user": "ミナ", "persona": "ねむ", "system": "tool"}[role]
    return Message(f"m{number}", time, role, speaker, text, **more)


def keys(messages: list[Message], live: view.Live | None = None) -> list[str]:
    return [entry.key for entry in view.conversation(messages, NOW.date(), JA, live=live)]


def test_each_day_begins_with_its_name_as_people_name_it() -> None:
    messages = [message(n, "user", time=NOW - timedelta(days=2 - n)) for n in range(3)]
    assert keys(messages) == ["day-2026-03-12", "m-m0", "day-2026-03-13", "m-m1", "day-2026-03-14", "m-m2"]
    today = NOW.date()
    for day, t, name in (
        (today, JA, "今日"),
        (today - timedelta(1), EN, "Yesterday"),
        (date(2026, 1, 2), JA, "1月2日(金)"),
        (date(2026, 1, 2), EN, "Friday, 2 January"),
        (date(2024, 12, 31), JA, "2024年12月31日(火)"),
    ):
        assert day_name(day, today, t) == name


def test_an_answer_under_way_stands_where_it_will_stand() -> None:
    said = [message(0, "user"), message(1, "persona"), message(2, "user"), message(3, "persona")]
    assert keys(said, view.Live(heard="m0", replaces="m1"))[1:] == ["m-m0", "live", "m-m2", "m-m3"]
    early = keys(said, view.Live(heard="m2"))[1:]
    assert early == ["m-m0", "m-m1", "m-m2", "live"]  # its answer may be written already
    assert keys(said, view.Live())[1:] == ["m-m0", "m-m1", "m-m2", "m-m3", "live"]  # what is answered is not heard yet


def test_a_message_that_nobody_answered_is_found() -> None:
    topic = Message("t", NOW, "system", "new_topic", "")
    for after, found in (([], "m0"), ([message(1, "system")], "m0"), ([message(1, "persona")], ""), ([topic], "")):
        assert view.unanswered([message(0, "user"), *after]) == found  # killed after a tool was used, too


def test_a_turn_grows_event_by_event_and_shows_its_thoughts_folded() -> None:
    events: list[TurnEvent] = [
        Received(message(0, "user"), None), Thinking("<b>hm"), Speaking("そう"), Speaking("**だね**")
    ]  # fmt: skip
    live = view.after(view.Live(), events)
    assert (live.heard, live.thinking, live.speaking, live.step) == ("m0", "<b>hm", "そう**だね**", 4)
    assert view.after(view.after(view.Live(), events[:2]), events[2:]) == live
    error = EmptyAnswerError(model="m")
    assert view.unheard([Failed(error)]) is error  # words that never reached the disk
    assert view.unheard([events[0], Failed(error)]) is None

    def drawn(live: view.Live) -> str:
        return part("rooms/talk/entries.html", "live", live, {"face": Face("ねむ", "")}, JA)

    assert not read(drawn(live)).one("details.reasoning").attributes.get("open")
    assert "&lt;b&gt;hm" in drawn(live)
    assert "<strong>だね</strong>" in drawn(live)
    assert read(drawn(view.Live())).all(".dots")


def test_a_mind_is_named_where_it_changes_and_says_what_it_is() -> None:
    said = [message(n, "persona", mind=mind) for n, mind in enumerate(["a", "a", "built-in", "built-in", "a"])]
    assert view.minds(said, EN) == {"m2": EN("mind.builtin_name"), "m4": "a"}
    assert view.minds([message(9, "persona", mind=GREETING), *said], EN) == view.minds(said, EN)

    def chip(status: MindStatus, t: Texts) -> str:
        return part("components/pieces.html", "mind_chip", status, t)

    status = MindStatus("built-in", "内蔵", "built in", is_language_model=False, leaves_machine=False)
    assert "言語モデルではありません" in chip(status, JA)
    assert "not a language model" in chip(status, EN)
    away = MindStatus("llama", "ラマ", "llama", is_language_model=True, leaves_machine=False, is_answering=False)
    shown = read(chip(away, EN))
    assert "not answering" in shown.text
    assert shown.one(".mind-chip").classes == ["mind-chip", "away"]
