"""Every name that the package offers; `reteval` itself loads this when one of them is used."""

from reteval._gates import GateDocument
from reteval.async_client import AsyncClient
from reteval.client import Client
from reteval.contract.alerts import Alert, AlertRequest
from reteval.contract.api_keys import ApiKey, ApiKeyRequest, NewApiKey, Scope
from reteval.contract.comparisons import Comparison, ComparisonRequest, Verdict
from reteval.contract.diagnostics import Diagnostic, DiagnosticCode, Severity
from reteval.contract.endpoints import Endpoint
from reteval.contract.gates import Gate, GateFailedError, GateOutcome, GateVerdict
from reteval.contract.grants import Grant, GrantRequest, Link, NewLink
from reteval.contract.power import PowerAnswer, PowerRequest
from reteval.contract.previews import Preview, PreviewRequest
from reteval.contract.probes import Probe, ProbeReport, ProbeRequest
from reteval.contract.problems import ErrorCode, ProblemItem
from reteval.contract.quotas import Allowance, QuotaName, TeamLimits
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
from reteval.contract.saved_endpoints import SavedEndpoint, SavedEndpointRequest
from reteval.contract.schedules import Schedule, ScheduleRequest
from reteval.contract.splits import SplitReport
from reteval.contract.suites import Suite, SuiteRequest, SuiteRun, SuiteRunRequest
from reteval.contract.teams import Team, TeamRequest
from reteval.contract.testsets import Judgment, Query, Scale, TestSet, TestSetUpload
from reteval.contract.webhooks import Webhook, WebhookEvent, WebhookRequest, WebhookSecret
from reteval.errors import (
    ClientError,
    ConflictError,
    ConnectionFailedError,
    InvalidError,
    NotFoundError,
    RateLimitedError,
    ResponseError,
    RetevalError,
    RunFailedError,
    ServerError,
    SignatureError,
    UnauthorizedError,
    UnreadableResponseError,
    WaitTimeoutError,
)
from reteval.retries import Retry
from reteval.webhooks import verify_webhook

__all__ = [
    "AdversarialRequest",
    "Alert",
    "AlertRequest",
    "Allowance",
    "ApiKey",
    "ApiKeyRequest",
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
    "GateFailedError",
    "GateOutcome",
    "GateVerdict",
    "Grant",
    "GrantRequest",
    "InvalidError",
    "Judgment",
    "Limits",
    "Link",
    "MetricSummary",
    "NewApiKey",
    "NewLink",
    "NotFoundError",
    "PowerAnswer",
    "PowerRequest",
    "Preview",
    "PreviewRequest",
    "Probe",
    "ProbeReport",
    "ProbeRequest",
    "ProblemItem",
    "Progress",
    "Query",
    "QuotaName",
    "RateLimitedError",
    "RescoreRequest",
    "ResponseError",
    "Results",
    "RetevalError",
    "Retry",
    "RetryRequest",
    "Run",
    "RunFailedError",
    "RunRequest",
    "RunStatus",
    "SavedEndpoint",
    "SavedEndpointRequest",
    "Scale",
    "Schedule",
    "ScheduleRequest",
    "Scope",
    "ServerError",
    "Severity",
    "SignatureError",
    "SplitReport",
    "Suite",
    "SuiteRequest",
    "SuiteRun",
    "SuiteRunRequest",
    "Team",
    "TeamLimits",
    "TeamRequest",
    "TestSet",
    "TestSetUpload",
    "UnauthorizedError",
    "UnreadableResponseError",
    "Verdict",
    "WaitTimeoutError",
    "Webhook",
    "WebhookEvent",
    "WebhookRequest",
    "WebhookSecret",
    "verify_webhook",
]
