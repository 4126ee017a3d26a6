"""Weeks of a life with a language model behind a server: what each request must hold, for the model knows nothing else."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from random import Random
from typing import Any

import pytest

from agent.companion import Companion
from agent.minds.tokens import count_tokens
from agent.minds.tool_schemas import as_function
from agent.prompts import system_prompt as words
from agent.services import Services, open_services
from agent.tools import all_tools
from managers.language.reading.forget_wishes import read_forget_wish
from managers.memory.errors import UnclearWhatToForgetError
from managers.mind import Cancel
from managers.recall.hits import Hit
from managers.sleep.tasks import Level
from managers.storage.paths import Home
from tests.fakes import HandClock
from tests.model_answers import Recorded, Say, Served
from tests.model_server import ModelServer

NAME = "ねむ"
Drafts = dict[str, dict[str, Any]]
EMPTY: Drafts = {
    "EntitiesDraft": {"entities": []},
    "QuestionsDraft": {"questions": []},
    "ResolutionsDraft": {"resolutions": []},
    "ReflectionDraft": {
        "trigger_topic": "猫",
        "insight": "言い直せる場所がある。",
        "strategy": "急がず聞く。",
        "log_entry": "棚に札を置いた。",
        "evidence": ["m1", "m2"],  # on the first day m1 is the greeting, which tells nothing of the user
    },
}


class Week:
    """A persona and whoever talks to it, on days of November 2026."""

    def __init__(self, services: Services, server: ModelServer, clock: HandClock) -> None:
        self.services, self.server, self.clock = services, server, clock
        self.companion: Companion = services.companion(NAME)
        self.drafts = dict(EMPTY)
        server.otherwise = self._answer

    def say(self, when: str, text: str, *files: Path) -> Recorded:
        self.clock.set(datetime.fromisoformat(f"2026-11-{when}"))
        list(self.companion.say(text, attachments=files).events())
        self.companion.settle()
        return self.server.chats[-1]

    def dream(self, when: str, level: Level | None = None, **drafts: dict[str, Any]) -> dict[str, list[Recorded]]:
        """Dream, and return the requests by the form of their answer."""
        reflection = {
            **EMPTY["ReflectionDraft"],
            "insight": f"{when}に、{'棚窓柿灯犬海'[int(when[:2]) % 6]}のことがわかった。",
        }
        self.drafts = {**EMPTY, "ReflectionDraft": reflection, **drafts}
        self.clock.set(datetime.fromisoformat(f"2026-11-{when}"))
        before = len(self.server.chats)
        report = self.services.sleeper(NAME).dream(Cancel(), level=level, today=False)
        assert report.failures == ()
        asked: dict[str, list[Recorded]] = {}
        for request in self.server.chats[before:]:
            asked.setdefault(form_of(request), []).append(request)
        return asked

    def _answer(self, request: Recorded) -> Say:
        form = form_of(request)
        if form == "DayDraft":
            label, told = words_of(request)
            return Say(json.dumps({"summary": f"「{told}」と聞いた。", "evidence": [label]}, ensure_ascii=False))
        return Say(json.dumps(self.drafts[form], ensure_ascii=False) if form else "うん。")


def form_of(request: Recorded) -> str:
    form = request.body.get("response_format")
    return str(form["json_schema"]["name"]) if form else ""


def words_of(request: Recorded) -> tuple[str, str]:
    """Return the label and the words of what the user said last."""
    lines = [line for line in newest(request).split("\n") if line.startswith("[m") and f" {NAME}: " not in line]
    label, said = lines[-1].split("] ", 1)
    return label[1:], said.split(": ", 1)[1]


def instructions(request: Recorded) -> str:
    return str(request.messages[0]["content"])


def newest(request: Recorded) -> str:
    return str(request.messages[-1]["content"])


@pytest.fixture
def live(own_home: Home, clock: HandClock, rng: Random) -> Iterator[Any]:
    opened: list[Services] = []
    with ModelServer(models=[Served("test-model", context=8192)]) as server:

        def begin(context: int = 8192, user: str = "") -> Week:
            own_home.settings.parent.mkdir(parents=True, exist_ok=True)
            own_home.settings.write_text(
                f'[mind]\nprovider = "openai"\nbase_url = "{server.base_url}"\nmodel = "test-model"\n'
                f'context_tokens = {context}\n[user]\nname = "{user}"\n',
                "utf-8",
            )
            opened.append(open_services(own_home, clock, rng))
            return Week(opened[-1], server, clock)

        yield begin
        for services in opened:
            services.close()


def test_a_name_that_was_given_by_day_is_known_by_night(live: Any) -> None:
    week: Week = live()
    week.say("09 19:00", "最近眠れないんだ。")
    week.say("10 19:00", "そういえば名前を言ってなかったね。美月っていいます。")
    asked = week.dream("11 03:30")
    assert all("「美月」" in instructions(one) for form in asked.values() for one in form)
    assert " 美月: 最近眠れない" in newest(asked["DayDraft"][0])


def test_a_night_that_looks_back_knows_the_day_before_and_which_day_it_reads(live: Any) -> None:
    week: Week = live(user="花")
    week.say("10 23:30", "猫のむぎが死んだ。")
    week.say("11 08:00", "昨日はごめん。")
    [reflection] = week.dream("12 03:30")["ReflectionDraft"]
    told = newest(reflection)
    assert "むぎ" in told.split("昨日はごめん")[0]
    assert "2026-11-11" in told.split("昨日はごめん")[0]
    week.say("12 08:00", "おはよう。")
    [alone] = week.dream("13 03:30")["ReflectionDraft"]
    assert "2026-11-12" in newest(alone).rpartition("08:00")[0].rpartition("##")[2]


def test_a_week_in_little_room_gives_up_what_stands_there_twice(live: Any) -> None:
    week: Week = live(4096, "花")
    long = "今日は会社で長い会議があって、とても疲れてしまった。" * 8
    week.say("09 20:00", f"猫のむぎが死んだ。{long}")
    week.dream("10 03:30")
    for day in range(10, 15):
        week.say(f"{day} 20:00", f"{day}日の話。{long}")
    [reflection] = week.dream("15 03:30", 2)["ReflectionDraft"]
    assert "むぎ" in newest(reflection)


@pytest.mark.parametrize(
    ("name", "told"), [("翔", "翔は三年じゃなくて四年だった。"), ("翔くん", "翔くん、四年だって。")]
)
def test_who_is_called_by_one_kanji_is_known_by_night(live: Any, name: str, told: str) -> None:
    week: Week = live(user="正和")
    week.say("09 20:00", "孫の翔は小学三年生だ。")
    fact = "翔は小学三年生。"
    claim = {"text": fact, "evidence": ["m2"]}
    week.dream("10 03:30", EntitiesDraft={"entities": [{"name": name, "kind": "person", "facts": [claim]}]})
    week.say("10 20:00", told)
    week.say("11 20:00", "今日は飛翔という船を見た。")
    first, second = week.dream("12 03:30")["EntitiesDraft"]
    assert fact in newest(first)
    assert fact not in newest(second)


def test_no_greeting_makes_the_words_of_a_mind_evidence(live: Any) -> None:
    week: Week = live(user="花")
    week.say("09 20:00", "会費はいくら?")
    week.say("10 20:00", "総会はいつ?")
    with_greeting, without = week.dream("11 03:30")["EntitiesDraft"]
    assert len(newest(with_greeting).split("[m")) > len(newest(without).split("[m"))
    assert instructions(with_greeting) == instructions(without)


def test_a_card_does_not_say_that_it_was_told_in_the_night_that_made_it() -> None:
    made = datetime(2026, 11, 11, 3, 30)
    card = Hit("健太は福岡に転勤になる予定。", "entity_memory", "semantic", "健太.md", ("m",), 0.1, time=made)
    assert "11月11日" not in words.hit("ja", card)
    assert "11月10日" in words.hit("ja", replace(card, time=datetime(2026, 11, 10)))


def test_a_night_knows_that_a_file_was_sent(live: Any, tmp_path: Path) -> None:
    week: Week = live(user="大輔")
    sent = tmp_path / "規約.txt"
    sent.write_text("第1条 会費は月額300円とする。", "utf-8")
    week.say("09 20:00", "いっしょに見て。", sent)
    assert "規約.txt" in newest(week.dream("10 03:30")["DayDraft"][0])


def test_a_greeting_is_no_memory(live: Any) -> None:
    week: Week = live(user="遥")
    greeting = week.services.personas.get(NAME).greeting
    week.say("09 20:00", "来週の水曜に健康診断がある。")
    week.companion.new_topic()
    told = newest(week.say("12 20:00", "この前、あなたの名前と、今日がどんな一日だったか、聞かせてって言ってたよね?"))
    assert f"> {greeting}" not in told
    assert "健康診断" in newest(week.say("12 20:05", "健康診断はいつだっけ?"))


def test_a_loss_that_is_told_now_is_told_once(live: Any) -> None:
    week: Week = live(user="美月")
    text = "むぎの火葬が土曜の10時に決まった。妹が来てくれる。"
    assert week.say("12 20:00", text).prompt.count(text.rstrip("。")) == 1
    assert text.rstrip("。") in newest(week.say("12 21:00", "昼休みに本を買った。"))


def test_tools_are_described_in_the_language_of_the_talk() -> None:
    for tool in all_tools().specs("ja"):
        for argument, told in as_function(tool)["function"]["parameters"]["properties"].items():
            assert not told.get("description", "い").isascii(), (tool.name, argument)


@pytest.mark.parametrize("told", [UnclearWhatToForgetError.ja, UnclearWhatToForgetError.en])
def test_a_wish_worded_as_the_refusal_says_is_understood(told: str) -> None:
    [wording] = re.findall("[「“]([^」”]+)[」”]", told)
    wish = read_forget_wish(re.sub(r"\([^)]*\)", "Tama", wording))
    assert wish is not None
    assert wish.about == "Tama"


def test_what_is_read_and_what_may_be_answered_fit_together(live: Any) -> None:
    asked = live(4096, "花").say("09 20:00", "おはよう。")
    read = count_tokens("".join(str(one["content"]) for one in asked.messages))
    read += count_tokens(json.dumps(asked.body["tools"], ensure_ascii=False)) // 2
    assert read + asked.body["max_tokens"] <= 4096
