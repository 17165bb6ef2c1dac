"""Which outbound targets may be called; pure policy that opens no socket and resolves no name.

The API asks it when a run is created, the worker asks it again about every address at the moment
of dialling, which is the real boundary. No message repeats what it refuses, so that a refusal
tells nothing about a network.
"""

from service.egress.errors import EgressError
from service.egress.headers import check_headers
from service.egress.policy import Policy
from service.egress.urls import Target, name_origin

__all__ = ["EgressError", "Policy", "Target", "check_headers", "name_origin"]
