"""Client of the reteval retrieval evaluation service."""

from reteval._gates import GateDocument
from reteval.async_client import AsyncClient
from reteval.client import Client
from reteval.contract.comparisons import Comparison, ComparisonRequest, Verdict
from reteval.contract.diagnostics import Diagnostic, DiagnosticCode, Severity
from reteval.contract.endpoints import Endpoint
from reteval.contract.gates import Gate, GateOutcome, GateVerdict
from reteval.contract.power import PowerAnswer, PowerRequest
from reteval.contract.probes import Probe, ProbeReport, ProbeRequest
from reteval.contract.problems import ErrorCode, ProblemItem
from reteval.contract.results import MetricSummary, Results
from reteval.contract.runs import (
    AdversarialRequest,
    Limits,
    Progress,
    RescoreRequest,
    RetryRequest,
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
    "Comparison",
    "ComparisonRequest",
    "ConflictError",
    "ConnectionFailedError",
    "Diagnostic",
    "DiagnosticCode",
    "Endpoint",
    "ErrorCode",
    "Gate",
    "GateDocument",
    "GateOutcome",
    "GateVerdict",
    "InvalidError",
    "Judgment",
    "Limits",
    "MetricSummary",
    "NotFoundError",
    "PowerAnswer",
    "PowerRequest",
    "Probe",
    "ProbeReport",
    "ProbeRequest",
    "ProblemItem",
    "Progress",
    "Query",
    "RateLimitedError",
    "RescoreRequest",
    "ResponseError",
    "Results",
    "RetevalError",
    "Retry",
    "RetryRequest",
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
    "Verdict",
    "WaitTimeoutError",
]
