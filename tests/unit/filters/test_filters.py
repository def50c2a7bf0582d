"""Filters as text, as expressions and as mappings."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overstory.errors import FilterError
from overstory.filters import Comparison, Expression, Where, field, read_filter
from overstory.filters.expression import (
    All,
    Any,
    AsOf,
    Exists,
    Not,
    Operator,
    Restricted,
    as_of,
    asks_passages,
    composed,
    fulfils,
    of_documents,
)
from overstory.wildcards import text_pattern

PLAIN = st.characters(codec="utf-8", exclude_categories=("Cs", "Cc"))
KEYS = st.sampled_from(["page", "section", "a", "b"]) | st.text(PLAIN, min_size=1)
MOMENTS = st.datetimes(min_value=datetime(2, 1, 1), max_value=datetime(9000, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001
VALUES = (
    st.text()
    | st.integers(-(2**62), 2**62)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.booleans()
    | st.dates(min_value=date(2, 1, 1))
    | MOMENTS
)


@st.composite
def comparisons(draw: st.DrawFn) -> Expression:
    operator: Operator = draw(st.sampled_from(get_args(Operator)))
    key = draw(KEYS)
    if operator in ("in", "not in"):
        return Comparison(key, operator, tuple(draw(st.lists(VALUES, min_size=1, max_size=3))))
    if operator == "~":
        return Comparison(key, operator, (draw(st.text()),))
    return Comparison(key, operator, (draw(VALUES if operator in ("=", "!=") else st.dates(min_value=date(2, 1, 1))),))


@st.composite
def expressions(draw: st.DrawFn, depth: int = 3) -> Expression:
    single = ["comparison", "exists", "as of"]
    kind = draw(st.sampled_from([*single, "not", "all", "any"] if depth else single))
    match kind:
        case "comparison":
            return draw(comparisons())
        case "exists":
            return Exists(draw(KEYS))
        case "as of":
            return AsOf(draw(st.dates(min_value=date(1000, 1, 1))))
        case "not":
            return Not(draw(expressions(depth - 1)))
        case _:
            parts = tuple(draw(st.lists(expressions(depth - 1), min_size=2, max_size=3)))
            return All(parts) if kind == "all" else Any(parts)


@given(expressions())
def test_what_an_expression_is_written_as_is_read_as_the_same(expression: Expression) -> None:
    assert str(read_filter(str(expression))) == str(composed(expression))


def test_a_filter_may_be_as_of_a_day() -> None:
    asked = read_filter("as of 2023-06-12 and author = 'Ada'")
    assert str(asked) == "as of 2023-06-12 and author = 'Ada'"
    assert as_of(asked) == date(2023, 6, 12)
    assert as_of(Restricted(asked, read_filter("as of 2022-01-01"))) == date(2022, 1, 1)
    assert as_of(read_filter("not as of 2023-06-12")) is None
    assert fulfils(asked, {"author": ["Ada"], "said_at": [datetime(2023, 6, 12, tzinfo=UTC)]})
    assert fulfils(asked, {"author": ["Ada"]})
    assert not fulfils(asked, {"author": ["Ada"], "said_at": [datetime(2023, 6, 13, tzinfo=UTC)]})
    assert str(read_filter("as = 1 and of = 2")) == "as = 1 and of = 2"
    with pytest.raises(FilterError, match="2023-02-30 does not exist"):
        read_filter("as of 2023-02-30")


def test_text_expression_and_mapping_say_the_same() -> None:
    text = "author = 'Ada' and date >= 2024-01-01 and tags in ('a', 'b') and not folder ~ 'archive/*'"
    typed = (
        (field("author") == "Ada")
        & (field("date") >= date(2024, 1, 1))
        & field("tags").one_of("a", "b")
        & ~field("folder").like("archive/*")
    )
    mapping = {
        "author": "Ada",
        "date": {"$gte": "2024-01-01"},
        "tags": {"$in": ["a", "b"]},
        "$not": {"folder": {"$like": "archive/*"}},
    }
    assert str(read_filter(text)) == str(typed) == str(read_filter(mapping)) == text


@pytest.mark.parametrize(
    ("where", "value", "fits"),
    [
        ("a = 'Ada'", "Ada", True),
        ("a = 'Ada'", "ada", False),
        ("a = 1", 1.0, True),
        ("a = 1", "1", False),
        ("a = 1", True, False),
        ("a = true", True, True),
        ("a > 1", 2, True),
        ("a < 'b'", "a", True),
        ("a in (1, 'x')", "x", True),
        ("a ~ 'ar*e/?.md'", "archive/a.md", True),
        ("a ~ 'ar*e/?.md'", "archive/ab.md", False),
        ("a ~ '[a]'", "a", False),
        ("a ~ 'archive/*'", "archive", True),
        ("a ~ 'archive/*'", "archive/old", True),
        ("a ~ 'archive/*'", "archives", False),
        ("a = 2024-02-29", datetime(2024, 2, 29, 23, tzinfo=UTC), True),
        ("a = 2024-02-29", datetime(2024, 3, 1, tzinfo=UTC), False),
        ("a <= 2024-02-29", datetime(2024, 2, 29, 23, tzinfo=UTC), True),
        ("a > 2024-02-29", datetime(2024, 2, 29, 23, tzinfo=UTC), False),
        ("a > 2024-02-29", datetime(2024, 3, 1, tzinfo=UTC), True),
        ("a = 2024-02-29T12:00+01:00", datetime(2024, 2, 29, 11, tzinfo=UTC), True),
        ("a = '2024-02-29'", datetime(2024, 2, 29, tzinfo=UTC), False),
    ],
)
def test_a_comparison_fits_values_of_its_own_type(where: str, value: str | float | datetime, fits: bool) -> None:
    comparison = read_filter(where)
    assert isinstance(comparison, Comparison)
    assert comparison.fits(value) == fits


@given(MOMENTS, st.dates(min_value=date(3, 1, 1), max_value=date(8999, 1, 1)))
def test_a_day_is_before_at_or_after_a_moment(moment: datetime, day: date) -> None:
    def fits(expression: Expression) -> bool:
        assert isinstance(expression, Comparison)
        return expression.fits(moment)

    key = field("a")
    assert fits(key < day) + fits(key == day) + fits(key > day) == 1
    assert fits(key <= day) == (fits(key < day) or fits(key == day))
    assert fits(key >= day) != fits(key < day)
    assert fits(key == moment)
    assert not fits(key > moment + timedelta(seconds=1))


@pytest.mark.parametrize(
    ("where", "message", "remedy"),
    [
        ("author == 'Ada'", "at character 9", "single ="),
        ("author = Ada", "at character 10", "in quotes: 'Ada'"),
        ("author = 'Ada", "at character 10", "add '"),
        ("author = 'Ada' date exists", "at character 16", "and or or"),
        ("release date exists", "at character 9", "backticks"),
        ("author =", "at character 9", "end of the filter is missing"),
        ("(a = 1", "at character 7", "end of the filter is missing"),
        ("a = 1)", "at character 6", "Example:"),
        ("a in ()", "at character 7", "in parentheses"),
        ("a in 'b'", "at character 6", "in parentheses"),
        ("a not exists", "at character 7", "not author exists"),
        ("a exist", "at character 3", "author exists"),
        ("a <> 1", "at character 4", "!="),
        ("a = “b”", "at character 5", "straight"),
        ("a >= 2024-1-1", "at character 10", "all digits"),
        ("date = 2024-02-30", "2024-02-30 does not exist", "2024-02-29"),
        ("a > true", "not ordered", "= or !="),
        ("a ~ 3", "pattern", "in quotes"),
        ("a ~ '" + "*a" * 501 + "'", "pattern for a is longer than 1,000", "Shorten it"),
        ("not " * 350 + "a = 1", "more than 100 nested conditions", "Simplify"),
        ("not not (a = 1 and " * 40 + "b = 1" + ")" * 40, "more than 100 nested conditions", "Simplify"),
        ("a = " + "9" * 5_000, "a number with 5,000 characters", "in quotes"),
        ("a in (1, -" + "1" * 4_301 + ")", "a number with 4,302 characters", "in quotes"),
        ("a = 1." + "1" * 9_000, "a number with 9,002 characters", "in quotes"),
        ("a = '" + "\\'" * 4_990, "at character 5", "add '"),
        ("`a` in" + " " * 9_900 + "(1, b", "at character 9911", "in quotes: 'b'"),
        ("  ", "empty", "Example:"),
        ("(" * 60 + "a = 1" + ")" * 60, "parentheses", "outer parentheses"),
        ("a = 1 or " * 2_000 + "a = 1", "characters", "at most"),
        ({}, "empty", '"author"'),
        ({"a": {"$foo": 1}}, "'$foo'", "Use one of"),
        ({"a": {"$gtt": 1}}, "'$gtt'", "Did you mean $gt"),
        ({"$nor": []}, "'$nor'", "Did you mean $or"),
        ({"a": {"$in": 1}}, "requires a list", "Example"),
        ({"a": None}, "cannot be a metadata value", "text, numbers"),
        ({"$and": {}}, "list of filters", "Example"),
        ({"a": {"$exists": "false"}}, "'false'", "without quotes"),
        ({1: 2}, "not a metadata key", "text"),
        ([], "type list", "field("),
        (field("a"), "type Field", "field("),
    ],
)
def test_a_filter_that_cannot_be_read_says_where_and_what_to_write(where: Where, message: str, remedy: str) -> None:
    with pytest.raises(FilterError) as caught:
        read_filter(where)
    assert message in str(caught.value)
    assert remedy in (caught.value.remedy or "")


@pytest.mark.parametrize("operator", ["$not", "$and", "key"])
def test_a_mapping_that_is_nested_deeply_is_refused(operator: str) -> None:
    where: dict[str, object] = {"a": 1}
    for _ in range(2_000):
        where = {operator: [where, {"b": 1}] if operator == "$and" else where}
    with pytest.raises(FilterError, match="more than 100 nested conditions"):
        read_filter(where)


def test_an_expression_that_is_nested_deeply_is_refused() -> None:
    where = field("a").exists()
    for _ in range(2_000):
        where = Not(where)
    with pytest.raises(FilterError, match="more than 100 nested conditions"):
        read_filter(where)


def test_text_in_a_mapping_that_is_a_date_is_compared_as_both() -> None:
    assert str(read_filter({"a": "2024-02-29"})) == "a in ('2024-02-29', 2024-02-29)"
    assert str(read_filter({"a": {"$nin": ["2024-02-29", "b"]}})) == "a not in ('2024-02-29', 2024-02-29, 'b')"


def test_keys_and_texts_are_composed_whatever_the_form() -> None:
    decomposed = "Re\u0301sume\u0301"
    for where in (f"`{decomposed}` = '{decomposed}'", {decomposed: decomposed}, field(decomposed) == decomposed):
        assert read_filter(where) == (field("Résumé") == "Résumé")
    named = field(decomposed).exists() & (field("a") > 1)
    assert str(read_filter(~named)) == "not (Résumé exists and a > 1)"


def test_a_filter_is_no_truth_value() -> None:
    with pytest.raises(TypeError, match="&"):
        assert field("a") == 1


@given(expressions(), st.dictionaries(st.sampled_from(["page", "section", "a", "b"]), st.lists(VALUES, max_size=2)))
def test_of_documents_lets_every_document_through_that_has_a_fitting_passage(
    expression: Expression, given_values: dict[str, list[str | float | date]]
) -> None:
    values = {key: [_moment(each) for each in some] for key, some in given_values.items()}
    documents = of_documents(expression)
    if documents is not None:
        assert not asks_passages(documents)
        assert fulfils(documents, values) or not fulfils(expression, values)


@pytest.mark.parametrize(
    ("where", "documents"),
    [
        ("page = 3", None),
        ("a = 1", "a = 1"),
        ("a = 1 and page = 3 and not section exists", "a = 1"),
        ("a = 1 or page = 3", None),
        ("not (a = 1 and page = 3)", None),
        ("(a = 1 or b = 2) and (page = 3 or section = 'x')", "a = 1 or b = 2"),
    ],
)
def test_what_of_a_filter_is_asked_of_documents(where: str, documents: str | None) -> None:
    found = of_documents(read_filter(where))
    assert (None if found is None else str(found)) == documents


def _moment(value: str | float | date) -> str | float | datetime:
    if isinstance(value, date) and not isinstance(value, datetime):
        return datetime(value.year, value.month, value.day, tzinfo=UTC)
    return value


def test_a_backtick_in_a_key_is_doubled() -> None:
    for key in ("a`b", "`", "``x`", "release date"):
        assert str(field(key).exists()) == f"`{key.replace('`', '``')}` exists"
        assert read_filter(str(field(key).exists())) == field(key).exists()


@pytest.mark.parametrize(
    ("pattern", "fits", "others"),
    [
        ("a[*]b", ["a*b"], ["axb", "a[*]b"]),
        ("what[?]", ["what?"], ["whats"]),
        ("[[*]]", ["[*]"], ["*"]),
        ("[*]*", ["*", "*x"], ["x"]),
        ("[ab]", ["[ab]"], ["a"]),
        ("a/[*]", ["a/*"], ["a", "a/b"]),
    ],
)
def test_in_brackets_a_sign_of_patterns_is_itself(pattern: str, fits: list[str], others: list[str]) -> None:
    asked = text_pattern(pattern)
    assert all(asked.fullmatch(text) for text in fits)
    assert not any(asked.fullmatch(text) for text in others)
