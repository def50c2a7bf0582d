"""Where something was read: a source, and the key of a document in it."""

from __future__ import annotations

from overstory.display import origin


class HasOrigin:
    """Anything with a source and a source key, which say where it comes from."""

    __slots__ = ()

    source: str
    source_key: str

    @property
    def origin(self) -> str:
        """Where it comes from: source, and key if there is one."""
        return origin(self.source, self.source_key)


class HasPage(HasOrigin):
    """Anything that comes from a place in a document, which may have pages."""

    __slots__ = ()

    page: int | None
    corpus: str = ""

    @property
    def origin(self) -> str:
        """Where it comes from: source, and key and page if there are; and the corpus, where several were asked."""
        place = origin(self.source, self.source_key, self.page)
        return f"{place} in {self.corpus}" if self.corpus else place
