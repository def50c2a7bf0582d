"""Entry points: parts that installed packages register under a group such as `overstory.embedders`, ours included.

The last word of a group, without its s, is what messages call such a part: an embedder, a retriever, a system.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points

from overstory.errors import OverstoryError

_OWN_PACKAGE = "overstory"


class PluginUnusable(Exception):
    """Why a part cannot be used, with the package it is from. `load` and `make` turn it into an `OverstoryError`."""


@dataclass(frozen=True, slots=True)
class Plugin:
    """A part that a package registers.

    Attributes:
        kind: what it should be ("embedder").
        package: the package it is from, "unknown" for an entry point without one.
    """

    kind: str
    name: str
    package: str
    point: EntryPoint

    @classmethod
    def of(cls, point: EntryPoint) -> Plugin:
        package: str | None = point.dist.name if point.dist else None
        return cls(_kind(point.group), point.name, package or "unknown", point)  # a package may lack its metadata

    @property
    def is_own(self) -> bool:
        return self.package == _OWN_PACKAGE

    def load(self) -> object:
        """Import what the entry point names, most often a class."""
        try:
            return self.point.load()
        except OverstoryError:
            raise
        except Exception as error:  # importing somebody else's module may raise anything
            raise PluginUnusable(self._fails(error)) from error

    def make(self, *arguments: object, requires: Sequence[str]) -> object:
        """Call what the entry point names.

        Args:
            requires: attributes without which the result is not of this kind.
        """
        factory = self.load()
        try:
            made: object = factory(*arguments)  # type: ignore[operator] # if it cannot be called, that is reported
        except OverstoryError:
            raise
        except Exception as error:  # and so may calling it
            raise PluginUnusable(self._fails(error)) from error
        # isinstance with a protocol would look at every attribute, and so ask an endpoint for its dimension.
        if not all(hasattr(made, attribute) for attribute in requires):
            raise PluginUnusable(f"{self._where} is not a valid {self.kind}, but a {type(made).__name__}")
        return made

    @property
    def _where(self) -> str:
        return f"{self.point.value} of the package {self.package}"

    def _fails(self, error: Exception) -> str:
        return f"{self._where} fails: {type(error).__name__}: {error}"


def plugins(group: str, points: Iterable[EntryPoint] | None = None) -> list[Plugin]:
    """The parts registered under a group: ours first, then by name and value. Nothing is imported. A package that is
    installed later is found by the next process.

    Args:
        points: instead of those of the installed packages.
    """
    return list(_installed(group, tuple(sys.path)) if points is None else _sorted(points))


@lru_cache(maxsize=256)
def _installed(group: str, path: tuple[str, ...]) -> tuple[Plugin, ...]:
    """The parts of the packages on this path, which is `sys.path`: to read their metadata takes some 10 ms."""
    del path
    return _sorted(entry_points(group=group))


def _sorted(points: Iterable[EntryPoint]) -> tuple[Plugin, ...]:
    plugins = map(Plugin.of, set(points))
    return tuple(sorted(plugins, key=lambda plugin: (not plugin.is_own, plugin.name, plugin.point.value)))


def names(group: str) -> list[str]:
    """The names registered under a group, sorted, each once. Nothing is imported."""
    return sorted({plugin.name for plugin in plugins(group)})


def load(group: str, name: str, *, error: type[OverstoryError], setting: str = "") -> object:
    """Import what is registered under a name, most often a class. Of several with one name, ours.

    Args:
        error: the class of what is raised.
        setting: the environment variable that holds the name, for the message.
    """
    plugin = _find(group, name, error, setting)
    try:
        return plugin.load()
    except PluginUnusable as why:
        raise _unusable(plugin, why, error) from why.__cause__


def make(
    group: str,
    name: str,
    *arguments: object,
    error: type[OverstoryError],
    requires: Sequence[str],
    setting: str = "",
) -> object:
    """Call what is registered under a name with these arguments.

    Args:
        error, setting: as for `load`.
        requires: attributes without which the result is not of the group's kind.
    """
    plugin = _find(group, name, error, setting)
    try:
        return plugin.make(*arguments, requires=requires)
    except PluginUnusable as why:
        raise _unusable(plugin, why, error) from why.__cause__


def _find(group: str, name: str, error: type[OverstoryError], setting: str) -> Plugin:
    found = next((plugin for plugin in plugins(group) if plugin.name == name), None)
    if found is None:
        known = ", ".join(names(group))
        remedy = f"Use one of: {known}." if known else f"No {_kind(group)} is installed."
        if setting:
            remedy = f"Set {setting} to one of: {known}. Or install the package that has it."
        raise error(f"There is no {_kind(group)} {name!r}.", remedy=remedy)
    return found


def _unusable(plugin: Plugin, why: PluginUnusable, error: type[OverstoryError]) -> OverstoryError:
    return error(
        f"The {plugin.kind} {plugin.name!r} cannot be used: {why}.",
        remedy=f"Update, reinstall or remove the package {plugin.package}.",
    )


def _kind(group: str) -> str:
    return group.rpartition(".")[2].removesuffix("s")
