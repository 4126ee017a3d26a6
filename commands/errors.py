"""What the command line cannot do."""

from __future__ import annotations

from managers.storage.errors import AlreadyRunningError, UtataneError


class BadQueriesError(UtataneError):
    """A line of a queries file is not what it should be. Facts: `path`, `line`."""

    ja = '{path} の{line}行目が {{"query": "…"}} の形ではありません。直してからもう一度お試しください。'
    en = 'Line {line} of {path} is not of the form {{"query": "..."}}. Mend it and try again.'


class NothingToSearchError(UtataneError):
    """Neither a query nor a file of queries was given."""

    ja = "探す言葉か、`--queries` でファイルを指定してください。"
    en = "Give something to look for, or a file with `--queries`."


class UnknownLanguageError(UtataneError):
    """A persona cannot speak that language. Facts: `name`."""

    ja = "ペルソナの言葉は ja か en です(「{name}」ではなく)。"
    en = 'A persona speaks ja or en, not "{name}".'


class NobodyNamedError(UtataneError):
    """`personas admit --yes` without a name."""

    ja = "誰を迎えるのか、名前を並べるか `--all` をつけてください。"
    en = "Say whom to let in: give their names, or `--all`."


class UnknownMemoryTypeError(UtataneError):
    """There is no such type of memory. Facts: `given`, `known`."""

    ja = "「{given}」という種類の記憶はありません。あるのは {known} です。"
    en = 'There is no type of memory "{given}". There are: {known}.'


class UnknownArchiveStepError(UtataneError):
    """`archive` with something else than `list` or `restore`. Facts: `given`."""

    ja = "`archive` でできるのは list(一覧)と restore(戻す)です(「{given}」ではなく)。"
    en = '`archive` can list and restore, not "{given}".'


class OnlyWithDayError(UtataneError):
    """Chosen tasks of a dream, and no day."""

    ja = "`--only` は `--day 2026-01-31` のように日を決めて使います。"
    en = "`--only` goes with a day, such as `--day 2026-01-31`."


class AlreadyServedError(AlreadyRunningError):
    """Another process serves the same home folder, and where is known. Facts: `home`, `address`."""

    ja = "うたた寝はもう動いています: {address} (フォルダーは {home}。別のフォルダーで始めるなら `--home`)"
    en = "Utatane is already running at {address} (for {home}; `--home` starts it for another folder)."


class PasswordsDifferError(UtataneError):
    """A new password was typed twice, and not the same."""

    ja = "二つの合言葉が違っていました。何も変えていません。もう一度どうぞ。"
    en = "The two passwords were not the same, so nothing was changed. Please try again."
