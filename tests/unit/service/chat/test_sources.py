"""The text of an answer as a chat page is sent it."""

from __future__ import annotations

from overstory.answer import Quoted
from overstory_service.routes.chat import ShownAnswer


def test_sentences_in_place_of_a_failed_model_are_escaped() -> None:
    shown = ShownAnswer()
    pieces = ["# He was born in ![", "x](https://evil.example) ", Quoted("\n\n# Ulm ![x](https://evil.example) [1]")]
    assert "".join(map(shown.take, pieces)) == shown.text
    assert shown.text == (
        "# He was born in ![x] (https://evil.example) \n\n\\# Ulm !\\[x\\]\\(`https://evil.example`) [1]"
    )
