"""The section "Tokens and cost": what it says, what it lets one change, and what it hands out as tables."""

from __future__ import annotations

import csv
import io
import re
from datetime import datetime

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from agent.services import Services
from managers.storage.errors import InvalidSettingError
from managers.storage.settings import UsageSettings
from managers.usage.caps import Cap
from managers.usage.errors import cap_reached
from managers.usage.ledger import PURPOSES, Call
from tests.ui.rooms import NAME
from ui.locales import LANGUAGES, texts
from ui.presenters import failure
from ui.usage import UsageHandlers
from ui.usage_chart import Bar, bar_chart, nice_top
from ui.usage_tables import usage_router
from ui.usage_view import Look

GEMINI = "generativelanguage.googleapis.com"


@pytest.fixture
def room(services: Services) -> UsageHandlers:
    return UsageHandlers(services, texts("en"))


def spend(services: Services) -> None:
    """Spend on two days, with a price, without one, on this computer, and for one who is gone."""
    calls = [
        Call(
            datetime(2026, 11, 20, 9), NAME, "talk", "Gemini", "gemini-2.5-flash", 900, 100, cost=520_000, host=GEMINI
        ),
        Call(datetime(2026, 11, 21, 9), NAME, "dream", "example.com", "=mystery", 400, 50, is_estimated=True),
        Call(datetime(2026, 11, 21, 9), "Hazel", "talk", "Ollama", "llama3.2", 300, 20, is_local=True, cost=0),
        Call(
            datetime(2026, 11, 21, 9),
            "<b>Old</b>",
            "talk",
            "Gemini",
            "gemini-2.5-flash",
            10,
            1,
            cost=5_500,
            host=GEMINI,
        ),
        Call(datetime(2026, 10, 1, 9), "", "trial", "Gemini", "gemini-2.5-flash", 7, 1, cost=4_600, host=GEMINI),
    ]
    for call in calls:
        services.meter.ledger.append(call)


def words(html: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html))


def test_before_the_first_call_it_says_so_and_offers_the_caps(room: UsageHandlers) -> None:
    html = room.open(NAME, Look())
    assert "No model has been asked" in html
    assert 'data-name="usage.day_tokens"' in html
    assert "<svg" not in html


def test_today_and_this_month_are_summed_for_all_and_for_the_one_talked_to(
    services: Services, room: UsageHandlers
) -> None:
    spend(services)
    said = words(room.open(NAME, Look()))
    assert "Today 781 tokens about 0.0000 USD · price unknown for 1" in said
    assert "This month 1,781 tokens about 0.0005 USD" in said
    assert f"{NAME}, today 450 tokens price unknown" in said
    assert "1 with estimated tokens" in said


def test_the_table_is_grouped_as_one_likes(services: Services, room: UsageHandlers) -> None:
    spend(services)
    assert "<b>Old</b>" not in room.open(NAME, Look())
    assert "Old&lt;/b&gt; (not here any more)" in room.open(NAME, Look())
    look, _ = room.do(NAME, Look(), {"action": "look", "grouping": "model", "span": "all"})
    assert "llama3.2 (Ollama)" in room.open(NAME, look)
    assert "costs nothing" in room.open(NAME, look)
    look, _ = room.do(NAME, look, {"action": "look", "grouping": "purpose"})
    assert "Trying a model" in room.open(NAME, look)
    look, _ = room.do(NAME, look, {"action": "look", "grouping": "<script>", "span": "x", "measure": "money"})
    assert (look.grouping, look.span, look.measure) == ("purpose", "all", "money")
    assert "Estimated cost by day" in room.open(NAME, look)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_purpose_has_words(lang: str) -> None:
    t = texts("ja" if lang == "ja" else "en")
    assert all(t(f"usage.purpose.{purpose}") for purpose in PURPOSES)


def test_a_cap_is_set_for_everybody_or_for_one_and_given_back(services: Services, room: UsageHandlers) -> None:
    look, changed = room.do(NAME, Look(), {"action": "set", "name": "usage.day_tokens", "value": "1000000"})
    assert changed
    assert services.settings().usage.day_tokens == 1_000_000
    assert 'value="1000000"' in room.open(NAME, look)
    own, _ = room.do(NAME, look, {"action": "scope", "scope": "own"})
    html = room.open(NAME, own)
    assert 'data-name="usage.persona_day_tokens"' in html
    assert 'data-name="usage.day_tokens"' not in html
    room.do(NAME, own, {"action": "set", "name": "usage.persona_day_tokens", "value": "500"})
    assert services.meter.limits(NAME).persona_day_tokens == 500
    assert services.meter.limits("Hazel").persona_day_tokens == 0
    room.do(NAME, own, {"action": "reset", "name": "usage.persona_day_tokens"})
    room.do(NAME, look, {"action": "reset", "name": "usage.day_tokens"})
    assert services.meter.standings(NAME) == []
    with pytest.raises(InvalidSettingError):
        room.do(NAME, look, {"action": "set", "name": "usage.day_money", "value": "-1"})
    room.do(NAME, look, {"action": "set", "name": "recall.max_hits", "value": "3"})  # not of this section
    assert services.settings().recall.max_hits == 10


def test_a_cap_shows_how_much_of_it_is_used(services: Services, room: UsageHandlers) -> None:
    spend(services)
    services.settings_file.change("usage", day_tokens=900, persona_day_tokens=450, month_money=150.0, per_dollar=150.0)
    services.settings_file.change("usage", currency="JPY")
    said = words(room.open(NAME, Look()))
    assert "Today nearly used up 781 of 900 tokens" in said
    assert f"{NAME}: Today reached 450 of 450 tokens" in said
    assert "This month 0.0788 JPY of 150.00 JPY" in said


def test_ones_own_price_is_used_from_then_on_and_given_back(services: Services, room: UsageHandlers) -> None:
    spend(services)
    assert "0.3 and 2.5 by the provider&#x27;s list as it stood on 2026-" in room.open(NAME, Look())
    assert "price unknown" in room.open(NAME, Look())
    told = {"action": "price", "model": "=mystery", "read": "2", "written": " 4 "}
    assert room.do(NAME, Look(), told)[1]
    assert services.settings().usage.prices == {"=mystery": (2.0, 4.0)}
    assert "2 and 4, entered by you" in room.open(NAME, Look())
    assert "price unknown" not in words(room.open(NAME, Look()))
    for read in ("", "-1", "nan", "many"):
        with pytest.raises(InvalidSettingError):
            room.do(NAME, Look(), told | {"read": read})
    room.do(NAME, Look(), {"action": "price-back", "model": "=mystery"})
    assert "prices" not in services.settings_file.path.read_text("utf-8")


def test_a_broken_price_in_the_file_is_named_and_the_others_settings_hold(services: Services) -> None:
    services.settings_file.path.write_text('[usage]\nday_tokens = 5\n[usage.prices]\n"m" = [1, -2]\n', "utf-8")
    assert services.settings().usage.day_tokens == 5
    assert [notice.code for notice in services.notices.all] == ["settings-value"]


def test_the_tables_are_handed_out_as_csv(services: Services) -> None:
    spend(services)
    app = FastAPI()
    app.include_router(usage_router(services))
    client = TestClient(app)

    def rows(address: str) -> list[list[str]]:
        answer = client.get(address)
        assert answer.status_code == 200
        assert "attachment" in answer.headers["content-disposition"]
        return list(csv.reader(io.StringIO(answer.content.decode("utf-8-sig"))))

    days = rows("/usage/days.csv?lang=en")
    assert days[0][:6] == ["Day", "Calls", "Read", "Written", "Tokens", "Cost (estimated)"]
    assert days[1][:5] == ["2026-10-01", "1", "7", "1", "8"]
    assert days[-1] == ["2026-11-21", "3", "710", "71", "781", "5.5e-06", "1", "1", "USD"]
    assert len(days) == 1 + 52
    models = rows("/usage/model.csv?lang=ja&span=today")
    assert ["'=mystery (example.com)", "1", "400", "50", "450", "", "1", "1", "USD"] in models
    assert client.get("/usage/secrets.csv").status_code == 422


def test_bars_stand_on_a_round_scale() -> None:
    assert [nice_top(value) for value in (0, 1, 3, 17, 40, 99, 101, 0.03)] == [1, 1, 5, 20, 50, 100, 200, 0.05]
    svg = bar_chart([Bar(60, 40, "a <day>", "11/1"), Bar(0, 0, "nothing")], "Tokens", str)
    assert svg.count("<title>") == 2  # one day, wide and narrow
    assert "a &lt;day&gt;" in svg
    assert svg.count('class="wide"') == svg.count('class="narrow"') == 1


def test_ten_thousand_calls_are_shown(services: Services, room: UsageHandlers) -> None:
    path = services.meter.ledger.month_file(services.clock.now().date())
    services.meter.ledger.append(Call(datetime(2026, 11, 3), NAME, "talk", "Gemini", "gemini-2.5-flash", 10, 1, cost=1))
    line = path.read_bytes()
    path.write_bytes(line * 10_000)
    assert "110,000 tokens" in room.open(NAME, Look())


def test_a_cap_in_a_talk_has_ways_past_it_and_off_the_record_only_those_that_are_safe() -> None:
    t = texts("en")
    error = cap_reached(Cap("day", "tokens", 500), UsageSettings())
    html = failure(error, t).html
    assert 'data-action="retry" data-by="builtin"' in html
    assert 'data-action="caps"' in html
    assert "retry" not in failure(error, t, can_retry=False).html
