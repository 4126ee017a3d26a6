"""The meter: what is reserved and settled, by threads and processes at once, by killed ones, across midnight; caps are never passed."""

import subprocess
import sys
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from managers.storage.paths import CHECKOUT
from managers.storage.settings import UsageSettings
from managers.usage.caps import Cap, Spent, Standing, Wish, caps_of, room_for, worst_case
from managers.usage.errors import CapReachedError, PriceUnknownError
from managers.usage.ledger import Ledger
from managers.usage.meter import Meter, OpenCall
from managers.usage.prices import NANO, Model, Price
from tests.fakes import HandClock

GEMINI = Model("gemini-2.5-flash", "Gemini", "generativelanguage.googleapis.com")
UNKNOWN = Model("mystery", "example.com", "example.com")
LOCAL = Model("llama3.2", "Ollama", "127.0.0.1", is_local=True)


class Home:
    """A meter whose settings are set by hand."""

    def __init__(self, folder: Path, clock: HandClock) -> None:
        self.clock = clock
        self.settings = UsageSettings()
        self.meter = Meter(folder, clock, lambda _: self.settings)

    def open(self, model: Model = GEMINI, persona: str = "ねむ", read: int = 1_000) -> OpenCall:
        return self.meter.account(persona, "talk").open(model, Wish(read, 50_000, 512), 60)

    def stopped(self, model: Model = GEMINI) -> CapReachedError:
        with pytest.raises(CapReachedError) as stopped:
            self.open(model)
        return stopped.value

    def spent(self, persona: str = "") -> list[int]:
        return [standing.spent for standing in self.meter.standings(persona)]


@pytest.fixture
def home(tmp_path: Path, clock: HandClock) -> Home:
    return Home(tmp_path / "usage", clock)


def test_without_a_cap_nothing_is_reserved_and_all_is_noted(home: Home) -> None:
    call = home.open()
    assert call.output_tokens is None
    assert not (home.meter.ledger.folder / "under_way").exists()
    home.meter.ledger.folder.parent.mkdir(exist_ok=True)
    home.meter.ledger.folder.write_text("in the way", "utf-8")  # it cannot be written yet
    call.settle(900, 40)
    call.settle(900, 40)  # the first counts
    home.meter.ledger.folder.unlink()
    home.meter.flush()
    (noted,) = home.meter.ledger.calls()
    assert (noted.persona, noted.purpose, noted.tokens, noted.cost) == ("ねむ", "talk", 940, 370_000)


def test_a_cap_of_tokens_leaves_what_is_left_and_stops_before_it_is_passed(home: Home) -> None:
    home.settings = UsageSettings(day_tokens=10_000, answer_tokens=4_000)
    first, second = home.open(), home.open()
    assert (first.output_tokens, second.output_tokens) == (4_000, 4_000)
    stopped = home.stopped()
    assert "10,000 tokens" in stopped.sentence("en")
    assert "今日の上限(10,000 トークン)" in stopped.sentence("ja")
    first.settle(1_000, 500)
    second.release()
    assert home.spent() == [1_500]
    assert home.open().output_tokens == 4_000
    assert home.meter.standings()[0].reserved == 5_000


def test_a_cap_of_money_counts_at_a_price_that_is_known(home: Home) -> None:
    home.settings = UsageSettings(day_money=0.01)
    call = home.open()
    assert call.output_tokens == 3_880  # (0.01 - 1000 x 0.30 / 10^6) / (2.50 / 10^6)
    call.settle(1_000, 3_880)
    home.stopped()
    assert home.open(LOCAL).output_tokens == 8_192  # this computer asks for nothing
    with pytest.raises(PriceUnknownError, match="mystery"):
        home.open(UNKNOWN)
    home.settings = UsageSettings(day_money=0.01, prices={"mystery": (0.0, 0.0)})
    assert home.open(UNKNOWN).output_tokens == 8_192


def test_each_persona_has_its_cap_and_all_share_one(home: Home) -> None:
    home.settings = UsageSettings(day_tokens=20_000, persona_day_tokens=12_000, answer_tokens=10_000)
    home.open(LOCAL).settle(1_000, 10_000)  # the tokens of this computer count too
    assert "ねむ's cap for today (12,000 tokens)" in home.stopped().sentence("en")
    assert home.open(persona="Hazel").output_tokens == 8_000
    assert home.spent("ねむ") == [11_000, 11_000]


def test_the_day_begins_anew_at_midnight_and_the_month_on_the_first(home: Home) -> None:
    home.clock.set(datetime(2026, 11, 29, 23, 59))
    home.settings = UsageSettings(day_tokens=10_000, month_tokens=25_000)
    late = home.open()
    home.clock.set(datetime(2026, 11, 30, 0, 0))
    late.settle(1_000, 8_000)
    assert home.spent() == [0, 9_000]
    home.open().settle(1_000, 8_000)
    assert home.spent() == [9_000, 18_000]
    home.clock.set(datetime(2026, 12, 1, 0, 0))
    assert home.spent() == [0, 0]


def test_what_a_killed_process_had_reserved_expires_and_what_it_read_is_counted(home: Home, tmp_path: Path) -> None:
    home.settings = UsageSettings(day_tokens=10_000)
    home.open()  # and never heard of again
    other = Home(tmp_path / "usage", home.clock)
    other.settings = home.settings
    other.stopped()
    home.clock.move(seconds=61)
    call = other.open()
    assert call.output_tokens == 8_000
    (lost,) = other.meter.ledger.calls()
    assert (lost.outcome, lost.input_tokens, lost.output_tokens, lost.is_estimated) == ("lost", 1_000, 0, True)
    for _ in range(10):
        home.clock.move(seconds=30)
        call.live()  # a long answer keeps what is reserved while pieces come
        assert home.meter.standings()[0].reserved == 9_000
    call.settle(1_000, 7_000)
    (home.meter.ledger.folder / "under_way" / "1-2-3.json").write_text('{"time": "2026', "utf-8")  # torn
    assert (home.spent(), home.meter.standings()[0].reserved) == ([9_000], 0)
    assert list((home.meter.ledger.folder / "under_way").iterdir()) == []


def test_a_model_is_silent_until_there_is_room_again(home: Home) -> None:
    home.settings = UsageSettings(day_tokens=1_400)
    assert not home.meter.stops("ねむ")
    home.stopped()
    assert not home.meter.stops("Hazel")
    for tokens, is_silent in ((1_400, True), (1_512, False), (1_400, True), (0, False)):
        home.settings = UsageSettings(day_tokens=tokens)
        assert home.meter.stops("ねむ") is is_silent


_PROCESS = """
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from managers.storage.settings import UsageSettings
from managers.usage.caps import Wish
from managers.usage.errors import CapReachedError
from managers.usage.meter import Meter
from managers.usage.prices import Model
from tests.fakes import HandClock
meter = Meter(Path(sys.argv[1]), HandClock(), lambda _: UsageSettings(day_tokens=20_000, answer_tokens=3_000))
def talk(number):
    for _ in range(3):
        try:
            call = meter.account(f"persona {number}", "talk").open(Model("m"), Wish(1_000, 50_000, 512), 600)
        except CapReachedError:
            continue
        call.settle(1_000, call.output_tokens)
print("ready", flush=True)
sys.stdin.readline()
with ThreadPoolExecutor(4) as pool:
    list(pool.map(talk, range(4)))
"""


def test_threads_and_processes_that_race_for_the_last_tokens_do_not_pass_the_cap(tmp_path: Path) -> None:
    command = [sys.executable, "-c", _PROCESS, str(tmp_path)]
    pipe = subprocess.PIPE
    racing = [subprocess.Popen(command, cwd=CHECKOUT, text=True, stdin=pipe, stdout=pipe) for _ in range(2)]
    for process in racing:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in racing:
        process.communicate("go\n")
        assert process.returncode == 0
    assert 18_488 < sum(call.tokens for call in Ledger(tmp_path).calls()) <= 20_000


DAY = Cap("day", "tokens", 10_000)
DOLLAR = Cap("day", "money", NANO)

prices = st.builds(
    Price, input=st.floats(0, 200), output=st.floats(0, 200), above=st.sampled_from([0, 500, 5_000]),
    input_above=st.floats(0, 400), output_above=st.floats(0, 400)
)  # fmt: skip
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
