"""Every error that Overstory raises on purpose.

    OverstoryError                          1
    ├── SettingsError                       3   a setting or option has a value that cannot be used
    ├── ServerError                         4   the embedded Neo4j
    │   ├── ProvisioningError                   a jar or Java is not available, or does not match the lock list
    │   └── ServerStartError                    it did not start, or does not answer
    ├── DatabaseError                       5   a Neo4j that cannot be used
    │   ├── DatabaseUnreachable
    │   ├── AuthenticationFailed
    │   ├── ServerTooOld
    │   ├── GdsMissing
    │   └── StatementFailed                     a statement was refused or ran out of time or memory
    │       ├── DiskFull                            the server cannot write: its disk is full
    │       └── WriteConflict                       another transaction had what it was to write
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
    │   ├── DocumentsDisabled                   some are disabled, and what was asked for cannot leave them out
    │   ├── AnswerNotFound                      no remembered answer has this id
    │   ├── MemoryKept                          an index with remembered answers is not removed with them
    │   ├── WriterBusy                          another process holds the writer lease
    │   └── LeaseLost                           the lease was lost while writing
    ├── SourceError                         8   a source cannot be read
    │   ├── LoaderNotFound
    │   ├── SourcesEmpty                        nothing is left of the paths to sync with, as after an unmount
    │   └── BrokenSource                        names the file and, if known, the line
    ├── ModelError                          9   an embedder, a reranker, a spaCy pipeline or a model file
    ├── QuestionError                      10   a question that cannot be asked
    │   ├── EntityNotFound                        a name that no passage mentions
    │   ├── CommunityNotFound                   no community has this id
    │   ├── MetadataNotFound                    a key that no document has metadata by
    │   ├── FilterError                         a filter that cannot be read
    │   └── StatementRefused                    a statement of the user's own that cannot be run, or used
    ├── BenchError                         11   an invalid benchmark folder
    ├── GraphError                         12   invalid edges, weights, vectors or trees
    ├── ExtraMissing                       13   an optional package is not installed; also an ImportError
    └── LlmError                           14   a language model
        ├── LlmNotSet                           none is set, and what was asked for needs one
        ├── LlmUnreachable                      no answer, not in time, or answers break off
        ├── LlmBusy                             it is overloaded or its quota used up, and waiting did not help
        ├── LlmRefused                          the key, the model or the request was refused
        │   └── AnswerRefused                   the model refused to answer the request
        ├── NoUsableAnswer                      to this request; AnswerRefused is one, too
        │   ├── PromptTooLong                   the request does not fit the model's context
        │   ├── AnswerTruncated                 the answer was cut off at the token limit
        │   └── AnswerUnusable                  the answer is empty or invalid
        ├── LlmCancelled                        the request was cancelled from another thread
        └── BudgetExhausted                15   the next request might exceed the budget; it was not sent

The numbers are exit codes of the command line; a class without a number has its parent's. 2 is a wrong use of a
command (from click), 130 an interruption. `OverstoryError` and `GraphError` are those of `overstory_entropy`, which can
be imported without this package.
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
    """A setting or an option has a value that cannot be used."""

    exit_code = 3


class ServerError(OverstoryError):
    """The embedded Neo4j could not be provided, started, or stopped."""

    exit_code = 4


class ProvisioningError(ServerError):
    """A jar or a Java runtime is not available, or does not match the lock list."""


class ServerStartError(ServerError):
    """The embedded Neo4j did not start, or does not answer."""


class DatabaseError(OverstoryError):
    """A Neo4j that cannot be used in its present state."""

    exit_code = 5


class DatabaseUnreachable(DatabaseError):
    """Nothing answers at the address, or the connection broke and retries did not help."""


class AuthenticationFailed(DatabaseError):
    """User or password were refused."""


class ServerTooOld(DatabaseError):
    """The server is older than Neo4j 5.26."""


class GdsMissing(DatabaseError):
    """The Graph Data Science plugin, or its Python client, is needed but not installed."""


class StatementFailed(DatabaseError):
    """The server refused a statement, or it ran out of time or memory."""


class DiskFull(StatementFailed):
    """The server cannot write, most often because its disk is full."""


class WriteConflict(StatementFailed):
    """Another transaction changes or holds what this one was to write; nothing was written."""


class SchemaError(OverstoryError):
    """The stored data does not fit the request."""

    exit_code = 6


class SchemaTooNew(SchemaError):
    """The graph was written by a later version of Overstory."""


class SchemaTooOld(SchemaError):
    """The graph was written by an earlier version of Overstory, and cannot be migrated."""


class EmbedderMismatch(SchemaError):
    """The corpus was embedded with another model or dimension."""


class IndexMissing(SchemaError):
    """The corpus lacks a required index stage."""


class CorpusError(OverstoryError):
    """A corpus cannot be used."""

    exit_code = 7


class CorpusNotFound(CorpusError):
    """No corpus has this name."""


class CorpusDeleting(CorpusNotFound):
    """The corpus is being deleted, or that was interrupted: a part of it is gone."""


class CorpusNameInvalid(CorpusError):
    """The name is empty, too long, or has control characters."""


class DocumentNotFound(CorpusError):
    """No document of the corpus has this source.

    Attributes:
        nearest: the sources that are most like it, best first; may be empty.
    """

    def __init__(self, message: str, *, nearest: tuple[str, ...] = (), remedy: str = "") -> None:
        super().__init__(message, remedy=remedy)
        self.nearest = nearest


class DocumentsDisabled(CorpusError):
    """Documents are disabled, and what was asked for cannot leave them out."""


class AnswerNotFound(CorpusError):
    """No remembered answer has this id, or `several` have ids that begin so."""

    def __init__(self, message: str, *, several: bool = False, remedy: str = "") -> None:
        super().__init__(message, remedy=remedy)
        self.several = several


class MemoryKept(CorpusError):
    """An index remembers answers, which would be lost with it."""


class WriterBusy(CorpusError):
    """Another process is writing to the corpus; the message names it."""


class LeaseLost(CorpusError):
    """The writer lease went to another process, or the corpus was deleted, while this one was writing."""


class SourceError(OverstoryError):
    """A source cannot be read."""

    exit_code = 8


class LoaderNotFound(SourceError):
    """No loader has this name, or none recognises the source."""


class SourcesEmpty(SourceError):
    """Nothing is left to read of the paths that a corpus is synced with, as when a disk is not mounted.

    Attributes:
        documents: how many documents the corpus has of them.
    """

    def __init__(self, message: str, *, documents: int, remedy: str = "") -> None:
        super().__init__(message, remedy=remedy)
        self.documents = documents


class BrokenSource(SourceError):
    """A file, line or record is broken; the message names it.

    Attributes:
        source: the path or other address that could not be read.
        line: its line, counted from 1, if known.
        reason: what is wrong, without either.
        hides: whether documents of the source may not have been read for it, so that a sync keeps them.
    """

    def __init__(
        self, message: str, *, source: str, line: int | None = None, remedy: str = "", hides: bool = True
    ) -> None:
        shown = escaped(source)  # a file may have any name
        where = shown if line is None else f"{shown}, line {line}"
        super().__init__(f"{where}: {message}", remedy=remedy)
        self.source = source
        self.line = line
        self.reason = message
        self.hides = hides


class ModelError(OverstoryError):
    """An embedder, a reranker, a spaCy pipeline or one of their files cannot be used."""

    exit_code = 9


class QuestionError(OverstoryError):
    """A question that cannot be asked: empty, or nothing but white space."""

    exit_code = 10


class CommunityNotFound(QuestionError):
    """No community of the tree has this id."""


class EntityNotFound(QuestionError):
    """No passage of the corpus mentions this name.

    Attributes:
        name: the unknown name; of two, the first.
        suggestions: the most similar names of the corpus, best first; may be empty.
        unknown: every unknown name that was given, each with its suggestions.
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
    """No document of the corpus has metadata by this key.

    Attributes:
        nearest: the keys that are most like it, best first; may be empty.
    """

    def __init__(self, message: str, *, nearest: tuple[str, ...] = (), remedy: str = "") -> None:
        super().__init__(message, remedy=remedy)
        self.nearest = nearest


class FilterError(QuestionError):
    """A filter on metadata cannot be read."""


class StatementRefused(QuestionError):
    """A statement of the user's own on hits cannot be run, or what it returns cannot go to them."""


class BenchError(OverstoryError):
    """A benchmark folder, question file or relevance file is invalid."""

    exit_code = 11


def install_command(extra: str) -> str:
    """The command that installs an extra: in a checkout, from which this package is run, another one than elsewhere."""
    checkout = Path(__file__).parents[2]
    if (checkout / "pyproject.toml").is_file():
        return f"{shlex.quote(sys.executable)} -m pip install -e {shlex.quote(f'{checkout}[{extra}]')}"
    return f'pip install "overstory[{extra}]"'


class ExtraMissing(OverstoryError, ImportError):
    """An optional package is not installed; the remedy names the extra that includes it."""

    exit_code = 13

    def __init__(self, package: str, *, extra: str) -> None:
        super().__init__(f"{package} is not installed.", remedy=f"Install it: {install_command(extra)}")


class LlmError(OverstoryError):
    """A language model cannot be used, or gave no usable answer."""

    exit_code = 14


class LlmNotSet(LlmError):
    """No language model is set, and what was asked for needs one."""


class LlmUnreachable(LlmError):
    """The endpoint does not answer, not in time, or its answers break off; retries did not help."""


class LlmBusy(LlmError):
    """The endpoint is overloaded or a quota is used up, and waiting did not help, or would take too long."""


class LlmRefused(LlmError):
    """The endpoint refused the key, the model's name, or the request."""


class NoUsableAnswer(LlmError):
    """A request brings no answer that can be used; another request may."""


class AnswerRefused(LlmRefused, NoUsableAnswer):
    """The model refused to answer, or a content filter applied; another request may succeed."""


class PromptTooLong(NoUsableAnswer):
    """The request does not fit the model's context."""


class AnswerTruncated(NoUsableAnswer):
    """The answer was cut off at the token limit."""


class AnswerUnusable(NoUsableAnswer):
    """The answer is empty, or does not validate even after one correction."""


class LlmCancelled(LlmError):
    """The request was cancelled from another thread; its answer is lost."""


class BudgetExhausted(LlmError):
    """The next request might exceed the token budget, so it was not sent. Finished work is kept."""

    exit_code = 15
