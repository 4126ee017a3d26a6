"""What the server and its pages cannot do."""

from __future__ import annotations

from managers.storage.errors import UtataneError


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


class MemoryGoneError(UtataneError):
    """A memory that the page shows is not there any more. Facts: `name`."""

    ja = "「{name}」の記憶はもうここにありません。画面を開きなおすと、いまあるものが見えます。"
    en = 'The memory "{name}" is not there any more. Open the shelf again to see what is.'
