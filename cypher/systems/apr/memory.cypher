// -- systems/apr/memory/stated_facts
// Read the facts that some chunks state, in text order.
// Parameters: $chunks LIST<STRING> (ids, in the order of the result)
// Rows: chunk, text STRING; sentences LIST<INTEGER> (first characters); facts LIST<LIST> (id of an edge; head, relation
//   and tail as first read; ids of the symbols of head and tail; vector as BYTES; number of the sentence or −1)
UNWIND range(0, size($chunks) - 1) AS place
MATCH (c:Overstory {id: $chunks[place]}) WHERE c:Chunk AND c.corpus = $corpus
RETURN c.id AS chunk, c.text AS text, coalesce(c.sentences, [0]) AS sentences, COLLECT {
  MATCH (c)<-[:PART_OF]-(r:Overstory:AprRun)-[has:HAS_EDGE]->(e:Overstory:AprEdge)
  MATCH (head:Overstory:AprSymbol)<-[:HEAD]-(e)-[:TAIL]->(tail:Overstory:AprSymbol)
  RETURN [e.id, e.head, e.relation, e.tail, head.id, tail.id, e.vector, has.sentence] ORDER BY r.seq, has.position
} AS facts
ORDER BY place

// -- systems/apr/memory/questions_after
// Read the vectors of remembered questions written after a version of the memory.
// Parameters: $after INTEGER (version of the memory)
// Rows: questions LIST<LIST> (id, vector as BYTES); one row
MATCH (q:{{corpus}}_AprQuestion) WHERE q.version > $after
WITH q ORDER BY q.id
RETURN collect([q.id, q.vector]) AS questions

// -- systems/apr/memory/questions_by_symbols
// Find remembered questions that name some entities, or whose answers cite facts about them; merged entities as one.
// Parameters: $symbols LIST<STRING> (ids)
// Rows: found LIST<LIST<STRING>> (id of an entity, id of a question); one row
CALL () {
  UNWIND $symbols AS id
  MATCH (s:Overstory {id: id, corpus: $corpus})<-[:ALIAS_OF*0..1]-(alias:Overstory:AprSymbol)
  CALL (alias) {
    MATCH (alias)<-[:ASKS]-(q:Overstory:AprQuestion)
    RETURN q
    UNION
    MATCH (alias)<-[:HEAD|TAIL]-(:Overstory:AprEdge)<-[:HAS_EDGE]-(:Overstory:AprAnswer)-[:ANSWERS]->(q:Overstory:AprQuestion)
    RETURN q
  }
  RETURN DISTINCT id, q.id AS question
}
RETURN collect([id, question]) AS found

// -- systems/apr/memory/recall
// Read the remembered answers to some questions, with the cited facts that their passages still state.
// Parameters: $questions LIST<STRING> (ids)
// Rows: question, asked (its text), id, text, short, kind, model, at STRING; citations STRING (JSON: LIST of ids of a
//   fact and its chunk, and the words it was written in); facts LIST<LIST> (ids of an edge, of the chunk that states
//   it, and of its document; vector as BYTES; canonical id; head, relation and tail, of representatives if merged)
UNWIND $questions AS question
MATCH (q:Overstory {id: question}) WHERE q:AprQuestion AND q.corpus = $corpus
MATCH (a:Overstory:AprAnswer)-[:ANSWERS]->(q)
WHERE COUNT { (a)-[:STANDS_ON]->(:Overstory:Chunk) } = a.supports
CALL (a) {
  MATCH (a)-[:HAS_EDGE]->(e:Overstory:AprEdge)
  WITH a, collect(e) AS edges
  MATCH (a)-[:STANDS_ON]->(c:Overstory:Chunk)<-[:PART_OF]-(:Overstory:AprRun)-[:HAS_EDGE]->(e:Overstory:AprEdge)
  WHERE e IN edges
  WITH DISTINCT e, c
  MATCH (c)-[:PART_OF]->(d:Overstory:Document)
  MATCH (e)-[:HEAD]->(head:Overstory:AprSymbol)
  MATCH (e)-[:RELATION]->(relation:Overstory:AprSymbol)
  MATCH (e)-[:TAIL]->(tail:Overstory:AprSymbol)
  OPTIONAL MATCH (head)-[:ALIAS_OF]->(h:Overstory:AprSymbol)
  OPTIONAL MATCH (relation)-[:ALIAS_OF]->(r:Overstory:AprSymbol)
  OPTIONAL MATCH (tail)-[:ALIAS_OF]->(t:Overstory:AprSymbol)
  RETURN collect([e.id, c.id, d.id, e.vector, coalesce(e.canonical, e.id), coalesce(h.text, head.text),
    coalesce(r.text, relation.text), coalesce(t.text, tail.text)]) AS facts
}
RETURN q.id AS question, q.text AS asked, a.id AS id, a.text AS text, a.short AS short, a.kind AS kind, a.model AS model,
  a.asked AS at, a.citations AS citations, facts

// -- systems/apr/memory/related
// Read remembered questions that have an answer.
// Parameters: $questions LIST<STRING> (ids)
// Rows: id, text STRING; triples STRING (JSON: LIST of LIST of head, relation and tail)
UNWIND $questions AS question
MATCH (q:Overstory {id: question})
WHERE q:AprQuestion AND q.corpus = $corpus AND EXISTS { (q)<-[:ANSWERS]-(:Overstory:AprAnswer) }
RETURN q.id AS id, q.text AS text, q.triples AS triples

// -- systems/apr/memory/state
// Read the state of the memory of a corpus.
// Parameters: $memory STRING (id)
// Rows: version INTEGER (rises with every change); embedder STRING (of the question vectors); since STRING (date of the
//   first answer); one row, or none if nothing was ever remembered
MATCH (m:Overstory {id: $memory}) WHERE m:AprMemory AND m.corpus = $corpus
RETURN m.version AS version, m.embedder AS embedder, m.since AS since

// -- systems/apr/memory/lock
// Lock chunks until the end of the transaction, so that they are not deleted meanwhile.
// Parameters: $chunks LIST<STRING> (ids, in order, so that transactions do not deadlock)
// Rows: chunks LIST<STRING> (existing ones); one row
UNWIND $chunks AS id
MATCH (c:Overstory {id: id}) WHERE c:Chunk AND c.corpus = $corpus
SET c.id = c.id
RETURN collect(c.id) AS chunks

// -- systems/apr/memory/remember
// Store an answer to a question, with the chunks and edges it cites, which exist and are locked. An existing answer
// stays as it is.
// Parameters: $memory, $embedder STRING (id of the memory, fingerprint of the embedder); $question MAP {id, text,
//   asked, triples STRING (JSON); vector BYTES; symbols LIST<STRING> (ids of the symbols of its triples)}; $answer MAP
//   {id, text, short, kind, model, asked, citations STRING (JSON); supports, edges INTEGER; runs LIST<INTEGER>};
//   $chunks LIST<STRING> (ids); $edges LIST<LIST> (id, position, run)
// Rows: none
MERGE (m:Overstory {id: $memory})
ON CREATE SET m:AprMemory:$($corpus):$($corpus + '_AprMemory'), m.corpus = $corpus, m.embedder = $embedder, m.since = $question.asked
SET m.version = coalesce(m.version, 0) + 1
MERGE (q:Overstory {id: $question.id})
ON CREATE SET q:AprQuestion:$($corpus):$($corpus + '_AprQuestion'):Shared, q.corpus = $corpus, q.text = $question.text,
  q.asked = $question.asked, q.triples = $question.triples, q.vector = $question.vector, q.symbols = $question.symbols
SET q.version = m.version
MERGE (a:Overstory {id: $answer.id})
ON CREATE SET a:AprAnswer:$($corpus):$($corpus + '_AprAnswer'):OfChunk, a.corpus = $corpus, a += $answer
MERGE (a)-[:ANSWERS]->(q)
WITH q, a
CALL (q) {
  UNWIND $question.symbols AS symbol
  MATCH (s:Overstory {id: symbol}) WHERE s:AprSymbol AND s.corpus = $corpus
  MERGE (q)-[:ASKS]->(s)
}
CALL (a) {
  UNWIND $chunks AS chunk
  MATCH (c:Overstory {id: chunk}) WHERE c:Chunk AND c.corpus = $corpus
  MERGE (a)-[:STANDS_ON]->(c)
}
CALL (a) {
  UNWIND $edges AS edge
  MATCH (e:Overstory {id: edge[0]}) WHERE e:AprEdge AND e.corpus = $corpus
  MERGE (a)-[has:HAS_EDGE]->(e)
  SET has.position = edge[1], has.run = edge[2]
}

// -- systems/apr/memory/room
// Read the state and size of the memory, and whether it has an answer to a question.
// Parameters: $memory, $answer, $question STRING (ids)
// Rows: version INTEGER, embedder STRING (null if nothing was ever remembered); questions INTEGER; known BOOLEAN; one
//   row
OPTIONAL MATCH (m:Overstory {id: $memory})
CALL () { MATCH (q:{{corpus}}_AprQuestion) RETURN count(q) AS questions }
RETURN m.version AS version, m.embedder AS embedder, questions, EXISTS {
  MATCH (a:Overstory {id: $answer})-[:ANSWERS]->(q:{{corpus}}_AprQuestion) WHERE q.id = $question
  AND COUNT { (a)-[:STANDS_ON]->(:Chunk:{{corpus}}) } = a.supports
} AS known

// -- systems/apr/memory/still_stated
// Select the facts that their chunks still state.
// Parameters: $facts LIST<LIST<STRING>> (ids of an edge and of a chunk)
// Rows: stated LIST<LIST<STRING>> (pairs of ids as in $facts); one row
UNWIND $facts AS fact
MATCH (c:Overstory {id: fact[1]}) WHERE c:Chunk AND c.corpus = $corpus
AND EXISTS {
  MATCH (c)<-[:PART_OF]-(:Overstory:AprRun)-[:HAS_EDGE]->(e:Overstory:AprEdge) WHERE e.id = fact[0]
}
RETURN collect(fact) AS stated

// -- systems/apr/memory/answers
// Read some remembered answers completely.
// Parameters: $ids LIST<STRING>
// Rows: id, text, short, kind, model, asked, citations STRING; supports, standing INTEGER (chunks it was based on, and
//   chunks that still exist); runs LIST<INTEGER>; questions LIST<LIST<STRING>> (text, date, triples as JSON; newest
//   first); chunks LIST<LIST> (id, text and sentence starts of each existing chunk; id, source, source key and title of
//   its document); stated LIST<LIST> (facts of these chunks: id of an edge, of the chunk, number of the sentence or −1)
UNWIND $ids AS id
MATCH (a:Overstory {id: id}) WHERE a:AprAnswer AND a.corpus = $corpus
RETURN a.id AS id, a.text AS text, a.short AS short, a.kind AS kind, a.model AS model, a.asked AS asked,
  a.citations AS citations, a.runs AS runs, a.supports AS supports,
  COUNT { (a)-[:STANDS_ON]->(:Overstory:Chunk) } AS standing,
  COLLECT {
    MATCH (a)-[:ANSWERS]->(q:Overstory:AprQuestion)
    RETURN [q.text, q.asked, q.triples] ORDER BY q.asked DESC, q.id
  } AS questions,
  COLLECT {
    MATCH (a)-[:STANDS_ON]->(c:Overstory:Chunk)-[:PART_OF]->(d:Overstory:Document)
    RETURN [c.id, c.text, coalesce(c.sentences, [0]), d.id, d.source, d.source_key, d.title]
  } AS chunks,
  COLLECT {
    MATCH (a)-[:STANDS_ON]->(c:Overstory:Chunk)<-[:PART_OF]-(:Overstory:AprRun)-[has:HAS_EDGE]->(e:Overstory:AprEdge)
    RETURN [e.id, c.id, has.sentence]
  } AS stated

// -- systems/apr/memory/forget
// Delete remembered answers, with questions and edges that only they have. Mark symbols of these edges for
// `remove_loose_symbols`.
// Parameters: $memory STRING (id); $ids LIST<STRING>
// Rows: forgotten INTEGER; one row
UNWIND $ids AS id
MATCH (a:Overstory {id: id}) WHERE a:AprAnswer AND a.corpus = $corpus
OPTIONAL MATCH (a)-[:ANSWERS]->(q:Overstory:AprQuestion)
OPTIONAL MATCH (a)-[:HAS_EDGE]->(e:Overstory:AprEdge)
WITH collect(DISTINCT a) AS answers, collect(DISTINCT q) AS questions, collect(DISTINCT e) AS edges
FOREACH (a IN answers | DETACH DELETE a)
WITH size(answers) AS forgotten, questions, edges
CALL (questions) {
  UNWIND questions AS q
  WITH q WHERE NOT EXISTS { (q)<-[:ANSWERS]-(:Overstory:AprAnswer) }
  DETACH DELETE q
}
CALL (edges) {
  UNWIND edges AS e
  WITH e WHERE NOT EXISTS { (e)<-[:HAS_EDGE]-(:Overstory) }
  OPTIONAL MATCH (e)-[:HEAD|RELATION|TAIL]->(s:Overstory:AprSymbol)
  WITH e, collect(s) AS symbols
  FOREACH (s IN symbols | SET s:$($corpus + '_AprLoose'))
  DETACH DELETE e
}
CALL (forgotten) {
  MATCH (m:Overstory {id: $memory, corpus: $corpus}) WHERE forgotten > 0
  SET m.version = m.version + 1
}
RETURN forgotten

// -- systems/apr/memory/newest
// List the newest remembered answers.
// Parameters: $like STRING (part of the question; "" for all); $limit INTEGER
// Rows: id STRING; newest first
MATCH (a:{{corpus}}_AprAnswer)
WHERE $like = '' OR EXISTS {
  MATCH (a)-[:ANSWERS]->(q:{{corpus}}_AprQuestion) WHERE toLower(q.text) CONTAINS toLower($like)
}
RETURN a.id AS id ORDER BY a.asked DESC, a.id LIMIT $limit

// -- systems/apr/memory/pages
// Read the next page of remembered answers, by id.
// Parameters: $after STRING; $limit INTEGER
// Rows: id STRING
MATCH (a:{{corpus}}_AprAnswer) WHERE a.id > $after
RETURN a.id AS id ORDER BY id LIMIT $limit

// -- systems/apr/memory/places
// Find the chunks of documents that state facts.
// Parameters: $facts LIST<LIST<STRING>> (ids of a document and of an edge)
// Rows: found LIST<LIST> (ids as in $facts; id, position in the document, text and sentence starts of a chunk; number
//   of the sentence or −1); documents LIST<STRING> (ids of existing documents); one row
CALL () {
  UNWIND $facts AS fact
  MATCH (d:Overstory {id: fact[0]}) WHERE d:Document AND d.corpus = $corpus
  RETURN collect(DISTINCT d.id) AS documents
}
CALL () {
  UNWIND $facts AS fact
  MATCH (d:Overstory {id: fact[0]}) WHERE d:Document AND d.corpus = $corpus
  MATCH (d)<-[:PART_OF]-(c:Overstory:Chunk)<-[:PART_OF]-(:Overstory:AprRun)-[has:HAS_EDGE]->(e:Overstory:AprEdge)
  WHERE e.id = fact[1]
  RETURN collect([fact[0], fact[1], c.id, c.seq, c.text, coalesce(c.sentences, [0]), has.sentence]) AS found
}
RETURN found, documents

// -- systems/apr/memory/size
// Count the contents of the memory.
// Parameters: none
// Rows: answers, questions, facts, passages, unsupported INTEGER (answers that cite missing facts); one row
CALL () { MATCH (a:{{corpus}}_AprAnswer) RETURN count(a) AS answers }
CALL () { MATCH (q:{{corpus}}_AprQuestion) RETURN count(q) AS questions }
CALL () { MATCH (:{{corpus}}_AprAnswer)-[:HAS_EDGE]->(e:{{corpus}}_AprEdge) RETURN count(DISTINCT e) AS facts }
CALL () { MATCH (:{{corpus}}_AprAnswer)-[:STANDS_ON]->(c:{{corpus}}_Chunk) RETURN count(DISTINCT c) AS passages }
CALL () {
  MATCH (a:{{corpus}}_AprAnswer)
  WHERE COUNT { (a)-[:STANDS_ON]->(:Chunk:{{corpus}}) } <> a.supports
    OR COUNT { (a)-[:HAS_EDGE]->(:AprEdge:{{corpus}}) } <> a.edges
    OR EXISTS {
      MATCH (a)-[:HAS_EDGE]->(e:{{corpus}}_AprEdge)
      WHERE NOT EXISTS {
        (a)-[:STANDS_ON]->(:Chunk:{{corpus}})<-[:PART_OF]-(:AprRun:{{corpus}})-[:HAS_EDGE]->(e)
      }
    }
  RETURN count(a) AS unsupported
}
RETURN answers, questions, facts, passages, unsupported

// -- systems/apr/memory/with_ids
// Find remembered answers by prefixes of their ids.
// Parameters: $beginnings LIST<STRING> (prefixes); $limit INTEGER
// Rows: id STRING; ordered
MATCH (a:{{corpus}}_AprAnswer) WHERE any(beginning IN $beginnings WHERE a.id STARTS WITH beginning)
RETURN a.id AS id ORDER BY id LIMIT $limit

// -- systems/apr/memory/doubtful
// Read the next remembered answers that may have lost a fact since a version of the corpus: a chunk was read again, or
// a cited node is gone.
// Parameters: $after STRING; $limit, $read_to INTEGER (version up to which chunks had been read)
// Rows: id, citations STRING; runs LIST<INTEGER>; ordered by id
MATCH (a:{{corpus}}_AprAnswer)
WHERE a.id > $after AND (
  COUNT { (a)-[:STANDS_ON]->(:Chunk:{{corpus}}) } <> a.supports
  OR COUNT { (a)-[:HAS_EDGE]->(:AprEdge:{{corpus}}) } <> a.edges
  OR EXISTS { MATCH (a)-[:STANDS_ON]->(c:{{corpus}}_Chunk) WHERE c.touched > $read_to }
)
RETURN a.id AS id, a.citations AS citations, a.runs AS runs ORDER BY id LIMIT $limit

// -- systems/apr/memory/link_questions
// Connect remembered questions to existing symbols of their triples. Commits in batches.
// Parameters: none
// Rows: none
MATCH (q:{{corpus}}_AprQuestion)
WHERE COUNT { (q)-[:ASKS]->(:AprSymbol:{{corpus}}) } < size(coalesce(q.symbols, []))
CALL (q) {
  UNWIND q.symbols AS id
  MATCH (s:Overstory {id: id}) WHERE s:{{corpus}}_AprSymbol
  MERGE (q)-[:ASKS]->(s)
} IN TRANSACTIONS OF 500 ROWS

// -- systems/apr/memory/question_pages
// Read the next page of remembered questions, by id.
// Parameters: $after STRING; $limit INTEGER
// Rows: id, text STRING
MATCH (q:{{corpus}}_AprQuestion) WHERE q.id > $after
RETURN q.id AS id, q.text AS text ORDER BY id LIMIT $limit

// -- systems/apr/memory/relink
// Connect remembered answers to the edges they cite, after these were rewritten.
// Parameters: $rows LIST<MAP {id STRING; edges LIST<LIST> (id, position, run)}>
// Rows: none
UNWIND $rows AS row
MATCH (a:Overstory {id: row.id}) WHERE a:AprAnswer AND a.corpus = $corpus
UNWIND row.edges AS edge
MATCH (e:Overstory {id: edge[0]}) WHERE e:AprEdge AND e.corpus = $corpus
MERGE (a)-[has:HAS_EDGE]->(e)
SET has.position = edge[1], has.run = edge[2]

// -- systems/apr/memory/set_embedder
// Record the embedder of the question vectors. Processes with older cached vectors then treat it as another memory.
// Parameters: $memory, $embedder STRING
// Rows: none
MATCH (m:Overstory {id: $memory}) WHERE m:AprMemory AND m.corpus = $corpus
SET m.embedder = $embedder, m.version = m.version + 1

// -- systems/apr/memory/write_question_vectors
// Replace the vectors of remembered questions.
// Parameters: $rows LIST<MAP {id STRING; vector BYTES}>
// Rows: none
UNWIND $rows AS row
MATCH (q:Overstory {id: row.id}) WHERE q:AprQuestion AND q.corpus = $corpus
SET q.vector = row.vector
