"""Tools for agents, which use them over the Model Context Protocol (MCP). This package needs the extra `mcp`.

Agents call the tools over HTTP, or on the standard input and output of `overstory mcp`.
"""
