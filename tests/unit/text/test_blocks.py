from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from overstory.text.blocks import (
    _EDGE_BLOCKS,
    _LONGEST_BLOCK_CHARACTERS,
    Piece,
    boilerplate_spans,
    count_changes,
    counted_blocks,
    folder_of,
    is_only_boilerplate,
)

LICENCE = "Permission is granted to copy\n   this document."


def hash_of(words: str) -> int:
    (found,) = counted_blocks([(words, "")])
    return found


def test_blocks_are_paragraphs_without_their_white_space() -> None:
    pieces = [(f"{LICENCE}\n \n\nSalt is a mineral.\n\n* * *\n\n", ""), ("Rock salt\nis mined.", "")]
    assert list(counted_blocks(pieces).values()) == [
        "Permission is granted to copy this document.",
        "Salt is a mineral.",
        "Rock salt is mined.",
    ]
    assert hash_of(LICENCE) == hash_of("Permission  is granted\nto copy this document.\n")
    assert hash_of("© 2023") != hash_of("© 2024")


def test_headings_and_long_paragraphs_are_no_blocks() -> None:
    pieces = [
        ("Title\n\n", "Title"),
        ("## See also\n\nHeaps.\n\n", "Title › See also"),
        ("x " * _LONGEST_BLOCK_CHARACTERS, "Title"),
    ]
    assert list(counted_blocks(pieces).values()) == ["Heaps."]


def test_of_a_long_document_both_ends_are_counted() -> None:
    text = "\n\n".join(f"paragraph {number}" for number in range(100))
    ends = [*range(_EDGE_BLOCKS), *range(100 - _EDGE_BLOCKS, 100)]
    assert list(counted_blocks([(text, "")]).values()) == [f"paragraph {number}" for number in ends]


def test_a_block_is_marked_in_every_piece_that_has_some_of_it() -> None:
    pieces = [(f"Salt.\n\n{LICENCE[:20]}", ""), (LICENCE[20:] + "\n\nEnd.", ""), (f"\n\n{LICENCE}", "")]
    pieces.append(("\n\nSalt is a mineral. It is mined, or dried at the sea, and was traded all over the world.", ""))
    spans = boilerplate_spans(pieces, {hash_of(LICENCE)})
    assert spans == [[7, 27], [0, len(LICENCE) - 20], [2, 2 + len(LICENCE)], []]
    marked = [text[s[0] : s[1]] for (text, _), s in zip(pieces, spans, strict=True) if s]
    assert marked == [LICENCE[:20], LICENCE[20:], LICENCE]


def test_documents_that_share_most_of_their_text_keep_it() -> None:
    shared = [f"Clause {number} of the agreement." for number in range(9)]
    hashes = {hash_of(clause) for clause in shared}
    own = "It is between Ada and Charles."
    assert boilerplate_spans([("\n\n".join([*shared, own]), "")], hashes) == [[]]
    assert boilerplate_spans([("\n\n".join([shared[0], own]), "")], hashes) == [[0, len(shared[0])]]


def test_a_passage_of_headings_and_boilerplate_has_nothing_to_say() -> None:
    piece = (f"Legal\n\n{LICENCE}\n\n* * *", "Manual › Legal")
    body = ("\n\nSalt is a mineral. It is mined, or dried at the sea, and was traded.", "Manual")
    spans, _ = boilerplate_spans([piece, body], {hash_of(LICENCE)})
    assert is_only_boilerplate(piece, spans)
    assert not is_only_boilerplate(piece, [])
    assert not is_only_boilerplate((f"{LICENCE}\n\nSalt.", ""), [0, len(LICENCE)])


def test_records_have_no_folder() -> None:
    assert folder_of("/docs/guide/a.html", "") == "/docs/guide"
    assert folder_of("/a.html", "") == "/"
    assert folder_of("/docs/table.csv", "row 7") == ""
    assert folder_of("texts", "") == ""


TEXTS = st.lists(st.sampled_from(["Prev Next", "Salt.", "Pepper.", LICENCE, "Head", ""]), max_size=5).map("\n\n".join)
CORPORA = st.dictionaries(st.sampled_from("abcdef"), st.tuples(st.sampled_from(["/x", "/y"]), TEXTS))


@given(st.lists(CORPORA, min_size=1, max_size=6))
def test_counts_follow_from_the_documents_that_are_there(states: list[dict[str, tuple[str, str]]]) -> None:
    def counted(state: dict[str, tuple[str, str]]) -> list[tuple[str, list[int]]]:
        return [(folder, list(counted_blocks([(text, "Head")]))) for folder, text in state.values()]

    folders: dict[str, int] = {}
    blocks: dict[tuple[str, int], int] = {}
    before: dict[str, tuple[str, str]] = {}
    for state in states:
        more, of_blocks = count_changes(counted(before), counted(state))
        for folder, change in more.items():
            folders[folder] = folders.get(folder, 0) + change
        for key, change in of_blocks.items():
            blocks[key] = blocks.get(key, 0) + change
        before = state
    fresh_folders, fresh_blocks = count_changes([], counted(before))
    assert {folder: n for folder, n in folders.items() if n} == fresh_folders
    assert {key: n for key, n in blocks.items() if n} == fresh_blocks


@given(st.lists(st.tuples(TEXTS, st.sampled_from(["", "Head"])), max_size=4))
def test_spans_are_whole_blocks_wherever_a_document_is_cut(pieces: list[Piece]) -> None:
    marked = {hash_of(LICENCE), hash_of("Prev Next")}
    spans = boilerplate_spans(pieces, marked)
    for (text, _), own in zip(pieces, spans, strict=True):
        assert own == sorted(set(own))
        assert not own or own[-1] <= len(text)
    whole = [("".join(text for text, _ in pieces), "")]
    (at_once,) = boilerplate_spans(whole, marked)
    assert sum(b - a for a, b in zip(at_once[::2], at_once[1::2], strict=True)) == sum(
        b - a for own in spans for a, b in zip(own[::2], own[1::2], strict=True)
    )
