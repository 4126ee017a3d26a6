"""Prices: the person's own, this computer's, the dated list's, or unknown, and never nought for unknown."""

from datetime import date

from managers.usage.prices import NANO, Model, Price, listed_price, price_of

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
        ("gemini-2.5-flash-something-new", GOOGLE),
        ("gpt-4o", "proxy.example.com"),
        ("gpt-4o", "api.openai.com.example.com"),
        ("gpt-4o-audio-preview", OPENAI),
        ("llama3.2", "192.168.1.20"),
        ("", OPENAI),
    ):
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
