"""The routes of the HTTP API: each takes a request apart, calls `Knowledge`, and sends what it returns."""
