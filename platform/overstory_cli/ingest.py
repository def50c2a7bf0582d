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
_EMPTY = " (if these documents are to go: the same with --sync --yes)"
_EXCLUDED = " (if these documents are to go: the same with --sync --delete-excluded)"


@click.command()
@click.argument("paths", nargs=-1, metavar="PATH…")
@click.option(
    "--sync",
    is_flag=True,
    help="Also delete documents of these paths that are no longer there to read; moved ones keep what was found.",
)
@click.option(
    "--retry",
    is_flag=True,
    help="Read only the files that could not be read before, of these paths or of all (overstory documents --state "
    "failed lists them).",
)
@loader_option
@strict_option
@click.option(
    "--dry-run",
    is_flag=True,
    help="List what would be added, changed, moved and removed, and about how long indexing would take; change "
    "nothing. Everything is read for that, and what is new is cut into chunks.",
)
@click.option(
    "--index",
    "then_index",
    is_flag=True,
    help="Then build the index, as overstory index does: faster than a command of its own after each small change.",
)
@click.option("-y", "--yes", is_flag=True, help="With --sync, do not ask if paths are missing or empty.")
@click.option(
    "--keep-boilerplate/--no-keep-boilerplate",
    "keep_boilerplate",
    default=None,
    help="Keep blocks that most documents of a folder repeat (licences, navigation) in names, vectors and answers of "
    "this corpus; it stays so until you say --no-keep-boilerplate.",
)
@click.option(
    "--from-uri",
    metavar="URI",
    help="The Neo4j that neo4j: sources are read from; by default OVERSTORY_SOURCE_NEO4J_URI, or that of the corpus.",
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
    """Load files and folders into a corpus: text, Markdown, HTML, PDF, Office files, books, e-mail, notebooks, source
    code, manual pages, archives, JSON lines, CSV, BEIR folders, OpenIE triples, graphs (nodes.csv and edges.csv, JSON
    lines, GraphML), and files of `overstory export`. A graph in a Neo4j database is a source, too: neo4j: and its
    labels, each with the property that is the key; so are a page or a sitemap (https://…), and a folder in a store
    (s3://…).

    Unchanged content is skipped; changed content replaces the old. With --sync, the corpus becomes a mirror of these
    paths: documents whose files, or records in them, are gone are deleted. Documents of files that could not be read
    stay, as do those of files that are left out by --include, --exclude or --gitignore (--delete-excluded deletes
    them). Broken sources are reported and skipped, and the exit code is then 8. Run `overstory index` afterwards, or
    use --index.

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
        raise click.UsageError("Name a file or a folder.")
    if from_uri and not any(path.startswith(DATABASE) for path in paths):
        raise click.UsageError("--from-uri is for sources like 'neo4j:Movie?key=title'.")
    if yes and not sync:
        raise click.UsageError("--yes is for --sync.")
    if options.delete_excluded and not sync:
        raise click.UsageError("--delete-excluded is for --sync.")
    if then_index and dry_run:
        raise click.UsageError("--dry-run changes nothing, so there is nothing to --index.")
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
            click.echo("No file is remembered that could not be read.")

    if then_index and report.in_corpus is not None:  # None if nothing could be read
        if not wants_json():
            show()  # before an index that takes long
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
        click.echo(f"Of {counted(report.metadata_only, 'document')} only the metadata{would or ' was'} written.")
    _show_links(report, would)
    if dry_run and report.chunks:
        click.echo(f"{counted(report.chunks, 'new chunk')}{shown_time(report.index_time)}.")
    _show_vanished(report, paths)
    if report.hidden:
        click.echo(f"{counted(report.hidden, 'hidden file or folder', 'hidden files and folders')} skipped.", err=True)
    if report.excluded:
        left_out = counted(report.excluded, "file or folder", "files and folders")
        click.echo(f"{left_out} left out by patterns.", err=True)
    show_files(report.skipped, report.decoded, report.broken)
    if report.broken and report.in_corpus is not None and not dry_run:
        click.echo("overstory ingest --retry reads them again, as does the next run on their paths.", err=True)


def _show_links(report: LoadReport, would: str) -> None:
    said: list[str] = []
    if report.links:
        said.append(f"{counted(report.links, 'link')} between documents.")
    if report.relinked:
        changed = counted(report.relinked, "document")
        said.append(f"{changed}{would or (' was' if report.relinked == 1 else ' were')} given other links.")
    if report.unresolved:
        lead = "link leads" if report.unresolved == 1 else "links lead"
        said.append(f"{report.unresolved:,} {lead} to documents that the corpus does not have.")
    if said:
        click.echo(" ".join(said))


def _show_next(knowledge: Knowledge) -> None:
    # nothing may be left to do, as after a restored export
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
            f"{'has' if one else 'have'} no file or record any more: --sync removes {'it' if one else 'them'}."
        )
    kept = [
        f"{from_here(each.path)}: {counted(each.documents, 'document')}; {each.why}"
        f"{_EMPTY if each.empty else _EXCLUDED if each.excluded else ''}"
        for each in report.kept
    ]
    show_some(f"{'path' if len(kept) == 1 else 'paths'} whose documents stay, because they were not read", kept)


def _show_change(change: DocumentChange) -> None:
    click.echo(shown_change(change))
