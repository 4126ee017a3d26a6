"""How the sentence encoder cuts a text into pieces: the most likely ones of a list (a unigram language model; Kudo, 2018).

The list is read as SentencePiece wrote it. Pieces are looked up by a hash of their characters, of many texts at once, so
that 128,000 of them take 2 MB and not the 45 that a dictionary of strings takes.
"""

import struct
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

import numpy as np
import numpy.typing as npt

_BEGIN, _END, _UNKNOWN = 1, 2, 0
_UNLIKELY: Final = 10.0
"""By so much a character that is in no piece is less likely than the least likely piece."""
_BLANK, _APART, _KEPT = "\u2581", "\0", "\uff5e"
"""What stands for a blank, between texts, and as it is although the standard folds it."""
_BLANKS: Final = str.maketrans(dict.fromkeys("\0\u200b\u200e\u200f\ufeff\ufffd", " "))
_MOST_CHARACTERS: Final = 2000
_MULTIPLY: Final = 0x9E3779B97F4A7C15
_BACK: Final = pow(_MULTIPLY, -1, 1 << 64)

Ids = npt.NDArray[np.int64]
Hashes = npt.NDArray[np.uint64]


class Pieces:
    """A list of pieces with how likely each is."""

    def __init__(self, model: bytes) -> None:
        """Read what SentencePiece wrote: a message of protocol buffers whose first fields are the pieces."""
        texts, scores, at = [], [], 0
        while model[at] == 0x0A:  # noqa: PLR2004  # field 1: a piece; it and its text are shorter than 128 bytes
            end = at + 4 + model[at + 3]
            texts.append(model[at + 4 : end].decode())
            scores.append(struct.unpack_from("<f", model, end + 1)[0])
            at += 2 + model[at + 1]
        lengths = np.fromiter(map(len, texts), np.int64)
        self._longest = int(lengths.max())
        sums, back = _hashed("".join(texts))
        begins = np.cumsum(lengths) - lengths
        keys = (sums[begins + lengths] - sums[begins]) * back[begins]
        order = np.argsort(keys)
        self._keys, self._ids = keys[order], order.astype(np.int32)
        self._scores = np.array(scores, np.float32)
        self._least = min(scores) - _UNLIKELY

    def cut(self, texts: Sequence[str]) -> Iterator[Ids]:
        """Yield the numbers of the pieces that each of some texts is made of, between a begin and an end."""
        whole = _APART + _APART.join(map(_plain, texts)) + _APART
        starts, pieces = self._likeliest(whole)
        for before, after in pairwise(place for place, one in enumerate(whole) if one == _APART):
            found, at = [_END], after
            while at > before + 1:
                found.append(pieces[at])
                at = starts[at]
            yield np.array([*found, *([_UNKNOWN] if len(found) == 1 else []), _BEGIN][::-1], np.int64)

    def _likeliest(self, whole: str) -> tuple[list[int], list[int]]:
        """Return for each place where the last piece before it begins in the likeliest way there, and which that is."""
        best = [0.0] + [-np.inf] * len(whole)
        starts, pieces = [0] * len(best), [0] * len(best)
        for start, length, piece, score in zip(*self._found(whole), strict=True):
            end, sum_ = start + length, best[start] + score
            if sum_ > best[end]:
                best[end], starts[end], pieces[end] = sum_, start, piece
        return starts, pieces

    def _found(self, whole: str) -> tuple[list[int], list[int], list[int], list[float]]:
        """Return all pieces in a text in the order of their places, then lengths: place, length, number, likelihood.

        A character that is no piece by itself is an unknown one.
        """
        sums, back = _hashed(whole)
        keys = np.zeros((len(whole), self._longest), np.uint64)
        for length in range(1, min(self._longest, len(whole)) + 1):
            last = len(whole) - length + 1
            keys[:last, length - 1] = (sums[length:] - sums[:-length]) * back[:last]
        at = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        is_piece = self._keys[at] == keys
        taken = is_piece.copy()
        taken[:, 0] = True
        start, longer = np.nonzero(taken)
        piece = np.where(is_piece[start, longer], self._ids[at[start, longer]], _UNKNOWN)
        score = np.where(piece == _UNKNOWN, self._least, self._scores[piece])
        return start.tolist(), (longer + 1).tolist(), piece.tolist(), score.tolist()


def _plain(text: str) -> str:
    """Return a text as the pieces were learnt from: compatible forms of characters, and a mark for each run of blanks."""
    parts = text[:_MOST_CHARACTERS].translate(_BLANKS).split(_KEPT)
    return _BLANK.join(["", *_KEPT.join(unicodedata.normalize("NFKC", part) for part in parts).split()])


def _hashed(text: str) -> tuple[Hashes, Hashes]:
    """Return sums of a text's characters by growing powers, and what takes the powers of each place away again."""
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32).astype(np.uint64)
    powers = np.cumprod(np.full(len(points), _MULTIPLY, np.uint64))
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum((points + np.uint64(1)) * powers)])
    back = np.cumprod(np.full(len(points), _BACK, np.uint64))
    return sums.astype(np.uint64), back.astype(np.uint64)
