"""How answers look in notebooks and terminals. Names come from traces, so that they are never markup."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING
from unicodedata import category

if TYPE_CHECKING:
    from ._answer import Answer
    from ._grainsheaf import Batches

ROWS = 10
LONG = 80
WIDTH = 120


def as_html(answer: Answer) -> str:
    """A table of the first rows, and the notes."""
    parts = ['<div class="grainsheaf">']
    lens = answer.lens
    parts.append(f"<p><b>{shown(answer._name)}</b>{' · ' + shown(lens) if lens else ''}</p>")
    if answer._has_table:
        table = answer._table()
        head = "".join(f"<th>{shown(name)}</th>" for name in table.column_names)
        rows = ["".join(f"<td>{shown(cell(value))}</td>" for value in row) for row in table.head(ROWS)]
        body = "".join(f"<tr>{row}</tr>" for row in rows)
        parts.append(f'<table border="1" class="dataframe"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>')
        parts.append(f"<p>{rest(table)}</p>")
    parts += [f"<p><small>{shown(note)}</small></p>" for note in answer.notes]
    return "".join([*parts, "</div>"])


def as_text(answer: Answer) -> str:
    """The same for terminals."""
    lens = answer.lens
    lines = [f"{answer._name}{' · ' + visible(lens) if lens else ''}"]
    if answer._has_table:
        table = answer._table()
        rows = [[visible(name) for name in table.column_names]]
        rows += [[visible(cell(value)) for value in row] for row in table.head(ROWS)]
        widths = [max(map(len, column)) for column in zip(*rows)]
        while len(widths) > 1 and sum(widths) + 2 * len(widths) > WIDTH:
            widths.pop()
        lines += ["  ".join(text.rjust(width) for text, width in zip(row, widths)) for row in rows]
        hidden = len(table.column_names) - len(widths)
        lines.append(rest(table) + (f"; {hidden} more columns" if hidden else ""))
    return "\n".join([*lines, *map(visible, answer.notes)])


def rest(table: Batches) -> str:
    more = table.num_rows - ROWS
    return f"{table.num_rows} rows" + (f", {more} of them not shown" if more > 0 else "")


def cell(value: object) -> str:
    """A value in a few characters; an en dash if it is absent."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:.6g}"
    text = str(value)
    return text if len(text) <= LONG else text[: LONG - 1] + "…"


def visible(text: str) -> str:
    """Characters that are not seen, or change the direction of writing, are written out."""
    return "".join(each if category(each)[0] != "C" else f"\\u{{{ord(each):x}}}" for each in text)


def shown(text: str) -> str:
    return f"<bdi>{escape(visible(text))}</bdi>"
