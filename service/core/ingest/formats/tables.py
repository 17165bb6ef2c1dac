"""Tables with a header, as data: which columns mean what."""

from typing import Final

from msgspec import Struct

from service.core.ingest.formats.format import Holds


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
