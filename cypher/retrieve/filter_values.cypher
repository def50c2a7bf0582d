// The values of some keys of metadata, to be compared by the client. Looks at each distinct value, not at documents.
// Parameters: $keys LIST<STRING> (ids of keys and their types)
// Rows: values LIST<LIST> (id; text, number, date or boolean; of a long text a document's values of the key, else null); one
//   a key that is there
UNWIND $keys AS id
MATCH (k:Overstory {id: id}) WHERE k:MetadataKey AND k.corpus = $corpus
RETURN COLLECT {
  MATCH (k)<-[:OF_KEY]-(v:Overstory:MetadataValue)
  RETURN [
    v.id, coalesce(v.text, v.number, v.date, v.boolean),
    CASE WHEN v.cut THEN COLLECT {
      MATCH (v)<-[:HAS_VALUE]-(d:Overstory:Document)
      RETURN d['metadata_' + v.key] LIMIT 1
    }[0] END
  ]
} AS values
