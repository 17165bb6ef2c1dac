"""Charts: a module for each kind of picture, which turns numbers of a report into a `Chart`."""
