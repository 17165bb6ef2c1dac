"""The HTTP API and the state it shares with the workers."""
