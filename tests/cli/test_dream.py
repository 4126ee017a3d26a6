"""`dream`: what it takes in, and how it tells of it."""

from datetime import datetime
from pathlib import Path

from tests.cli.test_commands import lines, run

SAID = "I am flying to Lisbon with my sister Rosa next Tuesday."


def test_a_dream_that_is_asked_for_takes_today_in_quiet_hours_too(home: Path) -> None:
    hour = datetime.now().astimezone().hour
    home.mkdir()
    quiet = f"[sleep]\nquiet_start_hour = {hour}\nquiet_end_hour = {(hour + 3) % 24}\n"
    (home / "settings.toml").write_text(quiet, "utf-8")
    run("chat", "Hazel", "-m", SAID)
    planned = lines(run("dream", "Hazel", "--dry-run", "--json"))[0]
    told = run("dream", "Hazel").stdout
    [day] = planned["days"]
    story = next(change["text"] for change in planned["changes"] if change["what"] == "episode")
    assert told.splitlines()[0] == day
    assert "Lisbon" in story
    assert told.index(story.splitlines()[0]) < told.index("Memories that changed (")
    assert "meta" not in told
    assert run("dream", "Hazel").stdout.strip() == "There was nothing new to dream of."
