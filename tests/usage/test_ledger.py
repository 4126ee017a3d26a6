"""The ledger: appended, rolled by month, readable after a crash, and without a word of what was said."""

from datetime import date, datetime
from pathlib import Path

from managers.usage.ledger import Call, Ledger, Renamed, read_entries
from managers.usage.prices import NANO, Model, Price, listed_price, price_of

CALL = Call(datetime(2026, 11, 21, 22, 0, 7), "ねむ", "talk", "Gemini", "gemini-2.5-flash", 1200, 80, cost=560_000)


def test_a_call_comes_back_as_it_was_written(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    estimated = Call(
        CALL.time, "", "trial", "Ollama", "llama3.2", 5, 0, is_estimated=True, is_local=True, cost=0, outcome="stopped"
    )
    unknown = Call(CALL.time, "ねむ", "dream", "example.com", "m", 5, 6)
    for call in (CALL, estimated, unknown):
        ledger.append(call)
    assert ledger.calls() == [CALL, estimated, unknown]
    first = ledger.month_file(CALL.time.date()).read_text("utf-8").splitlines()[0]
    assert first == (
        '{"time": "2026-11-21T22:00:07", "persona": "ねむ", "purpose": "talk", "service": "Gemini", '
        '"model": "gemini-2.5-flash", "input": 1200, "output": 80, "cost": 0.00056}'
    )


def test_each_month_has_a_file_and_older_ones_are_not_touched(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    ledger.append(CALL)
    before = (tmp_path / "2026-11.jsonl").read_bytes()
    ledger.append(Call(datetime(2026, 12, 1), "ねむ", "talk", "Gemini", "g", 1, 1))
    assert [path.name for path in ledger.months()] == ["2026-11.jsonl", "2026-12.jsonl"]
    assert (tmp_path / "2026-11.jsonl").read_bytes() == before
    assert [call.model for call in ledger.calls(since=date(2026, 11, 22))] == ["g"]


def test_a_line_that_a_crash_tore_costs_nothing_but_itself_and_what_is_no_entry_is_passed_over(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    ledger.append(CALL)
    path = ledger.month_file(CALL.time.date())
    whole = path.read_bytes()
    for torn in range(1, len(whole)):
        path.write_bytes(whole + whole[:torn])
        assert ledger.calls()[0] == CALL
        ledger.append(CALL)
        assert ledger.calls()[-1] == CALL
        assert len(ledger.calls()) in {2, 3}  # three where the line was whole but for its end
    path.write_bytes(b'\n[]\n{"time": "x"}\n\xff\xfe\n{"time": "2026-11-21T22:00:07", "input": "x", "output": 1}\n3\n')
    ledger.append(CALL)
    assert ledger.calls() == [CALL]


def test_reading_on_takes_up_where_it_left_off(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    ledger.append(CALL)
    path = ledger.month_file(CALL.time.date())
    entries, offset = read_entries(path)
    assert entries == [CALL]
    ledger.append(CALL)
    with path.open("ab") as file:
        file.write(b'{"time": "2026-')
    again, later = read_entries(path, offset)
    assert again == [CALL]
    assert later == 2 * offset
    assert read_entries(tmp_path / "none.jsonl") == ([], 0)


def test_a_persona_takes_what_it_spent_along_when_it_is_renamed(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "usage")
    ledger.note_rename(datetime(2026, 12, 2), "ねむ", "ゆめ")
    assert not (tmp_path / "usage").exists()  # nothing was spent yet
    ledger.append(CALL)
    ledger.note_rename(datetime(2026, 12, 2), "ねむ", "ゆめ")
    ledger.append(Call(datetime(2026, 12, 3), "ねむ", "talk", "Gemini", "g", 1, 1))
    assert [call.persona for call in ledger.calls()] == ["ゆめ", "ねむ"]
    assert read_entries(ledger.months()[1])[0][0] == Renamed(datetime(2026, 12, 2), "ねむ", "ゆめ")


TODAY = date(2026, 11, 21)
GOOGLE, OPENAI, ROUTER = "generativelanguage.googleapis.com", "api.openai.com", "openrouter.ai"


def test_known_models_have_their_providers_price_and_what_nobody_knows_is_not_free() -> None:
    known = {
        ("gemini-2.5-flash", GOOGLE): (0.30, 2.50),
        ("gemini-2.5-flash-lite", GOOGLE): (0.10, 0.40),
        ("models/gemini-2.5-pro", GOOGLE): (1.25, 10.0),
        ("google/gemini-2.5-flash", ROUTER): (0.30, 2.50),
        ("gpt-4o-mini", OPENAI): (0.15, 0.60),
        ("openai/gpt-5-mini", ROUTER): (0.25, 2.00),
        ("anthropic/claude-sonnet-4.5", ROUTER): (3.0, 15.0),
        ("meta-llama/llama-3.3-70b-instruct:free", ROUTER): (0.0, 0.0),
    }
    prices = {asked: price for asked in known if (price := listed_price(*asked, TODAY))}
    assert {asked: (price.input, price.output) for asked, price in prices.items()} == known
    assert all(price.source == "list" and price.as_of for price in prices.values())
    for name, host in (
        ("gemini-2.5-flash-something-new", GOOGLE), ("gpt-4o", "proxy.example.com"),
        ("gpt-4o", "api.openai.com.example.com"), ("gpt-4o-audio-preview", OPENAI), ("llama3.2", "192.168.1.20"),
        ("", OPENAI)
    ):  # fmt: skip
        assert price_of(Model(name, "", host), {}, TODAY) is None
    announced = [listed_price("gemini-3.8-flash", GOOGLE, day) for day in (date(2026, 12, 31), date(2027, 1, 1))]
    assert [price and price.input for price in announced] == [0.75, 1.50]  # it counts from its day on


def test_ones_own_price_counts_before_the_list_and_before_this_computers() -> None:
    own = {"gpt-4o": (1.0, 2.0), "llama3.2": (0.5, 0.5)}
    assert price_of(Model("gpt-4o", "OpenAI", OPENAI), own, TODAY) == Price(1.0, 2.0, "own")
    local = Model("llama3.2", "Ollama", "127.0.0.1", is_local=True)
    assert price_of(local, own, TODAY) == Price(0.5, 0.5, "own")
    assert (free := price_of(local, {}, TODAY)) is not None
    assert (free.cost(10**6, 10**6), free.source) == (0, "local")


def test_costs_are_exact_and_rounded_up() -> None:
    assert Price(0.30, 2.50).cost(1_000_000, 1_000_000) == int(2.8 * NANO)
    assert Price(0.0001, 0).cost(1, 0) == 1
    assert Price(1, 1, above=10, input_above=2, output_above=2).cost(11, 1) == 24_000
