"""The tree of errors, and its picture."""

from __future__ import annotations

import inspect
import re
import shlex
import sys
import traceback
from pathlib import Path

from overstory import errors
from overstory.errors import BrokenSource, ExtraMissing, OverstoryError, SettingsError, install_command

CLASSES = [c for _, c in inspect.getmembers(errors, inspect.isclass) if issubclass(c, OverstoryError)]


def test_the_picture_shows_every_error_under_its_parent_with_its_exit_code() -> None:
    assert errors.__doc__
    shown = re.findall(r"^([│├└─ ]*)(\w+)(?: +(\d+)\b)?", errors.__doc__.split("\n\n")[1], flags=re.MULTILINE)
    assert {name for _, name, _ in shown} == {c.__name__ for c in CLASSES}
    parents: list[tuple[int, str]] = []
    for indent, name, code in shown:
        cls = getattr(errors, name)
        while parents and parents[-1][0] >= len(indent):
            parents.pop()
        assert not parents or cls.__bases__[0].__name__ == parents[-1][1]
        assert not code or cls.exit_code == int(code)
        parents.append((len(indent), name))


def test_exit_codes_tell_kinds_apart_and_leave_click_its_own() -> None:
    codes = [c.exit_code for c in CLASSES if "exit_code" in vars(c)]
    assert len(codes) == len(set(codes))
    assert not {0, 2, 130} & set(codes)


def test_a_traceback_shows_the_remedy_below_the_message() -> None:
    error = SettingsError("It is broken.", remedy="Mend it.")
    assert "".join(traceback.format_exception_only(error)).splitlines()[-2:] == [
        "overstory.errors.SettingsError: It is broken.",
        "Mend it.",
    ]


def test_a_missing_extra_is_an_import_error_that_names_it() -> None:
    error = ExtraMissing("pandas", extra="pandas")
    assert isinstance(error, ImportError)
    assert str(error) == "pandas is not installed."
    assert error.remedy == f"Install it: {install_command('pandas')}"


def test_a_message_has_nothing_that_a_terminal_would_obey() -> None:
    error = OverstoryError("no\x1b[31m\x1b]0;owned\x07 file\nnext line", remedy="Mend \x1b[2Jit.")
    assert str(error) == "no[31m]0;owned file\nnext line"
    assert error.remedy == "Mend [2Jit."


def test_a_file_of_any_name_stays_on_one_line_and_can_be_told_from_others() -> None:
    error = BrokenSource("cannot be read", source="a\nb\x1b[31m.txt\u202e", line=7)
    assert str(error) == r"a\nb\x1b[31m.txt\u202e, line 7: cannot be read"
    assert error.source == "a\nb\x1b[31m.txt\u202e"


def test_in_a_checkout_an_extra_is_installed_into_the_checkout() -> None:
    checkout = Path(__file__).parents[2]
    command = install_command("pdf,docx,html")
    assert shlex.split(command) == [sys.executable, "-m", "pip", "install", "-e", f"{checkout}[pdf,docx,html]"]
