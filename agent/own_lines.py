"""A persona's own lines: where a model begins to write those of somebody else, it is cut; streaming, too."""

import re
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, nullcontext
from typing import Final

from agent.errors import SpokeForOthersError
from managers.mind import ReplyPiece, ReplyRequest, TextPiece

_OPENS: Final = r"[ \t　>*_#\-]*[\[【〔<＜（(「]?[ \t]*"
_CLOSES: Final = r"[ \t]*[\]】〕>＞）)」]?[ \t]*[*_]*[ \t]*(?:さん|ちゃん|くん)?[ \t]*(?:[:：]|(?=[「『])|[\]】〕][ \t]*\n|[*_]{2}[ \t]*\n)"
_OF_LOGS: Final = ("agent:", "user:", "system:")
"""What the headers of a log begin with."""
_USERS: Final = ("user", "ユーザー", "human", "you", "あなた")
"""What models write the user's words under, whatever the user is called."""
_LONGEST: Final = 80
"""So many characters at most are held back at a line's beginning: a name and its marks are shorter."""


def own_pieces(pieces: Iterator[ReplyPiece], request: ReplyRequest) -> Iterator[ReplyPiece]:
    """Yield what a mind says as far as it is the persona's own; in a talk with one alone, all of it.

    Raises:
        SpokeForOthersError: it began with somebody else's line.
    """
    company = request.company
    if company is None:
        yield from pieces
        return
    lines = OwnLines(company.own_names, company.voices, request.sheet.user_name)
    has_said = False
    with closing(pieces) if isinstance(pieces, Generator) else nullcontext():
        for piece in pieces:
            if not isinstance(piece, TextPiece):
                yield piece
                continue
            if said := lines.take(piece.text):
                has_said = has_said or bool(said.strip())
                yield TextPiece(said)
            if lines.is_cut:
                break
    if rest := lines.rest():
        has_said = True
        yield TextPiece(rest)
    if lines.is_cut and not has_said:
        raise SpokeForOthersError(name=request.sheet.persona)


class OwnLines:
    """Lets a persona's own words through and holds back a line's beginning until it is sure whose it is."""

    def __init__(self, own: Sequence[str], others: Sequence[str], user: str) -> None:
        """Remember the names.

        Args:
            own: the persona's: its own name over its words is left out.
            others: those that nobody else may speak for.
            user: what the user is called.
        """
        theirs = {one for one in (*others, user, *_USERS) if one} - set(own)
        self._own, self._theirs = _heading(own), _heading(theirs, or_else=r"#+[ \t]*(?:AGENT|USER|SYSTEM):")
        self._names = [one.casefold() for one in (*own, *theirs, *_OF_LOGS)]
        self._line = ""
        self._strips = False
        self.is_cut = False

    def take(self, piece: str) -> str:
        """Return what of the words so far is certainly the persona's; nothing more once it is cut."""
        if self.is_cut:
            return ""
        said = list[str]()
        for part in piece.splitlines(keepends=True):
            said.append(self._take_part(part))
            if self.is_cut:
                break
        return "".join(said)

    def rest(self) -> str:
        """Return what was held back to the end."""
        held, self._line = self._line, ""
        return "" if self.is_cut or held == _SURE or self._theirs.match(f"{held}\n") else held

    def _take_part(self, part: str) -> str:
        """Take a piece of one line."""
        if self._line == _SURE:
            self._line = "" if part.endswith("\n") else _SURE
            return self._without_blanks(part)
        held = self._line + part
        if self._theirs.match(held):
            self.is_cut = True
            return ""
        if not held.endswith("\n") and self._may_be_heading(held):
            self._line = held
            return ""
        self._line = "" if held.endswith("\n") else _SURE
        heading = self._own.match(held)
        self._strips = heading is not None
        return self._without_blanks(held[heading.end() :] if heading else held)

    def _without_blanks(self, part: str) -> str:
        """Leave out the blanks behind the persona's own name."""
        if self._strips:
            part = part.lstrip(" \t　*_")
            self._strips = not part
        return part

    def _may_be_heading(self, held: str) -> bool:
        """Tell whether a line's beginning may still become a name with its mark."""
        if len(held) > _LONGEST:
            return False
        plain = re.match(_OPENS, held)
        word = (held[plain.end() :] if plain else held).casefold()
        return not word or any(name.startswith(word) or _goes_on(word, name) for name in self._names)


_SURE: Final = "\0"
"""Stands for a line whose beginning was let through."""


def _goes_on(word: str, name: str) -> bool:
    """Tell whether a name stands there, and nothing but marks behind it."""
    return (
        word.startswith(name)
        and re.fullmatch(r"[\s\]】〕>＞）)」*_　]*(?:さん?|ちゃ?ん?|くん?)?[\s]*", word[len(name) :]) is not None
    )


def _heading(names: Sequence[str] | set[str], *, or_else: str = "(?!)") -> re.Pattern[str]:
    listed = "|".join(re.escape(one) for one in sorted(names, key=len, reverse=True)) or "(?!)"
    return re.compile(rf"{_OPENS}(?:{listed}){_CLOSES}|[ \t]*{or_else}", re.IGNORECASE)
