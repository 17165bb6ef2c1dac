"""Unique secrets in every field that takes one, looked for everywhere but where they belong."""

import json
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import pytest
import redis
import zstandard

from tests.endpoint import Endpoint, serve_answers
from tests.receiver import Receiver, receive
from tests.service_process import ServiceProcess, find_descendants, run_service

KEY_FILE = "secret.key"
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
SECRETS = {
    name: f"canary-{number}-{name}-5ecre7"
    for number, name in enumerate(
        (
            *("run", "saved", "rotated", "probe", "retry", "broken", "refused", "key", "model"),
            *("guess", "pooled", "judge"),
        )
    )
}
MADE = ("key", "rotated key", "share token", "webhook", "rotated webhook")
"""Secrets that the service makes, each in the answer that made it and that answer's repetition."""
PRIVATE = {
    name: f"private-{number}-{name}-w0rd5"
    for number, name in enumerate(("query", "path", "body", "label", "meta", "document", "text"))
}
"""What is stored and answered on purpose, and has no business in a log or a process list."""


def bear(name: str) -> dict[str, str]:
    """Return headers that carry one secret."""
    return {"Authorization": f"Bearer {SECRETS[name]}"}


class Places:
    """Everything that was written down: answers, logs, the store's files, keys, command lines.

    `made` has the secrets that the service made, and how often it answered each on purpose.
    """

    def __init__(self, data: Path) -> None:
        self.answers: list[str] = []
        self.made: dict[str, tuple[str, int]] = {}
        self._data = data

    def keep(self, answer: httpx.Response) -> None:
        """Keep an answer, its headers included."""
        answer.read()
        self.answers.append(f"{answer.status_code} {answer.headers.raw} {answer.text}")

    def logs(self) -> str:
        """Return what the programs wrote."""
        return (self._data.parent / f"{self._data.name}.log").read_text()

    def files(self) -> bytes:
        """Return the store's files, packed parts unpacked: every command that wrote anything."""
        found = [path for path in self._data.rglob("*") if path.is_file()]
        written = b"".join(path.read_bytes() for path in found if path.name != KEY_FILE)
        return written + b"".join(unpack(written))

    def key(self) -> str:
        """Return the key that encrypts secrets."""
        return (self._data / KEY_FILE).read_text().strip()


def unpack(written: bytes) -> Iterator[bytes]:
    """Yield every zstd frame in some bytes, unpacked."""
    for piece in written.split(ZSTD_MAGIC)[1:]:
        with suppress(zstandard.ZstdError):
            yield zstandard.ZstdDecompressor().decompressobj().decompress(ZSTD_MAGIC + piece)


class Witnessed:
    """The places, and the process list while the work went on."""

    def __init__(self, places: Places, processes: str) -> None:
        self.logs = places.logs()
        self.files = places.files()
        self.key = places.key()
        self.answers = "\n".join(places.answers)
        self.made = places.made
        self.processes = processes


def echo(endpoint: list[Endpoint], text: str) -> tuple[int, Any]:
    """Answer with everything the endpoint was sent last, as a careless one does."""
    told = json.dumps(endpoint[0].headers[-1])
    if "fail" in text:
        return 500, {"error": f"refused {told}", "trace": told}
    hit = {"id": PRIVATE["document"], "text": PRIVATE["text"], "debug": told}
    return 200, {"results": [hit], "request": told}


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Witnessed]:
    """Send every secret through every route that takes one, and collect what was written."""
    data = tmp_path_factory.mktemp("canaries") / "data"
    places, served = Places(data), list[Endpoint]()
    told: list[Endpoint] = []
    judging: list[Endpoint] = []
    auth = {"RETEVAL_AUTH": "required", "RETEVAL_API_KEY": SECRETS["key"]}
    with (
        serve_answers(lambda text: echo(served, text)) as endpoint,
        serve_answers(lambda text: babble(told, text)) as model,
        serve_answers(lambda text: confide(judging, text)) as judge,
        receive() as receiver,
        run_service(data, **auth) as service,
        httpx.Client(
            base_url=service.url,
            headers=bear("key"),
            event_hooks={"response": [places.keep]},
            timeout=60,
        ) as client,
    ):
        served.append(endpoint)
        told.append(model)
        judging.append(judge)
        run_id = exercise(client, endpoint.url)
        ask_model(client, endpoint.url, model.url)
        make_judging(client, endpoint.url, judge.url)
        make_secrets(client, places, run_id, receiver)
        break_webhook(client, service, receiver)
        processes = "".join(
            Path(f"/proc/{pid}/cmdline").read_text()
            for pid in find_descendants(service.process.pid)
        )
        sent = {header["authorization"] for header in endpoint.headers}
        assert {f"Bearer {SECRETS[name]}" for name in ("run", "rotated", "probe", "retry")} <= sent
        assert f"Bearer {SECRETS['pooled']}" in sent
        assert f"Bearer {SECRETS['judge']}" in {one["authorization"] for one in judge.headers}
        assert f"Bearer {SECRETS['model']}" in {one["authorization"] for one in model.headers}
        yield Witnessed(places, processes)


def babble(model: list[Endpoint], text: str) -> tuple[int, Any]:
    """Say a query otherwise, with everything the model was sent in it."""
    return 200, [f"{text} {json.dumps(model[0].headers[-1])}"]


def confide(judge: list[Endpoint], _text: str) -> tuple[int, Any]:
    """Grade a document, and give everything the judge was sent as the reason."""
    said = json.dumps({"grade": 2, "reason": json.dumps(judge[0].headers[-1])})
    return 200, {"choices": [{"message": {"content": said}, "finish_reason": "stop"}]}


def exercise(client: httpx.Client, url: str) -> str:
    """Upload, save, rotate, probe, run, retry, and ask in wrong ways; return the run's id."""
    queries = [{"query": f"{PRIVATE['query']} {word}", "relevant_ids": ["d"]} for word in "ab"]
    queries.append({"query": "fail", "relevant_ids": ["d"]})
    assert client.post("/v1/test-sets", json={"name": "set", "queries": queries}).is_success
    target = {"url": f"{url}/{PRIVATE['path']}?q={PRIVATE['path']}", "error": "error"}
    body = {"query": "{{query}}", "hint": PRIVATE["body"]}
    saved = {"name": "prod", "endpoint": {"url": url, "headers": bear("saved")}}
    made = client.post("/v1/endpoints", json=saved)
    path = f"/v1/endpoints/{made.json()['id']}"
    rotated = client.put(
        f"{path}/secrets", json={"headers": bear("rotated")}, headers={"If-Match": "*"}
    )
    assert rotated.is_success
    client.get(path)
    for endpoint in ({"saved": "prod"}, {"url": url, "headers": bear("probe")}):
        probe = {"endpoint": endpoint, "queries": [{"query": "probe"}, {"query": "fail"}]}
        assert client.post("/v1/probes?wait=20", json=probe).json()["status"] == "completed"
    run = {
        "test_set": "set",
        "label": PRIVATE["label"],
        "meta": {"note": PRIVATE["meta"]},
        "endpoint": {**target, "headers": bear("run"), "body": body},
        "limits": {"retries": 0, "max_error_rate": 1.0},
    }
    run_id = client.post("/v1/runs", json=run).json()["id"]
    read_all(client, run_id)
    retry = client.post(f"/v1/runs/{run_id}/retry", json={"headers": bear("retry")})
    read_all(client, retry.json()["id"])
    ask_wrongly(client, url)
    return str(run_id)


def ask_model(client: httpx.Client, url: str, model_url: str) -> None:
    """Run with paraphrases of a model that repeats what it was sent."""
    model = {"url": model_url, "headers": bear("model")}
    run = {
        "test_set": "set",
        "endpoint": {"url": url, "headers": bear("run")},
        "adversarial": {"kinds": ["paraphrase.model"], "model": model},
        "limits": {"retries": 0, "max_error_rate": 1.0},
    }
    run_id = client.post("/v1/runs", json=run).json()["id"]
    read_all(client, run_id)
    assert client.get(f"/v1/runs/{run_id}/variants").is_success


def make_judging(client: httpx.Client, url: str, judge_url: str) -> None:
    """Pool, try, judge, read everything and freeze, with a judge that repeats what it was sent."""
    asked = {"test_set": "set", "endpoints": [{"url": url, "headers": bear("pooled")}]}
    path = client.post("/v1/judgings", json=asked).headers["Location"]
    client.post(f"{path}/pool")
    assert client.get(path, params={"wait": 30}).json()["state"] == "pooled"
    # The endpoint of these tests reads a query wherever it is posted to.
    options = {"query": "grade this"}
    model = {"base_url": judge_url, "name": "m", "key": SECRETS["judge"], "options": options}
    tried = client.post(f"{path}/try", json={"model": model}, params={"wait": 30}).json()
    assert "***" in tried["report"]["trial"]["explanation"]
    client.post(f"{path}/judge", json={"model": model})
    assert client.get(path, params={"wait": 30}).json()["state"] == "judged"
    pairs = client.get(f"{path}/pairs").json()["items"]
    assert any("***" in str(row["votes"]) for row in pairs)
    client.get(f"{path}/review", params={"suggest": True})
    assert client.post(f"{path}/freeze", json={"allow_unjudged": True}).is_success


def make_secrets(client: httpx.Client, places: Places, run_id: str, receiver: Receiver) -> None:
    """Have keys, links and webhooks made and rotated, twice under one idempotency key, and used."""

    def make(name: str, path: str, body: Any, field: str = "secret") -> dict[str, Any]:
        headers = {"Idempotency-Key": name.replace(" ", "-")}
        made, again = [client.post(path, json=body, headers=headers) for _ in range(2)]
        assert made.is_success, made.text
        assert (again.content, again.headers["Idempotent-Replayed"]) == (made.content, "true")
        document: dict[str, Any] = made.json()
        # A link's token stands in its address, too.
        places.made[name] = (document[field], 2 * made.text.count(document[field]))
        return document

    key = make("key", "/v1/keys", {"name": "k", "scopes": ["keys:admin", "runs:read"]})
    heir = make("rotated key", f"/v1/keys/{key['id']}/rotate", None)
    link = make("share token", f"/v1/runs/{run_id}/links", {}, "token")
    hook = make("webhook", "/v1/webhooks", {"url": receiver.url})
    path = f"/v1/webhooks/{hook['id']}"
    make("rotated webhook", f"{path}/rotate", {"grace_s": 60})
    assert client.post(f"{path}/ping").is_success
    receiver.await_messages(1)
    anybody = {"Authorization": ""}
    for secret in (key["secret"], heir["secret"]):
        bearer = {"Authorization": f"Bearer {secret}"}
        for listed in ("/v1/keys", "/v1/runs", "/v1/webhooks"):
            assert client.get(listed, headers=bearer).is_success
        wrong = client.get(f"/v1/runs?api_key={secret}", headers=anybody)
        assert wrong.json()["code"] == "key_in_url"
    assert client.get(link["url"], headers=anybody).is_success
    header = {"Reteval-Share": link["token"], **anybody}
    assert client.get(f"/v1/runs/{run_id}", headers=header).is_success
    assert client.get("/v1/runs", headers=bear("guess")).status_code == 401
    for listed in (f"/v1/runs/{run_id}/links", f"{path}/deliveries", "/v1/limits"):
        assert client.get(listed).is_success
    for log in ("changes", "access"):
        assert client.get(f"/v1/audit?log={log}").is_success


def break_webhook(client: httpx.Client, service: ServiceProcess, receiver: Receiver) -> None:
    """Damage a webhook's record, so that API and worker fail with its secret at hand."""
    hook = client.post("/v1/webhooks", json={"url": receiver.url, "description": "broken"}).json()
    assert client.post(f"/v1/webhooks/{hook['id']}/ping").is_success
    receiver.await_messages(2)
    socket = (service.data / "address").read_text()
    with redis.Redis(unix_socket_path=socket) as server:
        server.hset(f"t:default:wh:{hook['id']}", "old_secret_until_ms", "broken")
    assert client.get(f"/v1/webhooks/{hook['id']}").status_code == 500


def read_all(client: httpx.Client, run_id: str) -> None:
    """Wait for a run, and read everything there is of it."""
    deadline = time.monotonic() + 60
    while client.get(f"/v1/runs/{run_id}?wait=20").json()["finished_at"] is None:
        assert time.monotonic() < deadline
    for part in ("results", "queries", "outcomes", "export?format=jsonl", "export?format=csv"):
        assert client.get(f"/v1/runs/{run_id}/{part}").is_success


def ask_wrongly(client: httpx.Client, url: str) -> None:
    """Send secrets in requests that are refused, in each way that quotes what was sent."""
    bad = {"test_set": "none", "endpoint": {"url": url, "headers": bear("refused")}}
    for body in (
        bad,
        {**bad, "test_set": "set", "endpoint": {**bad["endpoint"], "header": bear("refused")}},  # type: ignore[dict-item]
        {
            **bad,
            "test_set": "set",
            "endpoint": {"url": "http://10.0.0.1/", "headers": bear("refused")},
        },
        {**bad, "endpoint": {"url": url, "headers": {"Authorization": f"{SECRETS['refused']}\n"}}},
        {**bad, "endpoint": {"url": url, "headers": [SECRETS["refused"]]}},
        {**bad, "endpoint": {"url": f"http://user:{SECRETS['refused']}@127.0.0.1:9/"}},
    ):
        assert client.post("/v1/runs", json=body).is_client_error
    broken = f'{{"endpoint": {{"headers": {{"Authorization": "{SECRETS["broken"]}"'
    headers = {"Content-Type": "application/json"}
    assert client.post("/v1/runs", content=broken, headers=headers).is_client_error


@pytest.mark.parametrize("name", SECRETS)
def test_secret_is_nowhere(found: Witnessed, name: str) -> None:
    """No log, answer, key, file of the store or command line holds it, whole."""
    secret = SECRETS[name]
    assert secret not in found.logs
    assert secret not in found.answers
    assert secret.encode() not in found.files
    assert secret not in found.processes


@pytest.mark.parametrize("name", MADE)
def test_secret_that_was_made_is_told_once(found: Witnessed, name: str) -> None:
    """It is in the answer that made it and nowhere else: not in a log, file, or other answer."""
    secret, told = found.made[name]
    assert found.answers.count(secret) == told
    assert secret not in found.logs
    assert secret.encode() not in found.files
    assert secret not in found.processes


def test_key_that_encrypts_is_nowhere(found: Witnessed) -> None:
    """The key of the secrets is in its own file and in nothing that is written or answered."""
    assert len(found.key) > 40
    for place in (found.logs, found.answers, found.processes):
        assert found.key not in place
    assert found.key.encode() not in found.files


@pytest.mark.parametrize("name", PRIVATE)
def test_text_is_stored_and_not_logged(found: Witnessed, name: str) -> None:
    """What is answered on purpose is not in the logs, nor in a command line."""
    assert PRIVATE[name] in found.answers
    assert PRIVATE[name] not in found.logs
    assert PRIVATE[name] not in found.processes


def test_search_would_find_a_leak(found: Witnessed) -> None:
    """The places that were searched hold what they should: nothing was searched in vain."""
    assert "run.finished" in found.logs or "unit" in found.logs
    assert PRIVATE["query"].encode() in found.files
    assert PRIVATE["label"].encode() in found.files
    assert b"rq:job:" in found.files
    assert "worker" in found.processes
    assert "Traceback" in found.logs
    assert b"idempotency" in found.files
