"""Client of the reteval retrieval evaluation service."""

from reteval.async_client import AsyncClient
from reteval.client import Client
from reteval.contract.diagnostics import Diagnostic, DiagnosticCode, Severity
from reteval.contract.problems import ErrorCode, ProblemItem
from reteval.contract.results import MetricSummary, Results
from reteval.contract.runs import (
    AdversarialRequest,
    Endpoint,
    Limits,
    Progress,
    Run,
    RunRequest,
    RunStatus,
)
from reteval.contract.testsets import Judgment, Query, Scale, TestSet, TestSetUpload
from reteval.errors import (
    ClientError,
    ConflictError,
    ConnectionFailedError,
    InvalidError,
    NotFoundError,
    RateLimitedError,
    ResponseError,
    RetevalError,
    ServerError,
    UnauthorizedError,
    UnreadableResponseError,
    WaitTimeoutError,
)
from reteval.retries import Retry

__all__ = [
    "AdversarialRequest",
    "AsyncClient",
    "Client",
    "ClientError",
    "ConflictError",
    "ConnectionFailedError",
    "Diagnostic",
    "DiagnosticCode",
    "Endpoint",
    "ErrorCode",
    "InvalidError",
    "Judgment",
    "Limits",
    "MetricSummary",
    "NotFoundError",
    "ProblemItem",
    "Progress",
    "Query",
    "RateLimitedError",
    "ResponseError",
    "Results",
    "RetevalError",
    "Retry",
    "Run",
    "RunRequest",
    "RunStatus",
    "Scale",
    "ServerError",
    "Severity",
    "TestSet",
    "TestSetUpload",
    "UnauthorizedError",
    "UnreadableResponseError",
    "WaitTimeoutError",
]
