"""Runs loaders, one source at a time. If a loader raises an error, the error is reported, and the run continues."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from overstory import cancellation
from overstory.display import error_text
from overstory.errors import BrokenSource, OverstoryError
from overstory.model import Annotation, Document, Link, Loaded
from overstory.protocols import Loader, OnBroken, OnSkipped
from overstory.sources.encodings import DecodedFile, OnDecoded, use_fallback
from overstory.sources.paths import confined_to, is_of_kernel, unreadable
from overstory.sources.reading_process import ReadingProcess
from overstory.sources.remote_files import FetchedFile

_END: Final = object()


class LoaderRunner:
    """Runs loaders, and passes what they report to the callbacks of a run.

    Attributes:
        hiding: sources that were reported as broken while the last file was read, and in which documents may be
            missing for this reason.
    """

    def __init__(
        self,
        on_broken: OnBroken,
        on_skipped: OnSkipped,
        on_decoded: OnDecoded,
        *,
        encoding: str,
        process: ReadingProcess | None = None,
        within: Sequence[str] = (),
    ) -> None:
        """
        Args:
            encoding: the fallback encoding, as in `ReadOptions`.
            process: the worker process in which isolated loaders run; None to run all loaders in this process.
            within: as in `ReadOptions`.
        """
        self._on_broken = on_broken
        self._on_skipped = on_skipped
        self._on_decoded = on_decoded
        self._encoding = encoding
        self._process = process
        self._within = within
        self._raised: BaseException | None = None
        self._decoded_last: DecodedFile | None = None
        self._fetched: FetchedFile | None = None
        self.hiding: set[str] = set()

    def report(self, error: BrokenSource) -> None:
        """Report a broken source. If the callback `on_broken` raises an exception, the run ends with this exception."""
        if error.hides:
            self.hiding.add(error.source)
        try:
            self._on_broken(error if self._fetched is None else self._fetched.renamed_error(error))
        except BaseException as raised:
            self._raised = raised
            raise
        cancellation.check()  # checked here, too, because a loader may report a million faults before its next item

    def items(self, source: str, loader: Loader, *, following: tuple[str, Loader] | None = None) -> Iterator[Loaded]:
        """Yield the items that a loader reads from a source.

        Args:
            following: the source that will probably be read next, and its loader. A worker process can begin to read it
                early.
        """
        self.hiding.clear()
        if is_of_kernel(source):
            remedy = "Copy the part that you need into a regular file."
            self.report(BrokenSource("is a kernel file, which may never end", source=source, remedy=remedy))
            return
        if self._process is not None and is_isolated(loader):
            yield from self._process.items(
                source,
                loader,
                encoding=self._encoding,
                within=self._within,
                on_broken=self.report,
                on_skipped=self._on_skipped,
                on_decoded=self._report_decoded,
                following=following if following is not None and is_isolated(following[1]) else None,
            )
        else:
            yield from self.items_here(source, loader)

    def items_here(self, source: str, loader: Loader) -> Iterator[Loaded]:
        """Yield the same items as `items`, but always run the loader in this process."""
        items: Iterator[object] | None = None
        while True:
            cancellation.check()
            try:
                with use_fallback(self._encoding, self._report_decoded), confined_to(self._within):
                    if items is None:
                        items = iter(self._load(source, loader))
                    item = next(items, _END)
                if item is not _END and not isinstance(item, (Document, Annotation, Link)):
                    raise TypeError(f"it returned a {type(item).__name__}, not a Document")
            except Exception as error:  # noqa: BLE001 # a loader of another package may raise anything
                if self._raised is not None:
                    raise self._raised from None
                self.report(_as_broken(error, source, loader))
                return
            if not isinstance(item, (Document, Annotation, Link)):
                return
            yield item

    def items_of_fetched(self, fetched: FetchedFile, loader: Loader) -> Iterator[Loaded]:
        """Yield the items of a downloaded file. Their sources are addresses instead of temporary paths."""
        self._fetched = fetched
        try:
            for item in self.items(str(fetched.path), loader):
                if (renamed := fetched.renamed(item)) is not None:
                    yield renamed
        finally:
            self._fetched = None

    def _load(self, source: str, loader: Loader) -> Iterator[Loaded]:
        load_container: Callable[..., Iterator[Loaded]] | None = getattr(loader, "load_container", None)
        if load_container is None:
            return loader.load(source, on_broken=self.report)
        return load_container(source, on_broken=self.report, on_skipped=self._on_skipped)

    def _report_decoded(self, decoded: DecodedFile) -> None:
        if decoded == self._decoded_last:  # a table is reported twice, because it is opened for its header and its rows
            return
        self._decoded_last = decoded
        self._on_decoded(decoded if self._fetched is None else self._fetched.renamed_decoded(decoded))


def is_isolated(loader: Loader) -> bool:
    """Return True if this loader must run in a worker process."""
    return bool(getattr(loader, "isolated", False))


def reads_files_inside(loader: Loader) -> bool:
    """Return True if this loader reads files that contain other files, such as archives."""
    return hasattr(loader, "load_container")


def _as_broken(error: Exception, source: str, loader: Loader) -> BrokenSource:
    if isinstance(error, BrokenSource):
        return error
    if isinstance(error, OverstoryError):
        broken = BrokenSource(str(error), source=source, remedy=error.remedy)
    elif isinstance(error, OSError):
        broken = unreadable(error, source)
    else:
        broken = BrokenSource(
            f"the loader {loader.name!r} failed: {type(error).__name__}: {error_text(error)}",
            source=source,
            remedy="Report this to the authors of the loader, with the file.",
        )
    broken.__cause__ = error
    return broken
