"""Whether a language model can be reached, and does what is asked of it: one small request."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from overstory.errors import ExtraMissing
from overstory.llm.chat import Chat
from overstory.llm.prompts import prompt
from overstory.model import Usage

if TYPE_CHECKING:
    from pydantic import BaseModel

PASSAGES = ("Dracula is a novel of 1897.", "Bram Stoker was an Irish author, born in Dublin. He wrote Dracula.")
QUESTION = "Where was the author of Dracula born?"
RIGHT = "dublin"
MOST_TOKENS = 200
STAGE = "check"


@dataclass(frozen=True, slots=True)
class ModelCheck:
    """What a model made of one small request.

    Attributes:
        model: as the endpoint names it.
        answer, passage: to a question that two passages answer, and the passage it named for it.
        right: both are; a model that is wrong here will not do much good elsewhere.
        corrected: its first answer was not of the form that was asked for.
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
    """Asks a model one question with two passages, past what is remembered.

    Raises:
        LlmError: there is no answer, or none of the form that was asked for.
        ExtraMissing: pydantic is missing.
    """
    asked = Chat(chat.model, accounts=chat.accounts, stage=STAGE)
    before = chat.accounts.spent
    reply = asked.ask_for(
        _kind(), prompt("check").messages(passage=PASSAGES, question=QUESTION), max_tokens=MOST_TOKENS
    )
    spent = chat.accounts.spent
    found = reply.value.model_dump()
    answer, passage = str(found["answer"]), int(found["passage"])
    return ModelCheck(
        model=reply.completion.model,
        fingerprint=chat.model.fingerprint,
        question=QUESTION,
        answer=answer,
        passage=passage,
        right=RIGHT in answer.lower() and passage == len(PASSAGES),
        corrected=spent.requests - before.requests > 1,
        usage=Usage(
            spent.usage.prompt_tokens - before.usage.prompt_tokens,
            spent.usage.completion_tokens - before.usage.completion_tokens,
            reply.completion.usage.estimated,
        ),
        seconds=spent.seconds - before.seconds,
    )


def _kind() -> type[BaseModel]:
    """The form of the answer, made here because pydantic need not be there to import this."""
    try:
        from pydantic import Field, create_model
    except ImportError as error:
        raise ExtraMissing("pydantic", extra="llm") from error
    return create_model("Found", answer=(str, Field(max_length=60)), passage=(int, Field(ge=1, le=len(PASSAGES))))
