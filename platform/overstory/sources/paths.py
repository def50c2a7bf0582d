"""What stands at a path of the file system, and why it cannot be read."""

from __future__ import annotations

import functools
import os
from pathlib import Path

from overstory.errors import BrokenSource
from overstory.surrogates import is_well_formed


def problem_of(path: str) -> BrokenSource | None:
    """The reason why no loader can read a named path, if any."""
    if not is_well_formed(path):
        return unnamable(path)
    if path and (is_file(path) or is_folder(path)):
        return None
    try:
        Path(path or "\0").stat()
    except PermissionError as error:
        return unreadable(error, path)
    except (OSError, ValueError):
        shown = path or "(an empty path)"
        return BrokenSource("there is no such file or folder", source=shown, remedy="Check the path.")
    return BrokenSource("is neither a file nor a folder", source=path, remedy="Write it to a file first.")


def why_skipped(path: Path) -> str:
    """ "" for a file that no loader reads."""
    if is_file(path):
        return ""
    return "neither a file nor a folder" if os.path.exists(path) else "a broken link"  # noqa: PTH110 # as below


# Path.is_file and Path.is_dir raise for paths in a folder that cannot be entered.
def is_file(path: str | Path) -> bool:
    return os.path.isfile(path)  # noqa: PTH113


def is_folder(path: str | Path) -> bool:
    return os.path.isdir(path)  # noqa: PTH112


def has_entries(folder: Path) -> bool:
    try:
        return any(folder.iterdir())
    except OSError:
        return False


def is_of_kernel(path: str | Path) -> bool:
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


def unreadable(error: OSError, source: str) -> BrokenSource:
    if isinstance(error, PermissionError):
        remedy = "Check the permissions of the file and of its folders."
        return BrokenSource("cannot be read: permission denied", source=source, remedy=remedy)
    return BrokenSource(f"cannot be read: {error.strerror or error}", source=source)


def unnamable(path: str) -> BrokenSource:
    shown = os.fsencode(path).decode("utf-8", "backslashreplace")
    return BrokenSource("its name is not UTF-8", source=shown, remedy="Rename it.")
