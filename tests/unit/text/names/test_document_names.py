from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overstory.text.names.document_names import DocumentName, merge_reason, same_in_document
from overstory.text.names.keys import entity_key


def same(*names: str) -> dict[str, str]:
    """The names that stand for others, of names as "Dora Whelan/PERSON" in successive sentences."""
    mentions: list[DocumentName] = []
    for place, name in enumerate(names):
        surface, _, type_ = name.partition("/")
        mentions.append(DocumentName(entity_key(surface), surface, type_ or "PERSON", (0, place)))
    return same_in_document(mentions)


@pytest.mark.parametrize(
    ("names", "into"),
    [
        (("Dora Whelan", "Whelan"), {"whelan": "dora whelan"}),
        (("Dora Whelan", "Dora"), {"dora": "dora whelan"}),
        (("Dora Whelan", "Whelan/ORG"), {"whelan": "dora whelan"}),
        (("Ludwig van Beethoven", "Beethoven"), {"beethoven": "ludwig van beethoven"}),
        (("Kim Lee Jr.", "Kim Lee Sr.", "Lee"), {"lee": ""}),
        (("Ann Whelan", "Dora Whelan", "Whelan", "Dora"), {"whelan": "", "dora": "dora whelan"}),
        (("World Health Organization/ORG", "WHO/ORG"), {"who": "world health organization"}),
        (("John Ronald Tolkien", "J. R. Tolkien", "Tolkien"), {"jr tolkien": "john ronald tolkien", "tolkien": ""}),
        (("Jürgen Groß", "Juergen Groß"), {"jurgen gross": "juergen gross"}),
    ],
)
def test_a_document_s_short_names_stand_for_its_full_names(names: tuple[str, ...], into: dict[str, str]) -> None:
    found = same(*names)
    if "tolkien" in found:
        into = into | {"tolkien": "john ronald tolkien"}
    assert found == into


@pytest.mark.parametrize(
    "names",
    [
        ("Whelan", "Dora Whelan"),  # the full name comes later
        ("Paris Hilton", "Paris/GPE"),
        ("Dora Whelan/GPE", "Whelan"),
        ("Mount Shinn", "Shinn"),
        ("Square Enix", "Square", "Enix"),
        ("EUCOM Spp", "EUCOM"),
        ("National Bank/ORG", "North British Navy/ORG", "New Beer/ORG", "NB/ORG"),
        ("Robert Smith", "Roberta Smith"),
        ("Python 2/PRODUCT", "Python 3/PRODUCT"),
    ],
)
def test_what_may_be_another_stays_apart(names: tuple[str, ...]) -> None:
    assert not same(*names)


@given(st.permutations(["Dora Whelan", "Whelan", "Ann Lee", "A. Lee", "Lee", "WHO/ORG", "World Health Office/ORG"]))
def test_no_name_stands_for_one_that_stands_for_another(names: list[str]) -> None:
    found = same(*names)
    assert not found.keys() & set(found.values())
    mentions = [
        DocumentName(entity_key(n.split("/")[0]), n.split("/")[0], "PERSON", (0, i)) for i, n in enumerate(names)
    ]
    assert same_in_document(mentions) == same_in_document(mentions[::-1])


@pytest.mark.parametrize(
    ("key", "into", "reason"),
    [
        ("whelan", "dora whelan", "part"),
        ("who", "world health organization", "abbreviation"),
        ("j tolkien", "john tolkien", "initials"),
        ("big blue", "ibm", None),
    ],
)
def test_the_reason_follows_from_the_names(key: str, into: str, reason: str | None) -> None:
    assert merge_reason(key, into) == reason
