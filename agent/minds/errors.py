"""The ways in which a mind, or the fetching of a model, fails. None carries a key: what a server says is stripped of secrets first."""

from __future__ import annotations

from managers.storage.errors import UtataneError


class MindError(UtataneError):
    """The mind could not answer. Facts, in all subclasses: `model`."""

    ja = "モデル「{model}」は答えられませんでした。もう一度お試しください。"
    en = 'The model "{model}" could not answer. Please try again.'


class NoKeyError(MindError):
    """A provider that wants an API key, and none is stored. Facts: `service`."""

    ja = "{service} のAPIキーがまだありません。「設定」の「こころとモデル」でキーを入れてください。"
    en = "There is no API key for {service} yet. Enter one in Settings, under Mind and model."


class WrongKeyError(MindError):
    """The server refuses the key (401, 403). Facts: `service`."""

    ja = (
        "{service} がAPIキーを受けつけませんでした。"
        "「設定」でキーを入れ直すか、そのキーでモデル「{model}」が使えるか確かめてください。"
    )
    en = (
        "{service} did not accept the API key. Enter it again in Settings, "
        'or check that it is allowed to use the model "{model}".'
    )


class NoModelError(MindError):
    """No model was chosen, or the server has none to offer. Facts: `service`, `offered_ja`, `offered_en`."""

    ja = "{service} で使うモデルが決まっていません。「設定」でモデルの名前を選んでください。{offered_ja}"
    en = "No model has been chosen for {service}. Choose one in Settings.{offered_en}"


class UnknownModelError(MindError):
    """The server does not know the model (404). Facts: `service`; `offered_ja`, `offered_en`: what it has."""

    ja = "{service} には「{model}」というモデルがありません。「設定」でモデルの名前(と接続先)を確かめてください。{offered_ja}"
    en = '{service} has no model named "{model}". Check the model name (and the address) in Settings.{offered_en}'


class WrongAddressError(MindError):
    """The address in the settings is none. Facts: `address`."""

    ja = "接続先「{address}」はURLの形をしていません。「http://127.0.0.1:11434/v1」のように書いてください。"
    en = 'The address "{address}" is not a URL. Write it like "http://127.0.0.1:11434/v1".'


class UnreachableError(MindError):
    """No connection: no network, a wrong address, or a server that is not running. Facts: `address`."""

    ja = "{address} につながりません。ネットワークと、モデルのサーバーが動いているかを確かめてください。"
    en = "{address} cannot be reached. Check the network, and that the model's server is running."


class OtherAccountError(UnreachableError):
    """Another account than the one that was said yes to runs what listens there. Facts: `address`."""

    ja = (
        "{address} で待ち受けているのは、あなたが「はい」と答えたアカウントのサーバーではありません。何も送っていません。"
        "「設定」の「こころとモデル」で確かめてください。"
    )
    en = (
        "What listens at {address} is not run by the account that you said yes to. Nothing was sent. "
        "Look at it in Settings, under Mind and model."
    )


class MindTimeoutError(MindError):
    """Nothing came for too long. Facts: `seconds`."""

    ja = (
        "モデル「{model}」から{seconds}秒のあいだ何も届きませんでした。"
        "もう一度送るか、「設定」で待ち時間をのばしてください。"
    )
    en = (
        'Nothing came from the model "{model}" for {seconds} seconds. Send it again, or allow it more time in Settings.'
    )


class QuotaError(MindError):
    """Too many calls, or the quota is used up (429), also after waiting and trying again."""

    ja = "モデル「{model}」の利用上限に達しています。しばらく待ってから送り直すか、別のモデルに切りかえてください。"
    en = (
        'The usage limit of the model "{model}" has been reached. '
        "Wait a while and send it again, or switch to another model."
    )


class ServerFailedError(MindError):
    """The server failed (5xx), also after trying again. Facts: `status`."""

    ja = (
        "モデルのサーバーで問題が起きました(エラー{status})。こちらの設定のせいではなさそうです。"
        "少し待って、もう一度お試しください。"
    )
    en = (
        "The model's server has a problem of its own (error {status}). "
        "It is probably not your settings: wait a little and try again."
    )


class ContextTooLongError(MindError):
    """The message does not fit into what the model can read. Facts: `tokens`, the model's limit."""

    ja = (
        "モデル「{model}」が一度に読める長さ({tokens}トークン)に収まりません。"
        "メッセージを短くするか、もっと長く読めるモデルを選んでください。"
    )
    en = (
        'This is more than the model "{model}" can read at once ({tokens} tokens). '
        "Shorten the message, or choose a model that reads more."
    )


class SafetyBlockError(MindError):
    """The provider's safety filter held the answer back."""

    ja = (
        "モデル「{model}」の提供元の安全フィルターが、この答えを止めました。"
        "言い方を変えて送り直すか、別のモデルに切りかえてください。"
    )
    en = (
        'The safety filter of the provider of "{model}" held this answer back. '
        "Put it in other words, or switch to another model."
    )


class EmptyAnswerError(MindError):
    """The model answered with nothing at all."""

    ja = "モデル「{model}」の答えは空でした。もう一度お試しください。続くようなら、別のモデルを選んでください。"
    en = 'The model "{model}" answered with nothing. Try again; if it happens often, choose another model.'


class EndlessAnswerError(MindError):
    """The answer, its thoughts or a tool call did not come to an end; what came before is kept."""

    ja = (
        "モデル「{model}」の答えがいつまでも終わらないので、途中で止めました。届いたところまでは残してあります。"
        "続くようなら、別のモデルを選んでください。"
    )
    en = (
        'The answer of "{model}" did not come to an end, so it was stopped. What came until then is kept. '
        "If it happens often, choose another model."
    )


class GarbledAnswerError(MindError):
    """What came is not in the protocol at all. Facts: `address`."""

    ja = "{address} から、読みとれない返事が届きました。接続先が本当にモデルのサーバーか、「設定」で確かめてください。"
    en = (
        "{address} sent something that cannot be read as an answer. "
        "Check in Settings that this address really is a model's server."
    )


class StreamBrokenError(MindError):
    """The answer broke off half-way; what came before is kept."""

    ja = "モデル「{model}」の答えが途中で切れました。届いたところまでは残してあります。「再生成」で答え直せます。"
    en = 'The answer of "{model}" broke off half-way. What came is kept; "Regenerate" asks for it anew.'


class RefusedRequestError(MindError):
    """The server refuses the request for a reason of its own (400). Facts: `detail`."""

    ja = "モデルのサーバーがこの依頼を受けつけませんでした: {detail} 「設定」でモデルの名前と接続先を確かめてください。"
    en = "The model's server refused the request: {detail} Check the model name and the address in Settings."


class UnusableToolCallError(MindError):
    """The model wanted to use a tool, in a way that cannot be read. Facts: `tool`."""

    ja = (
        "モデル「{model}」は道具「{tool}」を使おうとしましたが、書き方が壊れていて使えませんでした。"
        "もう一度お試しください。続くようなら、道具の得意なモデルを選んでください。"
    )
    en = (
        'The model "{model}" tried to use the tool "{tool}", but its call was broken. '
        "Try again; if it happens often, choose a model that is good with tools."
    )


class InvalidAnswerError(MindError):
    """A structured answer was wrong twice. Facts: `task` (the name of the answer), `reason`."""

    ja = "モデル「{model}」の答えが、二度とも決まった形になりませんでした({task})。次の機会にやり直します。"
    en = 'The model "{model}" did not give a usable answer, twice ({task}). It will be tried again later.'


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


NOTHING_SPENT = (
    ContextTooLongError,
    GarbledAnswerError,
    NoKeyError,
    NoModelError,
    QuotaError,
    RefusedRequestError,
    ServerFailedError,
    UnknownModelError,
    UnreachableError,
    WrongAddressError,
    WrongKeyError,
)
"""Failures for which no provider asks money, as long as no piece of an answer has come."""
AWAY = (
    UnreachableError, MindTimeoutError, ServerFailedError, NoKeyError, WrongKeyError, NoModelError, UnknownModelError,
    WrongAddressError, QuotaError,
)  # fmt: skip
"""What keeps a model from answering anything, until a call succeeds again."""
