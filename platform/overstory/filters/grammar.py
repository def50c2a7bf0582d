"""Filters as text: `author = 'Ada' and date >= 2024-01-01`. The grammar is in `grammar.lark`."""

from __future__ import annotations

import functools
import re
from importlib.resources import files
from typing import cast

from lark import Lark, Token, Transformer, v_args
from lark.exceptions import UnexpectedInput, UnexpectedToken

from overstory.errors import FilterError
from overstory.filters.expression import (
    KEYWORDS,
    All,
    Any,
    Asked,
    Comparison,
    Exists,
    Expression,
    Not,
    Operator,
    asked_date,
    written,
)

_LONGEST_FILTER_CHARACTERS = 10_000
"""Characters of a filter that is read."""
_MOST_NESTED_PARENTHESES = 50
"""Parentheses within each other."""
_LONGEST_NUMBER_CHARACTERS = 400
"""Characters of a number in a filter: Python writes a float of up to 309 digits, and reads no more than 4,300."""
_SHOWN_FILTER_CHARACTERS = 30
"""Characters before and after a mistake that a message shows."""

WRITTEN_LIKE = "A filter is like: author = 'Ada' and date >= 2024-01-01 and not folder ~ 'archive/*'"
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_TEXT = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|`(?:[^`]|``)*`", re.DOTALL)
_TEXT_OR_REST = re.compile(r"'(?:[^'\\]|\\.)*+(?:'|\Z)|\"(?:[^\"\\]|\\.)*+(?:\"|\Z)|`[^`]*+(?:`|\Z)", re.DOTALL)
"""Text in quotes, up to the end where these are not closed: looking for the end once more from each quote would take
square time."""
_UNFINISHED_DATE = re.compile(r".*[\s=<>(,]\d{4}-\d{1,2}(?:-\d{0,2})?$", re.DOTALL)
_BARE_WORD = re.compile(r"[^\s'\"`()=<>!~,]+")


def parse(text: str) -> Expression:
    """The expression that a text is.

    Raises:
        FilterError: it is none; with the place of the mistake, and what could stand there.
    """
    if not text.strip():
        raise FilterError("The filter is empty.", remedy=WRITTEN_LIKE)
    if len(text) > _LONGEST_FILTER_CHARACTERS:
        raise FilterError(
            f"The filter has {len(text):,} characters.", remedy=f"At most {_LONGEST_FILTER_CHARACTERS:,} are read."
        )
    if _nested(text) > _MOST_NESTED_PARENTHESES:
        raise FilterError(
            f"The filter has more than {_MOST_NESTED_PARENTHESES} parentheses within each other.",
            remedy="Take the outer ones away.",
        )
    try:
        return cast("Expression", _parser().parse(text))
    except UnexpectedInput as error:
        raise _misread(text, _place(error, text)) from None


@functools.cache
def _parser() -> Lark:
    grammar = files("overstory.filters").joinpath("grammar.lark").read_text(encoding="utf-8")
    # With a transformer, no tree is made, which would be gone through by recursion however deep it is.
    return Lark(grammar, parser="lalr", lexer="contextual", maybe_placeholders=False, transformer=_Expressions())


@v_args(inline=True)
class _Expressions(Transformer[Token, Expression]):
    """Makes an expression of what the parser read; a method for each rule."""

    def any(self, *parts: Expression) -> Expression:
        return Any(parts)

    def all(self, *parts: Expression) -> Expression:
        return All(parts)

    def negated(self, part: Expression) -> Expression:
        return Not(part)

    def compared(self, key: str, operator: Operator, value: Asked) -> Expression:
        return Comparison(key, operator, (value,))

    def one_of(self, key: str, values: tuple[Asked, ...]) -> Expression:
        return Comparison(key, "in", values)

    def none_of(self, key: str, values: tuple[Asked, ...]) -> Expression:
        return Comparison(key, "not in", values)

    def exists(self, key: str) -> Expression:
        return Exists(key)

    def operator(self, token: Token) -> str:
        return str(token)

    def values(self, *values: Asked) -> tuple[Asked, ...]:
        return values

    def plain(self, token: Token) -> str:
        return str(token)

    def quoted(self, token: Token) -> str:
        return str(token)[1:-1].replace("``", "`")

    def text(self, token: Token) -> str:
        return _ESCAPED.sub(r"\1", str(token)[1:-1])

    def moment(self, token: Token) -> Asked:
        found = asked_date(str(token))
        if found is None:
            raise FilterError(f"There is no date {token}.", remedy="Dates are like 2024-02-29 or 2024-02-29T12:30Z.")
        return found

    def number(self, token: Token) -> int | float:
        if len(token) > _LONGEST_NUMBER_CHARACTERS:
            raise FilterError(
                f"The filter has a number of {len(token):,} characters: {token[:_SHOWN_FILTER_CHARACTERS]}…",
                remedy=f"Numbers have at most {_LONGEST_NUMBER_CHARACTERS}. Put a text of digits in quotation marks.",
            )
        return int(token) if re.fullmatch(r"[+-]?\d+", token) else float(token)

    def true(self) -> bool:
        return True

    def false(self) -> bool:
        return False


def _place(error: UnexpectedInput, text: str) -> int:
    """The character where reading ended, which is none where something is missing at the end."""
    if isinstance(error, UnexpectedToken) and error.token.type == "$END":
        return len(text)
    return error.pos_in_stream or 0


def _misread(text: str, place: int) -> FilterError:
    """A mistake, with what stands before it and after it, and the remedy if it is a common one."""
    start = max(0, place - _SHOWN_FILTER_CHARACTERS)
    before, after = text[start:place], text[place : place + _SHOWN_FILTER_CHARACTERS]
    shown = ("…" if start else "") + f"{before} → {after}".strip() if after else f"{before.strip()} →"
    return FilterError(
        f"The filter cannot be read at character {place + 1}, where the arrow stands: {shown}",
        remedy=_remedy(text, place),
    )


def _remedy(text: str, place: int) -> str:
    rest = text[place:]
    if rest.startswith("="):
        return "Equal values are asked for by one =, and other ones by !=."
    if rest[:1] in ("'", '"', "`") and not _TEXT.match(rest):
        return f"The text that begins at character {place + 1} does not end: close it by {rest[0]}."
    if rest[:1] in ("“", "”", "„", "‘", "’", "«", "»"):
        return "Text stands in straight quotation marks: ' or \"."
    if rest.startswith("<>") or (rest.startswith(">") and text[:place].endswith("<")):
        return "Other values are asked for by !=."
    word = _BARE_WORD.match(rest)
    if _UNFINISHED_DATE.match(text[: place + len(rest.split(maxsplit=1)[0]) if rest.split() else place]):
        return "Dates are like 2024-02-29 or 2024-02-29T12:30Z, with all their digits."
    if word and word.group().lower() in ("exist", "is", "isnull", "null"):
        return "That a key is there is asked for by: author exists; that it is not by: not author exists"
    if re.search(r"\bnot\s*$", text[:place], re.IGNORECASE) and word and word.group().lower() == "exists":
        return "That a key is not there is asked for by: not author exists"
    if re.search(r"\bin(?:\s*\()?$", text[:place].rstrip(), re.IGNORECASE):
        return "Values of in stand in parentheses, at least one: tags in ('a', 'b')"
    if word and re.search(r"[=<>~(,]\s*$", text[:place]):
        return f"A text stands in quotation marks: {written(word.group())}"
    if word and word.group().lower() not in KEYWORDS and re.search(r"[\w'\")]\s*$", text[:place]):
        return "Between two conditions stands and, or; a key with spaces stands in backticks: `release date` exists"
    if not rest.strip():
        return f"Something is missing at its end. {WRITTEN_LIKE}"
    return WRITTEN_LIKE


def _nested(text: str) -> int:
    deepest = depth = 0
    for character in _TEXT_OR_REST.sub("", text):
        depth += {"(": 1, ")": -1}.get(character, 0)
        deepest = max(deepest, depth)
    return deepest
