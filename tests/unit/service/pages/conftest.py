"""The pages stand in the same app as the API: so do their fixtures."""

from tests.unit.service.api.conftest import client, ended_run, guarded, opens

__all__ = ["client", "ended_run", "guarded", "opens"]
