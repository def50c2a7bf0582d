"""HTTP service for any number of corpora: web page, API, chat endpoint, MCP and jobs, with access tokens.

It uses corpora only through `Knowledge`, and needs the extra `serve`.
"""
