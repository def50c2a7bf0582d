"""Reads documents from paths and addresses: visits the files in folders, and passes each file to its loader.

The paths of all files that were read are kept in memory. A file that is given twice, or that is also reached through a
symbolic link, is therefore read only once.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from overstory import cancellation
from overstory.errors import BrokenSource
from overstory.model import Document, Loaded, MetadataValue
from overstory.model.metadata import FILE_NAME, FOLDER, MODIFIED, SIZE
from overstory.protocols import DatabaseLoader, Loader, OnBroken, OnSkipped
from overstory.sources.chosen_files import ChosenFiles
from overstory.sources.coverage import Coverage
from overstory.sources.encodings import OnDecoded
from overstory.sources.loader_catalogue import Catalogue, catalogue, recognises
from overstory.sources.loader_runner import LoaderRunner, reads_files_inside
from overstory.sources.paths import (
    LEADS_OUTSIDE,
    absolute,
    has_entries,
    is_file,
    is_folder,
    is_of_kernel,
    is_page,
    is_remote,
    leads_outside,
    problem_of,
    unnamable,
    unreadable,
    why_skipped,
)
from overstory.sources.read_options import ReadOptions
from overstory.sources.reading_process import ReadingProcess, process_of_run
from overstory.sources.remote_files import PageCache, RemoteFiles
from overstory.surrogates import is_well_formed


def describing(path: Path, given: Path) -> Callable[[Loaded], Loaded]:
    """Return a function that adds metadata about the file at `path` to the file's documents.

    Size and modification time are added only if the file is a single document. Otherwise, in a file with a million
    records, the change of one record would change the metadata of all of them.

    Args:
        given: the path that the user specified; the value of the metadata key `folder` is relative to it.
    """
    of_records = {FILE_NAME: path.name, FOLDER: _folder(path, given)}
    of_file = of_records | _measured(path)

    def described(item: Loaded) -> Loaded:
        if not isinstance(item, Document):
            return item
        is_file = not item.source_key and item.source == str(path)
        known = dict(of_file if is_file else of_records)
        if (
            item.source.startswith(f"{path}/") and FOLDER in item.file_metadata
        ):  # this document comes from a file in an archive
            inner = posixpath.join(of_records[FOLDER], path.name, str(item.file_metadata[FOLDER]))
            return replace(item, file_metadata=dict(item.file_metadata) | {FOLDER: posixpath.normpath(inner)})
        return replace(item, file_metadata=known | dict(item.file_metadata))

    return described


def _folder(path: Path, given: Path) -> str:
    """Return the folder of a file relative to the given path.

    Return "." for the given path itself and for files directly in it.
    """
    return "." if path == given else path.parent.relative_to(given).as_posix()


def _measured(path: Path) -> dict[str, MetadataValue]:
    try:
        found = os.stat(path)  # noqa: PTH116
    except OSError:
        return {}  # the loader will report the error
    try:
        modified = datetime.fromtimestamp(found.st_mtime_ns // 10**9, UTC)
    except (ValueError, OverflowError, OSError):  # the time is not a valid date
        return {SIZE: found.st_size}
    return {SIZE: found.st_size, MODIFIED: modified}


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
    on_reading: Callable[[str], None] | None = None,
    only: Sequence[str] | None = None,
    page_cache: Path | None = None,
) -> Iterator[Loaded]:
    """Yield the items of files, folders, web pages, file stores and databases, lazily, in the given order.

    A folder that a loader recognises is passed to that loader in one piece. In all other folders, files are read in
    order of their names, and hidden files are skipped. If a source is broken, `on_broken` is called, which may raise an
    exception, and the run continues with the next source.

    Args:
        loader: name of the only loader to use; None to choose a loader for each file. The loader reads every file that
            is given in `paths`, and in folders the files that it recognises.
        installed: the available loaders; by default all installed loaders.
        coverage: an object in which to record which paths were read, which were not, and which folders are empty.
        on_decoded: called for each file that was read in an encoding other than UTF-8, or with some bytes replaced.
        on_reading: called with each source before it is read.
        only: absolute paths or addresses below `paths`; only these are read. If one of them does not exist, its
            documents count as deleted. If a path is in a folder that a loader reads in one piece, the folder is read.
        page_cache: the folder in which downloaded files are cached; None to cache nothing.

    Raises:
        LoaderNotFound: no loader has the name `loader`, or `paths` is a single file that no loader recognises.
    """
    known = catalogue() if installed is None else installed
    one = None if loader is None else known.named(loader)
    if one is None and len(paths) == 1 and is_file(paths[0]) and known.recognising(paths[0]) is None:
        raise known.not_recognised(paths[0])

    def items() -> Iterator[Loaded]:
        with process_of_run() as process:
            reader = _SourceReader(
                known,
                one,
                on_broken,
                on_skipped,
                Coverage() if coverage is None else coverage,
                options,
                on_decoded or _ignore,
                on_reading or _ignore,
                page_cache,
                process,
            )
            yield from reader.read(paths) if only is None else reader.read_only(paths, only)

    return items()


class _SourceReader:
    def __init__(
        self,
        known: Catalogue,
        only: Loader | None,
        on_broken: OnBroken,
        on_skipped: OnSkipped,
        coverage: Coverage,
        options: ReadOptions,
        on_decoded: OnDecoded,
        on_reading: Callable[[str], None],
        page_cache: Path | None,
        process: ReadingProcess | None,
    ) -> None:
        self._known = known
        self._only = only
        self._loading = LoaderRunner(
            on_broken,
            on_skipped,
            on_decoded,
            encoding=options.encoding,
            within=options.within,
            process=process,
        )
        self._report = self._loading.report
        self._on_skipped = on_skipped
        self._on_reading = on_reading
        self._coverage = coverage
        self._options = options
        self._page_cache = page_cache
        coverage.delete_excluded = options.delete_excluded
        self._done = coverage.read

    def read(self, paths: Sequence[str]) -> Iterator[Loaded]:
        for named in paths:
            if (reader := self._reader_of_database(named)) is not None:
                yield from self._database(named, reader)
                continue
            if not is_file(named) and (is_page(named) or is_remote(named)):
                yield from self._remote(named, None)
                continue
            if (problem := problem_of(named)) is not None:
                self._coverage.add_unusable(named)
                self._report(problem)
                continue
            path = absolute(named)
            if self._leads_outside(path):
                self._coverage.add_root(str(path))
                continue
            loader = self._loader_for(path, named=True)
            whole = path if loader is None else self._whole(path, loader)
            self._coverage.add_root(
                str(whole), with_contents=is_folder(path) or (loader is not None and reads_files_inside(loader))
            )
            if loader is not None:
                yield from self._read(whole, loader, given=whole)
            elif is_folder(path):
                yield from self._folder(path)
            else:
                self._coverage.add_unread(str(path), "no loader recognises it")
                self._report(self._known.why_not(str(path)) or self._unknown(path))

    def _unknown(self, path: Path) -> BrokenSource:
        remedy = self._known.not_recognised(str(path)).remedy
        return BrokenSource("no loader recognises it", source=str(path), remedy=remedy)

    def read_only(self, paths: Sequence[str], only: Sequence[str]) -> Iterator[Loaded]:
        """Read like `read`, but only the paths and addresses in `only` (see `read_sources`)."""
        for named in paths:
            if is_page(named) or is_remote(named):
                yield from self._remote(named, only)
                continue
            root = absolute(named)
            below = [Path(path) for path in only if Path(path).is_relative_to(root)]
            is_walked = below and root not in below and is_folder(root) and self._loader_for(root) is None
            if is_walked and has_entries(root):
                yield from self._parts(root, below)
            elif below:
                yield from self.read([named])

    def _parts(self, root: Path, below: Sequence[Path]) -> Iterator[Loaded]:
        """The documents of a path that does not exist count as deleted."""
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
        """Return the path that must be read because `path` has changed.

        This is one of the following:

        - `path` itself;
        - a folder that contains `path` and that a loader reads in one piece;
        - the outermost folder around `path` that no longer exists;
        - None if `path` is hidden or excluded.
        """
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
            if not is_folder(here) or self._loader_for(here) is not None:
                return here
        return here

    def _remote(self, named: str, only: Sequence[str] | None) -> Iterator[Loaded]:
        try:
            remote = self._remote_files(named)
        except BrokenSource as error:
            self._report(error)
            return
        for fetched in remote.files(only):
            loader = self._loader_for(fetched.path, named=True)
            if loader is None:  # pragma: no cover # cannot happen: only files that a loader recognises are fetched
                continue
            self._on_reading(fetched.address)
            yield from self._loading.items_of_fetched(fetched, loader)
            if self._loading.hiding:
                self._coverage.add_unread(fetched.address, "a part of it is broken")

    def _remote_files(self, named: str) -> RemoteFiles:
        def is_recognised(path: str) -> bool:
            return self._only is not None or self._known.recognising(path) is not None

        remote: type[RemoteFiles]
        if is_remote(named):
            from overstory.sources.stores import StoreFiles  # imported here because most runs do not need it

            remote = StoreFiles
        else:
            from overstory.sources.web_pages import WebPages

            remote = WebPages
        return remote(
            named,
            self._options,
            PageCache(self._page_cache),
            is_recognised=is_recognised,
            on_broken=self._report,
            on_skipped=self._on_skipped,
            coverage=self._coverage,
        )

    def _reader_of_database(self, source: str) -> DatabaseLoader | None:
        if is_file(source):
            return None
        loader = self._known.of_database(source)
        return loader if self._only is None or self._only is loader else None

    def _database(self, source: str, loader: DatabaseLoader) -> Iterator[Loaded]:
        """Yield the items of a database. If a part of it cannot be read, sync keeps all of its stored documents."""
        try:
            namespaces = loader.namespaces(source)
        except BrokenSource as error:
            self._report(error)
            return
        for each in namespaces:
            self._coverage.add_root(each, with_contents=False)
        yield from self._loading.items(source, loader)
        if self._loading.hiding:
            for each in namespaces:
                self._coverage.add_unread(each, "a part of it is broken")

    def _loader_for(self, path: Path, *, named: bool = False) -> Loader | None:
        """If the user requested a loader, only that loader is considered.

        Args:
            named: True if the path is one of the given paths. A requested loader reads a given file in any case, and
                other files only if it recognises them.
        """
        if self._only is None:
            return self._known.recognising(str(path))
        wanted = recognises(self._only, str(path)) or (named and is_file(path))
        return self._only if wanted or self._known.recognising(str(path)) is self._only else None

    def _whole(self, path: Path, loader: Loader) -> Path:
        return path.parent if is_file(path) and recognises(loader, str(path.parent)) else path

    def _folder(self, folder: Path) -> Iterator[Loaded]:
        anything = False
        chosen = self._chosen(folder)
        found = self._walk(folder, chosen)
        following = next(found, None)
        while following is not None:
            (path, loader), following = following, next(found, None)
            anything = True
            yield from self._read(path, loader, given=folder, chosen=chosen, following=following)
        if not anything:
            self._coverage.add_empty(str(folder))
            what = "any loader recognises" if self._only is None else f"the loader {self._only.name!r} recognises"
            what += " and the patterns include" if self._options.leaves_out else ""
            self._report(BrokenSource(f"contains nothing that {what}", source=str(folder), remedy="Check the path."))

    def _chosen(self, folder: Path) -> ChosenFiles | None:
        return ChosenFiles(folder, self._options, self._report) if self._options.leaves_out else None

    def _walk(
        self, folder: Path, chosen: ChosenFiles | None, *, start: Path | None = None
    ) -> Iterator[tuple[Path, Loader]]:
        """Symbolic links are followed, but no folder is entered twice.

        Args:
            start: a path in the folder; only this path and everything below it is visited.
        """
        entered: set[str] = set()
        left = [folder if start is None else start]
        while left:
            cancellation.check()
            path = left.pop()
            if self._leads_outside(path):
                continue
            readable = path is not folder and (is_file(path) or is_folder(path))
            if readable and chosen is not None and self._is_left_out(path, chosen):
                self._coverage.add_excluded(str(path))
                continue
            loader = self._loader_for(path) if readable else None
            if loader is not None and chosen is not None and not chosen.includes(path, is_folder=is_folder(path)):
                loader = None  # the folder does not match the patterns, but files further below may
            if loader is not None:
                yield path, loader
            elif is_folder(path):
                real = os.path.realpath(path)
                if path is not folder and is_of_kernel(path):
                    self._on_skipped(f"{path} (a kernel folder)")
                elif real not in entered:
                    entered.add(real)
                    if chosen is not None:
                        chosen.enter(path)
                    left.extend(reversed(self._entries(path, entered_before=real in self._coverage.entered)))
                    self._coverage.entered.add(real)
            else:
                why = why_skipped(path)
                self._coverage.add_unread(str(path), why or "no loader reads it")
                if why:
                    self._on_skipped(f"{path} ({why})")
                else:
                    self._on_skipped(self._known.skipped(str(path), str(path)) if self._only is None else str(path))

    def _leads_outside(self, path: Path) -> bool:
        """Return True if a path leads outside the folders to which the run is confined, and report it as skipped."""
        if not leads_outside(path, self._options.within):
            return False
        self._coverage.add_unread(str(path), LEADS_OUTSIDE)
        self._on_skipped(f"{path} ({LEADS_OUTSIDE})")
        return True

    def _is_left_out(self, path: Path, chosen: ChosenFiles) -> bool:
        below = is_folder(path)
        return chosen.excludes(path, is_folder=below) or not (below or chosen.includes(path))

    def _entries(self, folder: Path, *, entered_before: bool) -> list[Path]:
        try:
            entries = sorted(folder.iterdir())
        except OSError as error:
            self._coverage.add_unread(str(folder), "it cannot be read")
            self._report(unreadable(error, str(folder)))
            return []
        if not entries:
            self._coverage.add_empty(str(folder))
        visible = [entry for entry in entries if not entry.name.startswith(".")]
        self._coverage.hidden += 0 if entered_before else len(entries) - len(visible)
        for entry in visible:
            if not is_well_formed(str(entry)):
                self._report(unnamable(str(entry)))
        return [entry for entry in visible if is_well_formed(str(entry))]

    def _read(
        self,
        path: Path,
        loader: Loader,
        *,
        given: Path,
        chosen: ChosenFiles | None = None,
        following: tuple[Path, Loader] | None = None,
    ) -> Iterator[Loaded]:
        real = os.path.realpath(path)
        if real in self._done:
            return
        self._done.add(real)
        if is_folder(path):
            self._report_other_files(path, loader, chosen)
        if following is not None and os.path.realpath(following[0]) in self._done:
            following = None
        yield from map(describing(path, given), self._items(str(path), loader, following))

    def _report_other_files(self, folder: Path, loader: Loader, chosen: ChosenFiles | None) -> None:
        for path, other in self._walk(folder, chosen) if self._only is None else ():
            read_before = os.path.realpath(path) in self._done
            if other is not loader and not read_before and not recognises(loader, str(path)):
                why = f"its folder is read as a whole, by the loader {loader.name!r}"
                self._coverage.add_unread(str(path), why)
                self._on_skipped(f"{path} ({why})")

    def _items(self, source: str, loader: Loader, following: tuple[Path, Loader] | None) -> Iterator[Loaded]:
        self._on_reading(source)
        then = None if following is None else (str(following[0]), following[1])
        yield from self._loading.items(source, loader, following=then)
        holds_files = reads_files_inside(loader)
        for where in self._loading.hiding:  # if a file in an archive is broken, only that file counts as not read
            is_inside = holds_files and where.startswith(f"{source}/")
            self._coverage.add_unread(where if is_inside else source, "a part of it is broken")


def _ignore(_value: object) -> None:
    pass
