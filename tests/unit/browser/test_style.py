from __future__ import annotations

import re

from overstory.browser.style import MARKERS, style
from overstory.graph.statements import statement_folder, statement_names

LABEL = "Corpus_0123456789abcdef"
KINDS = {
    *("Corpus", "Stage", "Document", "Chunk", "Entity", "Fact"),
    *("SlimSentence", "SlimEntity", "TreeNode", "DerivedVector"),
}


def selectors(text: str) -> list[str]:
    return re.findall(r"^(\S+) \{$", text, re.MULTILINE)


def test_every_kind_of_node_has_a_colour_a_size_and_a_caption() -> None:
    rules = dict(re.findall(r"^node\.(\w+) \{\n(.*?)^\}", style([]), re.MULTILINE | re.DOTALL))
    assert set(rules) >= KINDS
    for kind in KINDS:
        assert {"diameter", "color", "caption"} <= set(re.findall(r"^  ([\w-]+):", rules[kind], re.MULTILINE))


def test_the_labels_of_corpora_come_before_the_kinds_which_win() -> None:
    found = selectors(style([LABEL]))
    last_marker = max(found.index(f"node.{LABEL}{marker}") for marker in MARKERS)
    assert last_marker < min(found.index(f"node.{kind}") for kind in KINDS)
    assert found.index("node.Overstory") < min(found.index(f"node.{kind}") for kind in KINDS)


def test_every_label_that_a_statement_makes_of_a_corpus_has_a_rule() -> None:
    texts = [(statement_folder() / f"{name}.cypher").read_text(encoding="utf-8") for name in statement_names()]
    used = {marker for text in texts for marker in re.findall(r":\{\{corpus\}\}(\w*)", text)}
    assert used <= set(MARKERS)


def test_browser_can_read_it() -> None:
    """Its reader splits at braces, semicolons and colons; a caption in quotes may hold braces, no more."""
    text = style([LABEL])
    for line in text.splitlines():
        assert re.fullmatch(r"\S+ \{|\}|  [\w-]+: (\"[^\":;]+\"|[^\":;{}]+);", line), line
