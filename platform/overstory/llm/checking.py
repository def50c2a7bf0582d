"""Check that a language model is reachable and follows instructions, with one small request."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from overstory.errors import ExtraMissing
from overstory.llm.budget import record_usage
from overstory.llm.chat import Chat
from overstory.llm.prompts import prompt
from overstory.model import Usage

if TYPE_CHECKING:
    from pydantic import BaseModel

PASSAGES = ("Dracula is a novel of 1897.", "Bram Stoker was an Irish author, born in Dublin. He wrote Dracula.")
QUESTION = "Where was the author of Dracula born?"
RIGHT = "dublin"
_MOST_CHECK_TOKENS = 200
STAGE = "check"


@dataclass(frozen=True, slots=True)
class ModelCheck:
    """A model's answer to one small request.

    Attributes:
        model: the endpoint's name for the model.
        answer, passage: the answer to a question over two passages, and the number of the passage it cites.
        right: whether both are correct; a model that fails here is of little use elsewhere.
        corrected: whether the first reply did not validate.
        usage: of all requests.
    """

    model: str
    fingerprint: str
    question: str
    answer: str
    passage: int
    right: bool
    corrected: bool
    usage: Usage
    seconds: float


def check_model(chat: Chat) -> ModelCheck:
    """Ask a model one question about two passages, bypassing the cache."""
    asked = Chat(chat.model, usage=chat.usage, stage=STAGE)
    with record_usage() as recorded:
        reply = asked.ask_for(
            _kind(), prompt("check").messages(passage=PASSAGES, question=QUESTION), max_tokens=_MOST_CHECK_TOKENS
        )
    spent = recorded.spent
    found = reply.value.model_dump()
    answer, passage = str(found["answer"]), int(found["passage"])
    return ModelCheck(
        model=reply.completion.model,
        fingerprint=chat.model.fingerprint,
        question=QUESTION,
        answer=answer,
        passage=passage,
        right=RIGHT in answer.lower() and passage == len(PASSAGES),
        corrected=spent.requests > 1,
        usage=spent.usage,
        seconds=spent.seconds,
    )


def _kind() -> type[BaseModel]:
    """The pydantic model of the answer, built here because importing this module must not need pydantic."""
    try:
        from pydantic import Field, create_model
    except ImportError as error:
        raise ExtraMissing("pydantic", extra="llm") from error
    return create_model("Found", answer=(str, Field(max_length=60)), passage=(int, Field(ge=1, le=len(PASSAGES))))
