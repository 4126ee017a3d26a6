"""What is said is told from what is thought, from calls of tools and from marks, wherever the stream was cut."""

from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from agent.minds.language_model.answer_text import AnswerText, may_start_thinking
from agent.minds.language_model.calls_in_text import read_calls
from agent.minds.language_model.model_marks import Talk, talk_of
from agent.minds.language_model.other_language import is_other
from managers.mind import ReasoningPiece, TakenBack, TextPiece, ToolSpec
from managers.storage.texts import table
from tests.minds.talking import request

MARKS = table("model_marks")
TALK = Talk(("Mia", "ミア"), ("Sam", "花", "User", "ユーザー"), ("recall_memories", "edit_notepad"))


class Query(BaseModel):
    query: str


class Note(BaseModel):
    operation: str
    lines: list[str] = []


TOOLS = (ToolSpec("recall_memories", "Search.", Query), ToolSpec("edit_notepad", "Note.", Note))
CALLS = (
    '<tool_call>\n{"name": "recall_memories", "arguments": {"query": "京都"}}\n</tool_call>', '{"name": "recall_memories", "parameters": {"query": "京都"}}',
    '{"type": "function", "function": {"name": "recall_memories", "arguments": "{\\"query\\": \\"京都\\"}"}}', '{"recall_memories": {"query": "京都"}}',
    '[TOOL_CALLS][{"name": "recall_memories", "arguments": {"query": "京都"}}]', '[TOOL_CALLS]recall_memories[CALL_ID]abc[ARGS]{"query": "京都"}',
    '<|python_tag|>recall_memories(query="京都")', '<function=recall_memories>{"query": "京都"}</function>', '```tool_code\nprint(recall_memories("京都"))\n```',
    "<tool_call>\n<function=recall_memories>\n<parameter=query>\n京都\n</parameter>\n</function>\n</tool_call>", '[recall_memories(query="京都")]',
    "<tool_call>recall_memories\n<arg_key>query</arg_key>\n<arg_value>京都</arg_value>\n</tool_call>", "<recall_memories><query>京都</query></recall_memories>",
    '<|end|><|start|>assistant<|channel|>commentary to=functions.recall_memories <|constrain|>json<|message|>{"query": "京都"}<|call|>',
    '<|python_tag|>recall_memories.call(query="京都")<|eom_id|>', '<tool_call>{"name": "recall_memories", "arguments": {"query": "京都"}}</tool_call>\n<tool_response>\n{"found": []}\n</tool_response>\nない',
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>recall_memories\n```json\n{"query": "京都"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    '<｜DSML｜function_calls>\n<｜DSML｜invoke name="recall_memories">\n<｜DSML｜parameter name="query" string="true">京都</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>',
    '<|tool_calls_section_begin|><|tool_call_begin|>functions.recall_memories:0<|tool_call_argument_begin|>{"query": "京都"}<|tool_call_end|><|tool_calls_section_end|>',
    '<|channel|>commentary to=functions.recall_memories <|constrain|>json<|message|>{"query": "京都"}<|call|>', '<|tool_call_start|>[recall_memories(query="京都")]<|tool_call_end|>',
    '<|start|>assistant to=functions.recall_memories<|channel|>commentary json<|message|>{"query": "京都"}<|call|>', 'commentary to=functions.recall_memories json{"query": "京都"}',
    '<|tool_call>call:recall_memories{query:<|"|>京都<|"|>}<tool_call|>', "<start_function_call>call:recall_memories{query:<escape>京都<escape>}<end_function_call>",
    '<|START_ACTION|>[{"tool_call_id": "0", "tool_name": "recall_memories", "parameters": {"query": "京都"}}]<|END_ACTION|>', 'Action: recall_memories\nAction Input: {"query": "京都"}',
    '<minimax:tool_call>\n<invoke name="recall_memories">\n<parameter name="query">京都</parameter>\n</invoke>\n</minimax:tool_call>',
    '<|tool_call|>[{"name": "recall_memories", "arguments": {"query": "京都"}}]<|/tool_call|>', 'functools[{"name": "recall_memories", "arguments": {"query": "京都"}}]',
)  # fmt: skip
FIRST_CALLS = (
    '```json\n{"name": "recall_memories", "arguments": {"query": "京都"}}\n```', '<tools>{"name": "recall_memories", "arguments": {"query": "京都"}}</tools>',
    '```json\n<tools>\n{"name": "recall_memories", "arguments": {"query": "京都"}}\n</tools>\n```\n',
)  # fmt: skip
NO_CALLS = (
    '{"name": "unknown", "arguments": {}}', '{"name": "recall_memories", "arguments": {}}', '{"name": "recall_memories", "argum',
    '<tool_call>{"name": "recall_memories", "arguments": {"query": "京', "<function=unknown></function>", "[TOOL_CALLS]unknown{}", "<|python_tag|>os.listdir()",
)  # fmt: skip
TALKED_ABOUT = (
    '{"name": "Sam", "age": 3}', "`<tool_call>` と書きます", '例: `<tool_call>{"name": "x"}`', '```json\n{"name": "recall_memories", "arguments": {}}\n```', "<tool_call>というタグ",
    "[笑] ね", "[1] a [link](x)", '```\n<tool_call>\n{"name": 1}\n```', "search the web", "点数:\nMia: 3\nSam: 2", "Samuel: x", "花が咲いた。User は人です", "[Now] と書きました",
    "Sam: we could go.", "花: なに?", "Who brings what:\n\nSam: We bring bread.", "Plan.\n\n**Sam:** We go.", "係を決めたよ。\n\nミア: 料理\n花: 飲み物", "Okay.\nSam: we could go on Sunday.",
    "<3 you, Sam!", "「やあ、花」とミアは笑った。\n*手を振る*", "[19:00] 夕食\n[20:00] 映画", "設定はこう。\n\nユーザー: sam\nパスワード: x", "## Sam\nYou bring bread.", "<(_ _)> ごめん", "<html>\n<body>x</body>",
)  # fmt: skip
CLEANED = {
    "やあ。<|im_end|>次の話": "やあ。", "use `</think>` here\n</think>": "use `</think>` here\n</think>",
    "Hi!\nSam: Really? Then let us go!": "Hi!", "Mia: Hello": "Hello", "**ミア:** やあ": "やあ", "やあ\n\nユーザー: なに?": "やあ", "User: Really?": "",
    "春だね。\nUser: Thanks. And": "春だね。", "うん。\nミア: 元気だよ!": "うん。\n元気だよ!", "Mia: Hi!\nSam: Okay.": "Hi!",
    "[Saturday, 28 November 2026, 19:00]\nHello": "Hello", "[2026年11月28日(土曜日) 19:00 あなたから話しかけました] やあ": "やあ", "[ここから下が、花のいまの言葉です]\nやあ": "やあ",
    "Hi\n[From here on it is Sam who speaks]\nBye": "Hi", "[What you recall]\nHi": "Hi", "=== 守ること ===\nやあ": "やあ", "考え。\n</think>\n\n答え": "答え", "</think>\n\n答え": "答え",
    "code:\n```py\nprint(1)\n```<|im_end|>": "code:\n```py\nprint(1)\n```", "やあ\n\n## USER:花\nうん": "やあ",
}  # fmt: skip


def read(pieces: Iterable[str], talk: Talk = TALK, **about: Any) -> tuple[str, str, list[str]]:
    """Return what is said, what is thought, and the calls."""
    text, said, thought = AnswerText(talk, **about), "", ""
    for piece in [*(one for part in pieces for one in text.feed(part)), *text.finish()]:
        said = "" if isinstance(piece, TakenBack) else said + (piece.text if isinstance(piece, TextPiece) else "")
        thought += piece.text if isinstance(piece, ReasoningPiece) else ""
    return said, thought, text.calls


def both_ways(text: str, **about: Any) -> tuple[str, str, list[str]]:
    """Return the same of a text that comes whole and letter by letter."""
    whole = read([text], **about)
    assert read(text, **about) == whole, text
    return whole


@pytest.mark.parametrize(
    "kind", [*MARKS["thought"], MARKS["lead"], MARKS["joint"], MARKS["end"]], ids=lambda one: str(one.get("of", ""))
)
def test_each_mark_is_known_by_its_examples_and_what_is_talked_about_stays(kind: dict[str, Any]) -> None:
    for text in kind["yes"]:
        said, thought, calls = both_ways(text)
        assert (said, "考え" in thought, calls) == ("答え", "考え" in text, []), text
    for text in kind["no"]:
        assert both_ways(text) == (text, "", [])


def test_calls_are_read_in_each_form_and_never_said_and_what_only_looks_like_one_is_said() -> None:
    for text in CALLS:
        for before in ("", "探すね。\n"):
            said, thought, calls = both_ways(before + text)
            assert (said, thought) == (before.strip(), ""), text
            assert [read_calls(one, TOOLS) for one in calls] == [[("recall_memories", {"query": "京都"})]], text
    for text in NO_CALLS:
        said, _, calls = both_ways(text)
        assert (said, [read_calls(one, TOOLS) for one in calls]) == ("", [[]]), text
    for text in TALKED_ABOUT:
        assert both_ways(text) == (text, "", [])
    for text, cleaned in CLEANED.items():
        assert both_ways(text)[::2] == (cleaned, []), text
    for text in FIRST_CALLS:
        said, _, calls = both_ways(text)
        assert (said, [read_calls(one, TOOLS) for one in calls]) == ("", [[("recall_memories", {"query": "京都"})]]), (
            text
        )
    note = '[edit_notepad(operation="append", lines=["recall_memories()"]), recall_memories(query="a")]'
    assert [name for name, _ in read_calls(note, TOOLS)] == ["edit_notepad", "recall_memories"]


def test_where_names_are_asked_for_none_is_looked_at() -> None:
    for wanted in ("yes", "no"):
        talks = [talk_of(request(text), TOOLS, "") for text in MARKS["roles"][wanted]]
        assert [bool(one.others) for one in talks] == [wanted == "no"] * len(talks)


def test_an_answer_in_another_language_is_one_only_where_its_letters_tell() -> None:
    for lang in ("ja", "en"):
        examples = MARKS["languages"][lang]
        assert [text for text in examples["yes"] if not is_other(text, lang)] == []
        assert [text for text in examples["no"] if is_other(text, lang)] == []


def test_what_a_template_has_opened() -> None:
    assert read(["考え", "</think>", "答え"], starts_thinking=True)[:2] == ("答え", "考え")
    assert read(["こん", "にちは"], starts_thinking=True)[0] == "こんにちは"
    assert read(["<think>", "終わらない"])[:2] == ("", "終わらない")
    thinking = ["deepseek-r1:8b", "DeepSeek-R1-Distill-Qwen-7B", "qwq", "Qwen3-4B-Thinking-2507", "olmo-3-7b-think"]
    others = ["llama3.2", "gemma3:12b", "command-r1x", "rethinker"]
    assert [model for model in [*thinking, *others] if may_start_thinking(model)] == thinking


def test_ordinary_words_are_not_held_back() -> None:
    text = AnswerText(TALK)
    for piece in ("今日は", "いい天気", "ですね。", "[", "笑", "]", "\nA", "n apple", " < 3 `", "x`"):
        held = list(text.feed(piece))
        assert held or piece in {"[", "\nA", "`"}, piece


@given(
    st.lists(
        st.sampled_from([
            "<think>", "</think>", "あ", "b", "<", "th", "ink>", "/", "\n", "`", "```", "<|im_end|>", "Sam:", '{"name": ', "<tool_call>", "[", " ", "assistant",
            "<|channel|>analysis<|message|>", "<|end|>", "<|start|>assistant", "<|channel|>final<|message|>", "Mia: ", "user",
        ]),
        max_size=12,
    ),
    st.data(),
)  # fmt: skip
def test_where_the_stream_is_cut_does_not_matter(parts: list[str], data: st.DataObject) -> None:
    text = "".join(parts)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    pieces = [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    assert read(pieces) == read([text])
