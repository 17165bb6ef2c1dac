"""Operations on ids: what each does, what it leaves alone, and what is refused."""

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reteval.contract.endpoints import Endpoint
from reteval.contract.id_rules import (
    NUMBER_OPS,
    TEXT_OPS,
    IdOp,
    OpName,
    apply_ops,
    check_op,
)


def op(name: OpName, **given: Any) -> IdOp:
    """Build an operation."""
    return IdOp(op=name, **given)


@pytest.mark.parametrize(
    ("made", "before", "after"),
    [
        (op(OpName.STRIP), "\ufeff 42\n", "42"),
        (op(OpName.UNWRAP), "[42]", "42"),
        (op(OpName.UNWRAP), "[42)", "[42)"),
        (op(OpName.CASEFOLD), "Straße-A", "strasse-a"),
        (op(OpName.UPPER), "doc-a", "DOC-A"),
        (op(OpName.NFC), "cafe\u0301", "caf\u00e9"),
        (op(OpName.UNQUOTE), "a%2Fb%20c", "a/b c"),
        (op(OpName.INT_LIKE), "42.00", "42"),
        (op(OpName.INT_LIKE), "42.5", "42.5"),
        (op(OpName.LSTRIP_ZEROS), "CACM-0756", "CACM-756"),
        (op(OpName.LSTRIP_ZEROS), "000", "0"),
        (op(OpName.LSTRIP_ZEROS), "abc", "abc"),
        (op(OpName.ZFILL, n=4), "CACM-756", "CACM-0756"),
        (op(OpName.ZFILL, n=4), "1-2.md", "1-0002.md"),
        (
            op(OpName.UUID_DASHES),
            "{0F8FAD5BD9CB469FA16570867728950E}",
            "0f8fad5b-d9cb-469f-a165-70867728950e",
        ),
        (
            op(OpName.UUID_PLAIN),
            "urn:uuid:0f8fad5b-d9cb-469f-a165-70867728950e",
            "0f8fad5bd9cb469fa16570867728950e",
        ),
        (op(OpName.UUID_PLAIN), "a-b", "a-b"),
        (op(OpName.UUID_DASHES), "a-b", "a-b"),
        (op(OpName.DROP_EXT), "guides/setup.md", "guides/setup"),
        (op(OpName.DROP_EXT), "v1.2", "v1.2"),
        (op(OpName.DROP_EXT), ".env", ".env"),
        (op(OpName.BASENAME), "a\\b/c/", "c"),
        (op(OpName.DROP_SCHEME_HOST), "https://a.b:8/x/y?z", "/x/y?z"),
        (op(OpName.DROP_QUERY_FRAGMENT), "/x?a=1#b", "/x"),
        (op(OpName.DROP_TRAILING_SLASH), "/x//", "/x"),
        (op(OpName.STRIP_PREFIX, text="doc-"), "doc-1", "1"),
        (op(OpName.STRIP_SUFFIX, text="-en"), "1-en", "1"),
        (op(OpName.ADD_PREFIX, text="doc-"), "1", "doc-1"),
        (op(OpName.ADD_SUFFIX, text=".md"), "a", "a.md"),
        (op(OpName.SPLIT, text="#", n=0), "42#3", "42"),
        (op(OpName.SPLIT, text="::", n=-1), "kb::42", "42"),
        (op(OpName.SPLIT, text="#", n=5), "42#3", "42#3"),
        (op(OpName.BEFORE_LAST, text="-"), "user-guide-3", "user-guide"),
        (op(OpName.BEFORE_LAST, text="-"), "guide", "guide"),
        (op(OpName.STRIP_PREFIX, text="doc"), "doc", "doc"),
    ],
)
def test_apply_respells_as_named(made: IdOp, before: str, after: str) -> None:
    """Each operation does what its name says; what would leave nothing is not done."""
    assert apply_ops((made,), before) == after


def test_apply_keeps_the_order_of_operations() -> None:
    """The result of one operation is what the next one sees."""
    rule = (op(OpName.STRIP_PREFIX, text="kb:"), op(OpName.SPLIT, text="#", n=0))
    assert apply_ops(rule, "kb:7#2") == "7"
    assert apply_ops((), "kb:7#2") == "kb:7#2"


def some_op(name: OpName) -> IdOp:
    """Build a valid operation of each name."""
    return IdOp(
        op=name,
        text="-" if name in TEXT_OPS else msgspec.UNSET,
        n=3 if name in NUMBER_OPS else msgspec.UNSET,
    )


@pytest.mark.parametrize("name", OpName)
@given(text=st.text(min_size=1, max_size=60))
def test_apply_takes_any_text(name: OpName, text: str) -> None:
    """No id makes an operation fail, or disappear."""
    assert apply_ops((some_op(name),), text)


@pytest.mark.parametrize("name", OpName)
def test_check_accepts_what_each_operation_needs(name: OpName) -> None:
    """An operation with its own parameters is fine."""
    assert check_op(some_op(name)) == ""


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (op(OpName.SPLIT, text="#"), "needs an `n`"),
        (op(OpName.SPLIT, n=1), "needs a `text`"),
        (op(OpName.STRIP, text="x"), "takes no `text`"),
        (op(OpName.STRIP, n=1), "takes no `n`"),
        (op(OpName.ZFILL, n=0), "at least 1"),
    ],
)
def test_check_names_the_missing_or_surplus_parameter(wrong: IdOp, said: str) -> None:
    """The message says which parameter is at fault."""
    assert said in check_op(wrong)


def test_operations_survive_json_and_are_spelled_shortly() -> None:
    """What was declared is what is read back; an unset parameter is left out."""
    sent = b'{"url":"http://a/","id_rule":[{"op":"split","text":"#","n":0},{"op":"strip"}]}'
    endpoint = msgspec.json.decode(sent, type=Endpoint)
    assert msgspec.json.encode(endpoint.id_rule) in sent
    assert [str(one) for one in endpoint.id_rule] == ["split('#', 0)", "strip"]
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(b'{"id_rule":[{"op":"explode"}]}', type=Endpoint)
