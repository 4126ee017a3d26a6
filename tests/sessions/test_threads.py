"""Topics are told apart by what is said: few are missed, none is broken without need, and one comes back to the right one."""

from tests.sessions.topics import measured, talks


def test_topics_are_told_apart_and_come_back_to() -> None:
    found = {name: measured(lines) for name, lines in talks()}
    assert len(found) > 1
    for lang in ("en", "ja"):
        of_lang = [one for name, one in found.items() if name.startswith(lang)]
        right, wrong, missed = (sum(getattr(one, name) for one in of_lang) for name in ("right", "wrong", "missed"))
        returned, lost, astray = (sum(getattr(one, name) for one in of_lang) for name in ("returned", "lost", "astray"))
        slips = "\n".join(slip for one in of_lang for slip in one.slips)
        assert right / (right + wrong) > 0.95, slips
        assert right / (right + missed) > 0.85, slips
        assert returned / (returned + lost) > 0.8, slips
        assert returned / (returned + astray) > 0.85, slips
