"""The settings: made from the models, explained in both languages, kept where they belong, with a way back; tokens and cost."""

import csv
import io
from datetime import datetime
from typing import Final

import pytest
from httpx2 import Response  # what Starlette answers with in tests
from starlette.testclient import TestClient

from agent.services import Services
from commands.doctor import examine
from managers.storage.settings import Settings
from managers.usage.ledger import PURPOSES, Call
from tests.model_server import NOBODY
from tests.ui.reading import Element, press, read
from tests.ui.rooms import NAME
from ui.components.revision import revision_of
from ui.locales import LANGUAGES, texts
from ui.rooms.settings.options import GROUPS, fields, options_of, spoken
from ui.server.addresses import address_of, with_query

NOT_SET_BY_HAND: Final = {
    *("page.onboarded", "page.offers_models", "usage.prices", "group.domain", "group.domain_about"),
    *("group.domain_keywords", "group.names", "group.remarks"),
}
CHOSEN_ELSEWHERE: Final = {
    *("mind.provider", "mind.model", "mind.base_url", "mind.internal_processing_model"),
    *("recall.embedder", "recall.embedder_model", "recall.embedder_address", "recall.embedder_dimensions"),
}
ALL: Final = {f"{section}.{key}" for section in Settings.model_fields for key in fields(section)} - NOT_SET_BY_HAND
PAGES: Final = (*GROUPS, "usage", "programs", "backup")
SAID: Final = "Settings contradict one another"
CONFLICTS: Final = (
    ("memory.prune_threshold", "0.9", "new memories are put away", "次の整理"),
    ("memory.merge_threshold", "0", "memory.split_threshold (0.8)", "memory.split_threshold(0.8)"),
)


def address(group: str, own: str = "", persona: str = NAME) -> str:
    return with_query(f"/settings/{group}", {"persona": persona, "own": own})


def opened(visitor: TestClient, group: str, own: str = "") -> Element:
    return read(visitor.get(address(group, own)))


def row(page: Element, name: str) -> Element:
    return page.one(f'form.option[data-key="{name}"]')


def set_to(visitor: TestClient, name: str, value: str, own: str = "") -> Response:
    told = {"name": name, "value": value, "own": own}
    return visitor.post(address("recall", own), data=told, follow_redirects=True)


def written(services: Services) -> str:
    return services.settings_file.path.read_text(encoding="utf-8")


def test_every_setting_has_words_and_a_place_on_some_page(services: Services, visitor: TestClient) -> None:
    worded = {key for key in texts("en").keys if key.split(".")[1] in Settings.model_fields}
    assert {key for key in worded if key.startswith("options.")} == {f"options.{name}" for name in ALL}
    for lang in LANGUAGES:
        t = texts(lang)
        for name in ALL:
            section, _, key = name.partition(".")
            assert t(f"options.{name}")
            assert t(f"options.{section}_info.{key}")
        assert all(spoken(option, option.default, t) for option in options_of(services))
    services.settings_file.change("memory", retention="own")
    services.settings_file.change("growth", base="/models/small")
    services.settings_file.change("sleep", autonomous_actions=True)
    shown = set()
    for group in PAGES:
        for form in opened(visitor, group).all("form.option[data-key]"):
            name = form.attributes["data-key"]
            if name.startswith("price-"):
                continue
            slug = f"option-{name.replace('.', '-')}"
            assert form.one("label").attributes["for"] == slug
            assert form.one(f"#{slug}").attributes["aria-describedby"] == f"{slug}-about"
            assert form.one(f"#{slug}-about").text
            shown.add(name)
    assert shown == ALL - CHOSEN_ELSEWHERE


def test_oneself_comes_first_and_a_page_that_there_is_not_leads_there(visitor: TestClient) -> None:
    for place in ("/settings", "/settings/secrets"):
        assert visitor.get(place, follow_redirects=True).url.path == "/settings/user"
    page = read(visitor.get("/settings", follow_redirects=True))
    names = page.texts(".pages a")
    assert (names[:2], names[-1]) == (["You", "Mind and model"], "Tokens and cost")


def test_a_setting_is_kept_for_everybody_and_given_back(services: Services, visitor: TestClient) -> None:
    press(visitor, opened(visitor, "recall"), 'form[data-key="recall.max_hits"] button', value="6")
    assert services.settings().recall.max_hits == 6
    page = opened(visitor, "recall")
    assert "(by default: 10)" in row(page, "recall.max_hits").text
    press(visitor, page, 'form[data-key="recall.max_hits"] button[name="reset"]')
    set_to(visitor, "conversation.window_turns", "20")  # a default that is chosen is not written
    assert not [key for key in ("max_hits", "window_turns") if key in written(services)]
    set_to(visitor, "page.hosts", "home.example, nas.lan")
    assert services.settings().page.hosts == ["home.example", "nas.lan"]
    assert 'value="home.example nas.lan"' in visitor.get(address("page")).text
    press(visitor, opened(visitor, "user"), 'form[data-key="user.profile"] button', value="Likes\r\nrivers.")
    assert services.settings().user.profile == "Likes\nrivers."
    assert row(opened(visitor, "user"), "user.profile").one("textarea").text == "Likes rivers."


def test_a_persona_has_its_own_over_everybodys(services: Services, visitor: TestClient) -> None:
    name = "sleep.autonomous_actions_per_day"

    def holds(persona: str) -> int:
        return services.companion(persona).memories.settings().sleep.autonomous_actions_per_day

    set_to(visitor, name, "5")
    set_to(visitor, name, "1", own="1")
    assert (services.settings().sleep.autonomous_actions_per_day, holds(NAME), holds("Hazel")) == (5, 1, 5)
    page = opened(visitor, "autonomy", own="1")
    assert "(for everybody: 5)" in row(page, name).text
    press(visitor, page, f'form[data-key="{name}"] button[name="reset"]')
    assert holds(NAME) == 5


def test_a_changed_setting_reaches_the_search_without_a_restart(services: Services, visitor: TestClient) -> None:
    companion = services.companion(NAME)
    for n in range(8):
        companion.memories.log.append("user", "ミナ", f"青い傘を{n}回さがした")
    companion.memories.recall.catch_up()
    assert len(companion.memories.recall.recall_memories("青い傘")) > 1
    set_to(visitor, "recall.recall_memories_hits", "1")
    assert services.companion(NAME) is companion
    assert len(companion.memories.recall.recall_memories("青い傘")) == 1
    set_to(visitor, "recall.chunk_size", "200", own="1")  # what the search takes in at its opening
    assert services.companion(NAME) is not companion
    assert services.companion(NAME).memories.settings().recall.chunk_size == 200


def test_what_a_setting_cannot_be_is_refused_in_words(services: Services, visitor: TestClient) -> None:
    before = written(services)
    for name, value, why in (
        ("recall.max_hits", "0", '"Memories at once" cannot be "0": it has to be 1 or more.'),
        ("recall.max_hits", "many", '"Memories at once" cannot be "many": that does not fit here.'),
        ("recall.max_hits", "", "Memories at once"),
        ("recall.threshold", "nan", "Closeness"),
        ("sleep.quiet_start_hour", "24", "it has to be 23 or less."),
        ("page.language", "fr", "Language of the page"),
        ("page.hosts", "https://a.b", '"Further names" cannot be "https://a.b": that does not fit here.'),
        ("secrets.keys", "x", "secrets.keys"),
        ("mind", "x", "mind"),
    ):
        answer = set_to(visitor, name, value)
        assert (answer.status_code, why in read(answer).one("#room").text) == (400, True), (name, value)
        assert written(services) == before


@pytest.mark.slow
def test_settings_that_contradict_one_another_are_told(services: Services, visitor: TestClient) -> None:
    assert SAID not in visitor.get(address("memory")).text
    for name, value, en, ja in CONFLICTS:
        assert set_to(visitor, name, value).text.count(en) == 1
        (found,) = [one for one in examine(services) if SAID in one.en]
        assert (found.about, found.state) == ("settings", "warning")
        assert en in found.en
        assert ja in found.ja
        services.settings_file.change("memory", **{name.partition(".")[2]: None})
    services.settings_file.change("memory", retention="own")
    set_to(visitor, "memory.episodes_days", "5", own="1")
    (found,) = [one for one in examine(services) if SAID in one.en]
    assert found.about == NAME
    assert "put away after 5" in found.en
    assert "put away after 5" in opened(visitor, "memory", own="1").text


def test_what_was_set_elsewhere_is_written_over_on_a_yes_alone(visitor: TestClient, services: Services) -> None:
    page = opened(visitor, "user")
    revision = revision_of(services, services.companion(NAME))
    services.settings_file.change("user", profile="said elsewhere")  # another window, or an editor
    assert revision_of(services, services.companion(NAME)) != revision  # this window follows
    form = {one.attributes["name"]: one.attributes["value"] for one in row(page, "user.profile").all("input")}
    answer = visitor.post(address("user"), data={**form, "value": "said here"}, follow_redirects=True)
    assert answer.status_code == 409
    both = read(answer).one("[data-conflict]").text
    assert "said elsewhere" in both
    assert "said here" in both
    assert services.settings().user.profile == "said elsewhere"
    press(visitor, read(answer), "[data-conflict] button")
    assert services.settings().user.profile == "said here"


GEMINI, FLASH = "generativelanguage.googleapis.com", "gemini-2.5-flash"


def usage(visitor: TestClient, **query: object) -> Element:
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


def set_cap(visitor: TestClient, page: Element, name: str, value: str) -> None:
    press(visitor, page, f'form[data-key="usage.{name}"] button', value=value)


def test_before_the_first_call_it_says_so_and_offers_the_caps(visitor: TestClient) -> None:
    page = read(visitor.get("/settings/user"))
    [address] = [one.attributes["href"] for one in page.all(".pages a") if one.text == "Tokens and cost"]
    page = read(visitor.get(address))
    assert "No model has been asked" in page.one(".nothing").text
    assert len(page.all('form[data-key="usage.day_tokens"]')) == 1
    assert page.all(".content svg") + page.all(".export") == []  # nothing to save
    for lang in LANGUAGES:
        assert all(texts(lang)(f"usage.purpose.{purpose}") for purpose in PURPOSES)


def test_what_was_spent_is_summed_drawn_and_grouped_as_one_likes_by_links(spent: Services, visitor: TestClient) -> None:
    def follow(page: Element, label: str) -> Element:
        [address] = [one.attributes["href"] for one in page.all(".choice a") if one.text == label]
        return read(visitor.get(f"/settings/usage{address}"))

    page = usage(visitor)
    today, month, hers, _ = page.texts(".tile")
    assert today.startswith("Today781 tokensabout 0.0000 USD · price unknown for 1")
    assert month.startswith("This month1,781 tokensabout 0.0005 USD")
    assert hers.startswith(f"{NAME}, today450 tokensprice unknown")
    figure = page.one("figure.chart")
    assert [len(figure.all(f"svg.{kind} .bar-day")) for kind in ("wide", "narrow")] == [2, 2]
    assert figure.texts("svg.wide .bar-day title")[-1].startswith("Today: 781 tokens")
    assert page.texts(".sums tbody th") == [NAME, "Hazel", "<b>Old</b> (not here any more)"]
    page = follow(follow(page, "Model"), "All")
    assert "llama3.2 (Ollama)" in page.texts(".sums tbody th")
    assert "costs nothing" in page.one(".sums").text
    page = follow(page, "Purpose")
    assert "Trying a model" in page.texts(".sums tbody th")
    assert visitor.get("/settings/usage?grouping=<script>").status_code == 400


def test_a_cap_is_set_for_everybody_or_for_one_and_given_back(services: Services, visitor: TestClient) -> None:
    set_cap(visitor, usage(visitor), "day_tokens", "1000000")
    assert services.settings().usage.day_tokens == 1_000_000
    own = usage(visitor, own="1")
    set_cap(visitor, own, "persona_day_tokens", "500")
    assert [services.meter.limits(name).persona_day_tokens for name in (NAME, "Hazel")] == [500, 0]
    press(visitor, usage(visitor, own="1"), 'form[data-key="usage.persona_day_tokens"] button[name="reset"]')
    press(visitor, usage(visitor), 'form[data-key="usage.day_tokens"] button[name="reset"]')
    assert services.meter.standings(NAME) == []


def test_a_cap_shows_how_much_of_it_is_used(spent: Services, visitor: TestClient) -> None:
    spent.settings_file.change("usage", day_tokens=900, persona_day_tokens=450, month_money=150.0, per_dollar=150.0)
    spent.settings_file.change("usage", currency="JPY")
    page = usage(visitor)
    found = {(" ".join(one.classes), one.text) for one in page.all(".caps li")}
    assert ("near", "Today nearly used up781 of 900 tokens") in found
    assert ("reached", f"{NAME}: Today reached450 of 450 tokens") in found
    assert ("", "This month 0.0788 JPY of 150.00 JPY") in found


def test_ones_own_price_is_used_from_then_on_and_given_back(spent: Services, visitor: TestClient) -> None:
    def price(read: str = "2") -> int:
        button = 'form[data-key="price-=mystery"] button'
        return press(visitor, usage(visitor), button, read=read, written=" 4 ").status_code

    page = usage(visitor)
    assert "0.3 and 2.5 by the provider's list as it stood on 2026-" in page.one("#room").text
    assert "price unknown" in page.one('form[data-key="price-=mystery"]').text
    assert price() == 200
    assert spent.settings().usage.prices == {"=mystery": (2.0, 4.0)}
    page = usage(visitor)
    assert "2 and 4, entered by you" in page.one('form[data-key="price-=mystery"]').text
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

    page = usage(visitor, grouping="model", span="today")
    days, table = (one.attributes["href"] for one in page.all("details.export a[download]"))
    found = rows(days)
    assert found[0][:6] == ["Day", "Calls", "Read", "Written", "Tokens", "Cost (estimated)"]
    assert found[1][:5] == ["2026-10-01", "1", "7", "1", "8"]
    assert found[-1] == ["2026-11-21", "3", "710", "71", "781", "5.5e-06", "1", "1", "USD"]
    assert ["'=mystery (example.com)", "1", "400", "50", "450", "", "1", "1", "USD"] in rows(table)
    visitor.headers["accept-language"] = "ja"
    assert rows(table)[0][0] == "モデル"
    assert visitor.get("/usage/secrets.csv").status_code == 404


def test_a_cap_in_a_talk_has_ways_past_it_that_are_safe(services: Services, visitor: TestClient) -> None:
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
