"""Which words ask to have something forgotten, and which only sound like it."""

from __future__ import annotations

import pytest

from managers.language.forgetting import ForgetWish, asks_to_forget, read_forget_wish


@pytest.mark.parametrize(
    "text",
    [
        "ねむ、今の話は忘れて",
        "さっき話したこと、忘れてもらえますか？",
        "さっき言ったことなんだけど、忘れて",
        "今言ったの忘れて",
        "恥ずかしいから、今の話は忘れて",
        "ごめんね。今の忘れて。",
        "それは忘れて",
        "今のなかったことにして",
        "Hazel, please forget that",
        "Please forget about what I just told you.",
        "Actually, forget what I said earlier.",
        "forget I said that",
        "please forget it",
        "Sorry, I shouldn't have said that. Please forget what I just said.",
    ],
)
def test_what_was_said_last_is_meant(text: str) -> None:
    assert read_forget_wish(text) == ForgetWish()
    assert asks_to_forget(text)


@pytest.mark.parametrize(
    ("text", "about"),
    [
        ("さっきの猫の話、忘れてくれないかな", "猫"),
        ("田中さんのことを話したことは忘れて", "田中さん"),
        ("Please forget what I said about Tom.", "Tom"),
        ("Forget I said anything about Tom", "Tom"),
        ("Could you forget what I told you about the divorce?", "the divorce"),
        ("forget the cat story", "cat"),
    ],
)
def test_what_is_named_is_meant(text: str, about: str) -> None:
    assert read_forget_wish(text) == ForgetWish(about)


@pytest.mark.parametrize(
    "text",
    [
        "傘を忘れて駅まで走ったよ",
        "忘れてた",
        "今の話は忘れないで",
        "嫌なことは忘れて楽しもう",
        "仕事のことは忘れて",
        "全部忘れて",
        "今までの話は全部忘れて",
        "それは忘れていいよ",
        "それは忘れてしまった",
        "さっき傘を忘れてね",
        "その話は忘れて楽しもう",
        "元カレの話は忘れてほしいって言われた",
        "田中さんに告白したんだ、駅前の公園で夜に。今の忘れて",
        "それを消して",
        "forget it",
        "don't forget that",
        "Never forget what I said about Tom",
        "did you forget that?",
        "Forget everything",
        "She asked me to forget that",
        "I can't forget that day",
        "Forget that, let's talk about cats",
        "Please forget that and tell me a joke",
        "Please forget me",
    ],
)
def test_what_could_mean_something_else_is_no_wish(text: str) -> None:
    assert read_forget_wish(text) is None
