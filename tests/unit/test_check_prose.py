"""The check of abandoned words finds them in prose, and only there."""

from __future__ import annotations

from scripts import check_prose


def test_a_word_in_a_page_is_found_with_its_line() -> None:
    assert [*check_prose.markdown("# Title\n\nThe client is told.\n")] == ["3: told"]


def test_code_in_a_page_is_not_checked() -> None:
    assert [*check_prose.markdown("Not `told`.\n\n```sh\necho lent\n```\n")] == []


def test_a_docstring_that_begins_with_what_is_found() -> None:
    assert [*check_prose.python('"""What a page holds."""\n')] == ["1: a docstring begins with What"]


def test_a_docstring_that_returns_what_is_fine() -> None:
    assert [*check_prose.python('def f():\n    """Return offsets of words."""\n')] == []


def test_a_message_is_checked_and_a_comment_is_not() -> None:
    assert [*check_prose.python('raise ValueError(f"{n} lines are\\nlent")  # beside\n')] == ["2: lent"]


def test_a_pydantic_model_is_not_checked() -> None:
    assert [*check_prose.python('class Found(BaseModel):\n    """What a text states."""\n')] == []


def test_each_of_which_is_ordinary_english() -> None:
    assert [*check_prose.markdown("Files, each of which is read. Names, of which two differ.\n")] == ["1: of which"]
