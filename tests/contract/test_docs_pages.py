"""The page about pages lists those that there are."""

from service.api.openapi import list_pages
from service.app import create_app
from service.settings import Settings
from tests.contract.test_docs import read_table


def test_table_of_pages_is_that_of_the_routes() -> None:
    """Each page and each form has a row with the scope that it asks for."""
    pages = list_pages(create_app(Settings.from_env({})).routes)
    assert [(row["page"], row["needs"]) for row in read_table("pages.md", "page")] == sorted(
        (f"{one.method} {one.path}", str(one.operation.scope.value)) for one in pages
    )
