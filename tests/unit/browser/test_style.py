from __future__ import annotations

import io
import re
import zipfile
from pathlib import Path

import pytest

from overstory.browser import Contribution
from overstory.browser.queries import all_queries, saved_queries
from overstory.browser.style import MARKERS, archive, archive_name, save, style
from overstory.errors import SettingsError
from overstory.graph.statements import statement_names, statement_source
from overstory_cli.browser import contributions

LABEL = "Corpus_0123456789abcdef"
KINDS = {
    *("Corpus", "Stage", "Document", "Folder", "Block", "Chunk", "Entity", "Fact", "TreeNode", "DerivedVector"),
    *("PassageVector", "MetadataValue", "MetadataKey", "CommunityReport"),
}
NAMES = {"PersonName", "OrganisationName", "PlaceName", "WorkName", "TechnicalName"}
SYSTEMS = contributions()
OF_SYSTEMS = {label for each in SYSTEMS for label in each.labels}


def selectors(text: str) -> list[str]:
    return re.findall(r"^(\S+) \{$", text, re.MULTILINE)


def test_every_kind_of_node_has_a_colour_a_size_and_a_caption() -> None:
    rules = dict(re.findall(r"^node\.(\w+) \{\n(.*?)^\}", style([], SYSTEMS), re.MULTILINE | re.DOTALL))
    assert set(rules) >= KINDS | OF_SYSTEMS
    for kind in (KINDS | OF_SYSTEMS) - {"SeragNode"}:  # which looks like any TreeNode
        assert {"diameter", "color", "caption"} <= set(re.findall(r"^  ([\w-]+):", rules[kind], re.MULTILINE))


def test_the_labels_of_corpora_come_before_the_kinds_which_win() -> None:
    found = selectors(style([LABEL], SYSTEMS))
    markers = (*MARKERS, *(f"_{label}" for label in OF_SYSTEMS), "_HiragEntity_A", "_HiragEntity_B")
    last_marker = max(found.index(f"node.{LABEL}{marker}") for marker in markers)
    kinds = KINDS | {"SlimSentence", "SlimEntity", "HiragEntity"}
    assert last_marker < min(found.index(f"node.{kind}") for kind in kinds)
    assert found.index("node.Overstory") < min(found.index(f"node.{kind}") for kind in kinds)


def test_a_kind_of_a_system_without_a_rule_looks_like_what_it_also_is() -> None:
    """All rules that fit a node are applied in order: the plain one comes first, so that TreeNode's wins."""
    found = selectors(style([LABEL], [Contribution("toy", "Toy", labels=("ToyNode",))]))
    assert found.index("node.ToyNode") < found.index("node.TreeNode")
    assert f"node.{LABEL}_ToyNode" in found


def test_kinds_of_names_have_colours_of_their_own_that_win_over_that_of_names() -> None:
    text = style([LABEL], SYSTEMS)
    found = selectors(text)
    assert max(found.index(f"node.{kind}") for kind in KINDS & {"Entity"}) < min(
        found.index(f"node.{kind}") for kind in NAMES
    )
    colours = dict(re.findall(r"^node\.(\w+) \{\n(?:  .*\n)*?  color: (\S+);", text, re.MULTILINE))
    assert len({colours[kind] for kind in (*NAMES, "Entity", "Chunk", "Fact", "Document", "TreeNode")}) == 10
    statement = statement_source("ingest/link_entities")
    assert set(re.findall(r"'(\w+Name)'", statement)) == NAMES
    overview = statement_source("saved_queries/overview")
    assert set(re.findall(r"'(\w+Name)'", overview)) == NAMES


def test_labels_of_corpora_are_not_seen_in_the_legend() -> None:
    (rule,) = re.findall(rf"^node\.{LABEL} \{{\n(.*?)^\}}", style([LABEL]), re.MULTILINE | re.DOTALL)
    assert rule.count("transparent") == 3


def test_every_label_that_a_statement_makes_of_a_corpus_has_a_rule() -> None:
    texts = [statement_source(name) for name in statement_names()]
    used = {marker for text in texts for marker in re.findall(r":\{\{corpus\}\}(\w*)", text)}
    marks = {mark for each in SYSTEMS for mark in each.marks}
    assert used <= {*MARKERS, *(f"_{label}" for label in OF_SYSTEMS | marks)}


def test_browser_can_read_it() -> None:
    """Its reader splits at braces, semicolons and colons; a caption in quotes may hold braces, no more."""
    text = style([LABEL], SYSTEMS)
    for line in text.splitlines():
        assert re.fullmatch(r"\S+ \{|\}|  [\w-]+: (\"[^\":;]+\"|[^\":;{}]+);", line), line


QUERIES = all_queries(saved_queries("Corpus_0123456789abcdef"))


def test_the_archive_is_a_folder_of_favourites() -> None:
    with zipfile.ZipFile(io.BytesIO(archive("wiki", QUERIES))) as file:
        assert {str(Path(name).parent) for name in file.namelist()} == {"Overstory wiki"}
        assert file.read("Overstory wiki/related.cypher").decode().startswith("// Entity: the facts around it\n")
        assert len(file.namelist()) == len(QUERIES)


def test_equal_queries_give_equal_archives() -> None:
    assert archive("wiki", QUERIES) == archive("wiki", QUERIES)


def test_a_corpus_name_is_never_a_path() -> None:
    assert archive_name("../a/b") == "overstory----a-b.zip"


def test_saving_writes_queries_style_and_archive(tmp_path: Path) -> None:
    files = save(tmp_path / "new", "wiki", QUERIES, "node {}")
    assert {file.name for file in files} == {
        "overstory-wiki.zip",
        "overstory.grass",
        *(f"{query.name}.cypher" for query in QUERIES),
    }
    assert (tmp_path / "new" / "paths.cypher").read_text(encoding="utf-8").endswith("LIMIT 5\n")


def test_a_folder_that_cannot_be_written_to_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(SettingsError, match="Cannot write to"):
        save(tmp_path / "file" / "below", "wiki", QUERIES, "")
