// The server's heap.
// Parameters: none
// Rows: used INTEGER, most INTEGER (bytes); one
CALL dbms.queryJmx('java.lang:type=Memory') YIELD attributes
WITH attributes.HeapMemoryUsage.value.properties AS heap
RETURN heap.used AS used, heap.max AS most
