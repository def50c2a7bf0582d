from __future__ import annotations

import heapq
from pathlib import Path

import pytest
from tests.sources import Outcome, load, write

from overstory_loaders import CodeLoader, TextLoader

ORDERS = '''\
"""Orders of the shop."""

from .prices import round_price as rounded
from .stock import reserve

LIMIT = 3


class Order:
    """What a customer wants, and when: one delivery, at one address, with a line for each kind of thing in it."""

    def __init__(self, lines):
        self.lines = lines

    # Taxes are included.
    @property
    def total(self):
        """The price of all lines, rounded."""
        return rounded(sum(line.price for line in self.lines)) if self.lines else self.nothing()

    def nothing(self):
        """An order without lines costs nothing, and its customer is told so when it is placed, so that nobody
        waits for a parcel that never comes, or for a bill that nobody has written: that happened before."""
        return 0


def place(order):
    reserve(order)
    return Order(order.lines)


def place(order, later):
    return place(order)
'''


def shop(folder: Path) -> Outcome:
    for name, text in (
        ("__init__.py", ""),
        ("prices.py", "def round_price(price): return price\n"),
        ("stock/__init__.py", "def reserve(order): ...\n"),
    ):
        write(folder / "shop" / name, text)
    return load(CodeLoader(), write(folder / "shop" / "orders.py", ORDERS))


def test_each_definition_is_a_document_with_its_path_and_its_lines(tmp_path: Path) -> None:
    outcome = shop(tmp_path)
    assert outcome.broken == []
    found = {document.source_key: document for document in outcome.documents}
    assert {key: (d.metadata["line"], d.metadata["end_line"]) for key, d in found.items()} == {
        "": (1, 34),
        "Order": (9, 24),
        "Order.__init__": (12, 13),
        "Order.total": (15, 19),
        "Order.nothing": (21, 24),
        "place": (27, 29),
        "place-2": (32, 33),
    }
    total = found["Order.total"]
    assert (total.title, [heading.text for heading in total.headings]) == ("orders.py", ["Order", "total()"])
    assert total.text.startswith("# Taxes are included.\n@property\ndef total(self):\n    ")
    assert (total.metadata["programming_language"], total.metadata["definition"]) == ("Python", "function")
    assert "def total(self): …" in found["Order"].text
    assert "rounded" not in found["Order"].text
    assert found[""].text.startswith('"""Orders of the shop."""')
    assert "class Order: …" in found[""].text


def test_what_is_contained_called_and_imported_is_linked(tmp_path: Path) -> None:
    links = {
        (link.type, link.source_key, Path(link.target_source or "orders.py").name, link.target_key)
        for link in shop(tmp_path).links
    }
    assert links == {
        *[("CONTAINS", "", "orders.py", key) for key in ("Order", "place", "place-2")],
        *[("CONTAINS", "Order", "orders.py", key) for key in ("Order.__init__", "Order.total", "Order.nothing")],
        ("IMPORTS", "", "prices.py", ""),
        ("IMPORTS", "", "__init__.py", ""),
        ("CALLS", "Order.total", "prices.py", "round_price"),
        ("CALLS", "Order.total", "orders.py", "Order.nothing"),
        ("CALLS", "place", "__init__.py", "reserve"),
        ("CALLS", "place", "orders.py", "Order"),
        ("CALLS", "place-2", "orders.py", "place"),
    }


BODY = "// " + "what it does, in so many words that it is a part of its own; " * 11
SOURCES = {
    "a.js": (
        f"class Cart {{\n  {BODY}\n  total() {{ return 1; }}\n}}\nexport const add = (a) => a;\n",
        ["Cart", "Cart.total", "add"],
    ),
    "a.ts": ("export interface Cart { n: number }\nexport enum Kind { A }\ntype X = string;\n", ["Cart", "Kind", "X"]),
    "a.tsx": ("export function View() { return <p>x</p>; }\n", ["View"]),
    "a.go": (
        "package a\n\n// Total adds.\nfunc (c *Cart) Total() int { return 1 }\n\ntype Cart struct{}\n",
        ["Cart.Total", "Cart"],
    ),
    "a.rs": (
        f"impl Shown for Cart {{\n    {BODY}\n    fn total(&self) -> i32 {{ 1 }}\n}}\nstruct Cart;\n",
        ["Cart", "Cart.total", "Cart-2"],
    ),
    "A.java": (f"class Cart {{\n  {BODY}\n  int total() {{ return 1; }}\n}}\n", ["Cart", "Cart.total"]),
    "a.c": ("#ifdef X\nstatic int *total(void) { return 0; }\n#endif\nstruct cart { int n; };\n", ["total", "cart"]),
    "a.cpp": (
        "namespace shop {\ntemplate <class T> T total(T t) { return t; }\n}\nint shop::Cart::n() { return 1; }\n",
        ["shop", "shop.total", "shop.Cart.n"],
    ),
    "a.h": ("namespace shop {\nclass Cart { int n; };\n}\n", ["shop", "shop.Cart"]),
    "a.cs": (
        f"namespace Shop {{\n  class Cart {{\n    {BODY}\n    int Total() {{ return 1; }}\n  }}\n}}\n",
        ["Shop", "Shop.Cart", "Shop.Cart.Total"],
    ),
    "a.rb": ("module Shop\n  def self.total(cart)\n    1\n  end\nend\n", ["Shop", "Shop.total"]),
    "a.php": ("<?php\nfunction total($cart) { return 1; }\n", ["total"]),
    "a.sh": ("total() {\n  echo 1\n}\ntotal\n", ["total"]),
    "deploy": ("#!/usr/bin/env -S bash -e\ntotal() { echo 1; }\n", ["total"]),
}


@pytest.mark.parametrize("name", SOURCES)
def test_definitions_of_each_language(name: str, tmp_path: Path) -> None:
    text, keys = SOURCES[name]
    path = write(tmp_path / name, text)
    assert CodeLoader().recognises(str(path))
    assert not TextLoader().recognises(str(path))
    assert [document.source_key for document in load(CodeLoader(), path).documents][1:] == keys


def test_a_line_more_at_the_top_changes_metadata_alone(tmp_path: Path) -> None:
    path = write(tmp_path / "a.py", ORDERS)
    before = {document.source_key: document for document in load(CodeLoader(), path).documents}
    after = {d.source_key: d for d in load(CodeLoader(), write(path, f"# A line.\n{ORDERS}")).documents}
    assert before.keys() == after.keys()
    assert [key for key in before if before[key].text != after[key].text] == [""]
    assert after["Order.total"].metadata["line"] == 16


def test_an_installed_file_is_read_whole() -> None:
    documents = load(CodeLoader(), Path(heapq.__file__)).documents
    assert {"", "heappush", "merge", "nsmallest"} <= {document.source_key for document in documents}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.min.js", "x=1"),
        ("a.js", "x" * 2_000),
        ("__init__.py", "\n"),
        ("notes", "#!/usr/bin/awk -f\n"),
        ("a.png", "x"),
    ],
)
def test_what_nobody_wrote_and_other_files_are_left_to_be_skipped(name: str, text: str, tmp_path: Path) -> None:
    assert not CodeLoader().recognises(str(write(tmp_path / name, text)))


@pytest.mark.parametrize(
    "text",
    [
        "(" * 200_000,
        "class A:\n" + "".join(f"{' ' * n}class A:\n" for n in range(1, 300)),
        "def f(\n" * 5_000,
        "\x0c\u2028def f(): 1",
    ],
    ids=["brackets", "classes", "open definitions", "strange line ends"],
)
def test_code_of_no_sense_is_read_all_the_same(text: str, tmp_path: Path) -> None:
    assert load(CodeLoader(), write(tmp_path / "a.py", text)).documents


def test_the_declared_encoding_is_used(tmp_path: Path) -> None:
    path = write(tmp_path / "a.py", b"# -*- coding: latin-1 -*-\n# caf\xe9\nx = 1\n")
    assert "café" in load(CodeLoader(), path).document.text
