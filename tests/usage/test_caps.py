"""Caps are never passed, whatever is asked in whatever order, as long as a call keeps to what it was granted."""

from hypothesis import given
from hypothesis import strategies as st

from managers.storage.settings import UsageSettings
from managers.usage.caps import Cap, Spent, Standing, Wish, caps_of, room_for, worst_case
from managers.usage.prices import NANO, Price

DAY = Cap("day", "tokens", 10_000)
DOLLAR = Cap("day", "money", NANO)

prices = st.builds(
    Price,
    input=st.floats(0, 200),
    output=st.floats(0, 200),
    above=st.sampled_from([0, 500, 5_000]),
    input_above=st.floats(0, 400),
    output_above=st.floats(0, 400),
)
some = st.integers(0, 20_000)
wishes = st.builds(Wish, input_tokens=some, most_output=some, least_output=st.integers(0, 600), can_limit=st.booleans())
caps = st.integers(1, 50_000).map(lambda limit: Cap("day", "tokens", limit)) | st.integers(1, 3 * NANO).map(
    lambda limit: Cap("day", "money", limit)
)


@given(
    st.lists(caps, min_size=1, max_size=4),
    st.lists(st.tuples(wishes, prices, st.floats(0, 1), st.floats(0, 1), st.booleans()), max_size=12),
)
def test_no_order_of_calls_passes_a_cap(limits: list[Cap], calls: list[tuple[Wish, Price, float, float, bool]]) -> None:
    spent, reserved = Spent(), list[tuple[Spent, Spent]]()
    for wish, price, read, written, ends_at_once in calls:
        under_way = sum((most for most, _ in reserved), Spent())
        standings = [Standing(cap, spent.of(cap.unit), under_way.of(cap.unit)) for cap in limits]
        room = room_for(wish, price, standings)
        if room.stopped_by is not None:
            continue
        assert room.output_tokens <= wish.most_output
        assert room.output_tokens >= min(wish.least_output, wish.most_output)
        tokens_read, tokens_written = int(read * wish.input_tokens), int(written * room.output_tokens)
        actual = Spent(tokens_read + tokens_written, price.cost(tokens_read, tokens_written))
        is_less_for_more = price.input_above < price.input or price.output_above < price.output
        if price.above and is_less_for_more and tokens_read <= price.above < wish.input_tokens:
            continue  # no provider's list has that
        reserved.append((worst_case(wish, room, price), actual))
        if ends_at_once:
            spent += reserved.pop()[1]
    for _, actual in reserved:
        spent += actual
    assert all(spent.of(cap.unit) <= cap.limit for cap in limits)


def test_the_last_tokens_make_a_short_answer_rather_than_none() -> None:
    wish = Wish(4_000, 8_192, 512)
    rooms = [room_for(wish, None, [Standing(DAY, spent)]) for spent in (3_000, 5_000, 5_600)]
    assert [room.output_tokens for room in rooms[:2]] == [3_000, 1_000]
    assert rooms[2].stopped_by == DAY
    assert room_for(wish, None, [Standing(DAY, 3_000, reserved=2_600)]).stopped_by == DAY
    assert [Standing(DAY, spent).is_near for spent in (7_999, 8_000, 10_000)] == [False, True, True]


def test_a_dear_model_is_stopped_by_money_as_is_one_whose_price_nobody_knows() -> None:
    wish = Wish(10, 1_000, 512)
    assert room_for(wish, None, [Standing(DOLLAR, 0)]).stopped_by == DOLLAR
    assert room_for(wish, Price(0, 0), [Standing(DOLLAR, NANO)]).output_tokens == 1_000
    price = Price(1, 10, above=200_000, input_above=2, output_above=20)  # a long prompt costs more
    half = [Standing(DOLLAR, NANO // 2)]
    rooms = [room_for(Wish(read, 100_000, 512), price, half) for read in (100_000, 200_001, 250_000)]
    assert [room.output_tokens for room in rooms[:2]] == [40_000, 4_999]
    assert rooms[2].stopped_by == DOLLAR


def test_the_settings_give_everybodys_caps_and_each_personas_own() -> None:
    settings = UsageSettings(day_tokens=5, month_money=150, persona_day_tokens=3, per_dollar=150, currency="JPY")
    assert caps_of(settings, "") == [Cap("day", "tokens", 5), Cap("month", "money", NANO)]
    assert caps_of(settings, "ねむ")[2:] == [Cap("day", "tokens", 3, "ねむ")]
    assert caps_of(UsageSettings(), "ねむ") == []
