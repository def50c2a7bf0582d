"""The systems that come with Overstory: published methods, one folder each, on the framework in `overstory.systems`.

The platform finds them through the entry points `overstory.systems`, like those of other packages.
"""
