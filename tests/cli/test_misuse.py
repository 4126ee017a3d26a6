"""What is typed wrongly: one line that says how it is meant, in either language."""

import pytest
import typer
from typer.exceptions import TyperException

from commands.line import app
from commands.misuse import misuse_sentence
from tests.cli.test_commands import run

WRONG = (
    ("chat", "PERSONA がありません。", "PERSONA is missing."),
    ("personas rename Aki", "NEW_NAME がありません。", "NEW_NAME is missing."),
    ("chat Hazel -m", "-m には値が必要です。", "-m needs a value."),
    ("chat Hazel --json=3", "--json に値はつけられません。", "--json takes no value."),
    ("chat Hazel --jsn", "--json のことでしょうか。", "Did you mean --json?"),
    ("chat Hazel hello you", "「hello you」は余分です。", '"hello you" is too much.'),
    ("recall Hazel x -k 0", "-k は 1 以上の整数にしてください。", "-k must be a whole number, at least 1."),
    ("history Hazel -n many", "-n は 1 以上の整数にしてください。", "-n must be a whole number, at least 1."),
    ("serve --port 99999", "--port は 0 から 65535 までの整数", "--port must be a whole number from 0 to 65535."),
    ("dream Hazel --day soon", "--day は「2026-01-31」のような日付", "--day must be a date like 2026-01-31."),
    ("personas", "次のどれかを続けてください: admit, create", "One of these must follow: admit, create"),
    ("knowledge frob", "「frob」というコマンドはありません。", 'There is no command "frob".'),
)


def test_a_mistake_is_told_in_one_line_of_the_readers_language(monkeypatch: pytest.MonkeyPatch) -> None:
    for typed, japanese, english in WRONG:
        with pytest.raises(TyperException) as caught:
            typer.main.get_command(app).main(typed.split(), prog_name="app.py", standalone_mode=False)
        assert caught.value.exit_code == 2
        told = [misuse_sentence(caught.value, "ja"), misuse_sentence(caught.value, "en")]
        assert japanese in told[0]
        assert english in told[1]
        assert not {"\n", "{"} & set("".join(told))
    done = run("recall", expect=2)
    assert (done.stdout, done.stderr) == ("", "PERSONA is missing. Usage: app.py recall [OPTIONS] PERSONA [QUERY]\n")
