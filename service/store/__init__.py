"""Every key, script and TTL."""
