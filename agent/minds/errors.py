"""What goes wrong while a model is fetched, each with its sentence in both languages (see `managers.storage.errors`)."""

from __future__ import annotations

from managers.storage.errors import UtataneError


class PullError(UtataneError):
    """A model could not be fetched; each subclass says why. Facts, in all of them: `model`."""

    ja = "モデル「{model}」を取ってこられませんでした。"
    en = 'The model "{model}" could not be fetched.'


class PullRefusedError(PullError):
    """Ollama says why it does not fetch the model. Facts: `detail`, in its own words."""

    ja = "Ollama はモデル「{model}」を取ってきませんでした: {detail}"
    en = 'Ollama did not fetch the model "{model}": {detail}'


class PullBrokenError(PullError):
    """Ollama cannot be reached, or broke off half-way."""

    ja = "モデル「{model}」の取得が途中で切れました。Ollama が動いているか確かめて、もう一度どうぞ。届いたぶんは Ollama に残っていて、続きから始まります。"
    en = (
        'Fetching the model "{model}" broke off. See that Ollama is running, and press again: '
        "it keeps what has come, and goes on from there."
    )


class PullStalledError(PullError):
    """Nothing has come for a long time. Facts: `minutes`."""

    ja = "モデル「{model}」が{minutes}分のあいだ少しも進まなかったので、止めました。ネットワークを確かめて、もう一度どうぞ。続きから始まります。"
    en = (
        'Nothing more of the model "{model}" came for {minutes} minutes, so it was stopped. '
        "Check the network and press again: it goes on from there."
    )


class PullUnusableError(PullError):
    """What answers at Ollama's address does not do what Ollama does."""

    ja = "モデル「{model}」を頼みましたが、Ollama とは思えない返事が届いたので、止めました。何がそこで動いているのか確かめてください。"
    en = (
        'What was asked for the model "{model}" does not answer as Ollama does, so it was stopped. '
        "Look at what is running there."
    )


class StillPullingError(PullError):
    """Another model is being fetched."""

    ja = "いまモデル「{model}」を取ってきています。終わるのを待つか、止めてからどうぞ。"
    en = 'The model "{model}" is being fetched just now. Wait for it, or stop it first.'
