"""A question of a conversation that a client keeps, and sends along with it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack

from overstory.answer import Answer
from overstory.conversation.conversation import AskOptions
from overstory.conversation.spoken import turns_spoken, with_last_names
from overstory.errors import ModelError
from overstory.protocols import Extractor
from overstory.service.hosted import Askable


def ask_after(
    view: Askable, question: str, history: Sequence[tuple[str, str]], k: int, **options: Unpack[AskOptions]
) -> Answer:
    """The answer to a question that may go on from those before, which is completed first.

    Args:
        history: questions and their answers, oldest first.

    Raises:
        as `Conversation.ask`.
    """
    extractor = _extractor(view)
    turns = turns_spoken(history, extractor)
    completed = question if view.chat() is not None else with_last_names(question, turns, extractor)
    return view.conversation(turns).ask(completed, k, **options)


def _extractor(view: Askable) -> Extractor | None:
    try:
        return view.extractor
    except ModelError:
        return None
