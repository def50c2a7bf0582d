"""Exceptions that Overstory raises.

    OverstoryError                          1
    ├── SettingsError                       3   a setting or an option has an invalid value
    ├── ServerError                         4   the embedded Neo4j failed
    │   ├── ProvisioningError                   a jar or Java is unavailable or does not match the lock file
    │   └── ServerStartError                    the server did not start or does not respond
    ├── DatabaseError                       5   a Neo4j database cannot be used
    │   ├── DatabaseUnreachable
    │   ├── AuthenticationFailed
    │   ├── ServerTooOld
    │   ├── GdsMissing
    │   └── StatementFailed                     the server rejected a statement, or it ran out of time or memory
    │       ├── DiskFull                            the server cannot write because its disk is full
    │       └── WriteConflict                       another transaction locked or changed the same nodes
    ├── SchemaError                         6   the stored data does not fit the request
    │   ├── SchemaTooNew
    │   ├── SchemaTooOld
    │   ├── EmbedderMismatch
    │   └── IndexMissing
    ├── CorpusError                         7
    │   ├── CorpusNotFound
    │   │   └── CorpusDeleting
    │   ├── CorpusNameInvalid
    │   ├── DocumentNotFound                    no document has this source
    │   ├── DocumentsDisabled                   some documents are disabled, and the operation cannot skip them
    │   ├── AnswerNotFound                      no remembered answer has this id
    │   ├── MemoryKept                          removing this index would delete remembered answers
    │   ├── WriterBusy                          another process holds the writer lease
    │   └── LeaseLost                           the lease was lost while writing
    ├── SourceError                         8   a source cannot be read
    │   ├── LoaderNotFound
    │   ├── SourcesEmpty                        the paths to sync are empty, for example after an unmount
    │   └── BrokenSource                        a file, line or record is broken
    ├── ModelError                          9   an embedder, reranker, spaCy pipeline or model file cannot be used
    ├── QuestionError                      10   a question or its arguments are invalid
    │   ├── EntityNotFound                      no passage mentions this entity
    │   ├── CommunityNotFound                   no community has this id
    │   ├── MetadataNotFound                    no document has this metadata key
    │   ├── FilterError                         a filter cannot be parsed
    │   └── StatementRefused                    a Cypher statement written by the user cannot be run
    ├── BenchError                         11   a benchmark folder is invalid
    ├── GraphError                         12   edges, weights, vectors or trees are invalid
    ├── ExtraMissing                       13   an optional package is not installed; also an ImportError
    └── LlmError                           14   a language model failed
        ├── LlmNotSet                           no language model is configured
        ├── LlmUnreachable                      no response, a timeout, or a response that breaks off
        ├── LlmBusy                             the endpoint stays overloaded or the quota is used up
        ├── LlmRefused                          the endpoint rejected the key, the model or the request
        │   └── AnswerRefused                   the model refused to answer
        ├── NoUsableAnswer                      no usable response to this request; also a base of AnswerRefused
        │   ├── PromptTooLong                   the request does not fit the model's context
        │   ├── AnswerTruncated                 the response was cut off at the token limit
        │   └── AnswerUnusable                  the response is empty or invalid
        ├── LlmCancelled                        another thread cancelled the request
        └── BudgetExhausted                15   the next request could exceed the budget, so it was not sent

The numbers are the exit codes of commands. A class without a number has the exit code of its parent. Exit code 2 means
that a command was called incorrectly, and 130 that it was interrupted. `OverstoryError` and `GraphError` are defined in
`overstory_entropy`, which can be used without this package.
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping
from pathlib import Path

from overstory.surrogates import escaped
from overstory_entropy.errors import GraphError as GraphError
from overstory_entropy.errors import OverstoryError as OverstoryError


class SettingsError(OverstoryError):
    """A setting or an option has an invalid value."""

    exit_code = 3


class ServerError(OverstoryError):
    """The embedded Neo4j could not be installed, started or stopped."""

    exit_code = 4


class ProvisioningError(ServerError):
    """A jar or a Java runtime is unavailable or does not match the lock file."""


class ServerStartError(ServerError):
    """The embedded Neo4j did not start or does not respond."""


class DatabaseError(OverstoryError):
    """A Neo4j database cannot be used."""

    exit_code = 5


class DatabaseUnreachable(DatabaseError):
    """No server responds at the address, or the connection broke and could not be restored by retries."""


class AuthenticationFailed(DatabaseError):
    """The server rejected the user or the password."""


class ServerTooOld(DatabaseError):
    """The server is older than Neo4j 5.26."""


class GdsMissing(DatabaseError):
    """The operation needs the Graph Data Science plugin or its Python client, which is not installed."""


class StatementFailed(DatabaseError):
    """The server rejected a statement, or the statement ran out of time or memory."""


class DiskFull(StatementFailed):
    """The server cannot write, most often because its disk is full."""


class WriteConflict(StatementFailed):
    """Another transaction locked or changed the same nodes. Nothing was written."""


class SchemaError(OverstoryError):
    """The stored data does not fit the request."""

    exit_code = 6


class SchemaTooNew(SchemaError):
    """The graph was written by a later version of Overstory."""


class SchemaTooOld(SchemaError):
    """The graph was written by an earlier version of Overstory and cannot be migrated."""


class EmbedderMismatch(SchemaError):
    """The vectors of the corpus come from another embedding model or have another dimension."""


class IndexMissing(SchemaError):
    """The corpus lacks an index that the operation needs."""


class CorpusError(OverstoryError):
    """A corpus cannot be used."""

    exit_code = 7


class CorpusNotFound(CorpusError):
    """No corpus has this name."""


class CorpusDeleting(CorpusNotFound):
    """The corpus is being deleted, or its deletion was interrupted, so part of its data is gone."""


class CorpusNameInvalid(CorpusError):
    """The corpus name is empty or too long, starts or ends with a space, or contains control characters."""


class DocumentNotFound(CorpusError):
    """No document in the corpus has this source.

    Attributes:
        nearest: the most similar sources in the corpus, best first; may be empty.
    """

    def __init__(self, message: str, *, nearest: tuple[str, ...] = (), remedy: str = "") -> None:
        super().__init__(message, remedy=remedy)
        self.nearest = nearest


class DocumentsDisabled(CorpusError):
    """Some documents in the corpus are disabled, and the operation cannot skip them."""


class AnswerNotFound(CorpusError):
    """No remembered answer has this id.

    Attributes:
        several: True if the given id is short and several answers have an id that starts with it.
    """

    def __init__(self, message: str, *, several: bool = False, remedy: str = "") -> None:
        super().__init__(message, remedy=remedy)
        self.several = several


class MemoryKept(CorpusError):
    """The index contains remembered answers, which would be deleted together with the index."""


class WriterBusy(CorpusError):
    """Another process is writing to the corpus. The message identifies the process."""


class LeaseLost(CorpusError):
    """While this process was writing, another process took over the writer lease or deleted the corpus."""


class SourceError(OverstoryError):
    """A source cannot be read."""

    exit_code = 8


class LoaderNotFound(SourceError):
    """No loader has this name, or no loader recognises the source."""


class SourcesEmpty(SourceError):
    """The paths to sync are missing or empty, for example because a disk is not mounted.

    Attributes:
        documents: number of documents in the corpus that were loaded from these paths.
    """

    def __init__(self, message: str, *, documents: int, remedy: str = "") -> None:
        super().__init__(message, remedy=remedy)
        self.documents = documents


class BrokenSource(SourceError):
    """A file, line or record cannot be read. The message names the source.

    Attributes:
        line: line number, counted from 1; None if unknown.
        reason: description of the fault, without source and line.
        hides: True if the fault may have hidden other documents of the source. A sync then does not delete these
            documents from the corpus.
    """

    def __init__(
        self, message: str, *, source: str, line: int | None = None, remedy: str = "", hides: bool = True
    ) -> None:
        shown = escaped(source)  # file names may contain control characters
        where = shown if line is None else f"{shown}, line {line}"
        super().__init__(f"{where}: {message}", remedy=remedy)
        self.source = source
        self.line = line
        self.reason = message
        self.hides = hides


class ModelError(OverstoryError):
    """An embedder, a reranker, a spaCy pipeline or a model file cannot be used."""

    exit_code = 9


class QuestionError(OverstoryError):
    """A question or one of its arguments is invalid, for example an empty question."""

    exit_code = 10


class CommunityNotFound(QuestionError):
    """No community in the tree has this id."""


class EntityNotFound(QuestionError):
    """No passage in the corpus mentions this entity.

    Attributes:
        name: the unknown name. If several names are unknown, this is the first of them.
        suggestions: the names in the corpus that are most similar to `name`, best first; may be empty.
        unknown: all unknown names of the call, each with the most similar names in the corpus.
    """

    def __init__(
        self,
        message: str,
        *,
        name: str,
        suggestions: tuple[str, ...] = (),
        remedy: str = "",
        unknown: Mapping[str, tuple[str, ...]] | None = None,
    ) -> None:
        super().__init__(message, remedy=remedy)
        self.name = name
        self.suggestions = suggestions
        self.unknown = {name: suggestions} if unknown is None else dict(unknown)


class MetadataNotFound(QuestionError):
    """No document in the corpus has this metadata key.

    Attributes:
        nearest: the most similar keys in the corpus, best first; may be empty.
    """

    def __init__(self, message: str, *, nearest: tuple[str, ...] = (), remedy: str = "") -> None:
        super().__init__(message, remedy=remedy)
        self.nearest = nearest


class FilterError(QuestionError):
    """A metadata filter cannot be parsed."""


class StatementRefused(QuestionError):
    """A Cypher statement written by the user (`enrich`) cannot be run, or its rows cannot be assigned to hits."""


class BenchError(OverstoryError):
    """A benchmark folder, question file or relevance file is invalid."""

    exit_code = 11


def install_command(extra: str) -> str:
    """Return the pip command that installs an optional extra. In a source checkout, it makes an editable install."""
    checkout = Path(__file__).parents[2]
    if (checkout / "pyproject.toml").is_file():
        return f"{shlex.quote(sys.executable)} -m pip install -e {shlex.quote(f'{checkout}[{extra}]')}"
    return f'pip install "overstory[{extra}]"'


class ExtraMissing(OverstoryError, ImportError):
    """An optional package is not installed. The remedy contains the command that installs it."""

    exit_code = 13

    def __init__(self, package: str, *, extra: str) -> None:
        super().__init__(f"{package} is not installed.", remedy=f"Install it: {install_command(extra)}")


class LlmError(OverstoryError):
    """A language model cannot be used or returned no usable response."""

    exit_code = 14


class LlmNotSet(LlmError):
    """The operation needs a language model, and no model is configured."""


class LlmUnreachable(LlmError):
    """The endpoint did not respond, took too long, or broke off its response, and retries failed, too."""


class LlmBusy(LlmError):
    """The endpoint is overloaded or the quota is used up. Waiting did not help or would take too long."""


class LlmRefused(LlmError):
    """The endpoint rejected the key, the model name or the request."""


class NoUsableAnswer(LlmError):
    """The model returned no usable response to this request. Other requests may succeed."""


class AnswerRefused(LlmRefused, NoUsableAnswer):
    """The model refused to answer, or a content filter blocked the response. Other requests may succeed."""


class PromptTooLong(NoUsableAnswer):
    """The request is too long for the context window of the model."""


class AnswerTruncated(NoUsableAnswer):
    """The response was cut off at the token limit."""


class AnswerUnusable(NoUsableAnswer):
    """The response is empty, or still invalid after one correction."""


class LlmCancelled(LlmError):
    """Another thread cancelled the request. Its response is lost."""


class BudgetExhausted(LlmError):
    """The next request could exceed the token budget, so it was not sent. Finished work is kept."""

    exit_code = 15
