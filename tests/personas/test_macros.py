"""Names in a persona's words."""

from managers.personas.macros import fill_names


def test_macros_are_filled_in_what_nobody_knows_stays_and_names_bring_none() -> None:
    rows = (
        ("{{char}} greets {{ User }}.", "Aria greets Aoi."),
        ("<USER>と<BOT>", "AoiとAria"),
        ("a {{// for the writer}}b{{comment: x}}{{hidden_key:tower}}", "a b"),
        ("{{original}}Be kind.", "Be kind."),
        ("{{reverse:abc}}", "cba"),
        ("{{roll:d1}} {{roll:1d1}} {{roll: 1 }} {{roll:x}} {{roll:0}}", "1 1 1 x 0"),
        ("<START>\n{{user}}: hi", "***\nAoi: hi"),
        ("{{unknown}} {char} {{}} <user> a < b {{char", "{{unknown}} {char} {{}} <user> a < b {{char"),
        ("{{charcoal}} {{user_name}}", "{{charcoal}} {{user_name}}"),
    )
    assert [(text, fill_names(text, "Aria", "Aoi")) for text, _ in rows] == list(rows)
    assert fill_names("{{user}}", "Aria", "{{char}}") == "{{char}}"


def test_what_is_picked_stays_picked() -> None:
    found = {fill_names(f"{{{{random:red,green\\, too,{n}}}}}", "a", "b") for n in range(30)}
    assert {"red", "green, too"} < found
    assert fill_names("{{pick:a::b}}", "a", "b") in {"a", "b"}
    assert len({fill_names("{{random:a,b,c}}", "x", "y") for _ in range(9)}) == 1
