"""Writes reports on communities, with a language model or by rules.

Without a language model, sentences of the corpus replace the model's text.

Source: HiRAG paper, Section 4.1.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import chain, islice, zip_longest
from typing import TypeAlias

from overstory.display import counted
from overstory.llm import Chat
from overstory.protocols import Progress
from overstory.systems.entity_graph import EntityRelation
from overstory.systems.entity_graph.descriptions import is_prose
from overstory.systems.texts.passages import about
from overstory.systems.texts.reports import RULES, Finding, Report, TreeReports, rating_of, write_levels
from overstory.systems.texts.writers import RuleWriter, TextWriter
from overstory.text.function_words import FUNCTION_WORDS
from overstory.text.key_phrases import is_readable_name
from overstory.text.names.shapes import shape_key
from overstory.text.sentences import sentence_starts, sentence_texts
from overstory_entropy import EncodingTree
from overstory_systems.hirag.knowledge_graph import NAME, LayeredGraph, LayerEntity
from overstory_systems.hirag.report_material import Material, Materials, is_list
from overstory_systems.hirag.summaries import common_words, head_of, shared

_MOST_COMMUNITY_FINDINGS = 6  # maximum number of findings in a report
MOST_FINDING_CANDIDATES = 4 * _MOST_COMMUNITY_FINDINGS
_MOST_NAMES_IN_A_TITLE = 3  # maximum number of entity names in a title
_MOST_COMPARED_ENTITIES = 8
"""Number of central entities whose descriptions are searched for a common theme. This takes most of a report's time."""
_LEAST_JOINING_WORD_SHARE = 0.1
"""Minimum fraction of function words ("of", "is") in a truncated sentence. Table rows contain fewer."""
_LEAST_THEME_SHARE = 0.5
"""Minimum fraction of the central entities whose descriptions must contain the theme."""
_LONGEST_FINDING_SENTENCE_CHARACTERS = 400  # maximum length of a sentence in a finding
_SENTENCE_RUN_WORDS = 4
"""Number of words in the sequences by which sentences are compared."""
_SAME_SENTENCE_SHARE = 0.5
"""Sentences are duplicates if they share more than this fraction of the shorter sentence's word sequences."""
_WORD = re.compile(r"\w+")
_CODE = re.compile(r"^\W*(?:#include|\$ )|/\*|[{}<>]|;$")

Reporter: TypeAlias = TextWriter[Material, Report]


def reporter_for(chat: Chat | None, model: str, entities: Sequence[LayerEntity] = ()) -> Reporter:
    """Return a writer of reports, which uses the language model if there is one, otherwise rules.

    Args:
        model: Name of the language model.
        entities: Entities of the whole corpus.
    """
    if chat is None:
        return RuleReporter(entities)
    from overstory_systems.hirag.model_texts import ModelReporter  # pydantic is needed only with a model

    return ModelReporter(chat, model, entities)


def write_reports(
    tree: EncodingTree, graph: LayeredGraph, *, known: Mapping[str, Report], reporter: Reporter, progress: Progress
) -> TreeReports:
    """Write reports on all communities except the root. Communities with equal members share one report.

    Args:
        tree: Tree over the entities of the graph, with all leaves at the same depth.
        known: Reports of an earlier build, by key. Communities with unchanged content keep their report.
    """
    materials = Materials(tree, graph, reporter.fingerprint)
    progress.start(f"{NAME} reports", tree.root - tree.leaves, "communities")
    found = write_levels(materials.levels(), materials.of, reporter, known=known, progress=progress)
    of_node = {node: found.of_node[materials.bottom(node)] for node in range(tree.leaves, tree.root)}
    progress.advance(len(of_node) - len(found.of_node))
    progress.finish(f"{counted(found.written, 'report')} written, {len(of_node) - found.written:,} kept or shared")
    return TreeReports(of_node, found.written)


class RuleReporter(RuleWriter[Material, Report]):
    """Writes reports by rules, from sentences of the corpus."""

    fingerprint = "rules-9"

    def __init__(self, entities: Sequence[LayerEntity] = ()) -> None:
        """Create a writer of reports.

        Args:
            entities: Entities of the whole corpus. Words that are common in their descriptions cannot be a theme.
        """
        self._common = common_words([entity for entity in entities if entity.layer == 0])

    def text(self, group: Material) -> Report:
        material, parts = group, group.parts
        shown = _for_title(material.entities)
        described_by = min(shown, key=lambda entity: (is_list(entity), not _is_sentence(lead(entity))))
        leading = lead(described_by) if _is_sentence(lead(described_by)) else ""
        summary = _summary(material, shown, leading)
        findings = _findings(material, parts)
        theme, described = self._theme(material, shown)
        chunks = chain(
            (chunk for finding in findings for chunk in finding.chunks),
            # The name of a summary may come from any of its passages. Other names occur in the entity's first passage.
            (chunk for entity in shown for chunk in (entity.chunks if entity.layer else entity.chunks[:1])),
            described_by.chunks if leading else (),
            (chunk for entity in described for chunk in entity.chunks),
            (chunk for finding in findings for chunk in finding.also),
            # A model's text may come from any passage that the model was shown.
            (chunk for part in parts if part.by != RULES for chunk in part.stands_on),
        )
        return Report(
            key=material.key,
            title=_title(theme, shown),
            summary=summary,
            rating=rating(material),
            findings=findings,
            by=RULES,
            stands_on=tuple(dict.fromkeys(chunks)),
        )

    def _theme(self, material: Material, shown: Sequence[LayerEntity]) -> tuple[str, Sequence[LayerEntity]]:
        """Return the theme that central entities share, and the entities whose descriptions contain it.

        The theme is "" if too few descriptions share one.
        """
        if material.size <= len(shown):
            return "", ()
        rest = [entity for entity in material.entities if entity.layer == 0 and not any(entity is one for one in shown)]
        described = [entity for entity in (*shown, *rest) if not is_list(entity)][:_MOST_COMPARED_ENTITIES]
        _, theme = shared(described, self._common)
        with_theme = [each for each in described if theme.casefold() in each.description.casefold()] if theme else []
        return (theme, with_theme) if len(with_theme) >= _LEAST_THEME_SHARE * len(described) else ("", ())


def _title(theme: str, shown: Sequence[LayerEntity]) -> str:
    """Combine the theme and the central entities, as in "Hindi film: Morning Raga, Zubeidaa"."""
    names = ", ".join(head_of(entity) for entity in shown)
    return f"{theme[0].upper()}{theme[1:]}: {names}" if theme else names


def rating(material: Material) -> float:
    """Rate a community from 0 to 10, by its size and the mean weight of its relations."""
    strength = material.inner / max(material.size, 1)
    return rating_of(material.size, strength / (1.0 + strength))


def lead(entity: LayerEntity) -> str:
    """Return the first sentence of an entity's description with the entity's name, "" without a description."""
    sentence = _first_sentence(entity.description)
    return about(entity.name, sentence) if sentence else ""


def stated(relation: EntityRelation, ends: Mapping[str, LayerEntity]) -> str:
    """Return the description of a relation, preceded by the names of both ends if it mentions neither."""
    text = _shortened(relation.description)
    source, target = ends[relation.source].name, ends[relation.target].name
    folded = text.casefold()
    if source.casefold() in folded or target.casefold() in folded:
        return text
    return f"{source} – {target}: {text}"


def _for_title(entities: Sequence[LayerEntity]) -> list[LayerEntity]:
    """Return the most central entities for a title, skipping names that contain or are contained in another.

    Unreadable names are skipped unless there are no others. Identifiers come after names in words, then options, then
    summaries by rules.
    """
    shown: list[LayerEntity] = []
    wanted = [each for each in entities if is_readable_name(each.name)] or entities
    for entity in sorted(wanted, key=lambda each: (is_list(each), bool(shape_key(each.name)), each.name[0] == "-")):
        if len(shown) < _MOST_NAMES_IN_A_TITLE and not any(_overlap(entity.key, other.key) for other in shown):
            shown.append(entity)
    return shown


def _overlap(one: str, other: str) -> bool:
    """Return True if one key contains the other as whole words."""
    return f" {one} " in f" {other} " or f" {other} " in f" {one} "


def _summary(material: Material, shown: Sequence[LayerEntity], leading: str) -> str:
    names = [entity.name for entity in shown]
    if material.size == 1:
        return leading or f"{names[0]} stands alone."
    around = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    first = f"{counted(material.size, 'entity', 'entities')} around {around}."
    return f"{first} {leading}".strip()


def _findings(material: Material, parts: Sequence[Report]) -> list[Finding]:
    """Return distinct findings, the most important first. Sentences come before lists and code."""
    if parts:
        ranked = sorted(parts, key=lambda part: -part.rating)
        central = {entity.name for entity in material.entities}
        own = [each for each in _of_relations(material) if not central.isdisjoint(each.names)][
            : _MOST_COMMUNITY_FINDINGS // 3
        ]
        candidates = chain(own, _interleaved([part.findings for part in ranked]))
    else:
        candidates = chain(_of_relations(material), _of_entities(material.entities))
    seen: list[frozenset[tuple[str, ...]]] = []
    found: list[Finding] = []
    for finding in sorted(islice(candidates, MOST_FINDING_CANDIDATES), key=lambda each: not _is_sentence(each.text)):
        runs = _runs(finding.text)
        if not any(_are_duplicates(runs, others) for others in seen):
            seen.append(runs)
            found.append(finding)
            if len(found) == _MOST_COMMUNITY_FINDINGS:
                break
    return found


def _is_sentence(text: str) -> bool:
    """Return True if a text reads like a sentence, unlike a fragment, code, or a list of options or words."""
    words = text.split()
    options = sum(word.startswith("-") and len(word) > 1 for word in words)
    if not words or options > 1 or _CODE.search(text) or text.startswith("…") or words[0] in FUNCTION_WORDS:
        return False
    if text[:1].isupper() and text[-1:] in (".", "!", "?"):
        return True
    joining = sum(word.lower() in FUNCTION_WORDS for word in words)
    return is_prose(text) and (joining >= _LEAST_JOINING_WORD_SHARE * len(words) or not text.isascii())


def _runs(text: str) -> frozenset[tuple[str, ...]]:
    """Return all sequences of four words or, for a shorter text, the text itself."""
    words = _WORD.findall(text.casefold())
    return frozenset(
        tuple(words[start : start + _SENTENCE_RUN_WORDS])
        for start in range(max(1, len(words) - _SENTENCE_RUN_WORDS + 1))
    )


def _are_duplicates(one: Set[tuple[str, ...]], other: Set[tuple[str, ...]]) -> bool:
    """Return True if the longer text contains most of the shorter one, as with two excerpts of one sentence."""
    return len(one & other) > _SAME_SENTENCE_SHARE * min(len(one), len(other))


def _interleaved(lists: Sequence[Sequence[Finding]]) -> Iterator[Finding]:
    """Yield the first finding of each list, then the second of each, and so on."""
    for row in zip_longest(*lists):
        yield from (finding for finding in row if finding is not None)


def _of_relations(material: Material) -> Iterator[Finding]:
    """Yield sentences that connect members, starting with strong relations of central members."""
    ends = material.ends
    rank = {entity.ref: place for place, entity in enumerate(material.entities)}
    last = len(rank)
    by_text: dict[str, list[EntityRelation]] = {}
    for relation in material.relations:
        by_text.setdefault(stated(relation, ends), []).append(relation)

    def weight(relations: Sequence[EntityRelation]) -> float:
        return sum(
            each.weight / (1 + min(rank.get(each.source, last), rank.get(each.target, last))) for each in relations
        )

    ranked = sorted(by_text.items(), key=lambda item: (-weight(item[1]), item[0]))
    for text, relations in _whole_first(ranked):
        refs = {ref for each in relations for ref in (each.source, each.target)}
        about = [ends[ref] for ref in sorted(refs, key=lambda ref: (rank.get(ref, last), ref))]
        chunks = [each.chunks[0] for each in relations if each.chunks]
        also = [chunk for entity in about for chunk in entity.chunks[:1]]  # passages that introduce the names
        if chunks:
            yield Finding(text, tuple(dict.fromkeys(chunks)), tuple(entity.name for entity in about), tuple(also))


def _whole_first(ranked: Sequence[tuple[str, list[EntityRelation]]]) -> Iterator[tuple[str, list[EntityRelation]]]:
    """Replace each truncated sentence by its first complete duplicate, if there is one."""
    runs = [_runs(text) for text, _ in ranked]
    for place, (text, _) in enumerate(ranked):
        better = place
        if "…" in text:
            whole = (other for other in range(place + 1, len(ranked)) if "…" not in ranked[other][0])
            better = next((other for other in whole if _are_duplicates(runs[place], runs[other])), place)
        yield ranked[better]


def _of_entities(entities: Sequence[LayerEntity]) -> Iterator[Finding]:
    """Yield descriptions of members, the most central first. Summaries by rules are a last resort."""
    for entity in [each for each in entities if not is_list(each)] or entities:
        text = lead(entity)
        if text and entity.chunks:
            yield Finding(text, tuple(dict.fromkeys(entity.chunks)), (entity.name,))


@functools.lru_cache(maxsize=10_000)
def _first_sentence(text: str) -> str:
    start = text[: 2 * _LONGEST_FINDING_SENTENCE_CHARACTERS]
    return _shortened(sentence_texts(start, sentence_starts(start))[0]) if start else ""


def _shortened(text: str) -> str:
    """Return the text on one line, cut at a word boundary if it is too long."""
    line = " ".join(text.split())
    if len(line) <= _LONGEST_FINDING_SENTENCE_CHARACTERS:
        return line
    return line[: _LONGEST_FINDING_SENTENCE_CHARACTERS - 1].rsplit(" ", 1)[0] + "…"
