"""Filters as text, such as `author = 'Ada' and date >= 2024-01-01`. The file `grammar.lark` contains the grammar."""

from __future__ import annotations

import functools
import re
from datetime import date, datetime
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
    AsOf,
    Comparison,
    Exists,
    Expression,
    Not,
    Operator,
    asked_date,
    written,
)

_LONGEST_FILTER_CHARACTERS = 10_000
_MOST_NESTED_PARENTHESES = 50
_LONGEST_NUMBER_CHARACTERS = 400
"""Maximum number of characters in a number. Python writes floats with up to 309 digits and parses at most 4,300."""
_SHOWN_FILTER_CHARACTERS = 30

WRITTEN_LIKE = "Example: author = 'Ada' and date >= 2024-01-01 and not folder ~ 'archive/*'"
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_TEXT = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|`(?:[^`]|``)*`", re.DOTALL)
_TEXT_OR_REST = re.compile(r"'(?:[^'\\]|\\.)*+(?:'|\Z)|\"(?:[^\"\\]|\\.)*+(?:\"|\Z)|`[^`]*+(?:`|\Z)", re.DOTALL)
"""Pattern of a quoted text. If the closing quote is missing, the pattern matches the rest of the filter.

Otherwise, a filter with many unclosed quotes would take quadratic time.
"""
_UNFINISHED_DATE = re.compile(r".*[\s=<>(,]\d{4}-\d{1,2}(?:-\d{0,2})?$", re.DOTALL)
_BARE_WORD = re.compile(r"[^\s'\"`()=<>!~,]+")


def parse(text: str) -> Expression:
    """Convert the text of a filter to an expression.

    Raises:
        FilterError: the text is not a valid filter. The message shows the position of the error, and the remedy states
            what is expected there.
    """
    if not text.strip():
        raise FilterError("The filter is empty.", remedy=WRITTEN_LIKE)
    if len(text) > _LONGEST_FILTER_CHARACTERS:
        raise FilterError(
            f"The filter is too long: {len(text):,} characters.", remedy=f"Use at most {_LONGEST_FILTER_CHARACTERS:,}."
        )
    if _nested(text) > _MOST_NESTED_PARENTHESES:
        raise FilterError(
            f"The filter has more than {_MOST_NESTED_PARENTHESES} nested parentheses.",
            remedy="Remove the outer parentheses.",
        )
    try:
        return cast("Expression", _parser().parse(text))
    except UnexpectedInput as error:
        raise _misread(text, _place(error, text)) from None


@functools.cache
def _parser() -> Lark:
    grammar = files("overstory.filters").joinpath("grammar.lark").read_text(encoding="utf-8")
    # With a transformer, lark does not build a tree. Traversing a deep tree could exceed the recursion limit.
    return Lark(grammar, parser="lalr", lexer="contextual", maybe_placeholders=False, transformer=_Expressions())


@v_args(inline=True)
class _Expressions(Transformer[Token, Expression]):
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

    def as_of(self, token: Token) -> Expression:
        found = _moment(token)
        return AsOf(found.date() if isinstance(found, datetime) else found)

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
        return _moment(token)

    def number(self, token: Token) -> int | float:
        if len(token) > _LONGEST_NUMBER_CHARACTERS:
            raise FilterError(
                f"The filter has a number with {len(token):,} characters: {token[:_SHOWN_FILTER_CHARACTERS]}…",
                remedy=f"Numbers may have {_LONGEST_NUMBER_CHARACTERS} characters. Put digits that are text in quotes.",
            )
        return int(token) if re.fullmatch(r"[+-]?\d+", token) else float(token)

    def true(self) -> bool:
        return True

    def false(self) -> bool:
        return False


def _moment(token: Token) -> datetime | date:
    found = asked_date(str(token))
    if found is None:
        raise FilterError(
            f"The date {token} does not exist.", remedy="Write dates like 2024-02-29 or 2024-02-29T12:30Z."
        )
    return found


def _place(error: UnexpectedInput, text: str) -> int:
    if isinstance(error, UnexpectedToken) and error.token.type == "$END":
        return len(text)
    return error.pos_in_stream or 0


def _misread(text: str, place: int) -> FilterError:
    start = max(0, place - _SHOWN_FILTER_CHARACTERS)
    before, after = text[start:place], text[place : place + _SHOWN_FILTER_CHARACTERS]
    shown = ("…" if start else "") + f"{before} → {after}".strip() if after else f"{before.strip()} →"
    return FilterError(
        f"Syntax error in the filter at character {place + 1}, at the arrow: {shown}",
        remedy=_remedy(text, place),
    )


def _remedy(text: str, place: int) -> str:
    rest = text[place:]
    if rest.startswith("="):
        return "Use a single = for equal values, and != for other values."
    if rest[:1] in ("'", '"', "`") and not _TEXT.match(rest):
        return f"The text that starts at character {place + 1} is not closed: add {rest[0]}."
    if rest[:1] in ("“", "”", "„", "‘", "’", "«", "»"):
        return "Put text in straight quotes: ' or \"."
    if rest.startswith("<>") or (rest.startswith(">") and text[:place].endswith("<")):
        return "Use != for other values."
    word = _BARE_WORD.match(rest)
    if _UNFINISHED_DATE.match(text[: place + len(rest.split(maxsplit=1)[0]) if rest.split() else place]):
        return "Write dates with all digits, like 2024-02-29 or 2024-02-29T12:30Z."
    if word and word.group().lower() in ("exist", "is", "isnull", "null"):
        return "To test for a key, write: author exists. To test for its absence: not author exists"
    if re.search(r"\bnot\s*$", text[:place], re.IGNORECASE) and word and word.group().lower() == "exists":
        return "To test for the absence of a key, write: not author exists"
    if re.search(r"\bin(?:\s*\()?$", text[:place].rstrip(), re.IGNORECASE):
        return "After in, put one or more values in parentheses: tags in ('a', 'b')"
    if word and re.search(r"[=<>~(,]\s*$", text[:place]):
        return f"Put text in quotes: {written(word.group())}"
    if word and word.group().lower() not in KEYWORDS and re.search(r"[\w'\")]\s*$", text[:place]):
        return "Join two conditions with and or or. Put a key with spaces in backticks: `release date` exists"
    if not rest.strip():
        return f"The end of the filter is missing. {WRITTEN_LIKE}"
    return WRITTEN_LIKE


def _nested(text: str) -> int:
    deepest = depth = 0
    for character in _TEXT_OR_REST.sub("", text):
        depth += {"(": 1, ")": -1}.get(character, 0)
        deepest = max(deepest, depth)
    return deepest
