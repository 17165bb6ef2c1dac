"""Two runs over the same queries: what changed, and whether that could be chance.

Pure: columns of two runs in, a report out. Knows neither the store nor how runs came about.
"""
