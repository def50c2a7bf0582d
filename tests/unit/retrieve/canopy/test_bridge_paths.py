"""Which ways from passage to passage are worth showing."""

from __future__ import annotations

from typing import Any

import pytest

from overstory.retrieve.canopy.scoring import Candidate, MentionWay, Scored, WeighedWay
from overstory.retrieve.canopy.shown import bridge_paths

TEXT = "By Raphaël Hertzog. He lives in France."


def row(chunk: str, **other: Any) -> dict[str, Any]:  # columns of several types
    common = {"chunk_id": chunk, "document_id": f"d-{chunk}", "title": chunk, "heading": chunk, "boilerplate": None}
    return common | {"text": f"{TEXT} {chunk}.", "sentences": [0, 20]} | other


def shown(name: str, source: dict[str, Any], target: dict[str, Any], *, about: float | None = None) -> list[str]:
    reached = WeighedWay(MentionWay("a", name.lower(), name, about, 1, 1), 0.5)
    first = Scored("a", Candidate(0.5, 0.5), 0.5, 0.0, 0.0, 0.0, None, None)
    second = Scored(
        "b", Candidate(0.5, 0.5), 0.5, 0.0, 0.0, 0.0, reached if about else None, None if about else reached
    )
    everything = {"a": first, "b": second}
    return [str(path) for path in bridge_paths([first, second], everything, {"a": source, "b": target})]


def test_a_name_in_two_documents_is_a_path() -> None:
    assert shown("France", row("a"), row("b")) == ["the question → a → France → b"]


@pytest.mark.parametrize(
    ("name", "source", "target"),
    [
        ("France", row("a", document_id="d"), row("b", document_id="d")),  # within one document
        ("France", row("a", text=TEXT), row("b", text=TEXT.upper())),  # equal sentences
        ("Linux Mint", row("a", heading="a › Derivatives › A.3. Linux Mint"), row("b")),
        ("Linux Mint", row("a"), row("b", heading="Linux mint")),
        ("A.3. Linux Mint", row("a"), row("b")),
        ("6. Acknowledgments", row("a"), row("b")),
        ("2.1 Options", row("a"), row("b")),
    ],
)
def test_what_tells_nothing_is_left_out(name: str, source: dict[str, Any], target: dict[str, Any]) -> None:
    assert shown(name, source, target) == []


@pytest.mark.parametrize("name", ["50 Cent", "J. R. R. Tolkien", "3 Doors Down", "G. Preserve"])
def test_names_with_initials_and_numbers_are_no_headings(name: str) -> None:
    assert len(shown(name, row("a"), row("b"))) == 1


def test_a_title_or_what_a_section_is_about_leads_on() -> None:
    assert shown("a", row("a"), row("b")) == ["the question → a → b"]
    assert len(shown("Linux Mint", row("a"), row("b", heading="b › A.3. Linux Mint"), about=0.8)) == 1
