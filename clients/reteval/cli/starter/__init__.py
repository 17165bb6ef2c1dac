"""What `reteval init` writes where nothing is given: a sample of queries, and a gate."""
