"""Which terms a text defines, in texts laid out as manual pages, Sphinx pages, READMEs and RFCs are."""

from __future__ import annotations

import pytest

from overstory.text.names.subjects import defined_terms

MANUAL_PAGE = """\
SIFT(1)                      User Commands                      SIFT(1)

NAME
       sift, resift - sort grains by size

SYNOPSIS
       sift [OPTION]... [FILE]

OPTIONS
       -m, --mesh=SIZE
              Let through what is smaller than this.

       --dry-run   only say what would be done

       -q     Print no warnings while the grains are read.

EXIT STATUS
       0      All went well.
"""

SPHINX = """\
grains.sift(heap, *, mesh=1)
Return the grains of a heap that the mesh lets through, the smallest of them first.

class grains.Mesh(size)¶
A mesh, which may be shared by several heaps.

For example:

def mesh(size):
    return grains.Mesh(size)

print(mesh(3))
"""

GLOSSARY = """\
heap
A pile of grains that nobody has sorted yet. It may be empty.
mesh size
The width of a hole, in millimetres. Two meshes of one size are equal.

See also heap.

argument
A value that is passed to a function when it is called.
"""

README = """\
- **sift**: sorts the grains of a heap
- `resift` — does it once more
"""

RFC = """\
1.2.  Terminology

   client
      A program that asks a server for grains and waits for an answer.

   grain store
      The place where a server keeps its grains between two questions.
"""


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        (
            MANUAL_PAGE,
            [
                ("sift", "COMMAND"),
                ("sift(1)", "COMMAND"),
                ("resift", "COMMAND"),
                ("resift(1)", "COMMAND"),
                ("-m", "OPTION"),
                ("--mesh", "OPTION"),
                ("--dry-run", "OPTION"),
                ("-q", "OPTION"),
            ],
        ),
        (SPHINX, [("grains.sift", "CODE"), ("sift()", "CODE"), ("grains.Mesh", "CODE"), ("Mesh", "CODE")]),
        (GLOSSARY, [("heap", "TERM"), ("mesh size", "TERM"), ("argument", "TERM")]),
        (README, [("sift", "TERM"), ("resift", "TERM")]),
        (RFC, [("client", "TERM"), ("grain store", "TERM")]),
        ("NAME\n    grains - heaps and meshes\n\nDESCRIPTION\n    What grains are.", [("grains", "TERM")]),
        (
            "OPEN(2)\n\nNAME\n       open - open a file\n",
            [("open()", "CODE"), ("open", "CODE"), ("open(2)", "COMMAND")],
        ),
    ],
)
def test_defined_terms_have_the_types_of_what_they_are(text: str, terms: list[tuple[str, str]]) -> None:
    assert [(term.surface, term.type) for term in defined_terms(text)] == terms


@pytest.mark.parametrize(
    "text",
    [
        "Ada Lovelace was a mathematician.\nShe wrote the first program.",
        "He lived in Ulm, which lies on the Danube,\nand wrote about rivers that flow to the east.",
        "SYNOPSIS\n       sift reads the grains of all files in order",
        "if heap:\n    sift the grains of the heap",
        "see also\n\nThe next chapter tells how grains are sorted by size.",
        "- an item of a list\n- another item of a list that goes on",
        "12\nThere are twelve meshes in the box, all of one size.",
        "",
    ],
)
def test_prose_listings_and_labels_define_nothing(text: str) -> None:
    assert defined_terms(text) == []
