"""One warm service over any number of corpora: HTTP API, chat endpoint, MCP, jobs, with rights for each token.

Nothing here knows more of a corpus than `Knowledge` says. Needs the extra `serve`.
"""
