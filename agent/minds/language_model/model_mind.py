"""Any language model as a mind: whatever LangChain can stream from, with its faults named."""

import copy
import logging
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from random import Random
from typing import Self

from agent.minds.endpoint import Endpoint
from agent.minds.errors import (
    ContextTooLongError,
    EmptyAnswerError,
    InvalidAnswerError,
    MindError,
    OtherLanguageError,
    UnusableToolCallError,
)
from agent.minds.language_model import event_loop
from agent.minds.language_model.answer_text import may_start_thinking
from agent.minds.language_model.answers import (
    UnusableAnswerError,
    ask_again,
    describe_form,
    empty_answer,
    parse,
    task_of,
)
from agent.minds.language_model.call_failures import (
    AnswerFailedError,
    Failure,
    Situation,
    explain,
    pause_before,
    refused_feature,
    refuses_picture,
)
from agent.minds.language_model.hearing import Hearing
from agent.minds.language_model.model_dreams import LanguageModelDreamMind, impulse
from agent.minds.language_model.model_marks import Talk, talk_of
from agent.minds.language_model.other_language import certain_language
from agent.minds.language_model.prompt_mask import PromptMask
from agent.minds.language_model.provider import Feature, Provider
from agent.minds.language_model.request import Model, Prompt
from agent.minds.masking import Masking
from agent.minds.measures import Measures
from agent.minds.tool_schemas import affordable, in_words, names_of, ungrouped
from managers.mind import Answer, Cancel, ChatTurn, ReplyPiece, ReplyRequest, TakenBack, TextPiece, ToolCall, Usage
from managers.sleep.autonomy import Deed, Occasion
from managers.storage.audit import NOTHING, Given
from managers.storage.errors import Lang, Notice, UtataneError
from managers.storage.texts import Texts
from managers.usage.ledger import Purpose
from managers.usage.meter import Account

logger = logging.getLogger(__name__)
_say = Texts("prompts/minds")

_SHOWN_LACKS: dict[Feature, str] = {"images": "mind-cannot-see", "tools": "mind-without-tools"}
"""What a person is told when a model refuses a feature; they would not notice the others."""

_NO_ANSWERS: dict[type[MindError], str] = {
    EmptyAnswerError: "empty",
    OtherLanguageError: "other_language",
    UnusableToolCallError: "unusable_call",
}
"""What a model sends that is no answer, and how it is asked once more."""

_LEAST_CONTEXT, _CORRECTIONS = 512, 3
"""What is believed of a server that says how much its model reads: so much at least, and so often in one answer."""
_OVER = 1.05
"""So much more than it reads is a prompt taken for that a server refuses without saying how long it is."""
_FAULTY_SHOWN = 600
"""Characters of an answer that could not be used, where it does not fit whole when it is asked for once more."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait and how often to try.

    Attributes:
        seconds: the time limit for each next piece of an answer.
        retries: how often to ask again on 429 and 5xx, before the first piece only.
        first_pause: seconds before the first of them; it doubles.
    """

    seconds: float = 60.0
    retries: int = 3
    first_pause: float = 1.0


class LanguageModelMind:
    """A language model that thinks for a persona. May be used from several threads."""

    def __init__(
        self,
        endpoint: Endpoint,
        provider: Provider,
        *,
        context_tokens: int,
        can_see: bool = False,
        patience: Patience | None = None,
        rng: Random | None = None,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self.endpoint = endpoint
        self._patience = patience or Patience()
        self._rng = rng or Random()  # noqa: S311  # jitter, not secrets
        self._monotonic = monotonic
        self._model = Model(
            endpoint,
            provider,
            context_tokens,
            can_see,
            provider.lacks,
            starts_thinking=may_start_thinking(endpoint.model),
        )
        self._account: Account | None = None
        self._masking = Masking()

    def __repr__(self) -> str:
        """Show the model, no key."""
        return f"LanguageModelMind({self.endpoint.service}, {self.endpoint.model})"

    def charged_to(self, account: Account) -> Self:
        """Return the same mind with its calls counted on an account; what it learns of itself is shared."""
        charged = copy.copy(self)
        charged._account = account  # noqa: SLF001  # of its own kind
        return charged

    def masked(self, masking: Masking) -> Self:
        """Return the same mind, which is shown placeholders where the person wishes so; unsaid, if it is elsewhere."""
        if masking == self._masking:
            return self
        masked = copy.copy(self)
        masked._masking = masking  # noqa: SLF001  # of its own kind
        return masked

    @property
    def trouble(self) -> MindError | None:
        return self._model.trouble

    def is_answering(self, *, server_answered: bool = True) -> bool:
        """Tell whether it can be reached as far as is known."""
        return self._model.is_answering(server_answered=server_answered)

    @property
    def name(self) -> str:
        return self.endpoint.model or self.endpoint.service

    @property
    def context_tokens(self) -> int:
        return self._model.context_tokens

    @property
    def can_see(self) -> bool:
        return self._model.can_see

    @property
    def takes_tools(self) -> bool:
        return "tools" not in self._model.lacks

    def learn(
        self, *, context_tokens: int | None = None, can_see: bool | None = None, takes_tools: bool | None = None
    ) -> Self:
        self._model.describe(context_tokens, can_see, takes_tools)
        return self

    def recall(self, measures: Measures, *, is_set: bool) -> None:
        """Take up what was measured of the model before; how much it reads only where no person has set it."""
        self._model.recall(measures, is_set=is_set)

    def count_tokens(self, text: str) -> int:
        """Estimate the tokens of a text, never too low; corrected by what the server counted."""
        return self._model.count_tokens(text)

    @property
    def dreams(self) -> LanguageModelDreamMind:
        """The same model asleep."""
        return LanguageModelDreamMind(self)

    def impulse(self, occasion: Occasion) -> Deed | None:
        """Return what the persona does when a drive moves it; None: rather nothing.

        Raises:
            MindError: one of the named ways of failing.
            CapReachedError: nothing was asked.
        """
        return impulse(self, occasion)

    def warm_up(self) -> None:
        """Load the library and make the client, so that the first answer does not wait for it.

        Raises:
            MindError: no key, or no model.
        """
        self._model.built()

    def reply(self, request: ReplyRequest, cancel: Cancel) -> Generator[ReplyPiece, None, None]:
        """Think and speak, piece by piece; ends within 0.3 s when `cancel` is set.

        Raises:
            MindError: one of the named ways of failing.
        """
        lang = request.sheet.language
        if not self.can_see and any(turn.images for turn in request.turns):
            yield self._lacking("images")
        tools = affordable(request.tools, self.context_tokens, self.count_tokens) if self.takes_tools else ()
        offered = names_of(tools)
        missing = [tool.name for tool in request.tools if tool.name not in offered]
        if missing and not self._model.told_of_tools:
            self._model.told_of_tools = True
            yield _fewer_tools(self.name, self.context_tokens, missing) if self.takes_tools else self._lacking("tools")
        is_round = bool(request.turns) and request.turns[-1].role == "tool"
        prompt = Prompt(
            request.system, request.turns, lang, tools, purpose="tools" if is_round else None, given=request.given
        )
        prompt = replace(prompt, talk=talk_of(request, tools, certain_language(request)))
        for piece in self._think(prompt, cancel):
            yield ungrouped(piece, tools) if isinstance(piece, ToolCall) else piece

    def ask(
        self,
        instructions: str,
        material: str,
        answer: type[Answer],
        *,
        language: Lang = "en",
        cancel: Cancel | None = None,
        given: Given = NOTHING,
    ) -> Answer:
        """Ask for an answer in a form, whose docstring and descriptions the model is shown; once more if it is wrong.

        Raises:
            InvalidAnswerError: wrong twice, or stopped.
            MindError: one of the other named ways of failing.
        """
        cancel = cancel or Cancel()
        system = f"{instructions}\n\n{describe_form(answer, language)}"
        of_a_tool = self._account is not None and self._account.purpose == "talk"  # a reply is never asked for this way
        purpose: Purpose | None = "tools" if of_a_tool else None
        prompt = Prompt(system, (ChatTurn("user", material),), language, answer=answer, purpose=purpose, given=given)
        prompt = replace(prompt, talk=Talk(is_form=True))
        problem = ""
        for _ in range(2):
            text = ""
            try:
                for piece in self._think(prompt, cancel):
                    text = (
                        ""
                        if isinstance(piece, TakenBack)
                        else text + (piece.text if isinstance(piece, TextPiece) else "")
                    )
                return parse(text, answer, language)
            except EmptyAnswerError:
                problem = empty_answer(language)
            except UnusableAnswerError as error:
                problem = str(error)
            again = self._once_more(prompt, material, text, ask_again(problem, language))
            if again is None:
                break
            prompt = again
        raise InvalidAnswerError(model=self.name, reason=problem, **task_of(answer))

    def _once_more(self, prompt: Prompt, material: str, answered: str, request: str) -> Prompt | None:
        """Return the prompt that asks once more: with the faulty answer, a part of it or none, always with the material.

        None if the material and the request do not fit together.
        """
        asked = ChatTurn("user", material)
        for shown in dict.fromkeys((answered, answered[:_FAULTY_SHOWN])):
            again = replace(prompt, turns=[asked, ChatTurn("persona", shown or "…"), ChatTurn("user", request)])
            if self._model.fits(again):
                return again
        again = replace(prompt, turns=[replace(asked, text=f"{material}\n\n{request}")])
        return again if self._model.fits(again) else None

    def _think(self, prompt: Prompt, cancel: Cancel) -> Iterator[ReplyPiece]:
        """Ask until there is an answer, one fails for good, or the caller stops."""
        attempt, corrections, began, is_told, is_again = 0, 0, self._monotonic(), False, prompt.answer is not None
        while True:
            spoke, failure = yield from self._try(prompt, cancel)
            if cancel.is_set():
                return
            self._model.trouble = failure.error if failure else None
            self._model.has_answered |= failure is None
            if failure is None:
                return
            if not spoke and corrections < _CORRECTIONS and self._learned_limit(failure):
                corrections += 1  # now it is known: cut, and ask again
                continue
            lacking = (
                None
                if spoke
                else refused_feature(failure.refusal, self._model.wanted(prompt, is_counted=self._account is not None))
            )
            if lacking == "images" and refuses_picture(failure):
                prompt = replace(prompt, shows=False)
                yield _say.notice("mind-picture-refused", "info", model=self.name, detail=failure.error.facts["detail"])
                continue
            if lacking is not None:
                self._model.lacks |= {lacking}
                if lacking in _SHOWN_LACKS:
                    self._model.told_of_tools |= lacking == "tools"
                    yield self._lacking(lacking)
                continue
            if not is_again and (told := _NO_ANSWERS.get(type(failure.error))):
                is_again = True
                if spoke:
                    yield TakenBack()
                note = ChatTurn("user", "", quoted=_say(f"once_more.{told}", prompt.language))
                prompt = replace(prompt, turns=[*prompt.turns, note])
                continue
            if failure.loads and not is_told:
                is_told = True
                yield _say.notice("mind-loads", "passing", **failure.error.facts)
            attempt += not failure.loads
            pause = None if spoke else self._pause(failure, attempt, self._monotonic() - began)
            if pause is None:
                raise self._model.provider.with_models(failure.error)
            logger.info("%s: %s; asking again in %.1f s", self, type(failure.error).__name__, pause)
            if cancel.wait(pause):
                return

    def _pause(self, failure: Failure, attempt: int, waited: float) -> float | None:
        """Return the seconds until it is asked again, None to give up; a model that is being loaded may take as long as a call."""
        patience = self._patience
        if failure.loads:
            return patience.first_pause if waited < patience.seconds else None
        if not failure.passing or attempt > patience.retries:
            return None
        return pause_before(attempt, first=patience.first_pause, asked=failure.retry_after, rng=self._rng)

    def _lacking(self, feature: Feature) -> Notice:
        return _say.notice(_SHOWN_LACKS[feature], "info", model=self.name)

    def _learned_limit(self, failure: Failure) -> bool:
        """Take in how much the model reads and how it counts, as a refusal tells; return whether that was news."""
        is_less = _LEAST_CONTEXT <= failure.limit < self.context_tokens
        if is_less:
            self._model.read_at_most(failure.limit)
        counted = failure.counted
        if not counted and not is_less and isinstance(failure.error, ContextTooLongError):
            counted = int(_OVER * self.context_tokens)
        return self._model.count_as(failure.sent, counted) or is_less

    def _try(self, prompt: Prompt, cancel: Cancel) -> Generator[ReplyPiece, None, tuple[bool, Failure | None]]:
        """Ask once. Returns whether anything was heard, and the failure if it was one."""
        hearing = Hearing(
            prompt.talk,
            prompt.tools,
            starts_thinking=self._model.starts_thinking,
            usage_adds_up=self._model.provider.usage_adds_up,
        )
        failure: Failure | None = None
        counting, sent = None, None
        is_whole = False
        mask = PromptMask(self._masking.begin() if self._masking.covers(self.endpoint) else None)
        prompt = mask.hide(prompt)
        try:
            counting, sent, start = self._model.start(prompt, self._account, self._patience.seconds)
            for chunk in event_loop.read(
                start, cancel=cancel, seconds=self._patience.seconds, monotonic=self._monotonic
            ):
                counting.live()
                yield from mask.show(hearing.take(chunk))
                if hearing.is_circling:
                    break
            if not cancel.is_set():
                is_whole = True
                yield from mask.show(hearing.finish())
                hearing.check()
                if hearing.cut_short:
                    code = "mind-in-circles" if hearing.is_circling else "mind-cut-short"
                    yield _say.notice(code, "info", model=self.name)
        except MindError as error:
            failure = Failure(error)
        except UtataneError:
            raise  # a cap, or what keeps it: nothing was sent
        except Exception as error:  # noqa: BLE001  # libraries raise anything; each is named, or called unreadable
            logger.debug("%s raised %s", self, type(error).__name__)
            with suppress(AnswerFailedError):  # it has been too much already
                yield from mask.show(hearing.rest())
            failure = replace(explain(error, self._situation(hearing)), sent=sent)
        finally:  # also when the caller has closed this
            if counting is not None:
                counting.end(hearing, failure.error if failure else None, is_whole=is_whole)
        yield from mask.rest()
        self._model.learn_from(hearing, sent)
        if hearing.usage != Usage():
            yield hearing.usage
        if failure is None and hearing.broken_call and not cancel.is_set():
            failure = Failure(UnusableToolCallError(model=self.name, tool=hearing.broken_call))
        return hearing.spoke, failure

    def _situation(self, hearing: Hearing) -> Situation:
        return Situation(self.endpoint, self.context_tokens, self._patience.seconds, hearing.spoke)


def _fewer_tools(model: str, tokens: int, missing: Sequence[str]) -> Notice:
    """Return what tells that a model reads too little for the descriptions of all tools."""
    deeds = [in_words(name) for name in missing]
    listed = {"ja": "、".join(one["ja"] for one in deeds), "en": ", ".join(one["en"] for one in deeds)}
    return _say.notice("mind-fewer-tools", "info", model=model, tokens=tokens, deeds=listed)
