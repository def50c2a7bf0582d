"""The stages that fill the graph, one a module."""
