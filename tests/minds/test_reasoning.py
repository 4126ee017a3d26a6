"""Speech and thought in one text are told apart, wherever the stream was cut."""

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.minds.language_model.reasoning import ThoughtSplitter, may_start_thinking
from managers.mind import TextPiece


def split(pieces: Iterable[str], *, starts_thinking: bool = False) -> tuple[str, str]:
    splitter = ThoughtSplitter(starts_thinking=starts_thinking)
    found = [piece for text in pieces for piece in splitter.feed(text)]
    found += splitter.finish()
    said = "".join(piece.text for piece in found if isinstance(piece, TextPiece))
    return said, "".join(piece.text for piece in found if not isinstance(piece, TextPiece))


@pytest.mark.parametrize(
    "text",
    [
        "<think>考え</think>答え",
        "<THINK>考え</THINK>\n\n答え",
        "<thinking>考え</thinking>答え",
        "<thought>考え</thought>答え",
        "<reasoning>考え</reasoning> 答え",
        "[THINK]考え[/THINK]答え",
        "◁think▷考え◁/think▷答え",
        "<think>考え</thinking>答え",
        "\n<think>考え</think>答え",
        "<|channel|>analysis<|message|>考え<|channel|>final<|message|>答え",
    ],
)
def test_spellings(text: str) -> None:
    assert split([text]) == ("答え", "考え")
    assert split(text) == ("答え", "考え")  # one character at a time


def test_several_thoughts() -> None:
    assert split(["一<think>い</think>二<think>ろ</think>三"]) == ("一二三", "いろ")


def test_an_unclosed_thought_stays_a_thought() -> None:
    assert split(["<think>", "終わらない"]) == ("", "終わらない")


def test_text_that_only_looks_like_a_tag_is_speech() -> None:
    text = "a < b, <thinker>, <b>太字</b>, [thinly], 2<3"
    assert split(text) == (text, "")


def test_the_end_of_a_text_that_might_have_become_a_tag_is_not_lost() -> None:
    assert split(["もうすぐ<thi"]) == ("もうすぐ<thi", "")


def test_a_thought_that_the_template_opened() -> None:
    assert split(["考え", "</think>", "答え"], starts_thinking=True) == ("答え", "考え")


def test_a_model_that_might_think_first_but_just_speaks() -> None:
    said, _ = split(["こん", "にちは"], starts_thinking=True)
    assert said == "こんにちは"


def test_a_closing_tag_alone_is_noticed_and_not_said() -> None:
    splitter = ThoughtSplitter()
    said = "".join(piece.text for piece in splitter.feed("考え</think>答え"))
    assert "</think>" not in said
    assert splitter.unopened


@pytest.mark.parametrize(
    ("model", "thinks"),
    [
        ("deepseek-r1:8b", True),
        ("DeepSeek-R1-Distill-Qwen-7B", True),
        ("qwq", True),
        ("Qwen3-4B-Thinking-2507", True),
        ("llama3.2", False),
        ("gemma3:12b", False),
        ("command-r1x", False),
    ],
)
def test_which_models_may_start_inside_a_thought(model: str, *, thinks: bool) -> None:
    assert may_start_thinking(model) is thinks


@given(
    st.lists(st.sampled_from(["<think>", "</think>", "あ", "b", "<", "th", "ink>", "/", "\n"]), max_size=12), st.data()
)
def test_where_the_stream_is_cut_does_not_matter(parts: list[str], data: st.DataObject) -> None:
    text = "".join(parts)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    pieces = [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    assert split(pieces) == split([text])
