"""Which files below a folder are read: patterns as .gitignore has them, given or found in the tree.

As in git, the last pattern of a list that fits decides, `!` takes a file in again, the .gitignore of a folder further
down counts before those above, and nothing is taken in again below a folder that is left out, which is not entered.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from overstory.errors import BrokenSource
from overstory.sources.read_options import GitPatterns, ReadOptions, spec_of

IGNORE_FILE = ".gitignore"
_IGNORE_FILE_BYTES = 1_048_576
"""The most that is read of a .gitignore file."""


class ChosenFiles:
    """The files of one named folder that patterns leave in."""

    def __init__(
        self,
        folder: Path,
        options: ReadOptions,
        on_broken: Callable[[BrokenSource], None],
        *,
        reads_files: bool = True,
    ) -> None:
        """
        Args:
            reads_files: whether the folder is one of this machine, which may have .gitignore files.
        """
        self._folder = folder
        self._include = spec_of(options.include, "include")
        self._exclude = spec_of(options.exclude, "exclude")
        self._gitignore = options.gitignore and reads_files
        self._on_broken = on_broken
        self._ignored: dict[Path, GitPatterns] = {}
        if self._gitignore:
            for above in reversed(_up_to_repository(folder)):
                self.enter(above)

    def enter(self, folder: Path) -> None:
        """Reads the .gitignore of a folder, if it has one; call it before asking for what is in the folder."""
        if not self._gitignore or folder in self._ignored:
            return
        try:
            with (folder / IGNORE_FILE).open(encoding="utf-8", errors="surrogateescape") as lines:
                text = lines.read(_IGNORE_FILE_BYTES)
            self._ignored[folder] = GitPatterns(text.splitlines())
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            return
        except (OSError, ValueError) as error:
            why = error.strerror if isinstance(error, OSError) else str(error)
            self._on_broken(
                BrokenSource(
                    f"cannot be read: {why}; nothing is left out by it",
                    source=str(folder / IGNORE_FILE),
                    remedy="Correct it, or leave --gitignore out.",
                )
            )

    def excludes(self, path: Path, *, is_folder: bool) -> bool:
        """Whether a path is left out, with everything below it."""
        if self._exclude is not None and self._exclude.decision(self._name(path), is_folder=is_folder):
            return True
        for folder in path.parents if self._ignored else ():
            if folder in self._ignored:
                decision = self._ignored[folder].decision(path.relative_to(folder).as_posix(), is_folder=is_folder)
                if decision is not None:
                    return decision
        return False

    def includes(self, path: Path, *, is_folder: bool = False) -> bool:
        """Whether one of the patterns to include fits, or there are none. One fits a folder that is read as a whole if
        it fits a file in it."""
        if self._include is None:
            return True
        name = self._name(path)
        if self._include.decision(name, is_folder=is_folder):
            return True
        if not is_folder:
            return False
        try:
            return any(self._include.decision(f"{name}/{entry.name}") for entry in path.iterdir())
        except OSError:
            return False

    def chooses(self, relative: str) -> bool:
        """Whether a file is read that is known by its path below the folder alone, as files elsewhere are."""
        path = self._folder / relative
        between = [each for each in path.parents if each.is_relative_to(self._folder) and each != self._folder]
        return (
            self.includes(path)
            and not self.excludes(path, is_folder=False)
            and not any(self.excludes(each, is_folder=True) for each in between)
        )

    def _name(self, path: Path) -> str:
        return path.relative_to(self._folder).as_posix()


def _up_to_repository(folder: Path) -> list[Path]:
    """A folder and those above it up to the one that has `.git`; the folder alone if none has."""
    above = [folder]
    for each in (folder, *folder.parents):
        if each != folder:
            above.append(each)
        if (each / ".git").exists():
            return above
    return [folder]
