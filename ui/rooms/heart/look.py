"""How the room is looked at: what its address says, and the addresses of the choices on it."""

from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Final

from ui.rooms.heart.spans import Length
from ui.server.visit import PersonaVisit

DAYS: Final = (7, 30, 90)
_FIRST: Final = date(1970, 1, 1)
_LENGTH: Final[Length] = "week"


@dataclass(frozen=True, slots=True)
class Look:
    """What is chosen in the room.

    Attributes:
        days: how many days of the drives are shown.
        span: how much of the emotion curve.
        day: a day within that span.
        point: the point of the curve that is open; empty: none.
        figures: show numbers beside the words.
    """

    visit: PersonaVisit
    days: int = DAYS[0]
    span: Length = _LENGTH
    day: date = _FIRST
    point: str = ""
    figures: bool = False

    def to(self, part: str = "", **chosen: Any) -> str:  # noqa: ANN401  # the values of the fields
        """Return the address of another choice."""
        look = replace(self, **chosen)
        today = self.visit.now.date()
        address = self.visit.at(
            "heart",
            days="" if look.days == DAYS[0] else look.days,
            span="" if look.span == _LENGTH else look.span,
            day="" if look.day == today else look.day,
            point=look.point,
            figures="1" if look.figures else "",
        )
        return f"{address}#{part}" if part else address


def look_at(visit: PersonaVisit, days: int, span: Length, day: date | None, point: str, figures: str) -> Look:
    """Return the look that an address asks for; what cannot be shown is put right."""
    today = visit.now.date()
    return Look(
        visit, days if days in DAYS else DAYS[0], span, min(max(day or today, _FIRST), today), point, bool(figures)
    )
