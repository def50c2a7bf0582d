"""Uploaded files: the form that they come in, and the private folder that keeps them until their job has ended."""

from __future__ import annotations

import re
import shutil
import uuid
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import aclosing, asynccontextmanager, contextmanager, suppress
from http import HTTPStatus
from pathlib import Path
from urllib.parse import unquote

from filelock import FileLock, Timeout
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import Request

from overstory.display import shortened
from overstory.model.metadata import composed_text
from overstory_service.problems import Refused

# The form of an upload, in which files may be named by `filename*` (RFC 8187).
#
# Some clients name files outside ASCII so. RFC 7578 forbids it in forms, and the parser of Starlette skips it: a file
# without `filename` would be a field.

_PARAMETER = re.compile(r";\s*([^=;\s]+)\s*=\s*(\"(?:\\.|[^\"\\])*+\"|[^;]*)")
_EXTENDED = re.compile(r"\"?(utf-8|iso-8859-1)'[^']*'([^\s\"]*)\"?\s*", re.IGNORECASE)


@asynccontextmanager
async def upload_form(request: Request, *, most_files: int, most_fields: int) -> AsyncGenerator[FormData]:
    """Yield the form of a request; its files are closed when the block ends.

    Raises:
        HTTPException: the form cannot be read, or has more files or fields.
    """
    form = FormData()
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() == "multipart/form-data":
        async with aclosing(request.stream()) as stream:
            parser = _NamedFiles(request.headers, stream, max_files=most_files, max_fields=most_fields)
            try:
                form = await parser.parse()
            except MultiPartException as error:
                raise HTTPException(HTTPStatus.BAD_REQUEST, error.message) from error
    try:
        yield form
    finally:
        await form.close()


class _NamedFiles(MultiPartParser):
    def on_headers_finished(self) -> None:
        part = self._current_part
        name = extended_name(part.content_disposition or b"")
        if name is not None:
            part.content_disposition = (part.content_disposition or b"") + b'; filename="-"'  # makes it a file
        super().on_headers_finished()
        if name is not None and part.file is not None:
            part.file.filename = name


def extended_name(disposition: bytes) -> str | None:
    """Return the name that `filename*` of a Content-Disposition header has; None without one that can be read."""
    for name, value in _PARAMETER.findall(disposition.decode("latin-1")):
        found = _EXTENDED.fullmatch(value) if name.lower() == "filename*" else None
        if found is not None:
            try:
                return unquote(found[2], encoding=found[1], errors="strict")
            except UnicodeDecodeError:
                return None
    return None


_MOST_FOLDERS_OF_A_NAME = 20
_LONGEST_NAME_BYTES = 255
"""Bytes of each part of a path."""
_LOCK = ".lock"
_UNSAFE = re.compile(r"[\x00-\x1f\x7f-\x9f‪-‮⁦-⁩]")


class Uploads:
    """The folder of uploads of an instance."""

    def __init__(self, root: Path) -> None:
        self._root = root
        root.mkdir(mode=0o700, parents=True, exist_ok=True)
        root.chmod(0o700)
        mark = root / "place"
        if not mark.exists():
            part = mark.with_name(f"place.{uuid.uuid4().hex}")
            part.write_text(uuid.uuid4().hex, encoding="ascii")
            try:
                mark.hardlink_to(part)  # the first of several processes
            except FileExistsError:
                pass
            finally:
                part.unlink()
        self.place = mark.read_text(encoding="ascii")
        """Id of this folder, which tells it from folders of other machines."""

    def folder(self, job: str) -> Path:
        """Return the folder of the files of a job."""
        if not re.fullmatch(r"[0-9a-f]{32}", job):
            raise ValueError(f"{job!r} is no id of a job")
        return self._root / job

    def file(self, job: str, name: str) -> Path:
        """Return the path for a file below the folder of its job, which is made.

        Raises:
            Refused: the name is not allowed, or another file of the request has it.
        """
        path = self.folder(job).joinpath(*safe_parts(name))
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        except (FileExistsError, NotADirectoryError):
            raise Refused(
                f"A file of the request is named as a folder of {shortened(name)!r}.", remedy="Name one otherwise."
            ) from None
        if path.exists():
            raise Refused(f"Two files of the request are named {name!r}.", remedy="Give each a name of its own.")
        return path

    def delete(self, job: str) -> None:
        """Delete the files of a job, if it has any."""
        shutil.rmtree(self.folder(job), ignore_errors=True)

    def jobs(self) -> list[str]:
        """Return the ids of the jobs that have files, or whose files arrive."""
        names = {each.name.removesuffix(_LOCK) for each in self._root.iterdir()}
        return sorted(name for name in names if re.fullmatch(r"[0-9a-f]{32}", name))

    @contextmanager
    def arriving(self, job: str) -> Generator[None]:
        """Keep the files of a job from `delete_unless` of other processes until the block ends."""
        with self._lock(job) as lock:
            try:
                yield
            finally:
                Path(lock.lock_file).unlink(missing_ok=True)

    def delete_unless(self, is_wanted: Callable[[str], bool]) -> None:
        """Delete the files of unwanted jobs, except files that arrive."""
        for job in self.jobs():
            lock = self._lock(job)
            with suppress(Timeout), lock.acquire(timeout=0):
                if not is_wanted(job):
                    self.delete(job)
                Path(lock.lock_file).unlink(missing_ok=True)

    def _lock(self, job: str) -> FileLock:
        return FileLock(f"{self.folder(job)}{_LOCK}")


def safe_parts(name: str) -> tuple[str, ...]:
    """Return the parts of a relative path of a client, which leads down only.

    Raises:
        Refused: it does not.
    """
    parts = re.split(r"[/\\]", composed_text(name))
    usable = all(
        part.strip()
        and not part.startswith(".")
        and len(part.encode("utf-8", "replace")) <= _LONGEST_NAME_BYTES
        and not _UNSAFE.search(part)
        and part.isprintable()
        for part in parts
    )
    if not usable or len(parts) > _MOST_FOLDERS_OF_A_NAME or re.match(r"[A-Za-z]:", name):
        raise Refused(
            f"A file cannot be named {shortened(name)!r}.",
            remedy="Name it like notes.md or docs/notes.md, without .. or parts that begin with a dot, each part of at "
            f"most {_LONGEST_NAME_BYTES} bytes.",
        )
    return tuple(parts)
