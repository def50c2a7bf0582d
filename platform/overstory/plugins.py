"""Plugins that packages, including this one, register as entry points under groups such as `overstory.embedders`.

Messages call a plugin by the last word of its group without "s": embedder, retriever, system.
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
    """The reason why a plugin cannot be used. `load` and `make` convert it to an `OverstoryError`."""


@dataclass(frozen=True, slots=True)
class Plugin:
    """A plugin that a package registers.

    Attributes:
        kind: kind of plugin ("embedder").
        package: name of the package, "unknown" for an entry point without one.
    """

    kind: str
    name: str
    package: str
    point: EntryPoint

    @classmethod
    def of(cls, point: EntryPoint) -> Plugin:
        package: str | None = point.dist.name if point.dist else None
        return cls(_kind(point.group), point.name, package or "unknown", point)  # the package may have no metadata

    @property
    def is_own(self) -> bool:
        return self.package == _OWN_PACKAGE

    def load(self) -> object:
        """Import the object that the entry point refers to, usually a class."""
        try:
            return self.point.load()
        except OverstoryError:
            raise
        except Exception as error:  # importing another package's module may raise anything
            raise PluginUnusable(self._fails(error)) from error

    def make(self, *arguments: object, requires: Sequence[str]) -> object:
        """Create an instance of the plugin.

        Args:
            requires: attributes that the instance must have.
        """
        factory = self.load()
        try:
            made: object = factory(*arguments)  # type: ignore[operator] # the error handler below reports an object that is not callable
        except OverstoryError:
            raise
        except Exception as error:  # calling another package's code may raise anything
            raise PluginUnusable(self._fails(error)) from error
        # isinstance with a protocol reads every attribute, and could query an endpoint for its dimension.
        if not all(hasattr(made, attribute) for attribute in requires):
            raise PluginUnusable(f"{self._where} is not a valid {self.kind}, but a {type(made).__name__}")
        return made

    @property
    def _where(self) -> str:
        return f"{self.point.value} of the package {self.package}"

    def _fails(self, error: Exception) -> str:
        return f"{self._where} fails: {type(error).__name__}: {error}"


def plugins(group: str, points: Iterable[EntryPoint] | None = None) -> list[Plugin]:
    """List the plugins of a group: built-in ones first, then by name and value. Imports nothing.

    A package installed later is found by the next process.

    Args:
        points: entry points to use instead of those of installed packages.
    """
    return list(_installed(group, tuple(sys.path)) if points is None else _sorted(points))


@lru_cache(maxsize=256)
def _installed(group: str, path: tuple[str, ...]) -> tuple[Plugin, ...]:
    """Return the plugins of the packages on `sys.path`; cached because reading their metadata takes about 10 ms."""
    del path
    return _sorted(entry_points(group=group))


def _sorted(points: Iterable[EntryPoint]) -> tuple[Plugin, ...]:
    plugins = map(Plugin.of, set(points))
    return tuple(sorted(plugins, key=lambda plugin: (not plugin.is_own, plugin.name, plugin.point.value)))


def names(group: str) -> list[str]:
    """Return the distinct plugin names of a group, sorted. Imports nothing."""
    return sorted({plugin.name for plugin in plugins(group)})


def load(group: str, name: str, *, error: type[OverstoryError], setting: str = "") -> object:
    """Import the plugin with this name, usually a class. Built-in plugins take precedence.

    Args:
        error: exception class to raise.
        setting: environment variable with the name, for the error message.
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
    """Create an instance of the plugin with this name.

    Args:
        error, setting: as for `load`.
        requires: attributes that the instance must have.
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
            remedy = f"Set {setting} to one of: {known}. Or install the package that provides it."
        raise error(f"There is no {_kind(group)} {name!r}.", remedy=remedy)
    return found


def _unusable(plugin: Plugin, why: PluginUnusable, error: type[OverstoryError]) -> OverstoryError:
    return error(
        f"The {plugin.kind} {plugin.name!r} cannot be used: {why}.",
        remedy=f"Update, reinstall or remove the package {plugin.package}.",
    )


def _kind(group: str) -> str:
    return group.rpartition(".")[2].removesuffix("s")
