"""All tables. Importing this package registers every table with the metadata that migrations are compared to.

Each module holds one area. `chat` belongs to conversations; everything else to the business.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from sqlalchemy import MetaData
from sqlmodel import SQLModel

for _module in iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")

METADATA: MetaData = SQLModel.metadata
"""Every table of the product."""
