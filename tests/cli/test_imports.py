"""`import` of a chat in which nobody says who is who."""

from __future__ import annotations

from pathlib import Path

from tests.cli.test_commands import lines, run

_TALK = "[LINE] ルナとのトーク履歴\n2024/01/05(金)\n21:33\tアキ\tただいま\n21:34\tルナ\tおかえり\n21:35\tアキ\tねむい\n"


def _roles(told: dict[str, list[dict[str, str]]]) -> dict[str, str]:
    return {one["name"]: one["role"] for one in told["speakers"]}


def test_the_guess_of_who_is_who_is_shown_and_can_be_put_right(tmp_path: Path) -> None:
    home = tmp_path / "home"
    talk = tmp_path / "talk.txt"
    talk.write_text(_TALK, "utf-8")
    command = ("import", str(talk), "--persona", "Moon", "--dry-run", "--json")

    guessed = lines(run(*command, home=home))[0]
    assert _roles(guessed) == {"アキ": "user", "ルナ": "persona"}
    assert ("chats.guessed", True) in {(one["code"], one["taken"]) for one in guessed["left_out"]}
    corrected = lines(run(*command, "--user", "ルナ", home=home))[0]
    assert _roles(corrected) == {"ルナ": "user", "アキ": "persona"}
    assert "chats.guessed" not in {one["code"] for one in corrected["left_out"]}
