from __future__ import annotations

import json
from pathlib import Path

from tests.sources import load, notebook_of, write

from overstory_loaders import NotebookLoader
from overstory_loaders.notebook import _MOST_OUTPUT_CHARACTERS


def test_text_stays_and_code_and_its_output_stand_in_fences(tmp_path: Path) -> None:
    cells = [
        {"cell_type": "markdown", "source": ["# Salt\n", "See [more](more.md). ![x](data:image/png;base64,aGk=)"]},
        {
            "cell_type": "code",
            "source": "print('```')",
            "outputs": [
                {"output_type": "stream", "name": "stdout", "text": ["\x1b[31mred\x1b[0m\n", "two\n"]},
                {"output_type": "display_data", "data": {"image/png": "aGk="}},
                {"output_type": "execute_result", "data": {"text/plain": "3", "text/html": "<b>3</b>"}},
                {"output_type": "error", "ename": "ValueError", "evalue": "no salt", "traceback": ["long"]},
                {"output_type": "display_data", "data": {"text/markdown": "*done*"}},
            ],
        },
        {"cell_type": "raw", "source": "as it is"},
        {"cell_type": "odd"},
    ]
    about = {
        "kernelspec": {"display_name": "R", "language": "R"},
        "authors": [{"name": "Ada"}, {"name": "Bob"}],
    }
    path = write(tmp_path / "a.ipynb", json.dumps({"cells": cells, "metadata": about}))
    outcome = load(NotebookLoader(), path)
    (document,) = outcome.documents
    assert document.text == (
        "# Salt\nSee [more](more.md). ![x]()\n\n````r\nprint('```')\n````\n\n*done*\n\n"
        "```text\nred\ntwo\n3\nValueError: no salt\n```\n\nas it is"
    )
    assert document.title == "Salt"
    assert [heading.text for heading in document.headings] == ["Salt"]
    assert document.metadata == {"author": ["Ada", "Bob"], "kernel": "R", "programming_language": "r"}
    assert [link.target_source for link in outcome.links] == [str(tmp_path / "more.md")]
    assert outcome.messages == ["record 4: is not a cell"]


def test_long_outputs_are_cut_and_say_so(tmp_path: Path) -> None:
    output = {"output_type": "stream", "text": "a line of text\n" * 1_000}
    cell = {"cell_type": "code", "source": "", "outputs": [output]}
    document = load(NotebookLoader(), write(tmp_path / "a.ipynb", json.dumps({"cells": [cell]}))).document
    kept = _MOST_OUTPUT_CHARACTERS // 15
    assert document.text.count("a line of text") == kept
    assert f"\n… ({1_000 - kept} more lines)\n" in document.text


def test_notebooks_of_before_version_4_are_read(tmp_path: Path) -> None:
    cells = [
        {"cell_type": "heading", "level": 2, "source": "Salt"},
        {
            "cell_type": "code",
            "input": ["1 + 1"],
            "language": "julia",
            "outputs": [{"output_type": "pyout", "text": "2"}],
        },
    ]
    content = json.dumps({"nbformat": 3, "worksheets": [{"cells": cells}], "metadata": {"title": "Old"}})
    document = load(NotebookLoader(), write(tmp_path / "a.ipynb", content)).document
    assert document.text == "## Salt\n\n```julia\n1 + 1\n```\n\n```text\n2\n```"
    assert document.title == "Old"


def test_a_title_of_its_own_wins(tmp_path: Path) -> None:
    content = notebook_of(("markdown", "# Salt"), title="From the metadata")
    assert load(NotebookLoader(), write(tmp_path / "a.ipynb", content)).document.title == "From the metadata"
