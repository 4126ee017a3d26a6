"""The ways in which sleep can fail, each with its sentence."""

from __future__ import annotations

from managers.storage.errors import UtataneError


class DraftRejectedError(UtataneError):
    """A mind's answer may not become memory: it rests on nothing, or is in the wrong language, or empty."""

    ja = "考えた内容({task})は記憶にできませんでした: {reason}"
    en = "What was thought ({task}) could not become a memory: {reason}"


class LeftOutError(UtataneError):
    """One item of an answer did not become memory; the others did. Facts: `item`, `why` (its name), `why_ja`, `why_en`."""

    ja = "「{item}」は覚えませんでした: {why_ja}"
    en = "“{item}” was left out: {why_en}"


class DreamingAlreadyError(UtataneError):
    """Another dream of the same persona is under way, here or in another window."""

    ja = "「{name}」はいま夢を見ているところです。終わってから、もう一度お試しください。"
    en = '"{name}" is dreaming just now. Try again when the dream is over.'


class NothingSaidError(UtataneError):
    """Nobody said anything on the day that was asked for."""

    ja = "{day} には会話がないので、夢にできることがありません。"
    en = "Nothing was said on {day}, so there is nothing to dream of."
