"""Display of communities in a REPL."""

from __future__ import annotations

import dataclasses

from overstory.model.communities import (
    Community,
    CommunityName,
    CommunityTree,
    MemberDocument,
    MemberEntity,
    MemberPassage,
)

PASSAGE = MemberPassage("c1", "d1", "wiki", "7", "", "", "Ulm is on the\nDanube.", 0.8)
BOTTOM = Community(
    id="0123456789abcdef" * 2,
    unit="chunk",
    level=2,
    size=3,
    entropy=0.25,
    entropy_below=0.5,
    inside=0.999,
    names=(CommunityName("Ulm", 2), CommunityName("Danube", 1)),
    sentences=("Ulm is on the Danube.",),
    communities=(),
    passages=(PASSAGE,),
    below=3,
    leaves=3,
)
UPPER = dataclasses.replace(
    BOTTOM, id="fedcba9876543210" * 2, level=1, names=(), communities=(BOTTOM,), passages=(), below=2, leaves=0
)
ROOT = dataclasses.replace(UPPER, id="0" * 32, level=0, communities=(UPPER,), inside=1.0, below=1)
TREE = CommunityTree("demo", "serag", "chunk", 3, (1,), 1.5, (), ROOT, notes=("it is older",))


def test_a_community_says_how_large_it_is_and_what_it_is_about() -> None:
    assert repr(BOTTOM) == "<Community 01234567: 3 passages, 99 % inside, 0.2500 bits and 0.5000 below: Ulm, Danube>"
    assert repr(UPPER) == "<Community fedcba98: 3 passages, 99 % inside, 0.2500 bits and 0.5000 below>"
    assert "100 % inside" in ROOT.figures


def test_where_a_tree_encodes_no_graph_nothing_is_said_of_entropy() -> None:
    summary = dataclasses.replace(UPPER, entropy=None, entropy_below=None, inside=None)
    assert repr(summary) == "<Community fedcba98: 3 passages>"
    whole = dataclasses.replace(TREE, entropy=None, community=dataclasses.replace(ROOT, communities=(summary,)))
    assert whole.headline == "Corpus 'demo', tree serag: 3 passages in 1 community"
    assert "bits" not in repr(dataclasses.replace(whole, community=summary)).splitlines()[1]


def test_what_is_left_out_is_counted() -> None:
    assert BOTTOM.hidden == "2 more passages"
    assert UPPER.hidden == "1 more community"
    assert dataclasses.replace(UPPER, below=9).hidden == "8 more communities"
    assert ROOT.hidden == ""
    assert dataclasses.replace(UPPER, communities=()).hidden == ""  # nothing was to be shown


def test_a_tree_has_a_line_for_each_community_and_passage() -> None:
    assert repr(TREE).splitlines() == [
        "<CommunityTree of corpus 'demo', tree serag: 3 passages in 1 community, 1.5000 bits>",
        "fedcba98  3 passages, 99 % inside, 0.2500 bits and 0.5000 below: (no names)",
        "  01234567  3 passages, 99 % inside, 0.2500 bits and 0.5000 below: Ulm, Danube",
        "    (no title) [wiki#7]: Ulm is on the Danube.",
        "    … 2 more passages",
        "  … 1 more community",
        "Note: it is older",
    ]
    part = dataclasses.replace(
        TREE, community=BOTTOM, above=(UPPER.id,), tree="serag-semantic", levels=(2, 5), notes=()
    )
    assert repr(part).splitlines()[:2] == [
        "<CommunityTree of corpus 'demo', tree serag-semantic: 3 passages in 2 + 5 communities, 1.5000 bits>",
        "01234567  3 passages, 99 % inside, 0.2500 bits and 0.5000 below: Ulm, Danube",
    ]


def test_a_passage_says_where_it_comes_from() -> None:
    assert repr(PASSAGE) == "<MemberPassage (no title) [wiki#7]: Ulm is on the Danube.>"


def test_a_tree_of_names_or_documents_is_worded_so() -> None:
    names = dataclasses.replace(
        BOTTOM,
        unit="entity",
        passages=(),
        entities=(MemberEntity("e1", "Ulm", "GPE", 2), MemberEntity("e2", "Rome", "", 1)),
    )
    assert names.figures.startswith("3 entities, ")
    assert names.hidden == "1 more entity"
    tree = dataclasses.replace(TREE, tree="toy-names", unit="entity", community=names, notes=())
    assert repr(tree).splitlines()[0].startswith("<CommunityTree of corpus 'demo', tree toy-names: 3 entities in ")
    assert repr(tree).splitlines()[2:] == ["  Ulm (GPE, 2 passages)", "  Rome (1 passage)", "  … 1 more entity"]
    document = MemberDocument("d1", "wiki", "7", "Ulm", 4, 0.5)
    documents = dataclasses.replace(BOTTOM, unit="document", passages=(), documents=(document,))
    assert documents.members == (document,)
    assert (documents.figures[:11], documents.hidden) == ("3 documents", "2 more documents")
    assert repr(document) == "<MemberDocument Ulm [wiki#7] (4 passages)>"


def test_a_title_that_the_system_gave_stands_for_the_names() -> None:
    assert repr(dataclasses.replace(BOTTOM, title="Rivers")).endswith(" below: Rivers>")


def test_what_a_terminal_would_obey_is_not_shown() -> None:
    passage = dataclasses.replace(PASSAGE, title="\x1b[31mUlm\u202e")
    named = dataclasses.replace(BOTTOM, names=(CommunityName("\x1b[2JUlm", 2),), passages=(passage,))
    tree = dataclasses.replace(TREE, community=named, notes=("\u2066note",))
    shown = (str(passage), repr(passage), repr(named), repr(tree), str(MemberEntity("e1", "U\x1blm", "GPE", 2)))
    assert not [text for text in shown if set("\x1b\u202e\u2066") & set(text)]
