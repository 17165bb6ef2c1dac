import subprocess
import sys

PROGRAM = """
import asyncio, json, resource, sys
from reteval.contract.testsets import TestSetHead
from service.core.ingest.draft import ingest
from service.core.ingest.ndjson import read_ndjson

sent = 0

async def chunks():
    global sent
    for query in range(50_000):
        relevant = [{"id": f"doc-{query * 7 + n:07}", "grade": n % 4} for n in range(20)]
        line = {"query": f"how do I set option {query}", "relevant": relevant}
        body = json.dumps(line).encode() + b"\\n"
        sent += len(body)
        yield body

async def write(batch):
    pass

def peak():
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit

before = peak()
draft = asyncio.run(ingest(read_ndjson(chunks()), TestSetHead(), write))
print(draft.stats.judgments, sent, peak() - before)
"""


def test_ingest_of_a_large_stream_stays_far_below_its_size() -> None:
    """50,000 queries with 20 judgments each grow the process by less than the body itself."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True, timeout=120
    )
    judgments, sent, growth = (int(word) for word in done.stdout.split())
    assert judgments == 1_000_000
    assert growth < sent
