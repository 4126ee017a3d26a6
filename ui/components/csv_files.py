"""Tables as files that spreadsheets open as they are meant: one place for how they are written and where they are."""

import csv
import io
from collections.abc import Iterable, Sequence
from urllib.parse import quote

from fastapi.responses import Response

Rows = Iterable[Sequence[object]]
_FORMULA = frozenset("=+-@\t\r\n＝＋－＠")
"""What a cell must not begin with: a spreadsheet would compute it; some take the full-width signs for the same."""


def as_csv(rows: Rows) -> bytes:
    """Return rows as CSV: UTF-8 with its mark, so that Excel reads Japanese, and words are never formulas."""
    out = io.StringIO(newline="")
    csv.writer(out).writerows([_cell(value) for value in row] for row in rows)
    return out.getvalue().encode("utf-8-sig", "replace")


def csv_answer(rows: Rows, name: str) -> Response:
    """Return the answer by which a browser saves rows under `name`."""
    disposition = f"attachment; filename*=UTF-8''{quote(name, safe='')}"
    return Response(as_csv(rows), media_type="text/csv; charset=utf-8", headers={"content-disposition": disposition})


def _cell(value: object) -> object:
    # "=1+1" that somebody said must not be computed by the spreadsheet that opens the file.
    return f"'{value}" if isinstance(value, str) and value[:1] in _FORMULA else value
