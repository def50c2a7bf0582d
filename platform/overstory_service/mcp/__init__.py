"""Tools for agents (Model Context Protocol), on standard input and output and over HTTP. Needs the extra `mcp`."""
