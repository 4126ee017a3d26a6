"""What cannot be done with memories."""

from __future__ import annotations

from managers.storage.errors import UnreadableError, UtataneError


class NoSuchFileError(UnreadableError):
    """A file that somebody named is not there. Facts: `path`."""

    ja = "「{path}」というファイルはありません。場所と名前を確かめてください。"
    en = 'There is no such file as "{path}". Check where it is and what it is called.'


class EditTargetError(UtataneError):
    """The text that an edit should replace is not there, or is there several times."""

    ja = "「{old}」は「{path}」の中に{count}か所あります。ちょうど1か所に決まる文を指定してください。何も変えていません。"
    en = '"{old}" stands in "{path}" {count} times. Give a text that stands there exactly once. Nothing was changed.'


class MessageNotFoundError(UtataneError):
    """No message of that id in the log, or it was deleted."""

    ja = "その発言({message_id})は記録に見つかりません。もう消されているかもしれません。"
    en = 'There is no message "{message_id}" in the log. It may have been deleted.'


class BranchNotFoundError(UtataneError):
    """There is no branch of that id to go back to."""

    ja = "その分かれ道は見つかりません。ページを読み込みなおしてみてください。"
    en = "That branch of the conversation is not there. Reload the page."


class AlternativeNotFoundError(UtataneError):
    """There are not so many answers in that place. Facts: `count`."""

    ja = "ここにある返事は{count}個です。その返事は見つかりません。"
    en = "There are {count} answers in this place; that one is not among them."


class MessageIdTakenError(UtataneError):
    """A message of that id is in the log already, and says something else."""

    ja = "「{message_id}」という番号の発言が、別の内容でもう記録にあります。何も変えていません。"
    en = 'The log already has a message "{message_id}" that says something else. Nothing was changed.'


class NotATranscriptError(UtataneError):
    """Not one line of a file that was to be imported could be used."""

    ja = "「{path}」には取り込める行がありませんでした。{line}行目: {reason_ja}"
    en = 'No line of "{path}" could be imported. Line {line}: {reason_en}'


class UnclearWhatToForgetError(UtataneError):
    """Nothing in the present topic is surely what is meant; nothing was forgotten."""

    ja = (
        "どの話のことかはっきりしなかったので、何も忘れていません。どの話か、たずねてください。"
        "「さっきの(その話にある言葉)の話は忘れて」と言いなおすか、会話の画面でその発言を消してもらえます。"
    )
    en = (
        "It is not clear which words are meant, so nothing was forgotten. Ask which ones: they can say “forget what I said about "
        "(a word that stands in it)”, or delete the message itself on the page of the talk."
    )


class NoSuchFactError(UtataneError):
    """No fact of an entity has these words, or a person wrote it; nothing was changed."""

    ja = "「{name}」について、いま成り立っている事実に「{fact}」はありません。read_entity_memory で確かめてください。何も変えていません。"
    en = 'Nothing that is known of "{name}" and still holds reads "{fact}". Look with read_entity_memory. Nothing was changed.'


class TooManyHeldError(UtataneError):
    """More wishes wait for an answer than anybody reads. For the mind."""

    ja = "返事を待っている書き込みが多すぎるため、これは受けつけませんでした。書いたとは言わないでください。"
    en = "Too many writes are waiting for an answer, so this one was not taken. Do not say that it is written."


class NotHeldError(UtataneError):
    """Nothing of that id waits: it was decided, it expired after `days`, or the message that it was made for is gone."""

    ja = "その書き込み({held})は、もう待っていません。決まったか、{days}日たって取り下げられたか、もとの発言がなくなりました。"
    en = (
        "Nothing called {held} is waiting. It was decided, or dropped after {days} days, or the message that it belonged to "
        "is gone."
    )


class HeldChangedError(UtataneError):
    """What would be written to is not what it was when the wish was shown; nothing was written. Facts: `path`."""

    ja = "「{path}」は、見ていただいたあとに変わりました。何も書いていません。いまの変更点を見て、もう一度決めてください。"
    en = '"{path}" has changed since this was shown. Nothing was written. Look at what it would change now, and decide again.'
