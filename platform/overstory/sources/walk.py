"""From paths to documents: the walk through folders, and the handling of unreadable files.

Only the names of files already read are kept in memory, so that a file named twice, or reached through a link, is read
once.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from overstory.errors import BrokenSource, OverstoryError
from overstory.model import Annotation, Document, Link, Loaded
from overstory.protocols import DatabaseLoader, Loader, OnBroken, OnSkipped, TellingLoader
from overstory.sources.addresses import is_page, is_remote
from overstory.sources.chosen_files import ChosenFiles
from overstory.sources.coverage import Coverage
from overstory.sources.described_files import describing
from overstory.sources.encodings import DecodedFile, OnDecoded, decoding_others
from overstory.sources.installed import Catalogue, catalogue, find_loader, loaders, recognises
from overstory.sources.read_options import ReadOptions
from overstory.surrogates import is_well_formed

if TYPE_CHECKING:
    from overstory.sources.stores import StoreFiles
    from overstory.sources.web_pages import WebPages

__all__ = ["OnSkipped", "absolute", "find_loader", "loaders", "read_sources"]

_END: Final = object()
_AS_USUAL: Final = ReadOptions()


def read_sources(
    paths: Sequence[str],
    *,
    loader: str | None,
    on_broken: OnBroken,
    on_skipped: OnSkipped,
    installed: Catalogue | None = None,
    coverage: Coverage | None = None,
    options: ReadOptions = _AS_USUAL,
    on_decoded: OnDecoded | None = None,
    only: Sequence[str] | None = None,
    page_cache: Path | None = None,
) -> Iterator[Loaded]:
    """The documents of files and folders, lazily, in the given order.

    A folder that a loader recognises is read as a whole; any other is walked in order of names, without hidden files.
    Broken sources are passed to `on_broken`, which may raise, and the rest is read.

    Args:
        loader: read everything with the loader of this name; in folders, the files that it recognises.
        installed: the loaders to choose from; by default those of the entry points.
        coverage: learns which paths were read, which were not, and which folders are empty.
        options: which files of folders are read, and how.
        on_decoded: hears of files that were read in another encoding than UTF-8.
        only: of `paths`, read only these files and folders, absolute ones, as if all were read; those that are not
            there are gone. Of a folder that is read as a whole, all is read.
        page_cache: the folder of pages that were fetched before; without it, none is kept.

    Raises:
        LoaderNotFound: no loader has this name, or none knows the only file.
    """
    known = catalogue() if installed is None else installed
    one = None if loader is None else known.named(loader)
    if one is None and len(paths) == 1 and _is_file(paths[0]) and known.recognising(paths[0]) is None:
        raise known.not_recognised(paths[0])
    reader = _SourceReader(
        known,
        one,
        on_broken,
        on_skipped,
        Coverage() if coverage is None else coverage,
        options,
        on_decoded or _ignore,
        page_cache,
    )
    return reader.read(paths) if only is None else reader.read_only(paths, only)


class _Reports:
    """Passes broken sources to the listener, and keeps the exception that it raises: this is not a failure of the
    loader, and stops everything."""

    def __init__(self, on_broken: OnBroken) -> None:
        self._on_broken = on_broken
        self.raised: BaseException | None = None
        self.hiding: set[str] = set()
        self.renamed: Callable[[BrokenSource], BrokenSource] | None = None

    def __call__(self, error: BrokenSource) -> None:
        if error.hides:
            self.hiding.add(error.source)
        try:
            self._on_broken(error if self.renamed is None else self.renamed(error))
        except BaseException as raised:
            self.raised = raised
            raise


class _SourceReader:
    """The state of one call of `read_sources`: the files already read, and the listeners."""

    def __init__(
        self,
        known: Catalogue,
        only: Loader | None,
        on_broken: OnBroken,
        on_skipped: OnSkipped,
        coverage: Coverage,
        options: ReadOptions,
        on_decoded: OnDecoded,
        page_cache: Path | None = None,
    ) -> None:
        self._known = known
        self._only = only
        self._reports = _Reports(on_broken)
        self._on_skipped = on_skipped
        self._coverage = coverage
        self._options = options
        self._on_decoded = on_decoded
        self._decoded_last: DecodedFile | None = None
        self._page_cache = page_cache
        self._renamed_decoded: Callable[[DecodedFile], DecodedFile] | None = None
        coverage.delete_excluded = options.delete_excluded
        self._done = coverage.read

    def read(self, paths: Sequence[str]) -> Iterator[Loaded]:
        for named in paths:
            if (reader := self._reader_of_database(named)) is not None:
                yield from self._database(named, reader)
                continue
            if not _is_file(named) and (is_page(named) or is_remote(named)):
                yield from self._remote(named, None)
                continue
            if (problem := _problem(named)) is not None:
                self._coverage.add_unusable(named)
                self._reports(problem)
                continue
            path = absolute(named)
            loader = self._loader_for(path, named=True)
            whole = path if loader is None else self._whole(path, loader)
            self._coverage.add_root(str(whole), with_contents=_is_folder(path) or isinstance(loader, TellingLoader))
            if loader is not None:
                yield from self._read(whole, loader, given=whole)
            elif _is_folder(path):
                yield from self._folder(path)
            else:
                error = self._known.not_recognised(str(path))
                self._coverage.add_unread(str(path), "no loader recognises it")
                self._reports(BrokenSource("no loader recognises it", source=str(path), remedy=error.remedy))

    def read_only(self, paths: Sequence[str], only: Sequence[str]) -> Iterator[Loaded]:
        """As `read`, but of folders that are walked only some paths."""
        for named in paths:
            if is_page(named) or is_remote(named):
                yield from self._remote(named, only)
                continue
            root = absolute(named)
            below = [Path(path) for path in only if Path(path).is_relative_to(root)]
            is_walked = below and root not in below and _is_folder(root) and self._loader_for(root) is None
            if is_walked and _has_entries(root):
                yield from self._parts(root, below)
            elif below:
                yield from self.read([named])

    def _parts(self, root: Path, below: Sequence[Path]) -> Iterator[Loaded]:
        """Some paths of a folder, of which those that are not there are gone."""
        chosen = self._chosen(root)
        units = {unit for path in below if (unit := self._unit(root, path, chosen)) is not None}
        for unit in sorted(units):
            if not units.isdisjoint(unit.parents):
                continue
            self._coverage.add_root(str(unit))
            if os.path.lexists(unit):
                for path, loader in self._walk(root, chosen, start=unit):
                    yield from self._read(path, loader, given=root, chosen=chosen)

    def _unit(self, root: Path, path: Path, chosen: ChosenFiles | None) -> Path | None:
        """What is to be read where a path changed: the path, the folder around it that is read as a whole, or the
        first part of it that is not there; None for what a walk would not look at."""
        here = root
        for name in path.relative_to(root).parts:
            if chosen is not None:
                chosen.enter(here)
            here = here / name
            if name.startswith(".") or not is_well_formed(name):
                return None
            if not os.path.lexists(here):
                return here
            if chosen is not None and self._is_left_out(here, chosen):
                return None
            if not _is_folder(here) or self._loader_for(here) is not None:
                return here
        return here

    def _remote(self, named: str, only: Sequence[str] | None) -> Iterator[Loaded]:
        """The items of files that are fetched one by one."""
        try:
            remote = self._remote_files(named)
        except BrokenSource as error:
            self._reports(error)
            return
        for fetched in remote.files(only):
            loader = self._loader_for(fetched.path, named=True)
            if loader is None:  # pragma: no cover # it was asked before
                continue
            self._reports.hiding.clear()
            self._reports.renamed = fetched.renamed_error
            self._renamed_decoded = fetched.renamed_decoded
            try:
                for item in self._guarded(str(fetched.path), loader):
                    if (renamed := fetched.renamed(item)) is not None:
                        yield renamed
            finally:
                self._reports.renamed = self._renamed_decoded = None
            if self._reports.hiding:
                self._coverage.add_unread(fetched.address, "a part of it is broken")

    def _remote_files(self, named: str) -> WebPages | StoreFiles:
        def is_recognised(name: str) -> bool:
            nowhere = f"{os.devnull}/{name}"  # a file of this name may be in the working directory
            return self._only is not None or self._known.recognising(nowhere) is not None

        from overstory.sources.page_cache import PageCache  # most runs fetch nothing

        if is_remote(named):
            from overstory.sources.stores import StoreFiles

            return StoreFiles(
                named,
                self._options,
                PageCache(self._page_cache),
                is_recognised=is_recognised,
                on_broken=self._reports,
                on_skipped=self._on_skipped,
                coverage=self._coverage,
            )
        from overstory.sources.web_pages import WebPages

        return WebPages(
            named,
            self._options,
            PageCache(self._page_cache),
            is_recognised=is_recognised,
            on_broken=self._reports,
            on_skipped=self._on_skipped,
            coverage=self._coverage,
        )

    def _heard_decoded(self, decoded: DecodedFile) -> None:
        if decoded == self._decoded_last:  # a table is opened twice: for its header, and for its rows
            return
        self._decoded_last = decoded
        self._on_decoded(decoded if self._renamed_decoded is None else self._renamed_decoded(decoded))

    def _reader_of_database(self, source: str) -> DatabaseLoader | None:
        if _is_file(source):
            return None
        loader = self._known.of_database(source)
        return loader if self._only is None or self._only is loader else None

    def _database(self, source: str, loader: DatabaseLoader) -> Iterator[Loaded]:
        """The items of a database. What of it could not be read keeps its documents."""
        try:
            namespaces = loader.namespaces(source)
        except BrokenSource as error:
            self._reports(error)
            return
        for each in namespaces:
            self._coverage.add_root(each, with_contents=False)
        self._reports.hiding.clear()
        yield from self._guarded(source, loader)
        if self._reports.hiding:
            for each in namespaces:
                self._coverage.add_unread(each, "a part of it is broken")

    def _loader_for(self, path: Path, *, named: bool = False) -> Loader | None:
        """The loader of a path. A requested loader reads every named file, and in folders those it recognises."""
        if self._only is None:
            return self._known.recognising(str(path))
        wanted = recognises(self._only, str(path)) or (named and _is_file(path))
        return self._only if wanted or self._known.recognising(str(path)) is self._only else None

    def _whole(self, path: Path, loader: Loader) -> Path:
        """The file's folder if the same loader reads it as a whole, which is the same source; otherwise the file."""
        return path.parent if _is_file(path) and recognises(loader, str(path.parent)) else path

    def _folder(self, folder: Path) -> Iterator[Loaded]:
        """All recognised files of a named folder; it is an error if there are none."""
        anything = False
        chosen = self._chosen(folder)
        for path, loader in self._walk(folder, chosen):
            anything = True
            yield from self._read(path, loader, given=folder, chosen=chosen)
        if not anything:
            self._coverage.add_empty(str(folder))
            what = "any loader recognises" if self._only is None else f"the loader {self._only.name!r} recognises"
            what += " and the patterns leave in" if self._options.leaves_out else ""
            self._reports(BrokenSource(f"contains nothing that {what}", source=str(folder), remedy="Check the path."))

    def _chosen(self, folder: Path) -> ChosenFiles | None:
        return ChosenFiles(folder, self._options, self._reports) if self._options.leaves_out else None

    def _walk(
        self, folder: Path, chosen: ChosenFiles | None, *, start: Path | None = None
    ) -> Iterator[tuple[Path, Loader]]:
        """The paths to read below a folder, in order of names. Links are followed, but no folder is entered twice.

        Args:
            start: only this path in the folder, and what is below it.
        """
        entered: set[str] = set()
        left = [folder if start is None else start]
        while left:
            path = left.pop()
            readable = path is not folder and (_is_file(path) or _is_folder(path))
            if readable and chosen is not None and self._is_left_out(path, chosen):
                self._coverage.add_excluded(str(path))
                continue
            loader = self._loader_for(path) if readable else None
            if loader is not None and chosen is not None and not chosen.includes(path, is_folder=_is_folder(path)):
                loader = None  # a folder is not read as a whole, but there may be something in it
            if loader is not None:
                yield path, loader
            elif _is_folder(path):
                real = os.path.realpath(path)
                if path is not folder and _is_of_kernel(path):
                    self._on_skipped(f"{path} (a folder of the kernel)")
                elif real not in entered:
                    entered.add(real)
                    if chosen is not None:
                        chosen.enter(path)
                    left.extend(reversed(self._entries(path, entered_before=real in self._coverage.entered)))
                    self._coverage.entered.add(real)
            else:
                why = _why_skipped(path)
                self._coverage.add_unread(str(path), why or "no loader reads it")
                self._on_skipped(f"{path} ({why})" if why else str(path))

    def _is_left_out(self, path: Path, chosen: ChosenFiles) -> bool:
        is_folder = _is_folder(path)
        return chosen.excludes(path, is_folder=is_folder) or not (is_folder or chosen.includes(path))

    def _entries(self, folder: Path, *, entered_before: bool) -> list[Path]:
        try:
            entries = sorted(folder.iterdir())
        except OSError as error:
            self._coverage.add_unread(str(folder), "it cannot be read")
            self._reports(_unreadable(error, str(folder)))
            return []
        if not entries:
            self._coverage.add_empty(str(folder))
        visible = [entry for entry in entries if not entry.name.startswith(".")]
        self._coverage.hidden += 0 if entered_before else len(entries) - len(visible)
        for entry in visible:
            if not is_well_formed(str(entry)):
                self._reports(_unnamable(str(entry)))
        return [entry for entry in visible if is_well_formed(str(entry))]

    def _read(self, path: Path, loader: Loader, *, given: Path, chosen: ChosenFiles | None = None) -> Iterator[Loaded]:
        real = os.path.realpath(path)
        if real in self._done:
            return
        self._done.add(real)
        if _is_folder(path):
            self._report_other_files(path, loader, chosen)
        yield from map(describing(path, given), self._items(str(path), loader))

    def _report_other_files(self, folder: Path, loader: Loader, chosen: ChosenFiles | None) -> None:
        """Report as skipped the files that would be read elsewhere, but are not part of this folder's format."""
        for path, other in self._walk(folder, chosen) if self._only is None else ():
            read_before = os.path.realpath(path) in self._done
            if other is not loader and not read_before and not recognises(loader, str(path)):
                why = f"its folder is read as a whole, by the loader {loader.name!r}"
                self._coverage.add_unread(str(path), why)
                self._on_skipped(f"{path} ({why})")

    def _items(self, source: str, loader: Loader) -> Iterator[Loaded]:
        """The items that a loader reads from a source. Its exceptions are reported as broken, not the consumer's."""
        self._reports.hiding.clear()
        yield from self._guarded(source, loader)
        holds_files = isinstance(loader, TellingLoader)
        for where in self._reports.hiding:  # of an archive, only what lies in the file that is broken
            is_inside = holds_files and where.startswith(f"{source}/")
            self._coverage.add_unread(where if is_inside else source, "a part of it is broken")

    def _load(self, source: str, loader: Loader) -> Iterator[Loaded]:
        if isinstance(loader, TellingLoader):
            return loader.load_telling(source, on_broken=self._reports, on_skipped=self._on_skipped)
        return loader.load(source, on_broken=self._reports)

    def _guarded(self, source: str, loader: Loader) -> Iterator[Loaded]:
        items: Iterator[object] | None = None
        if _is_of_kernel(source):
            remedy = "Copy what you need of it into a file."
            self._reports(BrokenSource("is a file of the kernel, which may never end", source=source, remedy=remedy))
            return
        while True:
            try:
                with decoding_others(self._options.encoding, self._heard_decoded):
                    if items is None:
                        items = iter(self._load(source, loader))
                    item = next(items, _END)
                if item is not _END and not isinstance(item, (Document, Annotation, Link)):
                    raise TypeError(f"it returned a {type(item).__name__}, not a Document")
            except Exception as error:  # noqa: BLE001 # loaders of other packages may raise anything, and must not stop the rest
                if self._reports.raised is not None:
                    raise self._reports.raised from None
                self._reports(_as_broken(error, source, loader))
                return
            if not isinstance(item, (Document, Annotation, Link)):
                return
            yield item


def _ignore(_told: object) -> None:
    """For who does not want to hear."""


def _problem(path: str) -> BrokenSource | None:
    """The reason why no loader can read a named path, if any."""
    if not is_well_formed(path):
        return _unnamable(path)
    if path and (_is_file(path) or _is_folder(path)):
        return None
    try:
        Path(path or "\0").stat()
    except PermissionError as error:
        return _unreadable(error, path)
    except (OSError, ValueError):
        shown = path or "(an empty path)"
        return BrokenSource("there is no such file or folder", source=shown, remedy="Check the path.")
    return BrokenSource("is neither a file nor a folder", source=path, remedy="Write it to a file first.")


def _why_skipped(path: Path) -> str:
    """ "" for a file that no loader reads."""
    if _is_file(path):
        return ""
    return "neither a file nor a folder" if os.path.exists(path) else "a broken link"  # noqa: PTH110 # as below


# Path.is_file and Path.is_dir raise for paths in a folder that cannot be entered.
def _is_file(path: str | Path) -> bool:
    return os.path.isfile(path)  # noqa: PTH113


def _is_folder(path: str | Path) -> bool:
    return os.path.isdir(path)  # noqa: PTH112


def _has_entries(folder: Path) -> bool:
    try:
        return any(folder.iterdir())
    except OSError:
        return False


def _is_of_kernel(path: str | Path) -> bool:
    """Whether the kernel makes up the contents while they are read: such files call themselves regular, and a read of
    /proc/kmsg waits for ever."""
    try:
        device = Path(path).stat().st_dev
    except (OSError, ValueError):
        return False
    return device in _kernel_devices() or os.path.realpath(path).startswith(("/proc/", "/sys/"))


@functools.cache
def _kernel_devices() -> frozenset[int]:
    return frozenset(Path(place).stat().st_dev for place in ("/proc", "/sys") if os.path.ismount(place))


def absolute(path: str) -> Path:
    """The absolute path without "..", links not followed: a document is identified by the path that was given."""
    plain = Path(os.path.abspath(path))  # noqa: PTH100 # Path.absolute keeps ".."
    # "link/.." is the parent of the link's target, not the folder of the link.
    return plain if ".." not in Path(path).parts or _is_same(plain, path) else Path(path).resolve()


def _is_same(plain: Path, path: str) -> bool:
    try:
        return plain.samefile(path)
    except OSError:
        return False


def _as_broken(error: Exception, source: str, loader: Loader) -> BrokenSource:
    if isinstance(error, BrokenSource):
        return error
    if isinstance(error, OverstoryError):
        broken = BrokenSource(str(error), source=source, remedy=error.remedy)
    elif isinstance(error, OSError):
        broken = _unreadable(error, source)
    else:
        broken = BrokenSource(
            f"the loader {loader.name!r} failed: {type(error).__name__}: {error}",
            source=source,
            remedy="Report this to the authors of the loader, with the file.",
        )
    broken.__cause__ = error
    return broken


def _unreadable(error: OSError, source: str) -> BrokenSource:
    if isinstance(error, PermissionError):
        remedy = "Check the permissions of the file and of its folders."
        return BrokenSource("cannot be read: permission denied", source=source, remedy=remedy)
    return BrokenSource(f"cannot be read: {error.strerror or error}", source=source)


def _unnamable(path: str) -> BrokenSource:
    shown = os.fsencode(path).decode("utf-8", "backslashreplace")
    return BrokenSource("its name is not UTF-8", source=shown, remedy="Rename it.")
