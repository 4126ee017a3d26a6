"""Every error that the agent raises, each with its sentence in both languages.

See `managers.storage.errors` for the rules. A `MindError` is a way in which whatever thinks for a
persona failed; its sentence tells a person who is no engineer what to do next. None of them ever
carries a key: what a server says is stripped of secrets before it becomes a fact.
"""

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


class EmptyMessageError(UtataneError):
    """There is nothing to send."""

    ja = "メッセージが空です。ひとことでも書いてから送ってください。"
    en = "The message is empty. Write a word or two, then send it."


class MessageTooLongError(UtataneError):
    """A message beyond what the log takes. Facts: `limit` (characters)."""

    ja = "メッセージが長すぎます(上限 {limit:,} 文字)。分けて送るか、ファイルとして添付してください。"
    en = "The message is too long (at most {limit:,} characters). Send it in parts or attach it as a file."


class StillAnsweringError(UtataneError):
    """A turn of this persona is under way. Facts: `name`."""

    ja = "{name} はまだ話しています。終わるまで待つか、止めてから送ってください。"
    en = "{name} is still answering. Wait until it has finished, or stop it first."


class NothingToAnswerError(UtataneError):
    """There is no message of the user's in this topic to answer, edit or take back."""

    ja = "この話題には、あなたのメッセージがまだありません。"
    en = "There is no message of yours in this topic yet."


class AttachmentError(UtataneError):
    """A file cannot be sent as it is; each subclass says why. Facts, in all of them: `name`."""

    ja = "「{name}」は送れません。"
    en = '"{name}" cannot be sent.'


class AttachmentTypeError(AttachmentError):
    """A file is of a kind that no message takes, and no mind reads."""

    ja = "「{name}」は読めない種類のファイルです。送れるのは、画像(PNG、JPEG、GIF、WebP)と、文章や表(テキスト、Markdown、PDF、Word(docx)、HTML、CSV)です。PDFかテキストに書き出せば、ここで送ることも、「資料」に入れておくこともできます。"
    en = (
        '"{name}" is of a kind that cannot be read. A message takes pictures (PNG, JPEG, GIF, WebP) '
        "and documents (text, Markdown, PDF, Word (docx), HTML, CSV). Saved as PDF or text, you can send it here or "
        "keep it in the room Knowledge."
    )


class AttachmentForKnowledgeError(AttachmentError):
    """A document is too large for a message, and the room Knowledge takes it. Facts: `megabytes`."""

    ja = (
        "「{name}」は会話で送るには大きすぎます(上限 {megabytes} MB)。"
        "「資料」の画面に入れると、必要なところを探しながら話せます。"
    )
    en = (
        '"{name}" is too large for a message (at most {megabytes} MB). '
        "Add it in the room Knowledge: there it is searched, and you can talk about it."
    )


class AttachmentTooLargeError(AttachmentError):
    """An attached file is too large. Facts: `megabytes`."""

    ja = "「{name}」は大きすぎます(上限 {megabytes} MB)。小さくしてから添付してください。"
    en = '"{name}" is too large (at most {megabytes} MB). Make it smaller and attach it again.'


class AttachmentUnreadableError(AttachmentError):
    """An attached file is empty, gone, or not what its name says."""

    ja = "「{name}」を開けませんでした。空か、壊れているか、名前と中身の種類が違うようです。開けるか確かめて、もう一度選んでください。"
    en = (
        '"{name}" cannot be opened: it is empty, damaged, or not what its name says. '
        "See whether it opens elsewhere, and choose it again."
    )


class UploadTooLargeError(UtataneError):
    """A form is larger than any that is read. Facts: `megabytes`."""

    ja = "一度に送れるのは、合わせて {megabytes} MB までです。何度かに分けて送ってください。"
    en = "At most {megabytes} MB can be sent at once. Send the files in several turns."


class PasswordNeededError(UtataneError):
    """The page would be reachable from other machines without a password. Facts: `host`."""

    ja = "{host} で開くと、ほかの機械からも見えます。`app.py access --password` で合言葉を決めてから、もう一度どうぞ。"
    en = "On {host} other machines can reach the page. Choose a password with `app.py access --password` and try again."


class PortInUseError(UtataneError):
    """The page cannot listen at its address. Facts: `host`, `port`, `cause`."""

    ja = "{host} のポート {port} では開けません({cause})。うたた寝がもう動いていないか確かめるか、`--port` で別の番号を選んでください。"
    en = "The page cannot be served at {host}, port {port} ({cause}). See whether Utatane is running already, or choose another port with `--port`."


class WrongArgumentsError(UtataneError):
    """Another program passed what a function cannot take. Facts: `name`, `problems`."""

    ja = "「{name}」に渡された値が正しくありません({problems})。"
    en = 'What was passed to "{name}" is not right ({problems}).'


class NoSuchEndpointError(UtataneError):
    """Another program called what there is not."""

    ja = "そのような呼び出しはありません。どんな呼び出しがあるかは docs/api.md にあります。"
    en = "There is no such endpoint. docs/api.md lists those that there are."


class NoMcpPackageError(UtataneError):
    """MCP is switched on, and its extra is not installed."""

    ja = (
        "ほかのプログラムに MCP を開くには、mcp というパッケージが要ります。"
        "`make install EXTRAS=programs` で入れてから、起こし直してください。"
    )
    en = (
        "MCP for other programs needs the package mcp, which is not installed. "
        "Install it with `make install EXTRAS=programs`, then start again."
    )


class NoWindowPackageError(UtataneError):
    """The window was asked for, and its extra is not installed."""

    ja = "窓を開くための pywebview がまだ入っていません。`make install EXTRAS=window` で入れてから、もう一度どうぞ。"
    en = "A window of its own needs pywebview, which is not installed. Install it with `make install EXTRAS=window` and try again."


class NoScreenError(UtataneError):
    """The window was asked for where there is no screen."""

    ja = "ここには窓を出せる画面がありません。`--window` なしで起こして、ブラウザーで開いてください。"
    en = "There is no screen here to open a window on. Start without `--window` and open the page in a browser."


class WindowFailedError(UtataneError):
    """The system's browser engine could not open a window. Facts: `cause`."""

    ja = "窓を開けませんでした({cause})。`--window` なしで起こせば、ブラウザーで開けます。"
    en = "The window could not be opened ({cause}). Start without `--window` to use a browser."


class BadQueriesError(UtataneError):
    """A line of a queries file is not what it should be. Facts: `path`, `line`."""

    ja = '{path} の{line}行目が {{"query": "…"}} の形ではありません。直してからもう一度お試しください。'
    en = 'Line {line} of {path} is not of the form {{"query": "..."}}. Mend it and try again.'


class NothingToSearchError(UtataneError):
    """Neither a query nor a file of queries was given."""

    ja = "探す言葉か、`--queries` でファイルを指定してください。"
    en = "Give something to look for, or a file with `--queries`."


class UnknownTypeError(UtataneError):
    """No type of memory has that name. Facts: `name`, `known`."""

    ja = "「{name}」という種類の記憶はありません。{known} から選んでください。"
    en = 'There is no type of memory called "{name}". Choose one of {known}.'


class UnknownLevelError(UtataneError):
    """No level of reflection has that name. Facts: `name`."""

    ja = "省察レベルは auto、1、2、3 のどれかです(「{name}」ではなく)。"
    en = 'The level is auto, 1, 2 or 3, not "{name}".'


class MemoryGoneError(UtataneError):
    """A memory that the page shows is not there any more. Facts: `name`."""

    ja = "「{name}」の記憶はもうここにありません。画面を開きなおすと、いまあるものが見えます。"
    en = 'The memory "{name}" is not there any more. Open the shelf again to see what is.'


class UnknownTaskError(UtataneError):
    """No task of a dream has that name. Facts: `name`, `known`."""

    ja = "夢の仕事に「{name}」はありません。{known} から選んでください。"
    en = 'A dream has no task "{name}". Choose from {known}.'


class UnknownLanguageError(UtataneError):
    """A persona cannot speak that language. Facts: `name`."""

    ja = "ペルソナの言葉は ja か en です(「{name}」ではなく)。"
    en = 'A persona speaks ja or en, not "{name}".'


class NobodyNamedError(UtataneError):
    """`personas admit --yes` without a name."""

    ja = "誰を迎えるのか、名前を並べるか `--all` をつけてください。"
    en = "Say whom to let in: give their names, or `--all`."


class OnlyWithDayError(UtataneError):
    """Chosen tasks of a dream, and no day."""

    ja = "`--only` は `--day 2026-01-31` のように日を決めて使います。"
    en = "`--only` goes with a day, such as `--day 2026-01-31`."
