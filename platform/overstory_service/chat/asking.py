"""A question of a conversation that a client keeps, and sends along with it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack

from overstory.answer import Answer
from overstory.conversation.conversation import AskOptions, stands_alone, turns_spoken, with_last_names
from overstory.errors import ModelError
from overstory.protocols import Extractor
from overstory_service.hosted import Askable


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
    if view.chat() is not None:  # which reads the turns
        return view.conversation(turns).ask(question, k, **options)
    if not stands_alone(question, turns, extractor):
        turns = turns_spoken(history, extractor, lambda asked: view.search(asked, k, where=options.get("where")).hits)
    return view.conversation(turns).ask(with_last_names(question, turns, extractor), k, **options)


def _extractor(view: Askable) -> Extractor | None:
    try:
        return view.extractor
    except ModelError:
        return None
