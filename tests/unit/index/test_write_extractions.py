from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from overstory.index.write_extractions import Findings, FoundFact, FoundMention, packed, unpacked, with_edits
from overstory.text.names.edits import NO_EDITS, EditedNames, NameEdit

BLUE, IBM, ULM = "big blue", "ibm", "ulm"
MERGED = EditedNames([NameEdit("merge", "Big Blue", "IBM")])
HIDDEN = EditedNames([NameEdit("hide", "Ulm")])


def mention(key: str, surface: str, sentence: int | None = 0) -> FoundMention:
    return FoundMention(key, surface, "ORG", sentence)


def fact(subject: str, subject_key: str, object_: str, object_key: str = "") -> FoundFact:
    return FoundFact(subject, subject_key, "sees", object_, object_key, 0, 0, "")


def test_without_edits_of_its_names_a_chunk_keeps_its_findings() -> None:
    found = Findings("c", [mention(IBM, "IBM")], [fact("IBM", IBM, "stars")])
    assert with_edits(found, NO_EDITS) is found
    assert with_edits(found, HIDDEN) is found


def test_merged_names_are_one_in_mentions_and_facts() -> None:
    found = Findings(
        "c", [mention(IBM, "IBM"), mention(BLUE, "Big Blue"), mention(ULM, "Ulm")], [fact("Big Blue", BLUE, "Ulm", ULM)]
    )
    edited = with_edits(found, MERGED)
    assert [(each.key, each.surface) for each in edited.mentions] == [(IBM, "Big Blue"), (IBM, "IBM"), (ULM, "Ulm")]
    assert [(each.subject_key, each.object_key) for each in edited.facts] == [(IBM, ULM)]


def test_hidden_names_go_with_the_facts_about_them() -> None:
    facts = [fact("IBM", IBM, "Ulm", ULM), fact("Ulm", ULM, "stars"), fact("IBM", IBM, "the city of Ulm")]
    edited = with_edits(Findings("c", [mention(IBM, "IBM"), mention(ULM, "Ulm")], facts), HIDDEN)
    assert [each.key for each in edited.mentions] == [IBM]
    assert list(edited.facts) == facts[2:]


def test_a_merged_name_has_all_its_sentences_or_none() -> None:
    edited = with_edits(Findings("c", [mention(IBM, "IBM", 3), mention(BLUE, "Big Blue", None)], []), MERGED)
    assert [each.sentence for each in edited.mentions] == [None, None]


KEYS = st.sampled_from([BLUE, IBM, ULM])
MENTIONS = st.lists(st.builds(mention, KEYS, st.sampled_from(["X", "Y", "Z"])), max_size=6)


@given(MENTIONS)
def test_findings_are_packed_and_edited_alike_in_whatever_order_names_came(mentions: list[FoundMention]) -> None:
    by_key = sorted(mentions, key=lambda each: each.key)  # as the graph has them: one name after the other
    first, second = Findings("c", mentions, []), Findings("c", by_key, [])
    assert packed(first) == packed(second)
    assert unpacked("c", packed(first)) == second
    for edits in (MERGED, HIDDEN):
        by_name = [_surfaces(with_edits(found, edits)) for found in (first, second)]
        assert by_name[0] == by_name[1]


def _surfaces(findings: Findings) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for each in findings.mentions:
        found.setdefault(each.key, []).append(each.surface)
    return found


def test_packed_facts_have_keys_for_words_that_names_write() -> None:
    found = unpacked("c", packed(Findings("c", [], [fact("The IBM", IBM, "stars")])))
    assert list(found.facts) == [fact(IBM, IBM, "stars")]
