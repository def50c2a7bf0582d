"""The systems that come with Overstory: one folder per published method, built on `overstory.systems`.

The platform finds them through the entry points `overstory.systems`, like those of other packages.
"""
