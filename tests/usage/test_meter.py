"""The meter: what is reserved and settled, by threads and processes at once, by killed ones, across midnight."""

import subprocess
import sys
from datetime import datetime
from pathlib import Path

import pytest

from managers.storage.paths import CHECKOUT
from managers.storage.settings import UsageSettings
from managers.usage.caps import Wish
from managers.usage.errors import CapReachedError, PriceUnknownError
from managers.usage.ledger import Ledger
from managers.usage.meter import Meter, OpenCall
from managers.usage.prices import Model
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
