"""A diff is shown as it is, whatever its lines look like."""

from managers.storage.history.diff import unified
from ui.components.diffs import all_diff_lines, diff_lines

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
