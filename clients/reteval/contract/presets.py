"""Presets: how known search servers are called and read, as data.

Each one describes a search as the server's documentation does; the URL is an example. A preset
fills in what the client's description leaves out: `params` and `headers` are merged by name, any
other field that is given replaces the preset's. Names in capitals are the client's to replace.
"""

from typing import Final

from msgspec import Struct

from reteval.contract.endpoints import Endpoint, Method, Paging, PagingKind, Success, TimeUnit


class Preset(Struct, frozen=True, kw_only=True):
    """A known kind of server.

    `needs` are places of the endpoint that the client must fill in, such as `params.query_by` or
    `body`. `most_hits` is how many hits one request returns at most, where that is fixed.
    """

    name: str
    about: str
    endpoint: Endpoint
    needs: tuple[str, ...] = ()
    most_hits: int | None = None


PRESETS: Final = {
    preset.name: preset
    for preset in (
        Preset(
            name="default",
            about='The default protocol: `{"query": …, "top_k": …}`, answered by a list of hits.',
            endpoint=Endpoint(url="https://HOST/search"),
        ),
        Preset(
            name="elasticsearch",
            about="Elasticsearch and OpenSearch `_search`, all text fields; a search that timed "
            "out or lost a shard fails. Give `body` for another query.",
            endpoint=Endpoint(
                url="https://HOST:9200/INDEX/_search",
                body={
                    "query": {"multi_match": {"query": "{{query}}"}},
                    "size": "{{k}}",
                    "_source": False,
                },
                hits="hits.hits",
                id="_id",
                score="_score",
                total="hits.total.value",
                took="took",
                success=Success(path="timed_out == `false` && _shards.failed == `0`"),
            ),
            most_hits=10_000,
        ),
        Preset(
            name="solr",
            about="Solr's select handler with edismax; `params.qf` names the fields to search.",
            endpoint=Endpoint(
                url="https://HOST:8983/solr/COLLECTION/select",
                method=Method.GET,
                params={
                    "q": "{{query}}",
                    "rows": "{{k}}",
                    "fl": "id,score",
                    "defType": "edismax",
                    "wt": "json",
                },
                hits="response.docs",
                id="id",
                score="score",
                total="response.numFound",
                took="responseHeader.QTime",
                success=Success(
                    path="responseHeader.status == `0` && !(responseHeader.partialResults)"
                ),
            ),
            needs=("params.qf",),
        ),
        Preset(
            name="typesense",
            about="Typesense document search; the header X-TYPESENSE-API-KEY holds a search key, "
            "`params.query_by` names the fields. Pages of 250.",
            endpoint=Endpoint(
                url="https://HOST:8108/collections/COLLECTION/documents/search",
                method=Method.GET,
                params={
                    "q": "{{query}}",
                    "per_page": "{{k}}",
                    "page": "{{page}}",
                    "include_fields": "id",
                },
                hits="hits",
                id="document.id",
                score="text_match",
                total="found",
                took="search_time_ms",
                success=Success(path="!search_cutoff"),
                paging=Paging(kind=PagingKind.PAGE, size=250),
            ),
            needs=("params.query_by", "headers.X-TYPESENSE-API-KEY"),
        ),
        Preset(
            name="meilisearch",
            about="Meilisearch index search; the header Authorization holds `Bearer` and a key. "
            "An index answers 1,000 hits unless `maxTotalHits` is raised.",
            endpoint=Endpoint(
                url="https://HOST:7700/indexes/INDEX/search",
                body={
                    "q": "{{query}}",
                    "limit": "{{k}}",
                    "attributesToRetrieve": ["id"],
                    "showRankingScore": True,
                },
                hits="hits",
                id="id",
                score="_rankingScore",
                total="estimatedTotalHits",
                took="processingTimeMs",
            ),
            most_hits=1_000,
        ),
        Preset(
            name="qdrant",
            about="Qdrant's query API with a vector that each query carries as the field "
            "`embedding`. Where the server embeds text itself, give `body` with a document query.",
            endpoint=Endpoint(
                url="https://HOST:6333/collections/COLLECTION/points/query",
                body={"query": "{{field.embedding}}", "limit": "{{k}}", "with_payload": False},
                hits="result.points",
                id="id",
                score="score",
                took="time",
                took_unit=TimeUnit.SECONDS,
                success=Success(path="status", equals="ok"),
            ),
        ),
        Preset(
            name="weaviate",
            about="Weaviate's GraphQL, BM25 over one class; copy `body` and put the class in. "
            "The id is Weaviate's own unless `id` names a property.",
            endpoint=Endpoint(
                url="https://HOST:8080/v1/graphql",
                body={
                    "query": '{ Get { CLASS(bm25: {query: "{{query|json}}"}, limit: {{k}}) '
                    "{ _additional { id score } } } }"
                },
                hits="data.Get.* | [0]",
                id="_additional.id",
                score="_additional.score",
                error="errors",
            ),
            needs=("body",),
        ),
        Preset(
            name="chroma",
            about="Chroma's query route with a vector that each query carries as the field "
            "`embedding`. Its scores are distances: the lower, the nearer.",
            endpoint=Endpoint(
                url="https://HOST:8000/api/v2/tenants/default_tenant/databases/default_database"
                "/collections/UUID/query",
                body={
                    "query_embeddings": ["{{field.embedding}}"],
                    "n_results": "{{k}}",
                    "include": ["distances"],
                },
                ids="ids[0]",
                scores="distances[0]",
            ),
        ),
        Preset(
            name="vespa",
            about="Vespa's query API with `userQuery()` over all schemas; partial coverage fails. "
            "Ids are Vespa's document ids unless `id` names a field, such as `fields.doc_id`.",
            endpoint=Endpoint(
                url="https://HOST:8080/search/",
                body={
                    "yql": "select * from sources * where userQuery()",
                    "query": "{{query}}",
                    "type": "weakAnd",
                    "hits": "{{k}}",
                    "presentation.timing": True,
                },
                hits="root.children || `[]`",
                id="id",
                score="relevance",
                total="root.fields.totalCount",
                took="timing.searchtime",
                took_unit=TimeUnit.SECONDS,
                error="root.errors",
                success=Success(path="root.coverage.full"),
            ),
            most_hits=400,
        ),
        Preset(
            name="algolia",
            about="Algolia index search, kept out of its analytics; the headers hold the "
            "application id and a search key.",
            endpoint=Endpoint(
                url="https://APPLICATION-dsn.algolia.net/1/indexes/INDEX/query",
                body={
                    "query": "{{query}}",
                    "hitsPerPage": "{{k}}",
                    "attributesToRetrieve": ["objectID"],
                    "attributesToHighlight": [],
                    "analytics": False,
                    "clickAnalytics": False,
                },
                hits="hits",
                id="objectID",
                total="nbHits",
                took="processingTimeMS",
            ),
            needs=("headers.X-Algolia-Application-Id", "headers.X-Algolia-API-Key"),
            most_hits=1_000,
        ),
        Preset(
            name="anserini",
            about="Anserini's REST server over a Lucene index.",
            endpoint=Endpoint(
                url="http://HOST:8080/v1/INDEX/search",
                method=Method.GET,
                params={"query": "{{query}}", "hits": "{{k}}"},
                hits="candidates",
                id="docid",
                score="score",
            ),
        ),
        Preset(
            name="datasette",
            about="A named query of Datasette with the parameters `:q` and `:k` that returns the "
            "columns id and score. Rows are capped by `max_returned_rows`.",
            endpoint=Endpoint(
                url="http://HOST:8001/DATABASE/QUERY.json",
                method=Method.GET,
                params={"q": "{{query}}", "k": "{{k}}", "_shape": "objects"},
                hits="rows",
                id="id",
                score="score",
                success=Success(path="ok"),
            ),
            most_hits=1_000,
        ),
        Preset(
            name="postgrest",
            about="A function behind PostgREST, such as one over pgvector, with the parameters "
            "`query_text` and `match_count`, returning rows with id and similarity.",
            endpoint=Endpoint(
                url="https://HOST/rest/v1/rpc/FUNCTION",
                body={"query_text": "{{query}}", "match_count": "{{k}}"},
                hits="@",
                id="id",
                score="similarity",
            ),
        ),
        Preset(
            name="groonga",
            about="Groonga's select command, version 3, any word of the query; `params.table` "
            "and `params.filter` name the table and the columns.",
            endpoint=Endpoint(
                url="http://HOST:10041/d/select",
                method=Method.GET,
                params={
                    "command_version": 3,
                    "output_columns": "_key,_score",
                    "sort_keys": "-_score",
                    "limit": "{{k}}",
                    "filter": 'query("COLUMNS", "{{query|json}}", {"default_operator": "OR"})',
                },
                hits="body.records",
                id="[0]",
                score="[1]",
                total="body.n_hits",
                took="header.elapsed_time",
                took_unit=TimeUnit.SECONDS,
                success=Success(path="header.return_code", equals=0),
            ),
            needs=("params.table", "params.filter"),
        ),
    )
}
