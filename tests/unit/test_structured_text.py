"""Hostile JSON, TOML and YAML: each text is refused within bounded time and memory."""

from __future__ import annotations

import resource
import subprocess
import sys
from collections.abc import Callable, Mapping

import pytest

from overstory.structured_text import BeyondBounds, compose_yaml, parse_json, parse_toml

MOST_BYTES = 512 * 2**20
MOST_SECONDS = 10

HOSTILE = {
    "yaml": {
        "brackets": "a: " + "[" * 50_000,
        "braces": "a: " + "{a: " * 12_000,
        "lists in lines": "a:\n" + "- " * 30_000,
        "keys that are mappings": "? " * 30_000,
        "aliases that multiply": "a0: &a0 [x, x]\n"
        + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 20)),
        "aliases in a chain": "a0: &a0 [x]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}]\n" for n in range(1, 140)),
        "an alias that leads back": "a: &a [*a]",
        "many values": "a: [" + "x," * 20_000 + "]",
        "a long text": "a: " + "x" * 70_000,
    },
    "toml": {
        "a dotted key": ".".join(["a"] * 30_000) + " = 1",
        "a dotted key with spaces": " . ".join(["a"] * 10_000) + " = 1",
        "a dotted key in quotes": ".".join(['"a"'] * 10_000) + " = 1",
        "a dotted key after a comment": '# "\n' + ".".join(["a"] * 10_000) + ' = 1 # "',
        "a dotted table": "[" + ".".join(["a"] * 10_000) + "]",
        "a dotted key in a table": "x = {" + ".".join(["''"] * 10_000) + " = 1}",
        "brackets": "a = " + "[" * 30_000,
        "dotted keys in tables": "x = " + ("{" + ".".join(["a"] * 90) + " = ") * 200 + "1" + "}" * 200,
        "a long text": 'a = "' + "x" * 70_000 + '"',
    },
    "json": {"brackets": "[" * 100_000, "braces": '{"a":' * 100_000, "closed": "[" * 100_000 + "]" * 100_000},
}
PARSERS: Mapping[str, Callable[[str], object]] = {"yaml": compose_yaml, "toml": parse_toml, "json": parse_json}


def refused(format_: str) -> None:
    """Fails unless each text is refused; in a process of its own, since the old code ended it."""
    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))
    for name, text in HOSTILE[format_].items():
        with pytest.raises(BeyondBounds):
            PARSERS[format_](text)
        sys.stdout.write(f"{name}\n")


@pytest.mark.parametrize("format_", HOSTILE)
def test_a_text_beyond_the_bounds_is_refused(format_: str) -> None:
    call = f"from tests.unit.test_structured_text import refused; refused({format_!r})"
    found = subprocess.run([sys.executable, "-c", call], capture_output=True, text=True, check=False)
    assert found.stdout.splitlines() == list(HOSTILE[format_]), found.stderr


def test_a_text_within_the_bounds_is_parsed() -> None:
    assert compose_yaml("a: " + "[" * 98 + "]" * 98)[1] == 99
    assert compose_yaml("[&a [x, y], *a]")[1] == 7
    assert compose_yaml("")[0] is None
    dotted = "x." * 1_000
    toml = f'a = "{dotted}" # {dotted}\nb = \'{dotted}\'\nc = """\n{dotted}"""\n' + ".".join(["d"] * 90) + "=1.0"
    assert parse_toml(toml)["a"] == dotted
    assert parse_json("[" * 90 + "]" * 90)


@pytest.mark.parametrize(
    ("format_", "text"),
    [
        ("yaml", "a: b: c"),
        ("yaml", "@"),
        ("yaml", "*a"),
        ("toml", "a = = 1"),
        ("toml", "a = " + "1" * 5_000),
        ("json", "{"),
        ("json", "1" * 5_000),
    ],
)
def test_a_text_of_another_format_is_a_value_error(format_: str, text: str) -> None:
    with pytest.raises(ValueError, match=r"\S") as raised:
        PARSERS[format_](text)
    assert not isinstance(raised.value, BeyondBounds)
