"""Names of keys and ids. Every key begins with its tenant."""

import secrets
from typing import Final

DEFAULT_TENANT: Final = "default"
SYSTEM_TENANT: Final = "_"
_ALPHABET: Final = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_ID_LENGTH: Final = 22
"""62^22 is just above 2^128."""

BUSY: Final = f"t:{SYSTEM_TENANT}:busy"
"""Set of `queue/tenant` for every tenant with jobs in a queue that have not ended."""
TURNS: Final = f"t:{SYSTEM_TENANT}:turns"
"""From `queue/tenant` to when a worker last took something of that tenant."""
SIGNING_KEY: Final = f"t:{SYSTEM_TENANT}:signing-key"
BIRTH: Final = f"t:{SYSTEM_TENANT}:birth"
"""When the first record was written; it goes when all data goes."""
PROBE: Final = f"t:{SYSTEM_TENANT}:probe"
COMPARISON_PREFIX: Final = "cmp_"
PROBE_PREFIX: Final = "prb_"
"""Of the ids of probes, which send a few queries and are kept for a day."""
PREVIEW_PREFIX: Final = "prv_"
"""Of the ids of previews, which show variants and are kept for a day, too."""
JUDGING_PREFIX: Final = "jdg_"
STEP_PREFIX: Final = "jst_"
"""Of the ids of jobs of judgings."""
LEAKAGE_PREFIX: Final = "lk_"
"""Of the ids of leakage checks, which compare texts and are kept for a day."""
WEBHOOKS_DUE: Final = f"t:{SYSTEM_TENANT}:webhooks:due"
"""Keys of webhooks by when their next delivery is due."""
REAPER: Final = f"t:{SYSTEM_TENANT}:reaper"
TENANTS: Final = f"t:{SYSTEM_TENANT}:tenants"
"""Set of every tenant that ever stored a test set."""
RESERVED: Final = f"t:{SYSTEM_TENANT}:reserved"
"""From `tenant/run` to the bytes that the run may still come to need."""
COUNTERS: Final = f"t:{SYSTEM_TENANT}:counters"
"""What has been counted in the whole deployment, by counter, label and target."""
COUNTED_TARGETS: Final = f"t:{SYSTEM_TENANT}:counters:targets"
FIRST_KEY: Final = f"t:{SYSTEM_TENANT}:first-key"
"""Id of the API key that bootstrapping made."""
TEAMS: Final = f"t:{SYSTEM_TENANT}:teams"
"""From a team's id to what is known of it."""
EVERYONE: Final = "*"
"""No team's id: stands for all of them where something is granted."""


def new_id(prefix: str) -> str:
    """Return an id of at least 128 random bits, such as `run_…`."""
    return f"{prefix}_{''.join(secrets.choice(_ALPHABET) for _ in range(_ID_LENGTH))}"


def staging(tenant: str, token: str) -> str:
    """Queries of an upload that is not complete yet."""
    return f"t:{tenant}:staging:{token}"


def test_set(tenant: str, test_set_id: str) -> str:
    """Head of a test set."""
    return f"t:{tenant}:ts:{test_set_id}"


def test_set_queries(tenant: str, test_set_id: str) -> str:
    """Chunks of a test set's queries."""
    return f"t:{tenant}:ts:{test_set_id}:queries"


def test_set_runs(tenant: str, test_set_id: str) -> str:
    """Runs that refer to a test set, by time."""
    return f"t:{tenant}:ts:{test_set_id}:runs"


def test_sets(tenant: str) -> str:
    """All test sets, by time."""
    return f"t:{tenant}:test-sets"


def test_set_contents(tenant: str) -> str:
    """From a name and a content hash to the set that has them."""
    return f"t:{tenant}:test-sets:contents"


def test_set_versions(tenant: str) -> str:
    """From a name to the number of versions it ever had."""
    return f"t:{tenant}:test-sets:versions"


def test_set_name(tenant: str, name: str) -> str:
    """Living versions of a name, by number."""
    return f"t:{tenant}:test-sets:name:{name}"


def job(tenant: str, job_id: str) -> str:
    """Record of a job; the id's prefix says which kind it is (`run_`, `cmp_`, `prb_`)."""
    return f"t:{tenant}:{job_id.partition('_')[0]}:{job_id}"


def active(tenant: str, queue: str) -> str:
    """A tenant's jobs in a queue that have not ended, by time."""
    return f"t:{tenant}:active:{queue}"


def busy(tenant: str, queue: str) -> str:
    """Return the member of `BUSY` for a tenant's jobs in a queue."""
    return f"{queue}/{tenant}"


def leases(tenant: str) -> str:
    """`job/unit` of what workers hold for a tenant, by the time until which they do."""
    return f"t:{tenant}:leases"


def job_part(tenant: str, job_id: str, part: str) -> str:
    """A part of a job: units, holds, secrets, plan, shards, report.

    Of an ended run also what it is read back from: packed, columns, variants, unjudged; of a
    leakage check, pairs.
    """
    return f"{job(tenant, job_id)}:{part}"


def shard_outcomes(tenant: str, run_id: str, unit: str) -> str:
    """Outcomes of a shard that is being worked on."""
    return job_part(tenant, run_id, f"outcomes:{unit}")


RUN_PARTS: Final = (
    "secrets",
    "plan",
    "packed",
    "columns",
    "variants",
    "unjudged",
    "report",
    "rankings",
    "links",
)


LASTING_PARTS: Final = ("plan", "packed", "columns", "variants", "unjudged", "report")
"""The parts of a job that stay when it has ended."""


def runs(tenant: str) -> str:
    """All runs, by time."""
    return f"t:{tenant}:runs"


def suite(tenant: str, suite_id: str) -> str:
    """A suite of test sets."""
    return f"t:{tenant}:su:{suite_id}"


def suites(tenant: str) -> str:
    """All suites, by time."""
    return f"t:{tenant}:suites"


def suite_names(tenant: str) -> str:
    """From a name to the suite that has it."""
    return f"t:{tenant}:suites:names"


def suite_run(tenant: str, suite_run_id: str) -> str:
    """What joins the runs over a suite."""
    return f"t:{tenant}:srn:{suite_run_id}"


def suite_runs(tenant: str, suite_id: str) -> str:
    """The runs over a suite, by time."""
    return f"t:{tenant}:su:{suite_id}:runs"


def endpoint(tenant: str, endpoint_id: str) -> str:
    """A saved endpoint."""
    return f"t:{tenant}:ep:{endpoint_id}"


def endpoints(tenant: str) -> str:
    """All saved endpoints, by time."""
    return f"t:{tenant}:endpoints"


def endpoint_names(tenant: str) -> str:
    """From a name to the saved endpoint that has it."""
    return f"t:{tenant}:endpoints:names"


def webhook(tenant: str, webhook_id: str) -> str:
    """A webhook; with `:log`, `:due` and `:event:<id>` behind it, its deliveries."""
    return f"t:{tenant}:wh:{webhook_id}"


def read_webhook(key: str) -> tuple[str, str]:
    """Return tenant and id of a webhook's key."""
    tenant, _, webhook_id = key.removeprefix("t:").rpartition(":wh:")
    return tenant, webhook_id


def webhooks(tenant: str) -> str:
    """All webhooks, by time."""
    return f"t:{tenant}:webhooks"


def deliveries(tenant: str, webhook_id: str) -> str:
    """All deliveries of a webhook, by time."""
    return f"{webhook(tenant, webhook_id)}:log"


def delivery(tenant: str, webhook_id: str, event_id: str) -> str:
    """A delivery of an event to a webhook."""
    return f"{webhook(tenant, webhook_id)}:event:{event_id}"


def api_key(key_id: str) -> str:
    """An API key, found before its team is known."""
    return f"t:{SYSTEM_TENANT}:key:{key_id}"


def api_keys(tenant: str) -> str:
    """All keys of a team, by time."""
    return f"t:{tenant}:keys"


def grants(tenant: str) -> str:
    """From the id of a grant to what a team granted by it."""
    return f"t:{tenant}:grants"


def received(reader: str) -> str:
    """From what was granted to a team, or to `EVERYONE`, to its grant."""
    return f"t:{SYSTEM_TENANT}:received:{reader}"


def link(link_id: str) -> str:
    """A link that opens a run, found before the run's team is known."""
    return f"t:{SYSTEM_TENANT}:link:{link_id}"


def session(session_id: str) -> str:
    """A session, found before its team is known."""
    return f"t:{SYSTEM_TENANT}:session:{session_id}"


def audit(log: str) -> str:
    """A stream of events."""
    return f"t:{SYSTEM_TENANT}:audit:{log}"


def audit_seen(token: str) -> str:
    """That an event is in its stream already."""
    return f"t:{SYSTEM_TENANT}:audit-seen:{token}"


def looks(tenant: str, holdout: str) -> str:
    """Runs that looked at a hold-out, by their turn."""
    return f"t:{tenant}:looks:{holdout}"


def comparisons(tenant: str) -> str:
    """From the content of a comparison to the one that has it."""
    return f"t:{tenant}:comparisons"


def comparison_times(tenant: str) -> str:
    """All comparisons, by time."""
    return f"t:{tenant}:comparisons:times"


def judging(tenant: str, judging_id: str) -> str:
    """A judging; `judging_part` has what there is much of."""
    return f"t:{tenant}:jdg:{judging_id}"


JUDGING_PARTS: Final = ("pairs", "votes", "voted", "queue", "answers")
"""Pairs, votes and endpoints' answers by query; pairs with a person's vote; the queue in chunks."""


def judging_part(tenant: str, judging_id: str, part: str) -> str:
    """A part of a judging."""
    return f"{judging(tenant, judging_id)}:{part}"


def judgings(tenant: str) -> str:
    """All judgings, by time."""
    return f"t:{tenant}:judgings"


def judge_answer(tenant: str, digest: str) -> str:
    """What a model answered to a question, kept so that it need not be asked again."""
    return f"t:{tenant}:judge-answers:{digest}"


def sizes(tenant: str) -> str:
    """From the id of a kept object to its bytes."""
    return f"t:{tenant}:sizes"


def brief_sizes(tenant: str) -> str:
    """Ids and bytes of ended jobs that are kept for a day, by the time they go."""
    return f"t:{tenant}:sizes:brief"


def own_limits(tenant: str) -> str:
    """The limits of a team that are not the deployment's, by name; scripts form this name, too."""
    return f"t:{tenant}:limits"


def rate(tenant: str, caller: str) -> str:
    """Requests that a caller took: a key of a team, or an address without one."""
    return f"t:{tenant}:rate:{caller}"


def target_slots(target: str) -> str:
    """When the next request to a target may start, whoever sends it."""
    return f"t:{SYSTEM_TENANT}:target:{target}:slots"


def target_lanes(target: str) -> str:
    """Who holds how many connections to a target."""
    return f"t:{SYSTEM_TENANT}:target:{target}:lanes"


def counted(process: str) -> str:
    """The number of what a process last added to the counters."""
    return f"t:{SYSTEM_TENANT}:counted:{process}"


def idempotency(tenant: str, name: str) -> str:
    """The entry of an idempotency key; `name` is the operation and the client's key."""
    return f"t:{tenant}:idempotency:{name}"
