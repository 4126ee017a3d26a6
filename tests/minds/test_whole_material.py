"""What a form is filled from is never left out: a mind that is asked once more without it would invent."""

import json

import pytest

from agent.minds.errors import ContextTooLongError, InvalidAnswerError
from tests.minds.talking import behind_openai
from tests.minds.test_language_model_answers import GOOD, Day
from tests.model_server import ModelServer


@pytest.mark.parametrize(("words", "answered"), [(100, 4000), (1000, 4000), (1300, 4000)])
def test_an_answer_is_asked_for_once_more_with_its_material(server: ModelServer, words: int, answered: int) -> None:
    material = " ".join(f"day {number}" for number in range(words))
    server.enqueue("x y " * (answered // 4), json.dumps(GOOD))
    mind = behind_openai(server, context_tokens=8192)
    try:
        assert mind.ask("sum up", material, Day).mood == 7
    except InvalidAnswerError:
        assert len(server.chats) == 1
    for chat in server.chats:
        assert f"day {words - 1}" in chat.prompt
        assert "day 0 " in chat.prompt


def test_material_that_does_not_fit_is_given_up(server: ModelServer) -> None:
    server.enqueue(json.dumps(GOOD))
    with pytest.raises(ContextTooLongError):
        behind_openai(server, context_tokens=1024).ask("sum up", "day " * 3000, Day)
    assert server.chats == []
