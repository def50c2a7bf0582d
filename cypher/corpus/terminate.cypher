// Ends the transactions that a caller no longer waits for.
// Parameters: $mark STRING (`marked` in their metadata)
// Rows: message STRING; one for each transaction
SHOW TRANSACTIONS YIELD transactionId AS id, metaData
WHERE metaData.marked = $mark
TERMINATE TRANSACTIONS id YIELD message
RETURN message
