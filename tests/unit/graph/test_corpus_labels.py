"""The statements that have the label of a corpus in their text, with the reasons: Neo4j plans them for each corpus."""

from __future__ import annotations

from overstory.graph.statements import statement_names, statement_source

COUNTS = frozenset(
    {
        "corpus/commit",
        "corpus/count_nodes",
        "corpus/counts",
        "corpus/kept_counts",
        "systems/apr/memory/room",
        "systems/apr/merging/size",
        "systems/apr/report",
        "systems/count_nodes",
        "systems/serag/report",
    }
)
"""They count nodes or relationships of a label, which the server does without reading one."""

MARKS = frozenset(
    {
        "corpus/delete_generation",
        "corpus/used_generations",
        "ingest/changed_chunk_ids",
        "ingest/changed_entity_ids",
        "ingest/changed_names",
        "ingest/changed_passages",
        "ingest/chunks_to_embed",
        "ingest/link_dead_facts",
        "ingest/renamed_chunks",
        "ingest/stale_boilerplate",
        "ingest/stale_entity_ids",
        "ingest/stale_fact_ids",
        "ingest/stale_folders",
        "ingest/unread_chunks",
        "retrieve/disabled_ids",
        "systems/apr/merging/compared",
        "systems/apr/merging/edges",
        "systems/apr/merging/remove_unused",
        "systems/apr/merging/unmerge",
        "systems/apr/merging/unmerged",
        "systems/apr/remove_loose_edges",
        "systems/apr/remove_loose_symbols",
        "systems/tree/parted",
        "systems/tretriever/size",
        "vectors/forget_awaited",
        "vectors/settle_awaited",
    }
)
"""They find the few nodes that carry a mark, without reading the others."""

KINDS = frozenset(
    {
        "browser/examples",
        "corpus/boilerplate",
        "corpus/delete_contents",
        "corpus/delete_keys",
        "corpus/delete_values",
        "corpus/dismissed_merges",
        "corpus/failed_files",
        "corpus/metadata_keys",
        "corpus/most_mentioned",
        "corpus/name_edits",
        "corpus/vocabulary_names",
        "export/entities",
        "export/relations",
        "gds/project_corpus",
        "ingest/known_names",
        "ingest/mark_all_changed",
        "ingest/mark_all_folders",
        "ingest/mark_original_names",
        "retrieve/compared_names",
        "systems/apr/memory/doubtful",
        "systems/apr/memory/link_questions",
        "systems/apr/memory/newest",
        "systems/apr/memory/pages",
        "systems/apr/memory/question_pages",
        "systems/apr/memory/questions_after",
        "systems/apr/memory/size",
        "systems/apr/memory/with_ids",
        "systems/entity_graph/count_names",
        "systems/entity_graph/entities",
        "systems/hirag/count_unread",
        "systems/hirag/examples",
        "systems/serag/examples",
        "systems/slimrag/report",
        "systems/tretriever/examples",
        "vectors/remove_other_embedders",
        "vectors/remove_unused",
    }
)
"""They read all nodes of a kind, in the order of the store."""

CREATES = frozenset(
    {
        "schema/passage_vector_index",
        "schema/passage_vector_index_alternate",
    }
)
"""They create the vector index of a large corpus."""


def test_statements_have_the_label_of_a_corpus_only_where_they_need_it() -> None:
    needed = COUNTS | MARKS | KINDS | CREATES
    assert len(needed) <= 80
    assert len(needed) == sum(map(len, (COUNTS, MARKS, KINDS, CREATES)))
    labelled = {name for name in statement_names() if "{{corpus}}" in statement_source(name)}
    # Saved queries are pasted into Neo4j Browser, where the label is in the text.
    assert {name for name in labelled if "saved_queries/" not in name} == needed
