"""Company facts, offices, and the words that only this company uses."""

from __future__ import annotations

from dataclasses import dataclass

from store.rules.facts import CompanyFacts
from store.sql.companies import company_id_of, load_company
from store.sql.scope import Scope
from store.sql.unit import Database
from store.sql.words import Words, load_words


@dataclass(frozen=True, slots=True)
class CompanyOutcome:
    """A company and its words."""

    company: CompanyFacts
    words: Words


def company_info(database: Database, scope: Scope) -> CompanyOutcome:
    """Return the facts and house rules of the scope's company."""
    with database.read() as session:
        return CompanyOutcome(load_company(session, scope), load_words(session, scope))


def get_company(database: Database, scope: Scope) -> CompanyFacts:
    """Return the facts of the scope's company, offices included."""
    with database.read() as session:
        return load_company(session, scope)


def find_company(database: Database, slug: str) -> CompanyFacts:
    """Return the company with that public name.

    Raises:
        NotFound: there is none.
    """
    with database.read() as session:
        return load_company(session, Scope(company_id_of(session, slug)))


def is_reachable(database: Database) -> bool:
    """Whether the database answers a query now."""
    return database.ping()
