"""Use cases: rules and tables in one transaction."""
