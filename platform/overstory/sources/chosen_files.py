"""Selects the files below a folder with patterns from the options of a run and from .gitignore files.

Patterns work as in git:

- The last matching pattern in a list decides.
- A pattern that begins with "!" includes files again.
- A .gitignore file takes precedence over .gitignore files in parent folders.
- A folder that is excluded is not entered.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from overstory.errors import BrokenSource
from overstory.sources.read_options import GitPatterns, ReadOptions, spec_of

IGNORE_FILE = ".gitignore"
_LONGEST_IGNORE_FILE_CHARACTERS = 1_000_000


class ChosenFiles:
    """Decides which files below one folder are read."""

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
            reads_files: False if the folder is not on this machine; its .gitignore files are then not read.
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
        """Read the .gitignore file in a folder, if there is one.

        This must be called before `excludes` is called for a file in the folder.
        """
        if not self._gitignore or folder in self._ignored:
            return
        try:
            with (folder / IGNORE_FILE).open(encoding="utf-8", errors="surrogateescape") as lines:
                text = lines.read(_LONGEST_IGNORE_FILE_CHARACTERS + 1)
            if len(text) > _LONGEST_IGNORE_FILE_CHARACTERS:
                raise ValueError(f"it has more than {_LONGEST_IGNORE_FILE_CHARACTERS:,} characters")
            self._ignored[folder] = GitPatterns(text.splitlines())
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            return
        except (OSError, ValueError) as error:
            why = error.strerror if isinstance(error, OSError) else str(error)
            self._on_broken(
                BrokenSource(
                    f"cannot be read: {why}; its patterns are ignored",
                    source=str(folder / IGNORE_FILE),
                    remedy="Correct it, or leave --gitignore out.",
                )
            )

    def excludes(self, path: Path, *, is_folder: bool) -> bool:
        """Return True if a file, or a folder with everything in it, is excluded."""
        if self._exclude is not None and self._exclude.decision(self._name(path), is_folder=is_folder):
            return True
        for folder in path.parents if self._ignored else ():
            if folder in self._ignored:
                decision = self._ignored[folder].decision(path.relative_to(folder).as_posix(), is_folder=is_folder)
                if decision is not None:
                    return decision
        return False

    def includes(self, path: Path, *, is_folder: bool = False) -> bool:
        """Return True if a path matches the patterns `include`, or if there are no such patterns.

        A folder also matches if a file directly in it does. This is for folders that one loader reads in one piece.
        """
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
        """Return True if a remote file must be read."""
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
    """Return a folder and its parents up to the root of the git repository, innermost first.

    If the folder is in no repository, return only the folder.
    """
    above = [folder]
    for each in (folder, *folder.parents):
        if each != folder:
            above.append(each)
        if (each / ".git").exists():
            return above
    return [folder]
