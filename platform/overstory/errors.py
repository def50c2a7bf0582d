"""Every error that Overstory raises on purpose.

    OverstoryError                          1
    ├── SettingsError                       3   a setting or option has a value that cannot be used
    ├── ServerError                         4   the embedded Neo4j
    │   ├── ProvisioningError                   a jar or Java could not be had, or is not what the lock list says
    │   └── ServerStartError                    it did not start, or does not answer
    ├── DatabaseError                       5   a Neo4j that answers, but not as needed
    │   ├── DatabaseUnreachable
    │   ├── AuthenticationFailed
    │   ├── ServerTooOld
    │   ├── GdsMissing
    │   └── StatementFailed                     a statement was refused or ran out of time or memory
    ├── SchemaError                         6   what is stored does not fit what is asked
    │   ├── SchemaTooNew
    │   ├── SchemaTooOld
    │   ├── EmbedderMismatch
    │   └── IndexMissing
    ├── CorpusError                         7
    │   ├── CorpusNotFound
    │   ├── CorpusNameInvalid
    │   ├── WriterBusy                          another process holds the writer lease
    │   └── LeaseLost                           the lease was lost while writing
    ├── SourceError                         8   something to load cannot be read
    │   ├── LoaderNotFound
    │   └── BrokenSource                        names the file and, where known, the line
    ├── ModelError                          9   an embedder, a spaCy pipeline or a model file
    ├── QuestionError                      10   a question that cannot be asked
    │   └── NameNotFound                        a name that no passage mentions
    ├── BenchError                         11   a benchmark folder that is not one
    ├── GraphError                         12   edges, weights, vectors or trees that no graph can be made of
    ├── ExtraMissing                       13   a package that only some need is not installed; an ImportError too
    └── LlmError                           14   a language model
        ├── LlmUnreachable                      nothing answers, not in time, or answers break off
        ├── LlmBusy                             it is overloaded or its quota used up, and waiting did not help
        ├── LlmRefused                          the key, the model or the request was refused
        │   └── AnswerRefused                   the model would not answer this one
        ├── PromptTooLong                       the request does not fit the model's context
        ├── AnswerTruncated                     the answer ended at the limit of tokens, before it was complete
        ├── AnswerUnusable                      the answer is empty, or not of the form that was asked for
        ├── LlmCancelled                        somebody else ended the request
        └── BudgetExhausted                15   the next request might go over the budget; it was not sent

The numbers are exit codes of the command line; a class without a number has its parent's. 2 is a wrong use of a
command (from click), 130 an interruption.
"""

from __future__ import annotations

from typing import ClassVar


class OverstoryError(Exception):
    """Raised on purpose: what is wrong (`str(error)`), and what the reader can do about it (`error.remedy`).

    A traceback shows the remedy too, as a note.
    """

    exit_code: ClassVar[int] = 1

    def __init__(self, message: str, *, remedy: str = "") -> None:
        super().__init__(message)
        self.remedy = remedy
        if remedy:
            self.add_note(remedy)


class SettingsError(OverstoryError):
    """A setting or an option has a value that cannot be used."""

    exit_code = 3


class ServerError(OverstoryError):
    """The embedded Neo4j could not be provided, started, or stopped."""

    exit_code = 4


class ProvisioningError(ServerError):
    """A jar or a Java runtime could not be had, or is not what the lock list says."""


class ServerStartError(ServerError):
    """The embedded Neo4j did not start, or started and does not answer."""


class DatabaseError(OverstoryError):
    """A Neo4j that cannot be used as it is."""

    exit_code = 5


class DatabaseUnreachable(DatabaseError):
    """Nothing answers at the address, or the connection broke and retries did not help."""


class AuthenticationFailed(DatabaseError):
    """User or password were refused."""


class ServerTooOld(DatabaseError):
    """The server is older than Neo4j 5.26."""


class GdsMissing(DatabaseError):
    """A stage needs the Graph Data Science plugin, or its Python client, and it is not installed."""


class StatementFailed(DatabaseError):
    """The server refused a statement, or it ran out of time or memory."""


class SchemaError(OverstoryError):
    """What is stored does not fit what is asked."""

    exit_code = 6


class SchemaTooNew(SchemaError):
    """The graph was written by a later version of Overstory."""


class SchemaTooOld(SchemaError):
    """The graph was written by an earlier version of Overstory, and cannot be migrated."""


class EmbedderMismatch(SchemaError):
    """The corpus was embedded by another model, or with another dimension."""


class IndexMissing(SchemaError):
    """The corpus lacks an index stage that the caller needs."""


class CorpusError(OverstoryError):
    """A corpus cannot be used as asked."""

    exit_code = 7


class CorpusNotFound(CorpusError):
    """No corpus has this name."""


class CorpusNameInvalid(CorpusError):
    """The name is empty, too long, or has control characters."""


class WriterBusy(CorpusError):
    """Another process is writing to the corpus; the message names it."""


class LeaseLost(CorpusError):
    """The writer lease went to another process, or the corpus was deleted, while this one was writing."""


class SourceError(OverstoryError):
    """Something to be loaded cannot be read."""

    exit_code = 8


class LoaderNotFound(SourceError):
    """No loader has this name, or none recognises the source."""


class BrokenSource(SourceError):
    """A file, line or record is broken; the message names it.

    Attributes:
        source: what could not be read: a path or another address.
        line: its line, counted from 1, where one is known.
    """

    def __init__(self, message: str, *, source: str, line: int | None = None, remedy: str = "") -> None:
        where = source if line is None else f"{source}, line {line}"
        super().__init__(f"{where}: {message}", remedy=remedy)
        self.source = source
        self.line = line


class ModelError(OverstoryError):
    """An embedder, a spaCy pipeline or one of their files cannot be used."""

    exit_code = 9


class QuestionError(OverstoryError):
    """A question that cannot be asked: empty, or nothing but white space."""

    exit_code = 10


class NameNotFound(QuestionError):
    """No passage of the corpus mentions this name.

    Attributes:
        name: what was asked for.
        suggestions: the names of the corpus that are most like it, the likest first; maybe none.
    """

    def __init__(self, message: str, *, name: str, suggestions: tuple[str, ...] = (), remedy: str = "") -> None:
        super().__init__(message, remedy=remedy)
        self.name = name
        self.suggestions = suggestions


class BenchError(OverstoryError):
    """A benchmark folder, question file or relevance file that is not one."""

    exit_code = 11


class GraphError(OverstoryError):
    """Edges, weights, vectors or trees that the entropy engine cannot work on; the message names the first bad row."""

    exit_code = 12


class ExtraMissing(OverstoryError, ImportError):
    """A package that only some need is not installed; the remedy names the extra that brings it."""

    exit_code = 13

    def __init__(self, package: str, *, extra: str) -> None:
        super().__init__(f"{package} is not installed.", remedy=f'Install it: pip install "overstory[{extra}]"')


class LlmError(OverstoryError):
    """A language model cannot be used, or gave nothing of use."""

    exit_code = 14


class LlmUnreachable(LlmError):
    """Nothing answers at the endpoint's address, not in time, or its answers break off; retries did not help."""


class LlmBusy(LlmError):
    """The endpoint is overloaded or a quota is used up, and waiting did not help, or would take too long."""


class LlmRefused(LlmError):
    """The endpoint refused the key, the model's name, or what was asked."""


class AnswerRefused(LlmRefused):
    """The model would not answer this request, or a content filter struck; another request may do."""


class PromptTooLong(LlmError):
    """The request does not fit the model's context."""


class AnswerTruncated(LlmError):
    """The answer ended at the limit of tokens, before it was complete."""


class AnswerUnusable(LlmError):
    """The answer is empty, or still not of the form that was asked for after one correction."""


class LlmCancelled(LlmError):
    """The request was ended from another thread; whatever it would have answered is lost."""


class BudgetExhausted(LlmError):
    """The next request might go over the budget of tokens, so it was not sent. What was done is kept."""

    exit_code = 15
