from __future__ import annotations

from importlib.metadata import files
from pathlib import Path

import pytest
from tests.sources import load, write

from overstory_loaders import RstLoader

PAGE = """\
:author: Ada
:keywords: sorting, files

====
Sift
====

Sorts files, see :func:`~sift.sort_all`, :doc:`guide <guides/first>` and `the site <https://example.org>`_.

.. toctree::
   :maxdepth: 2

   install
   Other words <usage/other>

.. _options:

Options
=======

.. warning::

   Nothing is kept.

   Not even backups.

.. py:function:: sort_all(path, *,
                          deep=False)

   Sorts |what| below a path.

   .. versionadded:: 3.2
      For archives, too.

.. a comment
   on two lines

Example::

    sift -a

    sift -b

.. code-block:: python
   :linenos:

   sort_all(".")

.. |what| replace:: everything

.. [1] A footnote.

.. unknown-directive:: Argument

   Its content.
"""


def test_headings_directives_and_roles(tmp_path: Path) -> None:
    path = write(tmp_path / "page.rst", PAGE)
    outcome = load(RstLoader(), path)
    document = outcome.document
    assert document.title == "Sift"
    assert document.metadata == {"author": "Ada", "keywords": ["sorting", "files"]}
    assert [(heading.level, heading.text) for heading in document.headings] == [(1, "Sift"), (2, "Options")]
    assert document.text == (
        "Sift\n\nSorts files, see sift.sort_all, guide and the site <https://example.org>.\n\nOptions\n\n"
        "Warning: Nothing is kept.\n\nNot even backups.\n\n"
        "sort_all(path, *,\ndeep=False)\n    Sorts everything below a path.\n\n"
        "New in version 3.2: For archives, too.\n\n"
        'Example:\n\nsift -a\n\nsift -b\n\nsort_all(".")\n\n[1] A footnote.\n\nArgument\n    Its content.'
    )
    below = tmp_path.as_posix()
    assert [(link.target_source, link.text) for link in outcome.links] == [
        (f"{below}/guides/first.rst", "guide"),
        (f"{below}/install.rst", "install"),
        (f"{below}/usage/other.rst", "Other words"),
    ]


@pytest.mark.parametrize(
    ("table", "text"),
    [
        (
            "=== =====\nKey Value\n=== =====\na   first\n    line\nb   x\n=== =====\n",
            "Key: a | Value: first line\nKey: b | Value: x",
        ),
        ("+---+---+\n| K | V |\n+===+===+\n| a | x |\n|   | y |\n+---+---+\n", "K: a | V: x y"),
        ("+---+---+\n| a | x |\n+   +---+\n|   | y |\n+---+---+\n|木 | z |\n+---+---+\n", "a: x\na: y\n木: z"),
        (
            "+---+---+\n| A     |\n+---+---+\n| K | V |\n+===+===+\n| a | x |\n+---+---+\n| both  |\n+---+---+\n",
            "A\nK: a | V: x\nboth",
        ),
        ("== ==\na  x\nb  y\n== ==\n", "a: x\nb: y"),
        ("== ==\nlonger\n== ==\na  x\n== ==\n", "== ==\nlonger\n== ==\na  x\n== =="),  # it is malformed
        (
            ".. list-table:: Keys\n   :header-rows: 1\n\n   * - K\n     - V\n   * - a\n     - x\n       y\n",
            "Keys\n\nK: a | V: x y",
        ),
        ('.. csv-table::\n   :header: K, V\n\n   a, "x, y"\n', "K: a | V: x, y"),
    ],
)
def test_tables(table: str, text: str, tmp_path: Path) -> None:
    assert load(RstLoader(), write(tmp_path / "page.rst", f"Text.\n\n{table}")).document.text == f"Text.\n\n{text}"


@pytest.mark.parametrize(
    "text",
    [
        ".. note::\n   " * 2_000 + "deep",
        "==\n" * 1_000,
        "`" * 100_000,
        "+--+\n" * 1_000 + "end",
        ".. x::\n" * 1_000 + "end",
    ],
    ids=["nested directives", "adornments", "backticks", "borders", "directives"],
)
def test_markup_of_no_sense_ends(text: str, tmp_path: Path) -> None:
    outcome = load(RstLoader(), write(tmp_path / "page.rst", text))
    assert len(outcome.documents) + len(outcome.broken) == 1


@pytest.mark.parametrize("package", ["numpy", "grimp"])
def test_installed_files_are_read(package: str) -> None:
    for path in (Path(str(file.locate())) for file in files(package) or () if file.suffix == ".rst"):
        assert load(RstLoader(), path).document.text


def test_a_title_has_no_marks_of_literals_and_emphasis(tmp_path: Path) -> None:
    text = "``glob`` --- *Unix* paths with ``*args``\n========================================\n\nUse ``glob``.\n"
    document = load(RstLoader(), write(tmp_path / "a.rst", text)).document
    assert document.title == document.headings[0].text == "glob --- Unix paths with *args"
    assert document.text.endswith("Use ``glob``.")


def test_lists_keep_their_marks_and_indentation(tmp_path: Path) -> None:
    text = (
        "- one\n- two\n\n  more\n\n3. three\n#. four\n\nterm\n  Its meaning.\n\n-a, --all  Show all.\n\n"
        "   A quotation.\n\n| a verse\n| of two lines\n\n:param path: a file\n:returns: nothing\n"
    )
    assert load(RstLoader(), write(tmp_path / "a.rst", f"Text.\n\n{text}")).document.text == (
        "Text.\n\n- one\n- two\n\nmore\n\n3. three\n4. four\n\nterm\n    Its meaning.\n\n-a, --all\n    Show all.\n\n"
        "A quotation.\n\na verse\nof two lines\n\n:param path: a file\n:returns: nothing"
    )


@pytest.mark.parametrize("directive", ["include", "literalinclude", "raw", "csv-table", "figure", "image"])
def test_no_file_is_read_that_a_text_names(directive: str, tmp_path: Path) -> None:
    secret = write(tmp_path / "secret.txt", "Our secret.\n")
    options = f"   :file: {secret}\n" if directive in ("csv-table", "raw") else ""
    argument = "" if directive == "csv-table" else "html" if directive == "raw" else str(secret)
    page = write(tmp_path / "a.rst", f"Text.\n\n.. {directive}:: {argument}\n{options}\nEnd.\n")
    assert "Our secret" not in load(RstLoader(), page).document.text
