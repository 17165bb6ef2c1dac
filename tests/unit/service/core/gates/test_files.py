import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reteval.contract.gates import By, Caps, DropLimit, Floor, GateRequest, NewestRun
from service.core.gates.files import MAX_YAML_BYTES, MAX_YAML_DEPTH, read_json, read_yaml
from service.errors import InvalidError, MalformedJsonError, MalformedTextError, TooLargeError

GATE = """\
name: release
baseline: {label: no}
floors:
  - {metric: recall@5, at_least: 75e-2, by: interval}
drops:
  - metric: ndcg@10
    max_drop: 0.02
    slice: "tag:faq"
caps: {error_rate: 0, p95_ms: 500}
block_on: [few_queries]
require_conclusive: true
"""


def test_yaml_is_read_as_json_would_be() -> None:
    """`no` is a word, 75e-2 and 0 are numbers, the rest are what they look like."""
    gate = read_yaml(GATE.encode())
    assert gate.baseline == NewestRun(label="no")
    assert gate.floors == (Floor(metric="recall@5", at_least=0.75, by=By.INTERVAL),)
    assert gate.drops == (DropLimit(metric="ndcg@10", max_drop=0.02, slice="tag:faq"),)
    assert gate.caps == Caps(error_rate=0.0, p95_ms=500.0)
    assert gate.require_conclusive
    assert gate == read_json(msgspec.json.encode(gate))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("on", "on"),
        ("2026-01-01", "2026-01-01"),
        ("1:30", "1:30"),
        ("0x1F", "0x1F"),
        ("1_000", "1_000"),
        ("'12'", "12"),
        ("!", None),
    ],
)
def test_yaml_words_stay_words(value: str, expected: str | None) -> None:
    """What only YAML 1.1 takes for a flag, date or number is text; tags are refused."""
    body = f"name: {value}\n".encode()
    if expected is None:
        with pytest.raises(MalformedTextError, match="tags are not read"):
            read_yaml(body)
    else:
        assert read_yaml(body).name == expected


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("a: &x 1\nb: *x\n", "anchors and aliases are not read"),
        ("floors: *x\n", "anchors and aliases are not read"),
        ("name: !!python/object:os.system {}\n", "tags are not read"),
        ("[" * (MAX_YAML_DEPTH + 1), "nested deeper than 10 levels"),
        ("name: a\nname: b\n", r"'name' is there twice \(line 2, column 1\)"),
        ("1: a\n", "a key is no text"),
        ("? [a]\n: b\n", "a key is no text"),
        ("name: [\n", "cannot be read as YAML"),
        ("name: a\n---\nname: b\n", "cannot be read as YAML"),
        ("name: \x00\n", "cannot be read as YAML"),
        ('name: "\\ud800', "cannot be read as YAML"),
    ],
)
def test_yaml_that_is_refused(body: str, message: str) -> None:
    """Bombs, code, ambiguity and broken syntax are 400s that say where."""
    with pytest.raises(MalformedTextError, match=message):
        read_yaml(body.encode())


def test_yaml_of_other_encodings_and_sizes() -> None:
    """UTF-16 and Latin-1 are no UTF-8, and a long file is refused unread."""
    with pytest.raises(MalformedTextError, match="not UTF-8"):
        read_yaml("name: ä".encode("latin-1"))
    with pytest.raises(TooLargeError, match="65,536"):
        read_yaml(b"#" * (MAX_YAML_BYTES + 1))


@pytest.mark.parametrize(
    ("body", "pointer", "fix"),
    [
        ("floors: [{metric: mrr, at_last: 1}]", "/floors/0/at_last", "Did you mean 'at_least'?"),
        ("floors: [{metric: mrr}]", "/floors/0", "Add 'at_least'."),
        ("floors: [{metric: mrr, at_least: yes}]", "/floors/0/at_least", "type and range"),
        ("drops: [{metric: mrr, max_drop: .nan}]", "/drops/0/max_drop", "type and range"),
        ("drops: [{metric: mrr, max_drop: 1.5}]", "/drops/0/max_drop", "type and range"),
        ("block_on: [nonsense]", "/block_on/0", "type and range"),
        ("- a", "", "type and range"),
        ("", "", "type and range"),
    ],
)
def test_wrong_yaml_points_at_the_place(body: str, pointer: str, fix: str) -> None:
    """A wrong field, type or bound is a 422 with its pointer and a way out."""
    with pytest.raises(InvalidError) as caught:
        read_yaml(body.encode())
    assert caught.value.errors[0].pointer == pointer
    assert fix in caught.value.errors[0].fix


def test_wrong_json_points_at_the_place() -> None:
    """JSON goes the same way, broken syntax apart."""
    with pytest.raises(InvalidError) as caught:
        read_json(b'{"caps": {"unjudged": {"at_most": 2}}}')
    assert caught.value.errors[0].pointer == "/caps/unjudged/at_most"
    with pytest.raises(MalformedJsonError):
        read_json(b"{")


@given(st.text(max_size=200) | st.binary(max_size=200))
def test_any_text_is_read_or_refused(body: str | bytes) -> None:
    """No body makes the reader fail in another way."""
    raw = body.encode("utf-8", "surrogatepass") if isinstance(body, str) else body
    try:
        gate = read_yaml(raw)
    except (InvalidError, MalformedTextError):
        return
    assert isinstance(gate, GateRequest)
