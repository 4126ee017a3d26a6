"""The meter: what is reserved and settled, by threads and processes at once, by killed ones, across midnight."""

import subprocess
import sys
import threading
from datetime import datetime
from pathlib import Path

import pytest

from managers.storage.paths import CHECKOUT
from managers.storage.settings import UsageSettings
from managers.usage.caps import Wish
from managers.usage.errors import CapReachedError, PriceUnknownError
from managers.usage.ledger import Ledger
from managers.usage.meter import Meter
from managers.usage.prices import Model
from tests.fakes import HandClock

GEMINI = Model("gemini-2.5-flash", "Gemini", "generativelanguage.googleapis.com")
UNKNOWN = Model("mystery", "example.com", "example.com")
LOCAL = Model("llama3.2", "Ollama", "127.0.0.1", is_local=True)
WISH = Wish(1_000, 50_000, 512)


class Home:
    """A meter whose settings are set by hand."""

    def __init__(self, folder: Path, clock: HandClock) -> None:
        self.clock = clock
        self.settings = UsageSettings()
        self.meter = Meter(folder, clock, lambda _: self.settings)
        self.account = self.meter.account("ねむ", "talk")

    def spent(self, persona: str = "") -> list[int]:
        return [standing.spent for standing in self.meter.standings(persona)]


@pytest.fixture
def home(tmp_path: Path, clock: HandClock) -> Home:
    return Home(tmp_path / "usage", clock)


def test_without_a_cap_nothing_is_reserved_and_all_is_noted(home: Home) -> None:
    call = home.account.open(GEMINI, WISH, 60)
    assert call.output_tokens is None
    assert not (home.meter.ledger.folder / "under_way").exists()
    call.settle(900, 40)
    call.settle(900, 40)  # the first counts
    (noted,) = home.meter.ledger.calls()
    assert (noted.persona, noted.purpose, noted.tokens, noted.cost) == ("ねむ", "talk", 940, 370_000)


def test_a_cap_of_tokens_leaves_what_is_left_and_stops_before_it_is_passed(home: Home) -> None:
    home.settings = UsageSettings(day_tokens=10_000, answer_tokens=4_000)
    first = home.account.open(GEMINI, WISH, 60)
    assert first.output_tokens == 4_000
    second = home.account.open(GEMINI, WISH, 60)
    assert second.output_tokens == 4_000
    with pytest.raises(CapReachedError) as stopped:
        home.account.open(GEMINI, WISH, 60)
    assert "10,000 tokens" in stopped.value.sentence("en")
    assert "今日の上限(10,000 トークン)" in stopped.value.sentence("ja")
    first.settle(1_000, 500)
    second.release()
    assert home.spent() == [1_500]
    assert home.account.open(GEMINI, WISH, 60).output_tokens == 4_000
    assert home.meter.standings()[0].reserved == 5_000


def test_a_cap_of_money_counts_at_the_price_of_the_model(home: Home) -> None:
    home.settings = UsageSettings(day_money=0.01)
    call = home.account.open(GEMINI, WISH, 60)
    assert call.output_tokens == 3_880  # (0.01 - 1000 x 0.30 / 10^6) / (2.50 / 10^6)
    call.settle(1_000, 3_880)
    with pytest.raises(CapReachedError):
        home.account.open(GEMINI, Wish(10, 1_000, 512), 60)
    assert home.account.open(LOCAL, WISH, 60).output_tokens == 8_192  # this computer asks for nothing


def test_a_price_that_nobody_knows_is_said_and_can_be_told(home: Home) -> None:
    home.settings = UsageSettings(month_money=5)
    with pytest.raises(PriceUnknownError) as stopped:
        home.account.open(UNKNOWN, WISH, 60)
    assert "mystery" in stopped.value.sentence("en")
    home.settings = UsageSettings(month_money=5, prices={"mystery": (0.0, 0.0)})
    assert home.account.open(UNKNOWN, WISH, 60).output_tokens == 8_192
    home.settings = UsageSettings(month_tokens=50_000)
    assert home.account.open(UNKNOWN, WISH, 60).output_tokens == 8_192


def test_tokens_of_this_computer_count_too(home: Home) -> None:
    home.settings = UsageSettings(day_tokens=10_000)
    home.account.open(LOCAL, WISH, 60).settle(9_000, 900)
    with pytest.raises(CapReachedError):
        home.account.open(LOCAL, WISH, 60)


def test_a_model_that_cannot_be_told_to_be_short_needs_all_its_room(home: Home) -> None:
    home.settings = UsageSettings(day_tokens=10_000, answer_tokens=1_000)
    endless = Wish(1_000, 9_500, 9_500, can_limit=False)
    with pytest.raises(CapReachedError):
        home.account.open(GEMINI, endless, 60)
    assert home.account.open(GEMINI, Wish(1_000, 9_000, 9_000, can_limit=False), 60).output_tokens == 9_000


def test_each_persona_has_its_cap_and_all_share_one(home: Home) -> None:
    home.settings = UsageSettings(day_tokens=20_000, persona_day_tokens=12_000, answer_tokens=10_000)
    home.account.open(GEMINI, WISH, 60).settle(1_000, 10_000)
    with pytest.raises(CapReachedError) as stopped:
        home.account.open(GEMINI, WISH, 60)
    assert "ねむ's cap for today (12,000 tokens)" in stopped.value.sentence("en")
    other = home.meter.account("Hazel", "dream").open(GEMINI, WISH, 60)
    assert other.output_tokens == 8_000
    assert home.spent("ねむ") == [11_000, 11_000]


def test_the_day_begins_anew_at_midnight_and_the_month_on_the_first(home: Home) -> None:
    home.clock.set(datetime(2026, 11, 29, 23, 59))
    home.settings = UsageSettings(day_tokens=10_000, month_tokens=25_000)
    late = home.account.open(GEMINI, WISH, 600)
    home.clock.set(datetime(2026, 11, 30, 0, 1))
    late.settle(1_000, 8_000)
    assert home.spent() == [0, 9_000]
    home.account.open(GEMINI, WISH, 60).settle(1_000, 8_000)
    assert home.spent() == [9_000, 18_000]
    home.clock.set(datetime(2026, 12, 1, 0, 1))
    assert home.spent() == [0, 0]


def test_what_a_killed_process_had_reserved_expires_and_what_it_read_is_counted(
    home: Home, tmp_path: Path, clock: HandClock
) -> None:
    home.settings = UsageSettings(day_tokens=10_000)
    home.account.open(GEMINI, WISH, 60)  # and never heard of again
    other = Home(tmp_path / "usage", clock)
    other.settings = home.settings
    with pytest.raises(CapReachedError):
        other.account.open(GEMINI, WISH, 60)
    clock.move(seconds=61)
    assert other.account.open(GEMINI, WISH, 60).output_tokens == 8_000
    (lost,) = other.meter.ledger.calls()
    assert (lost.outcome, lost.input_tokens, lost.output_tokens, lost.is_estimated) == ("lost", 1_000, 0, True)


def test_a_long_answer_keeps_its_reservation_while_pieces_come(home: Home) -> None:
    home.settings = UsageSettings(day_tokens=10_000)
    call = home.account.open(GEMINI, WISH, 60)
    for _ in range(10):
        home.clock.move(seconds=30)
        call.live()
        assert home.meter.standings()[0].reserved == 9_192
    call.settle(1_000, 7_000)
    assert (home.spent(), home.meter.standings()[0].reserved) == ([8_000], 0)


def test_a_torn_reservation_is_taken_away(home: Home) -> None:
    home.settings = UsageSettings(day_tokens=10_000)
    home.account.open(GEMINI, WISH, 60).settle(1, 1)
    (home.meter.ledger.folder / "under_way" / "1-2-3.json").write_text('{"time": "2026', "utf-8")
    assert home.meter.standings()[0].reserved == 0
    assert list((home.meter.ledger.folder / "under_way").iterdir()) == []


def test_a_model_is_silent_until_there_is_room_again(home: Home) -> None:
    home.settings = UsageSettings(day_tokens=1_400)
    assert not home.meter.stops("ねむ")
    with pytest.raises(CapReachedError):
        home.account.open(GEMINI, WISH, 60)
    assert home.meter.stops("ねむ")
    assert not home.meter.stops("Hazel")
    home.settings = UsageSettings(day_tokens=1_512)
    assert not home.meter.stops("ねむ")
    home.settings = UsageSettings(day_tokens=1_400)
    assert home.meter.stops("ねむ")
    home.settings = UsageSettings()
    assert not home.meter.stops("ねむ")


def test_a_ledger_that_cannot_be_written_loses_no_line(home: Home) -> None:
    call = home.account.open(GEMINI, WISH, 60)
    home.meter.ledger.folder.parent.mkdir(exist_ok=True)
    home.meter.ledger.folder.write_text("in the way", "utf-8")
    call.settle(10, 20)
    home.meter.ledger.folder.unlink()
    home.meter.flush()
    assert [noted.tokens for noted in home.meter.ledger.calls()] == [30]


def test_threads_that_race_for_the_last_tokens_do_not_pass_the_cap(home: Home) -> None:
    home.settings = UsageSettings(day_tokens=20_000, answer_tokens=3_000)
    ready, stopped = threading.Barrier(8), []

    def talk(number: int) -> None:
        account = home.meter.account(f"persona {number}", "talk")
        ready.wait()
        for _ in range(4):
            try:
                call = account.open(GEMINI, WISH, 60)
            except CapReachedError:
                stopped.append(number)
                continue
            assert call.output_tokens is not None
            call.settle(1_000, call.output_tokens)

    threads = [threading.Thread(target=talk, args=[number]) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert stopped
    assert 18_488 < home.spent()[0] <= 20_000
    assert home.meter.standings()[0].reserved == 0


_PROCESS = """
import sys
from pathlib import Path
from managers.storage.clock import SystemClock
from managers.storage.settings import UsageSettings
from managers.usage.caps import Wish
from managers.usage.errors import CapReachedError
from managers.usage.meter import Meter
from managers.usage.prices import Model
meter = Meter(Path(sys.argv[1]), SystemClock(), lambda _: UsageSettings(day_tokens=20_000, answer_tokens=3_000))
print("ready", flush=True)
sys.stdin.readline()
for _ in range(6):
    try:
        call = meter.account("", "dream").open(Model("m"), Wish(1_000, 50_000, 512), 60)
    except CapReachedError:
        continue
    call.settle(1_000, call.output_tokens)
"""


def test_processes_that_race_for_the_last_tokens_do_not_pass_the_cap(tmp_path: Path) -> None:
    racing = [
        subprocess.Popen(
            [sys.executable, "-c", _PROCESS, str(tmp_path)],
            cwd=CHECKOUT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    for process in racing:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in racing:
        process.communicate("go\n", timeout=60)
        assert process.returncode == 0
    assert 18_488 < sum(call.tokens for call in Ledger(tmp_path).calls()) <= 20_000
