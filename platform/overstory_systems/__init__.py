"""The systems that come with Overstory: one folder per published method, built on `overstory.systems`.

The platform finds them through the entry point group `overstory.systems`, which other packages can use, too.
"""
