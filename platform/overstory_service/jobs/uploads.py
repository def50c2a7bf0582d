"""Parses forms with uploaded files, and stores the files in a private folder until their job has ended."""

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

# Some clients send file names that are not ASCII in the parameter `filename*` (RFC 8187), which RFC 7578 forbids in
# forms. Starlette ignores this parameter, and it would treat a file without `filename` as an ordinary form field.

_PARAMETER = re.compile(r";\s*([^=;\s]+)\s*=\s*(\"(?:\\.|[^\"\\])*+\"|[^;]*)")
_EXTENDED = re.compile(r"\"?(utf-8|iso-8859-1)'[^']*'([^\s\"]*)\"?\s*", re.IGNORECASE)


@asynccontextmanager
async def upload_form(request: Request, *, most_files: int, most_fields: int) -> AsyncGenerator[FormData]:
    """Parse the form in a request, and provide it during the `with` block. Its files are closed afterwards.

    If the request contains no form, an empty form is provided.

    Raises:
        HTTPException: the form cannot be parsed, or it contains too many files or fields.
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
            # With any `filename`, Starlette treats this part of the form as a file.
            part.content_disposition = (part.content_disposition or b"") + b'; filename="-"'
        super().on_headers_finished()
        if name is not None and part.file is not None:
            part.file.filename = name


def extended_name(disposition: bytes) -> str | None:
    """Return the decoded parameter `filename*` of a Content-Disposition header, or None if it is missing or invalid."""
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
"""Maximum length of each part of a file name's path, in bytes."""
_LOCK = ".lock"
_UNSAFE = re.compile(r"[\x00-\x1f\x7f-\x9f‪-‮⁦-⁩]")


class Uploads:
    """The folder of uploaded files. It contains a subfolder for each job."""

    def __init__(self, root: Path) -> None:
        self._root = root
        root.mkdir(mode=0o700, parents=True, exist_ok=True)
        root.chmod(0o700)
        mark = root / "place"
        if not mark.exists():
            part = mark.with_name(f"place.{uuid.uuid4().hex}")
            part.write_text(uuid.uuid4().hex, encoding="ascii")
            try:
                mark.hardlink_to(part)  # if several processes try this at the same time, only the first succeeds
            except FileExistsError:
                pass
            finally:
                part.unlink()
        self.place = mark.read_text(encoding="ascii")
        """Unique id of this folder, which distinguishes it from upload folders on other machines."""

    def folder(self, job: str) -> Path:
        if not re.fullmatch(r"[0-9a-f]{32}", job):
            raise ValueError(f"{job!r} is not the id of a job.")
        return self._root / job

    def file(self, job: str, name: str) -> Path:
        """Return the path at which an uploaded file must be stored, and create its parent folders.

        Args:
            name: the name of the file, which the client may choose freely; it may contain folders.

        Raises:
            Refused: the name is invalid, or another file in the request has the same name.
        """
        path = self.folder(job).joinpath(*safe_parts(name))
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        except (FileExistsError, NotADirectoryError):
            raise Refused(
                f"Another file of the request has the name of a folder in {shortened(name)!r}.",
                remedy="Rename one of them.",
            ) from None
        if path.exists():
            raise Refused(f"Two files of the request are named {name!r}.", remedy="Rename one of them.")
        return path

    def delete(self, job: str) -> None:
        shutil.rmtree(self.folder(job), ignore_errors=True)

    def jobs(self) -> list[str]:
        """Return the ids of the jobs that have files in this folder, including files that are still arriving."""
        names = {each.name.removesuffix(_LOCK) for each in self._root.iterdir()}
        return sorted(name for name in names if re.fullmatch(r"[0-9a-f]{32}", name))

    @contextmanager
    def arriving(self, job: str) -> Generator[None]:
        """Keep other processes from deleting the files of a job with `delete_unless` during the `with` block."""
        with self._lock(job) as lock:
            try:
                yield
            finally:
                Path(lock.lock_file).unlink(missing_ok=True)

    def delete_unless(self, is_wanted: Callable[[str], bool]) -> None:
        """Delete the files of all jobs for which `is_wanted` returns False, except files that are still arriving."""
        for job in self.jobs():
            lock = self._lock(job)
            with suppress(Timeout), lock.acquire(timeout=0):
                if not is_wanted(job):
                    self.delete(job)
                Path(lock.lock_file).unlink(missing_ok=True)

    def _lock(self, job: str) -> FileLock:
        return FileLock(f"{self.folder(job)}{_LOCK}")


def safe_parts(name: str) -> tuple[str, ...]:
    """Return the parts of a relative path that a client sent, after checking that it does not lead out of its folder.

    Raises:
        Refused: the path is absolute, or one of its parts is invalid.
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
            f"{shortened(name)!r} is not a valid file name.",
            remedy="Use a name like notes.md or docs/notes.md, without .. and without parts that start with a dot. "
            f"Each part may have at most {_LONGEST_NAME_BYTES} bytes.",
        )
    return tuple(parts)
