"""Machine code for bitmaps in vectors of 512 bits, because compilers use only half of the available width."""

from __future__ import annotations

from itertools import combinations_with_replacement, product
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

LANES = 8  # words of a bitmap handled at once: 512 bits
TOGETHER = 3  # states of each of two variables whose cells are counted in one pass

_WORD = ir.IntType(64)
_WORDS = ir.VectorType(_WORD, LANES)


def _vector_function(builder: Any, name: str, result: Any) -> Any:
    return cgutils.get_or_insert_function(builder.module, ir.FunctionType(result, [_WORDS]), f"llvm.{name}.v{LANES}i64")


@intrinsic  # type: ignore[untyped-decorator]
def and_into(typing_context: Any, target: Any, at: Any, a: Any, at_a: Any, b: Any, at_b: Any, width: Any) -> Any:
    """Write the AND of two runs of `width` words, a multiple of `LANES`, to `target`; returns the number of set bits.

    `at`, `at_a` and `at_b` are the first words of the runs in their arrays.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        *bitmaps, width = arguments
        arrays = zip(signature.args[:-1:2], bitmaps[::2], bitmaps[1::2], strict=True)
        places = [builder.gep(context.make_array(kind)(context, builder, a).data, [at]) for kind, a, at in arrays]
        total = cgutils.alloca_once_value(builder, ir.Constant(_WORDS, [0] * LANES))
        lanes = ir.Constant(_WORD, LANES)
        with cgutils.for_range(builder, builder.udiv(width, lanes)) as loop:
            begin = builder.mul(loop.index, lanes)
            target, a, b = (builder.bitcast(builder.gep(p, [begin]), _WORDS.as_pointer()) for p in places)
            both = builder.and_(builder.load(a, align=8), builder.load(b, align=8))
            builder.store(both, target, align=8)
            ones = builder.call(_vector_function(builder, "ctpop", _WORDS), [both])
            builder.store(builder.add(builder.load(total), ones), total)
        return _lanes(builder, builder.load(total))

    return types.int64(target, types.int64, a, types.int64, b, types.int64, types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def count_cross(typing_context: Any, words: Any, p: Any, xs: Any, ys: Any, width: Any, out: Any, cell: Any) -> Any:
    """Add to `out`, from `cell` on, the number of set bits in the ANDs of p, each x or none, and each y or none.

    `xs` is a pair (x, m) of the first word and the number of bitmaps, and `ys` likewise (y, n), with m and n from 1 to
    `TOGETHER`. In each row of ``n + 1`` cells, the last cell is without a y; the last row is without an x.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        words, p, xs, ys, width, out, cell = arguments
        (x, m), (y, n) = cgutils.unpack_tuple(builder, xs), cgutils.unpack_tuple(builder, ys)
        one = ir.Constant(_WORD, 1)
        across = builder.add(n, one)
        # The variable with fewer states comes first, so that three of nine loops need not be compiled.
        swap = builder.icmp_unsigned(">", m, n)
        (x, y), (m, n), (down, across) = (
            (builder.select(swap, b, a), builder.select(swap, a, b)) for a, b in ((x, y), (m, n), (across, one))
        )
        bits = context.make_array(signature.args[0])(context, builder, words).data
        sums = builder.gep(context.make_array(signature.args[5])(context, builder, out).data, [cell])

        def count(m: int, n: int) -> None:
            runs = (p, 1), (x, m), (y, n)
            places = [[_run(builder, bits, at, width, i) for i in range(many)] for at, many in runs]
            totals = _totals(builder, places, width, _cross_cells, (m + 1) * (n + 1))
            for (i, j), total in zip(product(range(m + 1), range(n + 1)), totals, strict=True):
                steps = [builder.mul(step, ir.Constant(_WORD, k)) for step, k in ((down, i), (across, j))]
                at = builder.gep(sums, [builder.add(*steps)])
                builder.store(builder.add(builder.load(at), _lanes(builder, total)), at)

        _switch(builder, m, n, count)
        return context.get_dummy_value()

    return types.void(words, p, xs, ys, width, out, cell), generate


@intrinsic  # type: ignore[untyped-decorator]
def count_pairs(typing_context: Any, a: Any, xs: Any, b: Any, ys: Any, width: Any, to: Any) -> Any:
    """Count the set bits in the AND of each x of `a` and each y of `b`.

    `xs` and `ys` are as in `count_cross`. With ``to = (out, cell, across)`` the counts of the i-th x are written from
    ``out[cell + i]`` on, `across` cells apart.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        a, xs, b, ys, width, to = arguments
        (x, m), (y, n) = cgutils.unpack_tuple(builder, xs), cgutils.unpack_tuple(builder, ys)
        out, cell, across = cgutils.unpack_tuple(builder, to)
        kinds = signature.args[0], signature.args[2], signature.args[5][0]
        a, b, out = (
            builder.gep(context.make_array(kind)(context, builder, array).data, [at])
            for kind, array, at in zip(kinds, (a, b, out), (x, y, cell), strict=True)
        )
        one, zero = ir.Constant(_WORD, 1), ir.Constant(_WORD, 0)
        swap = builder.icmp_unsigned(">", m, n)
        (a, b), (m, n), (down, across) = (
            (builder.select(swap, q, p), builder.select(swap, p, q)) for p, q in ((a, b), (m, n), (one, across))
        )

        def count(m: int, n: int) -> None:
            places = [[_run(builder, begin, zero, width, i) for i in range(many)] for begin, many in ((a, m), (b, n))]
            totals = _totals(builder, places, width, _pair_cells, m * n)
            for (i, j), total in zip(product(range(m), range(n)), totals, strict=True):
                steps = [builder.mul(step, ir.Constant(_WORD, k)) for step, k in ((down, i), (across, j))]
                builder.store(_lanes(builder, total), builder.gep(out, [builder.add(*steps)]))

        _switch(builder, m, n, count)
        return context.get_dummy_value()

    return types.void(a, xs, b, ys, width, to), generate


def _switch(builder: Any, m: Any, n: Any, count: Any) -> None:
    """Generate the code of `count` for each m <= n up to `TOGETHER`; the caller swaps m and n if needed."""
    which = builder.add(builder.mul(m, ir.Constant(_WORD, TOGETHER)), n)
    ways = builder.append_basic_block("counted")
    switch = builder.switch(which, ways)
    for m, n in combinations_with_replacement(range(1, TOGETHER + 1), 2):
        block = builder.append_basic_block("cross")
        switch.add_case(ir.Constant(_WORD, m * TOGETHER + n), block)
        builder.position_at_end(block)
        count(m, n)
        builder.branch(ways)
    builder.position_at_end(ways)


def _run(builder: Any, bits: Any, at: Any, width: Any, i: int) -> Any:
    """Address of the i-th run of `width` words after a position."""
    return builder.gep(bits, [builder.add(at, builder.mul(width, ir.Constant(_WORD, i)))])


def _lanes(builder: Any, total: Any) -> Any:
    """Sum of the lanes of a vector."""
    return builder.call(_vector_function(builder, "vector.reduce.add", _WORD), [total])


def _cross_cells(builder: Any, runs: Any) -> list[Any]:
    """Cells of `count_cross`."""
    (p,), xs, ys = runs
    columns = [*(builder.and_(p, y) for y in ys), p]
    return [builder.and_(x, c) for x in xs for c in columns] + columns


def _pair_cells(builder: Any, runs: Any) -> list[Any]:
    """Cells of `count_pairs`."""
    xs, ys = runs
    return [builder.and_(x, y) for x in xs for y in ys]


def _totals(builder: Any, places: Any, width: Any, cells_of: Any, many: int) -> list[Any]:
    """Vectors, one for each of `many` cells, whose lanes add up to the set bits of the cell's `width` words."""
    before, rows, after = builder.block, builder.append_basic_block("rows"), builder.append_basic_block("summed")
    builder.branch(rows)
    builder.position_at_end(rows)
    begin, totals = builder.phi(_WORD), [builder.phi(_WORDS) for _ in range(many)]
    runs = [
        [builder.load(builder.bitcast(builder.gep(at, [begin]), _WORDS.as_pointer()), align=8) for at in some]
        for some in places
    ]
    ones = [builder.call(_vector_function(builder, "ctpop", _WORDS), [cell]) for cell in cells_of(builder, runs)]
    sums = [builder.add(total, more) for total, more in zip(totals, ones, strict=True)]
    end = builder.add(begin, ir.Constant(_WORD, LANES))
    _prevent_unrolling(builder, builder.cbranch(builder.icmp_unsigned("<", end, width), rows, after))
    for number, followed_by in zip([begin, *totals], [end, *sums], strict=True):
        number.add_incoming(ir.Constant(number.type, 0 if number is begin else [0] * LANES), before)
        number.add_incoming(followed_by, rows)
    builder.position_at_end(after)
    return sums


def _prevent_unrolling(builder: Any, branch: Any) -> None:
    """Keep the compiler from unrolling a loop, which takes compile time and does not make this one faster."""
    module = builder.module
    rule = module.add_metadata([ir.MetaDataString(module, "llvm.loop.unroll.disable")])
    loop = module.add_metadata([ir.MetaDataString(module, branch.parent.name), rule])
    loop.operands = (loop, rule)
    branch.set_metadata("llvm.loop", loop)


@intrinsic  # type: ignore[untyped-decorator]
def equal_into(typing_context: Any, target: Any, at: Any, codes: Any, at_codes: Any, state: Any, width: Any) -> Any:
    """Write `width` words whose bits show which of 64 codes each (uint8) equal `state`; returns how many do."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        target, at, codes, at_codes, state, width = arguments
        bytes64, indices = ir.VectorType(ir.IntType(8), 64), ir.VectorType(ir.IntType(32), 64)
        undefined = ir.Constant(bytes64, ir.Undefined)
        single = builder.insert_element(undefined, state, ir.Constant(ir.IntType(32), 0))
        everywhere = builder.shuffle_vector(single, undefined, ir.Constant(indices, [0] * 64))
        words = builder.gep(context.make_array(signature.args[0])(context, builder, target).data, [at])
        rows = builder.gep(context.make_array(signature.args[2])(context, builder, codes).data, [at_codes])
        count = builder.module.declare_intrinsic("llvm.ctpop", [_WORD])
        total = cgutils.alloca_once_value(builder, ir.Constant(_WORD, 0))
        with cgutils.for_range(builder, width) as loop:
            begin = builder.mul(loop.index, ir.Constant(_WORD, 64))
            block = builder.load(builder.bitcast(builder.gep(rows, [begin]), bytes64.as_pointer()), align=1)
            word = builder.bitcast(builder.icmp_unsigned("==", block, everywhere), _WORD)
            builder.store(word, builder.gep(words, [loop.index]))
            builder.store(builder.add(builder.load(total), builder.call(count, [word])), total)
        return builder.load(total)

    return types.int64(target, types.int64, codes, types.int64, types.uint8, types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def popcount(typing_context: Any, word: Any) -> Any:
    """Set bits of a uint64."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        function = builder.module.declare_intrinsic("llvm.ctpop", [_WORD])
        return builder.call(function, arguments)

    return types.uint64(types.uint64), generate
