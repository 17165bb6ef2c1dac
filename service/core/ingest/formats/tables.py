"""Tables with a header: which columns mean what, as data, and the reader of all of them."""

import csv
import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Final

from msgspec import Struct

from service.core.cells import rearm
from service.core.ingest.formats.chosen import read_columns
from service.core.ingest.formats.format import Format, Holds, Likeness, Opened, certain
from service.core.ingest.formats.rows import Asked, Misfit, Row, Vote
from service.core.ingest.formats.sample import Sample
from service.errors import MalformedTextError

_QUOTED: Final = re.compile(r"'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\"")
_FORMULA: Final = (" =", " +", " -", " @")
"""How Quepid, whose tables have no ids of queries, keeps spreadsheets from running a cell."""


class Table(Struct, frozen=True, kw_only=True):
    """Names of columns, in lower case. `others` may stand there, too, and are not read.

    `loose`: so may any. `raters` are columns of one rater each; `further_raters`: all that are not
    named. `many` says that a cell of documents is a list.
    """

    name: str
    holds: Holds
    about: str
    example: str
    query: str = ""
    id: str = ""
    document: str = ""
    grade: str = ""
    need: str = ""
    source: str = ""
    others: frozenset[str] = frozenset()
    loose: bool = False
    further_raters: bool = False
    raters: tuple[str, ...] = ()
    many: bool = False
    optional: tuple[str, ...] = ()

    @property
    def named(self) -> list[str]:
        """The columns that are read."""
        parts = (self.query, self.id, self.document, self.grade, self.need, self.source)
        return [name for name in parts if name]

    def fits(self, header: list[str]) -> bool:
        """Whether a header has the columns it needs, each once, and none that is unknown."""
        have = set(header)
        need = set(self.named) - set(self.optional)
        if not need <= have or len(have) != len(header):
            return False
        rest = have - set(self.named) - self.others
        if self.further_raters:
            return bool(rest) and "rating" not in rest
        return self.loose or not rest


TABLES: Final = (
    Table(
        name="csv",
        holds=Holds.BOTH,
        about="query, docid and rating, a judgment a row; also Quepid's basic export and "
        "OpenSearch SRW's import",
        example="query,docid,rating\nred shoes,doc7,2",
        query="query",
        id="query_id",
        document="docid",
        grade="rating",
        optional=("query_id",),
    ),
    Table(
        name="quepid_detailed",
        holds=Holds.BOTH,
        about="Quepid's detailed export",
        example="Team Name,Case Name,Case ID,Query Text,Doc ID,Position,Title,Rating\n"
        "T,C,1,red shoes,doc7,1,Red,2",
        query="query text",
        document="doc id",
        grade="rating",
        others=frozenset({"team name", "case name", "case id", "position", "title"}),
        loose=True,
    ),
    Table(
        name="quepid_raters",
        holds=Holds.BOTH,
        about="query and docid, then a column a rater; of Chorus, those that end in _rating",
        example="query,docid,ann,bob\nred shoes,doc7,2,3",
        query="query",
        document="docid",
        further_raters=True,
    ),
    Table(
        name="information_needs",
        holds=Holds.QUERIES,
        about="Quepid's information needs: what the searcher wants to know",
        example="query,information_need\nred shoes,wants shoes that are red",
        query="query",
        need="information_need",
    ),
    Table(
        name="ir_measures",
        holds=Holds.JUDGMENTS,
        about="a DataFrame of ir_measures as CSV",
        example="query_id,doc_id,relevance\nq1,doc7,2",
        id="query_id",
        document="doc_id",
        grade="relevance",
        others=frozenset({"iteration", ""}),
    ),
    Table(
        name="beir_qrels",
        holds=Holds.JUDGMENTS,
        about="BEIR's and MTEB's qrels",
        example="query-id\tcorpus-id\tscore\nq1\tdoc7\t2",
        id="query-id",
        document="corpus-id",
        grade="score",
    ),
    Table(
        name="ranx_table",
        holds=Holds.JUDGMENTS,
        about="a DataFrame of ranx qrels as CSV or Parquet",
        example="q_id,doc_id,score\nq1,doc7,2",
        id="q_id",
        document="doc_id",
        grade="score",
        others=frozenset({""}),
    ),
    Table(
        name="esci",
        holds=Holds.BOTH,
        about="shopping queries labelled E, S, C and I: send grades=E:3,S:2,C:1,I:0",
        example="query_id,query,product_id,esci_label\n1,red shoes,B07,E",
        query="query",
        id="query_id",
        document="product_id",
        grade="esci_label",
        others=frozenset({"", "example_id", "product_locale", "small_version", "large_version"})
        | {"split"},
        optional=("query",),
    ),
    Table(
        name="lara",
        holds=Holds.JUDGMENTS,
        about="LARA's annotations; its probabilities are not read",
        example="topic_id,doc_id,annotation,prob_0,prob_1\n1,doc7,1,0.2,0.8",
        id="topic_id",
        document="doc_id",
        grade="annotation",
        loose=True,
    ),
    Table(
        name="ragas_table",
        holds=Holds.BOTH,
        about="Ragas test sets as CSV; reference_context_ids are the relevant documents",
        example="user_input,reference_context_ids\nred shoes?,\"['doc7']\"",
        query="user_input",
        document="reference_context_ids",
        source="synthesizer_name",
        loose=True,
        many=True,
        optional=("reference_context_ids", "synthesizer_name"),
    ),
)


def find_table(header: list[str]) -> Table | None:
    """The table with this header."""
    return next((table for table in TABLES if table.fits(header)), None)


def _no_likeness(_: Sample) -> Likeness | None:
    return None  # it is told by the option alone


def _detect(table: Table) -> Callable[[Sample], Likeness | None]:
    def detect(sample: Sample) -> Likeness | None:
        found = find_table(sample.header)
        if found is not table:
            return None
        named = [name for name in table.named if name in sample.header]
        return certain(f"its header names {', '.join(named)}")

    return detect


def read_table(table: Table, opened: Opened) -> Iterator[Row]:
    """Read the rows of a table, in any order of columns."""
    rows = read_cells(opened)
    _, header = next(rows)
    yield from read_rows(table, [cell.strip().lower() for cell in header], rows)


def read_cells(opened: Opened) -> Iterator[tuple[int, list[str]]]:
    """Yield the cells of each row that is not blank, and the line on which it begins.

    Raises:
        MalformedTextError: quotes that do not match.
    """
    with opened.file.text(opened.sample.encoding) as stream:
        reader = csv.reader(stream, delimiter=opened.sample.delimiter, strict=True)
        start = 1
        try:
            for cells in reader:
                if cells:
                    yield start, cells
                start = reader.line_num + 1
        except csv.Error as exc:
            raise MalformedTextError(
                f"the row that begins on line {start} of {opened.file.name} cannot be read: {exc}. "
                'Close each quote, and write a quote inside a quoted cell as "".'
            ) from exc


def read_rows(
    table: Table, names: list[str], rows: Iterator[tuple[int, list[str]]]
) -> Iterator[Row]:
    """Turn rows under these names into votes, a row of blanks into a query."""
    place = {name: at for at, name in enumerate(names)}
    raters = _rater_columns(table, names)
    texts, ids, documents = (place.get(one, -1) for one in (table.query, table.id, table.document))
    grade, need = place.get(table.grade, -1), place.get(table.need, -1)
    source = place.get(table.source, -1)
    plain = rearm if table.id in names else _unblanked
    width = len(names)
    for at, cells in rows:
        if len(cells) != width:
            fix = "Quote cells that hold the delimiter."
            yield Misfit(at, "bad_row", f"{len(cells)} cells under {width} columns", fix)
            continue
        text = plain(cells[texts]) if texts >= 0 else None
        name = rearm(cells[ids]).strip() if ids >= 0 else ""
        document = rearm(cells[documents]).strip() if documents >= 0 else ""
        wanted = cells[need] if need >= 0 else ""
        rated = bool(cells[grade].strip()) if grade >= 0 else False
        if table.many:
            origin = cells[source] if source >= 0 else ""
            yield Asked(name, text or "", at, need=wanted, source=origin)
            yield from (Vote(name, text, one, 1, at) for one in _listed(document))
        elif raters:
            for column in raters:
                yield Vote(name, text, document, cells[column], at, 0, names[column])
        elif document or rated:
            yield Vote(name, text, document, cells[grade], at, 0, "", wanted)
        else:
            yield Asked(name, text or "", at, need=wanted)


def _rater_columns(table: Table, names: list[str]) -> list[int]:
    if not table.further_raters:
        return [names.index(name) for name in table.raters]
    named = [name for name in names if name.endswith("_rating") and name != "final_rating"]
    raters = named or [name for name in names if name not in table.named]
    return [names.index(name) for name in raters]


def _unblanked(cell: str) -> str:
    return cell[1:] if cell.startswith(_FORMULA) else rearm(cell)


def _listed(cell: str) -> list[str]:
    found = [one or other for one, other in _QUOTED.findall(cell)]
    return found or [part for part in re.split(r"[\s,;|\[\]]+", cell) if part]


def _choose(opened: Opened, header: list[str]) -> Table:
    chosen = read_columns(opened.options.columns, header)
    names = {role: columns[0] for role, columns in chosen.items()}
    return Table(
        name="columns",
        holds=Holds.BOTH,
        about="",
        example="",
        query=names.get("query", ""),
        id=names.get("query_id", ""),
        document=names.get("docid", ""),
        grade=names.get("rating", ""),
        need=names.get("information_need", ""),
        raters=tuple(chosen.get("rater", ())),
    )


def _read_chosen(opened: Opened) -> Iterator[Row]:
    rows = read_cells(opened)
    _, header = next(rows, (1, []))
    yield from read_rows(_choose(opened, header), [one.strip().lower() for one in header], rows)


def _format(table: Table) -> Format:
    return Format(
        name=table.name,
        holds=table.holds,
        about=table.about,
        example=table.example,
        detect=_detect(table),
        read=partial(read_table, table),
    )


FORMATS: Final = (
    *map(_format, TABLES),
    Format(
        name="columns",
        holds=Holds.BOTH,
        about="any other table, as spreadsheets save it, with columns=query:Query Text,docid:Doc "
        "ID,rating:Rating",
        example="Doc ID;Query Text;Rating\ndoc7;red shoes;2",
        detect=_no_likeness,
        read=_read_chosen,
    ),
)
