"""The page "Tokens and cost": what it says, what it lets one change, and what it hands out as tables."""

import csv
import io
from datetime import date, datetime

import pytest
from starlette.testclient import TestClient

from agent.services import Services
from managers.usage.ledger import PURPOSES, Call
from tests.model_server import NOBODY
from tests.ui.reading import Element, press, read
from tests.ui.rooms import NAME
from ui.locales import LANGUAGES, texts
from ui.rooms.usage.view import Day, chart, nice_top
from ui.server.addresses import address_of, with_query

GEMINI, FLASH = "generativelanguage.googleapis.com", "gemini-2.5-flash"


def opened(visitor: TestClient, **query: object) -> Element:
    return read(visitor.get(with_query("/settings/usage", {"persona": NAME, **query})))


@pytest.fixture
def spent(services: Services) -> Services:
    """Spent on two days, with a price, without one, on this computer, and for one who is gone."""
    today = datetime(2026, 11, 21, 9)

    def flash(time: datetime, persona: str, purpose: str, read: int, written: int, cost: int) -> Call:
        return Call(time, persona, purpose, "Gemini", FLASH, read, written, cost=cost, host=GEMINI)

    for call in (
        flash(datetime(2026, 11, 20, 9), NAME, "talk", 900, 100, 520_000),
        Call(today, NAME, "dream", "example.com", "=mystery", 400, 50, is_estimated=True),
        Call(today, "Hazel", "talk", "Ollama", "llama3.2", 300, 20, is_local=True, cost=0),
        flash(today, "<b>Old</b>", "talk", 10, 1, 5_500),
        flash(datetime(2026, 10, 1, 9), "", "trial", 7, 1, 4_600),
    ):
        services.meter.ledger.append(call)
    return services


def set_to(visitor: TestClient, page: Element, name: str, value: str) -> None:
    press(visitor, page, f'form[data-key="usage.{name}"] button', value=value)


def test_before_the_first_call_it_says_so_and_offers_the_caps(visitor: TestClient) -> None:
    page = read(visitor.get("/settings/user"))
    [address] = [one.attributes["href"] for one in page.all(".pages a") if one.text == "Tokens and cost"]
    page = read(visitor.get(address))
    assert page.one("#usage-caps").text == "Caps"
    assert "No model has been asked" in page.one(".nothing").text
    assert len(page.all('form[data-key="usage.day_tokens"]')) == 1
    assert page.all(".content svg") + page.all(".export") == []  # nothing to save
    for lang in LANGUAGES:
        assert all(texts(lang)(f"usage.purpose.{purpose}") for purpose in PURPOSES)


def test_what_was_spent_is_summed_drawn_and_grouped_as_one_likes_by_links(spent: Services, visitor: TestClient) -> None:
    def follow(page: Element, label: str) -> Element:
        [address] = [one.attributes["href"] for one in page.all(".choice a") if one.text == label]
        return read(visitor.get(f"/settings/usage{address}"))

    page = opened(visitor)
    today, month, hers, _ = page.texts(".tile")
    assert today.startswith("Today781 tokensabout 0.0000 USD · price unknown for 1")
    assert month.startswith("This month1,781 tokensabout 0.0005 USD")
    assert hers.startswith(f"{NAME}, today450 tokensprice unknown")
    assert "1 with estimated tokens" in hers
    figure = page.one("figure.chart")
    assert [len(figure.all(f"svg.{kind} .bar-day")) for kind in ("wide", "narrow")] == [2, 2]
    assert figure.texts("svg.wide .bar-day title")[-1].startswith("Today: 781 tokens")
    assert page.texts(".sums tbody th") == [NAME, "Hazel", "<b>Old</b> (not here any more)"]
    page = follow(follow(page, "Model"), "All")
    assert "llama3.2 (Ollama)" in page.texts(".sums tbody th")
    assert "costs nothing" in page.one(".sums").text
    page = follow(page, "Purpose")
    assert page.texts(".looks a[aria-current]") == ["Purpose", "All"]
    assert "Trying a model" in page.texts(".sums tbody th")
    charts = [one.all(".chart svg")[0].attributes["aria-label"] for one in (page, follow(page, "Cost"))]
    assert charts == ["Tokens by day", "Estimated cost by day"]
    assert visitor.get("/settings/usage?grouping=<script>").status_code == 400


def test_a_cap_is_set_for_everybody_or_for_one_and_given_back(services: Services, visitor: TestClient) -> None:
    set_to(visitor, opened(visitor), "day_tokens", "1000000")
    assert services.settings().usage.day_tokens == 1_000_000
    assert opened(visitor).one("#option-usage-day_tokens").attributes["value"] == "1000000"
    own = opened(visitor, own="1")
    assert own.all('form[data-key="usage.day_tokens"]') == []
    set_to(visitor, own, "persona_day_tokens", "500")
    assert [services.meter.limits(name).persona_day_tokens for name in (NAME, "Hazel")] == [500, 0]
    press(visitor, opened(visitor, own="1"), 'form[data-key="usage.persona_day_tokens"] button[name="reset"]')
    press(visitor, opened(visitor), 'form[data-key="usage.day_tokens"] button[name="reset"]')
    assert services.meter.standings(NAME) == []
    before = services.settings_file.path.read_bytes()
    set_to(visitor, opened(visitor), "day_money", "-1")
    assert services.settings_file.path.read_bytes() == before


def test_a_cap_shows_how_much_of_it_is_used(spent: Services, visitor: TestClient) -> None:
    spent.settings_file.change("usage", day_tokens=900, persona_day_tokens=450, month_money=150.0, per_dollar=150.0)
    spent.settings_file.change("usage", currency="JPY")
    page = opened(visitor)
    found = {(" ".join(one.classes), one.text) for one in page.all(".caps li")}
    assert ("near", "Today nearly used up781 of 900 tokens") in found
    assert ("reached", f"{NAME}: Today reached450 of 450 tokens") in found
    assert ("", "This month 0.0788 JPY of 150.00 JPY") in found
    assert page.all("meter")[0].attributes["value"] == "86.8"


def test_ones_own_price_is_used_from_then_on_and_given_back(spent: Services, visitor: TestClient) -> None:
    def price(read: str = "2") -> int:
        button = 'form[data-key="price-=mystery"] button'
        return press(visitor, opened(visitor), button, read=read, written=" 4 ").status_code

    page = opened(visitor)
    assert "0.3 and 2.5 by the provider's list as it stood on 2026-" in page.one("#room").text
    assert "price unknown" in page.one('form[data-key="price-=mystery"]').text
    assert price() == 200
    assert spent.settings().usage.prices == {"=mystery": (2.0, 4.0)}
    page = opened(visitor)
    assert "2 and 4, entered by you" in page.one('form[data-key="price-=mystery"]').text
    assert "price unknown" not in page.one("#room").text
    assert [price(wrong) for wrong in ("", "-1", "nan", "many")] == [400] * 4
    assert spent.settings().usage.prices == {"=mystery": (2.0, 4.0)}
    press(visitor, page, 'form[data-key="price-=mystery"] button[name="back"]')
    assert "prices" not in spent.settings_file.path.read_text("utf-8")
    spent.settings_file.path.write_text('[usage]\nday_tokens = 5\n[usage.prices]\n"m" = [1, -2]\n', "utf-8")
    assert spent.settings().usage.day_tokens == 5  # a broken price is named and the others hold
    assert [notice.code for notice in spent.notices.all] == ["settings-value"]


def test_the_tables_are_handed_out_as_csv_from_a_menu(spent: Services, visitor: TestClient) -> None:
    def rows(address: str) -> list[list[str]]:
        answer = visitor.get(address)
        assert "attachment" in answer.headers["content-disposition"]
        return list(csv.reader(io.StringIO(answer.content.decode("utf-8-sig"))))

    page = opened(visitor, grouping="model", span="today")
    days, table = (one.attributes["href"] for one in page.all("details.export a[download]"))
    found = rows(days)
    assert found[0][:6] == ["Day", "Calls", "Read", "Written", "Tokens", "Cost (estimated)"]
    assert found[1][:5] == ["2026-10-01", "1", "7", "1", "8"]
    assert found[-1] == ["2026-11-21", "3", "710", "71", "781", "5.5e-06", "1", "1", "USD"]
    assert len(found) == 1 + 52
    assert ["'=mystery (example.com)", "1", "400", "50", "450", "", "1", "1", "USD"] in rows(table)
    visitor.headers["accept-language"] = "ja"
    assert rows(table)[0][0] == "モデル"
    assert visitor.get("/usage/secrets.csv").status_code == 400


def test_bars_stand_on_a_round_scale_and_ten_thousand_calls_are_shown(services: Services, visitor: TestClient) -> None:
    assert [nice_top(value) for value in (0, 1, 3, 17, 40, 99, 101, 0.03)] == [1, 1, 5, 20, 50, 100, 200, 0.05]
    drawn = chart([Day(60, 40, "a day", "11/1"), Day(0, 0, "nothing", "")], (350, 220), "narrow", 1)
    [bar] = drawn.bars  # a day without a call has none
    assert bar.label == "a day"
    assert bar.lower[1] == pytest.approx(bar.upper[1] + bar.upper[3])  # one stands on the other
    assert bar.lower[3] / bar.upper[3] == pytest.approx(60 / 40)
    assert [words for _, words in drawn.lines] == ["0", "50", "100"]
    assert [words for _, words in drawn.ticks] == ["11/1"]
    path = services.meter.ledger.month_file(date(2026, 11, 3))
    services.meter.ledger.append(Call(datetime(2026, 11, 3), NAME, "talk", "Gemini", FLASH, 10, 1, cost=1))
    path.write_bytes(path.read_bytes() * 10_000)
    assert "110,000" in opened(visitor).one(".sums").text


def test_a_cap_in_a_talk_has_ways_past_it_and_off_the_record_only_those_that_are_safe(
    services: Services, visitor: TestClient
) -> None:
    services.settings_file.change("usage", day_tokens=1)
    services.settings_file.change("mind", provider="openai", base_url=f"http://127.0.0.1:{NOBODY}/v1", model="m")
    for off_record in ("", "1"):
        visitor.post(address_of(NAME, "say"), data={"text": "Hello", "off_record": off_record})
        if turn := services.companion(NAME).turn:
            turn.wait()
        failure = read(visitor.get(address_of(NAME))).one(".failure[role]")
        assert "The model was not asked" in failure.text
        assert failure.texts("a") == ["See the caps"]
        assert failure.texts('button[value="builtin"]') == ([] if off_record else ["Let the built-in mind answer"])
        assert "Try again" not in failure.texts("button")
        assert "Not now" in failure.texts("button")
