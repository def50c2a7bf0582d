"""Structured answers: derives JSON schemas from pydantic classes, and parses answers leniently."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from overstory.llm.prompts import prompt, without_control_tokens
from overstory.model import JsonSchema, Message

if TYPE_CHECKING:
    from pydantic import BaseModel

T = TypeVar("T", bound="BaseModel")

_LONGEST_ERRORS_CHARACTERS = 600
"""Maximum number of characters of validation errors that a request for correction quotes."""

_FENCE = re.compile(r"```[a-z]*+\s*+(.*?)```", re.DOTALL | re.IGNORECASE)
_THOUGHT = re.compile(r"<think>.*?(?:(?P<end></think>)|\Z)", re.DOTALL | re.IGNORECASE)
"""Pattern for the thoughts of a model. An unclosed <think> matches up to the end of the text, so that matching takes
linear time, but such a match is not removed."""


class Malformed(ValueError):
    """Raised if an answer is not valid. The message tells the language model what to correct.

    Attributes:
        text: the invalid answer.
    """

    text: str = ""


def schema_of(kind: type[BaseModel]) -> JsonSchema:
    """Return the JSON schema of a pydantic class in the strict form that endpoints require.

    In this form, objects allow no additional properties, and all fields are required. Fields with a default value are
    required as well, because language models would omit them otherwise.
    """
    schema: JsonSchema = _strict(kind.model_json_schema())
    return schema


def schema_message(schema: JsonSchema) -> Message:
    """Return a message that contains the schema, for endpoints that do not enforce schemas."""
    [message] = prompt("schema").messages(schema=json.dumps(schema, ensure_ascii=False, separators=(",", ":")))
    return message


def parsed(kind: type[T], text: str) -> T:
    """Return the first valid JSON object in an answer as an instance of a pydantic class.

    The object can be inside a code fence or surrounded by other text.

    Raises:
        Malformed: The answer contains no valid object.
    """
    import pydantic

    problem = ""
    for candidate in _candidates(text):
        try:
            return kind.model_validate_json(candidate)
        except pydantic.ValidationError as error:
            problem = problem or _error_lines(error)
    raise Malformed(problem or "it contains no complete JSON object.")


def correction(answer: str, problem: str) -> list[Message]:
    """Return the messages that follow an invalid answer and ask the model to correct it."""
    return [Message("assistant", without_control_tokens(answer) or "{}"), *prompt("correct").messages(problem=problem)]


def _candidates(text: str) -> Iterator[str]:
    """Yield the parts of a text that may be JSON objects.

    The longest part comes first: if no part is valid, the caller reports the error in the first part.
    """
    stripped = (
        _THOUGHT.sub(lambda thought: "" if thought["end"] else thought.group(), text)
        .strip()
        .removeprefix("\N{ZERO WIDTH NO-BREAK SPACE}")
    )
    found = [*dict.fromkeys([*balanced(stripped), *(part for f in _FENCE.findall(stripped) for part in balanced(f))])]
    yield from sorted(found, key=len, reverse=True)


def balanced(text: str) -> Iterator[str]:
    """Yield each outermost part of a text that is enclosed in balanced braces, in order.

    Braces in JSON strings are ignored. Nothing is yielded after a brace that is never closed.
    """
    start, depth, quoted, escaped = 0, 0, False, False
    for at, char in enumerate(text):
        if depth and quoted:
            if escaped:
                escaped = False
            elif char == "\\":
                escaped = True
            elif char == '"':
                quoted = False
        elif char == "{":
            start = start if depth else at
            depth += 1
        elif depth and char == '"':
            quoted = True
        elif depth and char == "}":
            depth -= 1
            if not depth:
                yield text[start : at + 1]


def _error_lines(error: Any) -> str:  # a `pydantic.ValidationError`, which is not imported just for its type
    lines = [
        f"{'.'.join(str(step) for step in part['loc']) or 'the object'}: {part['msg']}."
        for part in error.errors(include_url=False, include_input=False, include_context=False)
    ]
    return "\n".join(lines)[:_LONGEST_ERRORS_CHARACTERS]


def _strict(schema: Any) -> Any:  # takes and returns JSON
    if isinstance(schema, list):
        return [_strict(part) for part in schema]
    if not isinstance(schema, Mapping):
        return schema
    made = {
        key: {name: _strict(part) for name, part in value.items()} if key in ("properties", "$defs") else _strict(value)
        for key, value in schema.items()
        if key != "default"
    }
    if "properties" in made:
        made["required"] = list(made["properties"])
        made["additionalProperties"] = False
    return made
