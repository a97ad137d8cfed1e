"""Named tuples of many arrays and numbers in memory, from which compiled code reads only the parts that it uses.

Numba unpacks a named tuple at each call from Python: short calls then take 12 µs longer, and the search of BOSS on
ALARM 43 % longer. A function that is called at its address takes only numbers, such as the address of a tuple.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from llvmlite import ir
from numba import typeof, types
from numba.core import cgutils
from numba.core.typing.templates import AttributeTemplate
from numba.extending import NativeValue, infer_getattr, intrinsic, lower_getattr_generic, models, register_model, unbox
from numba.np.arrayobj import populate_array

PART = 4
"""Words of a part: an address, and the lengths of up to three axes."""


class StoredType(types.Type):  # type: ignore[misc]
    """Type of the address of a stored named tuple; `parts` is the type of the tuple."""

    def __init__(self, parts: Any) -> None:
        self.parts = parts
        super().__init__(f"Stored({parts})")

    def part(self, name: str) -> tuple[int, Any]:
        """Index and type of a part."""
        place = self.parts.fields.index(name)
        return place, self.parts.types[place]


class Stored:
    """A named tuple of arrays and numbers, as an argument of compiled functions, which may write to the arrays.

    Parameters
    ----------
    parts : NamedTuple
        It must not change, and this object must stay alive, while compiled code uses the address.
    kind : numba.types.NamedTuple, optional
        Type of `parts`, by default the type that numba infers.
    """

    def __init__(self, parts: Sequence[Any], kind: Any = None) -> None:
        self._numba_type_ = StoredType(kind or typeof(parts))
        self.parts = parts
        self._words = np.zeros((len(parts), PART), dtype=np.int64)
        for row, part, each in zip(self._words, parts, self._numba_type_.parts.types, strict=True):
            if isinstance(each, types.Array):
                assert part.flags.c_contiguous
                row[: 1 + part.ndim] = part.ctypes.data, *part.shape
            else:
                row.view(np.float64 if each == types.float64 else np.int64)[0] = part
        self.address: int = self._words.ctypes.data


register_model(StoredType)(models.OpaqueModel)


@unbox(StoredType)  # type: ignore[untyped-decorator]
def _unbox(kind: StoredType, value: Any, c: Any) -> NativeValue:
    number = c.pyapi.object_getattr_string(value, "address")
    address = c.builder.inttoptr(c.pyapi.long_as_longlong(number), c.context.get_value_type(kind))
    c.pyapi.decref(number)
    return NativeValue(address)


@infer_getattr
class _Parts(AttributeTemplate):  # type: ignore[misc]
    key = StoredType

    def generic_resolve(self, stored: StoredType, name: str) -> Any:
        return stored.part(name)[1]


@lower_getattr_generic(StoredType)  # type: ignore[untyped-decorator]
def _part(context: Any, builder: Any, stored: StoredType, address: Any, name: str) -> Any:
    """Part of a named tuple; an array has no reference count."""
    place, kind = stored.part(name)
    words = builder.bitcast(address, ir.IntType(64).as_pointer())

    def word(k: int) -> Any:
        return builder.load(cgutils.gep_inbounds(builder, words, PART * place + k))

    if kind == types.boolean:
        return builder.icmp_unsigned("!=", word(0), ir.Constant(ir.IntType(64), 0))
    if not isinstance(kind, types.Array):
        return builder.bitcast(word(0), context.get_value_type(kind))
    array = context.make_array(kind)(context, builder)
    shape, size = [word(1 + k) for k in range(kind.ndim)], context.get_abi_sizeof(context.get_data_type(kind.dtype))
    strides = [ir.Constant(ir.IntType(64), size)]
    for length in shape[:0:-1]:
        strides.insert(0, builder.mul(strides[0], length))
    data = builder.inttoptr(word(0), array.data.type)
    populate_array(array, data, shape, strides, ir.Constant(ir.IntType(64), size), None)
    return array._getvalue()


def named_tuple_at(parts: Any) -> Any:
    """Function for compiled code that loads a `Stored` of the tuple type `parts` from its address."""
    stored = StoredType(parts)

    @intrinsic  # type: ignore[untyped-decorator]
    def load(typing_context: Any, address: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.inttoptr(arguments[0], context.get_value_type(stored))

        return stored(types.int64), generate

    return load


@intrinsic  # type: ignore[untyped-decorator]
def call_at(typing_context: Any, address: Any, numbers: Any) -> Any:
    """Call the C function at an address with a tuple of numbers; it returns a float64."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kinds = [context.get_value_type(kind) for kind in numbers.types]
        function = builder.inttoptr(arguments[0], ir.FunctionType(ir.DoubleType(), kinds).as_pointer())
        return builder.call(function, cgutils.unpack_tuple(builder, arguments[1]))

    return types.float64(types.int64, numbers), generate
