"""What an agent is told of a call that failed: what is wrong, and what it or its user can do about it."""

from __future__ import annotations

from collections.abc import Iterable

from mcp.types import CallToolResult, TextContent
from pydantic import ValidationError

from overstory.errors import (
    CommunityNotFound,
    CorpusDeleting,
    CorpusNotFound,
    DocumentNotFound,
    IndexMissing,
    MetadataNotFound,
    NameNotFound,
    OverstoryError,
)
from overstory_service.mcp.quoting import Quotation
from overstory_service.problems import problem_of
from overstory_service.refusals import NothingHere, NotThere, Refused

_MOST_INVALID_ARGUMENTS = 5
"""Arguments that an agent is told are wrong."""


def failed(text: str) -> CallToolResult:
    """A result that says that a call failed."""
    return CallToolResult(content=[TextContent(type="text", text=text)], is_error=True)


def invalid(error: ValidationError) -> str:
    """Which arguments are not what the tool takes, but not what was in them."""
    found = [
        f"{'.'.join(map(str, each['loc'])) or 'arguments'}: {each['msg']}"
        for each in error.errors(include_url=False, include_input=False)[:_MOST_INVALID_ARGUMENTS]
    ]
    return f"The arguments are not what the schema of the tool says. {'; '.join(found)}"


def told(error: Exception, quotation: Quotation, corpus: str = "", *, own_process: bool = False) -> str:
    """As the HTTP API says it, with tools where that names routes or commands.

    Args:
        corpus: that was asked.
        own_process: whether the agent's user started this process, and may hear what is wrong with its database.
    """
    if own_process and isinstance(error, OverstoryError) and not isinstance(error, Refused | CorpusNotFound):
        detail, remedy = str(error), error.remedy
    else:
        problem = problem_of(error, corpus=corpus)
        detail, remedy = problem.detail, problem.remedy
    match error:
        case CorpusDeleting():
            return detail
        case NotThere() | CorpusNotFound():
            return f"{detail} The tool `corpora` lists those that there are."
        case DocumentNotFound():
            return f"{detail} The results of `search` and `ask` name ids of documents."
        case CommunityNotFound():
            return f"{detail} The tools `tree` and `report` list ids."
        case IndexMissing():
            return f"{detail} {error.remedy}"
        case NothingHere():
            return detail
        case NameNotFound() if any(error.unknown.values()):
            like = (f"{name!r}: {', '.join(names)}" for name, names in error.unknown.items() if names)
            return _with_quoted(f"{detail} Similar names are quoted.", like, quotation)
        case NameNotFound():
            return f"{detail} `search` finds passages by other words."
        case MetadataNotFound() if error.nearest:
            return _with_quoted(f"{detail} Similar keys are quoted.", error.nearest, quotation)
        case MetadataNotFound():
            return f"{detail} `read_document` shows which keys a document has."
        case _:
            return " ".join(filter(None, (detail, remedy)))


def _with_quoted(text: str, lines: Iterable[str], quotation: Quotation) -> str:
    return f"{text} {quotation.notice}\n{quotation.block(chr(10).join(lines))}"
