"""Client of the reteval retrieval evaluation service."""
