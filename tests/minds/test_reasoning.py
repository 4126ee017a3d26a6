"""Speech and thought in one text are told apart, wherever the stream was cut."""

from collections.abc import Iterable

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


def test_spellings() -> None:
    wrong = []
    for text in (
        "<think>考え</think>答え", "<THINK>考え</THINK>\n\n答え", "<thinking>考え</thinking>答え",
        "<thought>考え</thought>答え", "<reasoning>考え</reasoning> 答え", "[THINK]考え[/THINK]答え",
        "◁think▷考え◁/think▷答え", "<think>考え</thinking>答え", "\n<think>考え</think>答え",
        "<|channel|>analysis<|message|>考え<|channel|>final<|message|>答え",
    ):  # fmt: skip
        wrong += [text] * (split([text]) != ("答え", "考え"))
        wrong += [text] * (split(text) != ("答え", "考え"))  # one character at a time
    assert wrong == []


def test_what_is_thought_and_what_only_looks_like_it() -> None:
    assert split(["一<think>い</think>二<think>ろ</think>三"]) == ("一二三", "いろ")
    assert split(["<think>", "終わらない"]) == ("", "終わらない")
    for text in ("a < b, <thinker>, <b>太字</b>, [thinly], 2<3", "もうすぐ<thi"):
        assert split([text]) == (text, "")
    assert split(["考え", "</think>", "答え"], starts_thinking=True) == ("答え", "考え")
    assert split(["こん", "にちは"], starts_thinking=True)[0] == "こんにちは"
    splitter = ThoughtSplitter()
    said = "".join(piece.text for piece in splitter.feed("考え</think>答え"))
    assert "</think>" not in said
    assert splitter.unopened


def test_which_models_may_start_inside_a_thought() -> None:
    thinking = ["deepseek-r1:8b", "DeepSeek-R1-Distill-Qwen-7B", "qwq", "Qwen3-4B-Thinking-2507"]
    others = ["llama3.2", "gemma3:12b", "command-r1x"]
    assert [model for model in [*thinking, *others] if may_start_thinking(model)] == thinking


@given(
    st.lists(st.sampled_from(["<think>", "</think>", "あ", "b", "<", "th", "ink>", "/", "\n"]), max_size=12), st.data()
)
def test_where_the_stream_is_cut_does_not_matter(parts: list[str], data: st.DataObject) -> None:
    text = "".join(parts)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    pieces = [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    assert split(pieces) == split([text])
