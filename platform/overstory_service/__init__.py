"""The HTTP service, which serves any number of corpora through a web page, an API, a chat endpoint and MCP.

Clients authenticate with access tokens, and background jobs load and index documents. The service accesses corpora only
through `Knowledge`. It needs the extra `serve`.
"""
