"""Options of systems: declared by the fields of a dataclass, read from a text, checked in an object."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import pytest

from overstory.errors import SettingsError
from overstory.systems.settings import (
    Preset,
    Presets,
    check,
    described,
    option,
    options_of,
    parse,
    restored,
    stored,
    usage,
)


@dataclass(frozen=True, slots=True)
class Example:
    """An option of every type."""

    depth: int = option(2, "levels", least=1, most=8)
    weight: float = option(0.5, "of a level", least=0)
    whole_words: bool = option(True, "compare words, not letters")
    search: Literal["auto", "exact"] = option("auto", "who searches")
    title: str = option("", "a title")
    exact_limit: int = option(10, "how many are compared", only_with=("search", "exact"))

    presets: ClassVar[Presets] = {
        "deep": Preset("looks deeper", {"depth": 8, "weight": 1.0}),
        "light": Preset("weighs nothing", {"weight": 0.0}),
    }


def read(text: str, base: Example | None = None) -> Example:
    return parse(Example, text, of="The example", base=base)


def test_each_type_is_read_from_a_text() -> None:
    assert read("depth=3,weight=0.25,no-whole-words,search=exact,title=A tale") == Example(
        3, 0.25, False, "exact", "A tale"
    )
    assert read("whole-words=no") == read("no-whole-words") == Example(whole_words=False)
    assert read("whole-words,depth = 3") == Example(depth=3)


def test_what_is_not_named_stays_and_defaults_reset_it() -> None:
    base = Example(depth=5, title="kept")
    assert read("weight=2", base) == replace(base, weight=2.0)
    assert read("", base) == base
    assert read("defaults,weight=2", base) == Example(weight=2.0)


def test_presets_combine_in_their_declared_order_and_single_options_win() -> None:
    assert read("deep") == Example(depth=8, weight=1.0)
    assert read("light,deep") == read("deep,light") == Example(depth=8, weight=0.0)
    assert read("depth=4,deep") == Example(depth=4, weight=1.0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("depht=3", "The example has no option 'depht=3'"),
        ("depth", "The example needs a value for 'depth'"),
        ("no-depth", "has no option 'no-depth'"),
        ("no-deep", "has no option 'no-deep'"),
        ("deep=1", "has no option 'deep=1'"),
        ("depth=9", "depth of the example must be .*, got 9"),
        ("depth=0", "depth of the example must be .*, got 0"),
        ("depth=2.5", "depth of the example must be .*, got '2.5'"),
        ("depth=", "depth of the example must be .*, got ''"),
        ("weight=-1", "weight of the example must be .*, got -1"),
        ("weight=nan", "weight of the example must be .*, got nan"),
        ("weight=1e999", "weight of the example must be .*, got inf"),
        ("whole-words=maybe", "whole-words of the example must be .*, got 'maybe'"),
        ("search=gds", "search of the example must be .*, got 'gds'"),
        ("depth=2,depth=3", "depth of the example is given twice, as 2 and 3"),
        ("whole-words,no-whole-words", "whole-words of the example is given twice, as yes and no"),
        ("exact-limit=5", "exact-limit of the example is 5, which has no effect without search=exact"),
    ],
)
def test_what_cannot_be_meant_is_refused_with_what_can(text: str, message: str) -> None:
    with pytest.raises(SettingsError, match=message) as refused:
        read(text)
    assert refused.value.remedy


def test_the_remedy_lists_every_option_with_its_values() -> None:
    with pytest.raises(SettingsError) as refused:
        read("nonsense")
    parts = ("depth=1 to 8 (levels)", "weight=0 or more", "whole-words, no-whole-words", "search=auto|exact", "deep")
    assert all(part in refused.value.remedy for part in parts)
    assert usage(Example) in refused.value.remedy


@pytest.mark.parametrize(
    "wrong", [{"depth": 9}, {"depth": True}, {"weight": float("nan")}, {"search": "gds"}, {"title": 1}]
)
def test_an_object_of_a_program_is_checked_as_a_text_is(wrong: dict[str, Any]) -> None:
    with pytest.raises(SettingsError, match="of the example must be"):
        check(replace(Example(), **wrong), of="The example")
    assert check(Example(weight=1), of="The example") == Example(weight=1)


def test_an_option_that_depends_on_another_is_refused_without_it() -> None:
    with pytest.raises(SettingsError, match="has no effect without search=exact"):
        check(Example(exact_limit=5), of="The example")
    kept = read("search=exact,exact-limit=5")
    assert check(kept, of="The example") == Example(search="exact", exact_limit=5)
    assert read("search=auto", kept) == Example(exact_limit=5)  # kept for the next time


def test_a_description_reads_back() -> None:
    settings = Example(depth=3, whole_words=False, search="exact")
    assert described(settings) == "depth=3,no-whole-words,search=exact"
    assert read(described(settings)) == settings
    assert described(Example()) == ""


def test_stored_settings_survive_fields_that_come_and_go() -> None:
    settings = Example(depth=3, weight=2.0)
    values = stored(settings)
    assert restored(Example, values) == settings
    assert restored(Example, values | {"gone": 1}) == settings
    assert restored(Example, {"depth": 3}) == Example(depth=3)


def test_help_has_every_option_with_its_default() -> None:
    assert {each.name: (each.values, each.default) for each in options_of(Example)} == {
        "depth": ("1 to 8", "2"),
        "weight": ("0 or more", "0.5"),
        "whole-words": ("yes|no", "yes"),
        "search": ("auto|exact", "auto"),
        "title": ("TEXT", ""),
        "exact-limit": ("a whole number", "10"),
    }
