"""benchmarks/entities.py: what counts as an extracted mention, a right type and a merged pair."""

from __future__ import annotations

from benchmarks.entities import Names, compared, text_of


def names(*found: tuple[str, str, str]) -> dict[str, Names]:
    of_document = Names()
    for name, entity, type_ in found:
        of_document.add(name, entity, type_)
    return {"0": of_document}


def test_shares_of_mentions_types_and_merged_pairs() -> None:
    gold = names(("Ada Byron", "1", "PER"), ("Byron", "1", "PER"), ("Lord Byron", "2", "PER"), ("Ulm", "3", "LOC"))
    found = names(("Ada Byron", "a", "PER"), ("Byron", "a", "PER"), ("Lord Byron", "a", "ORG"), ("Index", "b", "MISC"))
    shares, wrong = compared(gold, found)
    assert {share.name: (share.right, share.of) for share in shares} == {
        "recall": (3, 4),
        "precision": (3, 4),
        "types right": (2, 3),
        "merged, recall": (1, 1),
        "merged, precision": (1, 3),
    }
    assert wrong == [("0", "ada byron", "lord byron"), ("0", "byron", "lord byron")]


def test_a_name_that_is_not_extracted_cannot_be_merged() -> None:
    gold = names(("Ada Byron", "1", "PER"), ("Byron", "1", "PER"))
    shares, wrong = compared(gold, names(("Byron", "a", "PER")))
    assert [str(share) for share in shares] == ["0.500", "1.000", "1.000", "0.000", "–"]
    assert wrong == []


def test_tokens_are_joined_as_they_are_usually_written() -> None:
    tokens = [
        "Wilfried",
        '"',
        "Willi",
        '"',
        "Schneider",
        "(",
        "born",
        "1963",
        ")",
        "won",
        "the",
        "men",
        "'s",
        "event",
        ".",
    ]
    assert text_of([tokens]) == 'Wilfried "Willi" Schneider (born 1963) won the men\'s event.'
