"""The wire rules that hold for every model, stated once."""

from __future__ import annotations

from types import NoneType
from typing import Any, ClassVar, Final

from pydantic import BaseModel, ConfigDict, SerializerFunctionWrapHandler, model_serializer

CONTRACT_VERSION: Final = "1.0"
"""`MAJOR.MINOR` of the whole contract. A minor only adds; see `compat`."""

MAX_SAFE_INTEGER: Final = 2**53 - 1
"""The largest whole number that every reader, JavaScript included, takes without loss."""


class ContractModel(BaseModel):
    """A producer's model: frozen, no unknown fields, absent instead of null.

    A field that has no value is left out of the JSON, so that "absent" has one spelling. A field whose
    type is exactly null (the payload of a text turn) stays.
    """

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        allow_inf_nan=False,  # JSON has neither; they would cross the wire as null
        use_attribute_docstrings=True,
        json_schema_serialization_defaults_required=True,
    )

    _kept_null: ClassVar[frozenset[str]] = frozenset()

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        """Find the fields that are null by type."""
        super().__pydantic_init_subclass__(**kwargs)
        cls._kept_null = frozenset(n for n, f in cls.model_fields.items() if f.annotation is NoneType)

    @model_serializer(mode="wrap")
    def _leave_out_absent(self, handler: SerializerFunctionWrapHandler):  # type: ignore[no-untyped-def]
        # Unannotated on purpose: a return type here would replace the model's own JSON Schema.
        data = handler(self)
        return {key: value for key, value in data.items() if value is not None or key in self._kept_null}
