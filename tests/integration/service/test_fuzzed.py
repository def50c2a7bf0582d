"""The API against its OpenAPI document, by schemathesis: no fault, no answer that the document does not have."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.passages import PASSAGES, OpenCorpus
from tests.serving import Running

EXAMPLES = int(os.environ.get("OVERSTORY_TEST_EXAMPLES", "0"))
"""Random requests per operation, in addition to those at the limits of its parameters."""
CHECKS = ("not_a_server_error", "status_code_conformance", "content_type_conformance", "response_schema_conformance")
FUZZ_SECONDS = 600


def test_no_request_makes_it_fail_or_answer_otherwise_than_it_says(
    service: Running, open_corpus: OpenCorpus, tmp_path: Path
) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents(PASSAGES)
    knowledge.index(systems=["serag"])
    document = next(iter(knowledge.documents())).id
    token = service.token("fuzz", "admin", corpora=(knowledge.corpus_name,))
    config = tmp_path / "schemathesis.toml"
    config.write_text(
        f'[parameters]\n"path.corpus" = "{knowledge.corpus_name}"\n"path.document" = ["{document}", "none"]\n',
        encoding="utf-8",
    )
    command = [
        *(sys.executable, "-m", "schemathesis.cli", "--config-file", str(config), "run"),
        f"{service.url}/openapi.json",
        *("--header", f"Authorization: Bearer {token}", "--checks", ",".join(CHECKS)),
        *("--phases", "coverage,fuzzing" if EXAMPLES else "coverage", "--max-examples", str(EXAMPLES or 1)),
        *("--workers", "1", "--seed", "1", "--exclude-path-regex", "events$", "--no-color"),
        *("--exclude-method", "DELETE", "--request-timeout", "60"),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=FUZZ_SECONDS, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stdout[-8_000:] + done.stderr[-2_000:]
    assert "Test cases" in done.stdout
