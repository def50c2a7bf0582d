"""overstory ingest"""

from __future__ import annotations

import functools
from dataclasses import fields

import click

from overstory.display import counted, escaped, index_command
from overstory.errors import SourceError, SourcesEmpty
from overstory.index import DocumentChange, LoadReport
from overstory.knowledge import Knowledge
from overstory.sources.read_options import ReadOptions
from overstory_cli.index import index_fields, show_indexed
from overstory_cli.options import Result, json_option, knowledge_options, wants_json
from overstory_cli.output import JsonList, from_here, show_notes, shown_time
from overstory_cli.source_options import (
    Metadata,
    delete_excluded_option,
    loader_option,
    metadata_option,
    reading_options,
    show_files,
    show_some,
    shown_change,
    strict_option,
)

DATABASE = "neo4j:"
_EMPTY = " (to delete these documents, run again with --sync --yes)"
_EXCLUDED = " (to delete these documents, run again with --sync --delete-excluded)"


@click.command()
@click.argument("paths", nargs=-1, metavar="PATH…")
@click.option(
    "--sync",
    is_flag=True,
    help="Also delete documents of these paths whose files or records are gone. Moved documents keep their index data.",
)
@click.option(
    "--retry",
    is_flag=True,
    help="Read only files that could not be read before: those of these paths, or all without PATH (see overstory "
    "documents --state failed).",
)
@loader_option
@strict_option
@click.option(
    "--dry-run",
    is_flag=True,
    help="Only list what would be added, changed, moved and removed, and estimate the indexing time. All files are "
    "read and new documents are chunked, but nothing is stored.",
)
@click.option(
    "--index",
    "then_index",
    is_flag=True,
    help="Then update the index: faster than running overstory index after each small change.",
)
@click.option(
    "-y", "--yes", is_flag=True, help="With --sync, delete the documents of missing or empty paths without asking."
)
@click.option(
    "--keep-boilerplate/--no-keep-boilerplate",
    "keep_boilerplate",
    default=None,
    help="Keep boilerplate, that is, blocks that most documents of a folder repeat (licences, navigation), in "
    "entities, vectors and answers. Applies to the whole corpus and to later runs.",
)
@click.option(
    "--from-uri",
    metavar="URI",
    help="Neo4j server to read neo4j: sources from. Default: OVERSTORY_SOURCE_NEO4J_URI, or the server of the corpus.",
)
@metadata_option
@delete_excluded_option
@reading_options
@knowledge_options
@json_option
def ingest(
    knowledge: Knowledge,
    options: ReadOptions,
    paths: tuple[str, ...],
    sync: bool,
    retry: bool,
    loader: str | None,
    strict: bool,
    dry_run: bool,
    then_index: bool,
    yes: bool,
    keep_boilerplate: bool | None,
    from_uri: str | None,
    metadata: Metadata,
) -> Result | int:
    """Load files and folders into a corpus.

    Formats: text, Markdown, HTML, PDF, Office files, books, e-mail, notebooks, source code, manual pages, archives,
    JSON lines, CSV, BEIR folders, OpenIE triples, graphs (nodes.csv and edges.csv, JSON lines, GraphML), and files of
    `overstory export`. PATH can also be a web page or sitemap (https://…), a folder in an object store (s3://…), or a
    graph in a Neo4j database: neo4j: followed by labels, each with its key property.

    Unchanged documents are skipped, changed documents are replaced. With --sync the corpus mirrors these paths:
    documents whose files or records are gone are deleted. Documents stay if their file could not be read, or if
    --include, --exclude or --gitignore leave it out (--delete-excluded deletes the latter).

    Broken sources are reported and skipped; the exit code is then 8. Run `overstory index` afterwards, or use --index.

    \b
    Examples:
      overstory ingest docs/ report.pdf
      overstory ingest passages.jsonl --corpus wiki --dry-run
      overstory ingest --sync docs/
      overstory ingest --sync . --gitignore --include '*.md' --exclude '/drafts/' --dry-run
      overstory ingest notes.md --index
      overstory ingest --retry --encoding auto
      overstory ingest minutes/ --set team=legal --set since=2024-01-01
      overstory ingest --sync https://example.org/sitemap.xml --include '/docs/'
      overstory ingest 'neo4j:Movie?key=title&text=title,tagline;Person?key=name'
    """
    if not paths and not retry:
        raise click.UsageError("Give a file or a folder.")
    if from_uri and not any(path.startswith(DATABASE) for path in paths):
        raise click.UsageError("--from-uri needs a source like 'neo4j:Movie?key=title'.")
    if yes and not sync:
        raise click.UsageError("--yes needs --sync.")
    if options.delete_excluded and not sync:
        raise click.UsageError("--delete-excluded needs --sync.")
    if then_index and dry_run:
        raise click.UsageError("--dry-run and --index cannot be combined.")
    work = knowledge.preview if dry_run else functools.partial(knowledge.ingest, keep_boilerplate=keep_boilerplate)
    run = functools.partial(
        work,
        paths,
        loader=loader,
        strict=strict,
        sync=sync,
        from_uri=from_uri,
        metadata=metadata,
        options=options,
        retry=retry,
    )
    changes = JsonList("changes") if wants_json() and dry_run else None
    listed = (changes.add if changes else _show_change) if dry_run else None
    try:
        report = run(allow_empty=yes, on_change=listed)
    except SourcesEmpty as error:
        if dry_run:
            raise
        click.confirm(f"{escaped(str(error))} {error.remedy}\nDelete these documents?", abort=True, err=True)
        report = run(allow_empty=True, on_change=listed)
    show_notes(report.notes)
    code = SourceError.exit_code if report.broken else 0
    if changes:
        changes.end(report)
        return code

    def show() -> None:
        _show(report, knowledge.corpus_name, paths=len(paths), dry_run=dry_run)
        if retry and not report.documents and not report.broken:
            click.echo("There are no failed files to retry.")

    if then_index and report.in_corpus is not None:  # `in_corpus` is None if no document could be read
        if not wants_json():
            show()  # shown before indexing begins, because indexing may take a long time
        indexed = knowledge.index()
        show_notes(indexed.notes)
        loaded = {each.name: getattr(report, each.name) for each in fields(report)}
        value = loaded | {"index": index_fields(knowledge, indexed)}
        return Result(value, lambda: show_indexed(knowledge, indexed), code)

    def show_with_next() -> None:
        show()
        changed = report.added + report.changed + report.moved + report.removed + report.annotated + report.relinked
        if (changed or (keep_boilerplate is not None and report.in_corpus)) and not dry_run:
            _show_next(knowledge)

    return Result(report, show_with_next, code)


def _show(report: LoadReport, corpus: str, *, paths: int, dry_run: bool) -> None:
    would = " would be" if dry_run else ""
    done = [f"{report.added:,}{would} added", f"{report.changed:,}{would} changed"]
    if report.moved:
        done.append(f"{report.moved:,}{would} moved")
    done.append(f"{report.unchanged:,} unchanged")
    if report.annotated:
        done.append(f"{report.annotated:,}{would} annotated")
    sentences = [f"Read {counted(report.documents, 'document')}: {', '.join(done)}."]
    if report.removed:
        were = would or (" was" if report.removed == 1 else " were")
        sentences.append(f"{counted(report.removed, 'document')}{were} removed.")
    if report.in_corpus is not None:
        has = "would have" if dry_run else "has"
        sentences.append(f"Corpus {corpus!r} {has} {counted(report.in_corpus, 'document')}.")
    click.echo(" ".join(sentences))
    if report.metadata_only:
        click.echo(f"Only the metadata of {counted(report.metadata_only, 'document')}{would or ' was'} updated.")
    _show_links(report, would)
    if dry_run and report.chunks:
        click.echo(f"{counted(report.chunks, 'new chunk')}{shown_time(report.index_time)}.")
    _show_vanished(report, paths)
    if report.hidden:
        click.echo(f"{counted(report.hidden, 'hidden file or folder', 'hidden files and folders')} skipped.", err=True)
    if report.excluded:
        left_out = counted(report.excluded, "file or folder", "files and folders")
        click.echo(f"{left_out} excluded by patterns.", err=True)
    show_files(report.skipped, report.decoded, report.broken)
    if report.broken and report.in_corpus is not None and not dry_run:
        click.echo("To read them again, run overstory ingest --retry, or ingest their paths again.", err=True)


def _show_links(report: LoadReport, would: str) -> None:
    sentences: list[str] = []
    if report.links:
        sentences.append(f"{counted(report.links, 'link')} between documents.")
    if report.relinked:
        changed = counted(report.relinked, "document")
        sentences.append(f"The links of {changed}{would or ' were'} updated.")
    if report.unresolved:
        lead = "link leads" if report.unresolved == 1 else "links lead"
        sentences.append(f"{report.unresolved:,} {lead} to documents that the corpus does not have.")
    if sentences:
        click.echo(" ".join(sentences))


def _show_next(knowledge: Knowledge) -> None:
    # After loading, there may be nothing to index, for example if an export was restored.
    status = knowledge.status(sizes=False)
    if any(status.pending.values()):
        click.echo(f"Next: {index_command(knowledge.corpus_name)}{shown_time(status.index_time)}")
    else:
        click.echo("The index is up to date.")


def _show_vanished(report: LoadReport, paths: int) -> None:
    if report.vanished:
        one = report.vanished == 1
        click.echo(
            f"{counted(report.vanished, 'document')} of {'this path' if paths == 1 else 'these paths'} "
            f"no longer {'has' if one else 'have'} a file or record: --sync removes {'it' if one else 'them'}."
        )
    kept = [
        f"{from_here(each.path)}: {counted(each.documents, 'document')}; {each.why}"
        f"{_EMPTY if each.empty else _EXCLUDED if each.excluded else ''}"
        for each in report.kept
    ]
    show_some(f"{'path' if len(kept) == 1 else 'paths'} not read; documents kept", kept)


def _show_change(change: DocumentChange) -> None:
    click.echo(shown_change(change))
