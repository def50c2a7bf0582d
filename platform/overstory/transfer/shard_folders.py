"""Where shards lie: in a folder, here or in a store."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from overstory.errors import SourceError
from overstory.sources.addresses import is_remote
from overstory.transfer.remote_files import RemoteFolder
from overstory.whole_files import written_whole


class ShardFolder(Protocol):
    """A folder of text files, each there as a whole or not at all."""

    address: str
    """From which any process makes it again."""

    def names(self) -> set[str]:
        """Of its files. The folder is made if it is not there.

        Raises:
            SourceError: it cannot be.
        """
        ...

    def write(self, name: str, lines: Sequence[str]) -> None:
        """
        Raises:
            SourceError: the file cannot be written.
        """
        ...

    def path(self, name: str) -> str:
        """Where a file lies, for `opened`."""
        ...

    def delete(self, name: str) -> None:
        """Deletes a file, if it is there."""
        ...


def shard_folder(address: str) -> ShardFolder:
    """The folder at a path, or at an address that fsspec knows.

    Raises:
        SourceError: its store cannot be used.
        ExtraMissing: fsspec is not installed.
    """
    return RemoteFolder(address) if is_remote(address) else LocalFolder(address)


class LocalFolder:
    """A folder of this machine."""

    def __init__(self, address: str) -> None:
        self._folder = Path(address).absolute()
        self.address = str(self._folder)

    def names(self) -> set[str]:
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            return {path.name for path in self._folder.iterdir()}
        except OSError as error:
            raise SourceError(
                f"{self._folder} cannot be written: {error.strerror}.", remedy="Name another folder."
            ) from error

    def write(self, name: str, lines: Sequence[str]) -> None:
        try:
            with written_whole(self._folder / name) as out:
                out.writelines(f"{line}\n" for line in lines)
        except OSError as error:
            raise SourceError(
                f"{self._folder / name} cannot be written: {error.strerror}.",
                remedy="Free some space, or name another folder.",
            ) from error

    def path(self, name: str) -> str:
        return str(self._folder / name)

    def delete(self, name: str) -> None:
        (self._folder / name).unlink(missing_ok=True)
