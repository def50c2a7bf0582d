"""Vectors as arrays: packing, clustering and nearest neighbours."""
