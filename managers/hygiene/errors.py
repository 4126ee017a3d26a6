"""What cannot be done with memories that are put away."""

from __future__ import annotations

from managers.storage.errors import UtataneError


class NotInArchiveError(UtataneError):
    """The archive holds no such memory. Facts: `id`."""

    ja = "「{id}」はしまってある記憶の中にありません。`app.py archive <ペルソナ> list` で確かめてください。"
    en = 'The archive holds no memory "{id}". `app.py archive <persona> list` shows what it holds.'


class PlaceTakenError(UtataneError):
    """Something else stands where a memory was. Facts: `place`."""

    ja = "{place} には、いまは別の記憶があるか、その日ごとしまってあるので、戻せませんでした。何も変えていません。"
    en = "Something else stands at {place} now, or that whole day is put away, so it was not put back. Nothing was changed."
