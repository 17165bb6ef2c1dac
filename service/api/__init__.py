"""HTTP resources: decode, call core, encode."""
