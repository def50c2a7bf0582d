"""Tools for agents (Model Context Protocol), on stdio and over HTTP: the same ones, with the same rights.

Needs the extra `mcp`.
"""
