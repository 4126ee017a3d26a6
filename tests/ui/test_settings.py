"""The settings: made from the models, explained in both languages, kept where they belong, with a way back."""

from typing import Final

from httpx2 import Response  # what Starlette answers with in tests
from starlette.testclient import TestClient

from agent.services import Services
from commands.doctor import examine
from managers.storage.settings import Settings
from tests.ui.reading import Element, press, read
from tests.ui.rooms import NAME
from ui.components.revision import revision_of
from ui.locales import LANGUAGES, texts
from ui.rooms.settings.options import GROUPS, fields, options_of, spoken, typed
from ui.server.addresses import with_query

NOT_SET_BY_HAND: Final = {
    *("page.onboarded", "usage.prices", "group.domain", "group.domain_about"),
    *("group.domain_keywords", "group.names", "group.remarks"),
}
CHOSEN_ELSEWHERE: Final = {
    *("mind.provider", "mind.model", "mind.base_url", "mind.internal_processing_model"),
    *("recall.embedder", "recall.embedder_model"),
}
ALL: Final = {f"{section}.{key}" for section in Settings.model_fields for key in fields(section)} - NOT_SET_BY_HAND
PAGES: Final = (*GROUPS, "usage", "programs", "backup")
SAID: Final = "Settings contradict one another"
CONFLICTS: Final = (
    ("memory.prune_threshold", "0.9", "new memories are put away", "次の整理"),
    ("memory.merge_threshold", "0", "memory.split_threshold (0.8)", "memory.split_threshold(0.8)"),
    ("memory.prune_interval", "20000", "memory.max_episodes (10000)", "memory.max_episodes(10000)"),
    ("memory.max_insights_per_session", "0", "no insight of a night", "夜の気づき"),
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


def test_every_setting_has_words_an_explanation_and_a_place_on_some_page(
    services: Services, visitor: TestClient
) -> None:
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


def test_what_means_nothing_as_the_others_stand_is_not_shown(visitor: TestClient) -> None:
    def names(group: str) -> set[str]:
        return {form.attributes["data-key"] for form in opened(visitor, group).all("form.option[data-key]")}

    shown = names("memory") | names("autonomy") | names("details")
    assert not {"memory.facts_days", "sleep.autonomous_actions_per_day", "growth.rank"} & shown
    assert "memory.merge_interval" in shown
    set_to(visitor, "memory.retention", "own")
    set_to(visitor, "memory.hygiene", "")
    set_to(visitor, "memory.max_episodes", "500")
    shown = names("memory")
    assert {"memory.facts_days", "memory.max_episodes"} <= shown  # what was set can be given back
    assert "memory.merge_interval" not in shown


def test_oneself_comes_first_and_a_page_that_there_is_not_leads_there(visitor: TestClient) -> None:
    for place in ("/settings", "/settings/secrets"):
        assert visitor.get(place, follow_redirects=True).url.path == "/settings/user"
    page = read(visitor.get("/settings", follow_redirects=True))
    assert next(one.attributes["for"] for one in page.all("form.option label")) == "option-user-name"
    names = page.texts(".pages a")
    assert (names[:2], names[-1]) == (["You", "Mind and model"], "Tokens and cost")
    everybodys = {"You", "Page and privacy", "Other programs"}
    assert everybodys.isdisjoint(opened(visitor, "recall", own="1").texts(".pages a"))
    assert everybodys < set(opened(visitor, "recall").texts(".pages a"))


def test_a_setting_is_kept_for_everybody_and_given_back(services: Services, visitor: TestClient) -> None:
    before = row(opened(visitor, "recall"), "recall.max_hits")
    assert before.all('button[name="reset"]') == []  # no way back where nothing was changed
    assert "by default" not in before.text
    press(visitor, opened(visitor, "recall"), 'form[data-key="recall.max_hits"] button', value="6")
    assert services.settings().recall.max_hits == 6
    page = opened(visitor, "recall")
    assert "(by default: 10)" in row(page, "recall.max_hits").text
    assert "Recall 1" in page.texts(".pages a")
    press(visitor, page, 'form[data-key="recall.max_hits"] button[name="reset"]')
    set_to(visitor, "conversation.window_turns", "20")  # a default that is chosen is not written
    assert not [key for key in ("max_hits", "window_turns") if key in written(services)]
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


def test_what_a_setting_cannot_be_is_refused_in_words_and_nothing_is_written(
    services: Services, visitor: TestClient
) -> None:
    before = written(services)
    for name, value, why in (
        ("recall.max_hits", "0", '"Memories at once" cannot be "0": it has to be 1 or more.'),
        ("recall.max_hits", "many", '"Memories at once" cannot be "many": that does not fit here.'),
        ("recall.max_hits", "", "Memories at once"),
        ("recall.threshold", "nan", "Closeness"),
        ("sleep.quiet_start_hour", "24", "it has to be 23 or less."),
        ("page.language", "fr", "Language of the page"),
        ("secrets.keys", "x", "secrets.keys"),
        ("mind", "x", "mind"),
    ):
        answer = set_to(visitor, name, value)
        assert (answer.status_code, why in read(answer).one("#room").text) == (400, True), (name, value)
        assert written(services) == before
    switch = fields("sleep")["silence"]
    assert [typed(switch, value) for value in (True, "true", False, "false", "")] == [True, True, False, False, False]


def test_without_a_persona_the_settings_are_everybodys(services: Services, visitor: TestClient) -> None:
    answer = visitor.get(address("recall", own="1", persona="Nobody"), follow_redirects=True)
    here = {f"Only {name}" for name in services.personas.list_names()}
    assert read(answer).one(".whose a[aria-current]").text in here
    for name in services.personas.list_names():
        services.personas.delete(name)
    page = read(visitor.get("/settings/recall?own=1"))
    assert page.all(".whose") == page.all('input[name="own"]') == []
    assert read(visitor.get("/settings/mind?own=1")).all("#mind") != []
    assert visitor.get("/settings/usage?own=1").status_code == 200


def test_look_and_language_are_kept_in_the_browser(visitor: TestClient) -> None:
    dark = press(visitor, opened(visitor, "user"), 'form[action="/look"].option button', look="dark")
    assert dark.url.path == "/settings/user"
    assert read(dark).one("html").attributes["data-look"] == "dark"
    japanese = press(visitor, read(dark), 'form[action="/language"].option button', language="ja")
    assert read(japanese).one("h1").text == "設定"


def test_settings_that_contradict_one_another_are_said_where_they_are_set_and_by_doctor(
    services: Services, visitor: TestClient
) -> None:
    assert SAID not in visitor.get(address("memory")).text
    for name, value, en, ja in CONFLICTS:
        assert set_to(visitor, name, value).text.count(en) == 1
        (found,) = [one for one in examine(services) if SAID in one.en]
        assert (found.about, found.state) == ("settings", "warning")
        assert en in found.en
        assert ja in found.ja
        services.settings_file.change("memory", **{name.partition(".")[2]: None})
    set_to(visitor, *CONFLICTS[0][:2])
    services.settings_file.change("memory", hygiene=False)  # then none of them counts
    assert not [one for one in examine(services) if SAID in one.en]
    services.settings_file.change("memory", hygiene=None, prune_threshold=None, retention="own")
    set_to(visitor, "memory.episodes_days", "5", own="1")
    (found,) = [one for one in examine(services) if SAID in one.en]
    assert found.about == NAME
    assert "put away after 5" in found.en
    assert "put away after 5" in opened(visitor, "memory", own="1").text


def test_what_was_set_elsewhere_meanwhile_is_shown_beside_what_one_set_and_written_over_on_a_yes_alone(
    visitor: TestClient, services: Services
) -> None:
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
