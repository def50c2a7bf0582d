"""An answer that comes in pieces, put together in the form of one that came whole."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from overstory.surrogates import well_formed


@dataclass(slots=True)
class Listened:
    """What was heard of an answer so far. Has the fields of a whole answer that the client looks at.

    Attributes:
        begun: something of an answer came, if only its beginning.
        finish: why it ended; None as long as it has not.
        usage: what the endpoint counted, if it did.
    """

    text: str = ""
    refusal: str = ""
    begun: bool = False
    finish: str | None = None
    model: str | None = None
    usage: Any = field(default=None)  # as the client gives it, which does not look at its types

    @property
    def choices(self) -> list[SimpleNamespace]:
        message = SimpleNamespace(content=self.text, refusal=self.refusal or None)
        return [SimpleNamespace(message=message, finish_reason=self.finish)]

    def take(self, chunk: Any) -> str:  # as `usage`
        """Adds a chunk of the stream; the piece of text in it, "" if it has none.

        Raises:
            ValueError: it is no chunk of an answer.
        """
        self.usage = getattr(chunk, "usage", None) or self.usage
        self.model = self.model or getattr(chunk, "model", None)
        choices = getattr(chunk, "choices", None)
        if not choices:  # the last chunk, which has the usage alone, or a sign of life
            return ""
        self.begun = True
        self.finish = getattr(choices[0], "finish_reason", None) or self.finish
        delta = getattr(choices[0], "delta", None)
        self.refusal += str(getattr(delta, "refusal", None) or "")
        piece = getattr(delta, "content", None) or ""
        if not isinstance(piece, str):
            raise ValueError(f"a piece of its text is a {type(piece).__name__}.")
        piece = well_formed(piece)
        self.text += piece
        return piece
