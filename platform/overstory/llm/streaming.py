"""Assembles a streamed answer into the shape of a complete response."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from overstory.endpoints import KeyMask
from overstory.surrogates import well_formed


@dataclass(slots=True)
class Listened:
    """The part of an answer received so far, with the fields of a complete response that are read.

    Attributes:
        mask: masks the key in the text.
        most: maximum characters; what is longer is cut, and `finish` is then "length".
        begun: whether any part of the answer has arrived.
        cut: whether it was longer than `most`, so that nothing more of it is needed.
        finish: why it ended; None before its end.
        usage: the endpoint's token counts, if any.
    """

    mask: KeyMask
    most: int
    text: str = ""
    refusal: str = ""
    begun: bool = False
    cut: bool = False
    finish: str | None = None
    model: str | None = None
    usage: Any = field(default=None)  # from the client, whose types are not validated

    @property
    def choices(self) -> list[SimpleNamespace]:
        message = SimpleNamespace(content=self.text, refusal=self.refusal or None)
        return [SimpleNamespace(message=message, finish_reason=self.finish)]

    def take(self, chunk: Any) -> str:  # as `usage`
        """Add a chunk of the stream; returns its text, "" if it has none."""
        self.usage = getattr(chunk, "usage", None) or self.usage
        self.model = self.model or getattr(chunk, "model", None)
        choices = getattr(chunk, "choices", None)
        if not choices:  # the last chunk, which only has the usage, or a keep-alive
            return ""
        self.begun = True
        self.finish = getattr(choices[0], "finish_reason", None) or self.finish
        delta = getattr(choices[0], "delta", None)
        self.refusal += str(getattr(delta, "refusal", None) or "")
        piece = getattr(delta, "content", None) or ""
        if not isinstance(piece, str):
            raise ValueError(f"a piece of its text is a {type(piece).__name__}.")
        return self._added(self.mask.take(well_formed(piece)))

    def rest(self) -> str:
        """The rest of the text, at the end: what might have been the beginning of the key."""
        return self._added(self.mask.rest())

    def _added(self, piece: str) -> str:
        room = self.most - len(self.text)
        if len(piece) > room:
            piece, self.finish, self.cut = piece[:room], "length", True
        self.text += piece
        return piece
