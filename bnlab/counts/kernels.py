"""Compiled loops that read rows: the only code of the package that touches the data itself.

Two ways to count a family, chosen by `bnlab.counts.memory`:

*bit-sliced*: one bitmap per variable and state, a cell of the table is the popcount of an AND. The last state
of each variable has no bitmap: its cells follow by subtraction from the cells of "any state", so a family of
binary variables needs one popcount per subset of its variables, as in an ADtree (Moore and Lee 1998). Bitmaps lie
in blocks of rows, ``bitmaps[block, row of the bitmap, word]``, so that those of one block stay in the cache while
every family is counted on it.

*histogram*: the states of a row are fused into one mixed-radix code and binned.

Tables come out in mixed radix order, the first variable of a family most significant, the last (the child)
least. All kernels run without the interpreter lock and write to disjoint parts of their output.
"""

# mypy: allow-untyped-defs
from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from bnlab._jit import njit

BLOCK_ROWS = 4096
LANES = 8  # words of a bitmap handled at once: 512 bits

_WORD = ir.IntType(64)
_WORDS = ir.VectorType(_WORD, LANES)


def _vector_function(builder: Any, name: str, result: Any) -> Any:
    return cgutils.get_or_insert_function(builder.module, ir.FunctionType(result, [_WORDS]), f"llvm.{name}.v{LANES}i64")


def _and_loop(context: Any, builder: Any, signature: Any, arguments: Any, *, store: bool) -> Any:
    """Code for `and_count` and `and_into`: compilers vectorise such a loop to half the width that is there."""
    *bitmaps, width = arguments
    arrays = zip(signature.args[:-1:2], bitmaps[::2], bitmaps[1::2], strict=True)
    places = [builder.gep(context.make_array(kind)(context, builder, a).data, [at]) for kind, a, at in arrays]
    total = cgutils.alloca_once_value(builder, ir.Constant(_WORDS, [0] * LANES))
    lanes = ir.Constant(_WORD, LANES)
    with cgutils.for_range(builder, builder.udiv(width, lanes)) as loop:
        begin = builder.mul(loop.index, lanes)
        *target, a, b = (builder.bitcast(builder.gep(p, [begin]), _WORDS.as_pointer()) for p in places)
        both = builder.and_(builder.load(a, align=8), builder.load(b, align=8))
        if store:
            builder.store(both, target[0], align=8)
        ones = builder.call(_vector_function(builder, "ctpop", _WORDS), [both])
        builder.store(builder.add(builder.load(total), ones), total)
    return builder.call(_vector_function(builder, "vector.reduce.add", _WORD), [builder.load(total)])


@intrinsic  # type: ignore[untyped-decorator]
def and_count(typing_context: Any, a: Any, at_a: Any, b: Any, at_b: Any, width: Any) -> Any:
    """Set bits that two runs of `width` words, a multiple of `LANES`, share; each begins `at` words into its array."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _and_loop(context, builder, signature, arguments, store=False)

    return types.int64(a, types.int64, b, types.int64, types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def and_into(typing_context: Any, target: Any, at: Any, a: Any, at_a: Any, b: Any, at_b: Any, width: Any) -> Any:
    """As `and_count`, and keep the common bits in `target`."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _and_loop(context, builder, signature, arguments, store=True)

    return types.int64(target, types.int64, a, types.int64, b, types.int64, types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def equal_into(typing_context: Any, target: Any, at: Any, codes: Any, at_codes: Any, state: Any, width: Any) -> Any:
    """Write `width` words whose bits tell which of 64 codes each (uint8) are `state`; returns how many are."""

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


@njit()
def build_bitmaps(narrow, row, arities, members, first_bitmap, ones, bitmaps, block, at):
    """Write the bitmaps of a block of rows to ``bitmaps[at]``, and add their set bits to `ones`; block 0 comes first.

    Variable v is row ``row[v]`` of `narrow` (uint8). Bit b of word w in ``bitmaps[at, first_bitmap[v] + s]`` is set
    where row 64 w + b of the block holds s; the last state has no bitmap. Bits beyond the table are 0.
    """
    n_rows = narrow.shape[1]
    width = bitmaps.shape[2]
    begin = block * width * 64
    rest = min(n_rows - begin, width * 64)
    whole = rest // 64
    for v in members:
        for s in range(arities[v] - 1):
            target = first_bitmap[v] + s
            start = (at * bitmaps.shape[1] + target) * width
            if block == 0:
                ones[target] = 0
            ones[target] += equal_into(bitmaps, start, narrow, row[v] * n_rows + begin, np.uint8(s), whole)
            for w in range(whole, width):
                word = np.uint64(0)
                for b in range(rest - 64 * w):
                    word |= np.uint64(narrow[row[v], begin + 64 * w + b] == s) << np.uint64(b)
                bitmaps[at, target, w] = word
                ones[target] += popcount(word)


@njit()
def count_bitmaps(
    narrow, row, arities, members, first_bitmap, ones, bitmaps, order, variables, begins, cells, cell_begins
):
    """Count each family f in `order`, one block of rows after the other.

    Its variables are ``variables[begins[f]:begins[f + 1]]``, its table begins at ``cells[cell_begins[f]]``.
    `bitmaps` holds every block of rows, and ``ones[i]`` the set bits of bitmap i; or it holds a single one, in which
    the bitmaps of `members` are built for one block of rows after the other.
    """
    n_rows = narrow.shape[1]
    width = bitmaps.shape[2]
    deepest = 1
    for f in order:
        deepest = max(deepest, begins[f + 1] - begins[f])
    buffer = np.empty((deepest, width), dtype=np.uint64)
    work = np.empty((6, deepest + 1), dtype=np.int64)
    for block in range((n_rows + 64 * width - 1) // (64 * width)):
        at = block % bitmaps.shape[0]
        if members.shape[0]:
            build_bitmaps(narrow, row, arities, members, first_bitmap, ones, bitmaps, block, at)
        for f in order:
            family = variables[begins[f] : begins[f + 1]]
            out = _table(arities, family, cells, cell_begins[f])
            if block == 0:
                out[:] = 0
            start = at * bitmaps.shape[1] * width
            _count_block(bitmaps, start, width, first_bitmap, arities, family, out, buffer, work)
    for f in order:
        family = variables[begins[f] : begins[f + 1]]
        out = _table(arities, family, cells, cell_begins[f])
        _fill_margins(ones, first_bitmap, arities, family, out, n_rows)
        _subtract_last_states(arities, family, out)


@njit()
def count_joint(arities, first_bitmap, ones, bitmaps, n_rows, variables):
    """Table of some variables, flat, from bitmaps of every block of rows (see `count_bitmaps`)."""
    depth = variables.shape[0]
    size = 1
    for variable in variables:
        size *= arities[variable]
    cells = np.empty(size, dtype=np.int64)
    buffer = np.empty((depth, bitmaps.shape[2]), dtype=np.uint64)
    work = np.empty((6, depth + 1), dtype=np.int64)
    joint_into(arities, first_bitmap, ones, bitmaps, n_rows, variables, cells, buffer, work)
    return cells


@njit()
def joint_into(arities, first_bitmap, ones, bitmaps, n_rows, variables, cells, buffer, work):
    """As `count_joint`, into `cells`, for callers who keep the memory that it takes."""
    width = bitmaps.shape[2]
    cells[:] = 0
    for block in range(bitmaps.shape[0]):
        start = block * bitmaps.shape[1] * width
        _count_block(bitmaps, start, width, first_bitmap, arities, variables, cells, buffer, work)
    _fill_margins(ones, first_bitmap, arities, variables, cells, n_rows)
    _subtract_last_states(arities, variables, cells)


@njit()
def _table(arities, family, cells, begin):
    size = 1
    for variable in family:
        size *= arities[variable]
    return cells[begin : begin + size]


@njit()
def _count_block(bitmaps, start, width, first_bitmap, arities, family, out, buffer, work):
    """Add a block of rows to the cells of a family that restrict two variables or more to a state, not the last.

    The others stand at "any", in the place of the last state. `start` is where the block's bitmaps begin.
    """
    depth = family.shape[0]
    # place: where the AND of the levels above lies, -1 no restriction yet, -2 - offset a bitmap, else a level's buffer.
    sizes, state, stride, any_below, base, place = work[0], work[1], work[2], work[3], work[4], work[5]
    stride[depth - 1] = 1
    any_below[depth] = 0
    for level in range(depth - 1, -1, -1):
        sizes[level] = arities[family[level]]
        state[level] = sizes[level] - 1
        if level:
            stride[level - 1] = stride[level] * sizes[level]
        any_below[level] = any_below[level + 1] + state[level] * stride[level]
    base[0] = 0
    place[0] = -1
    last = depth - 1
    child = start + first_bitmap[family[last]] * width
    level = 0
    # Odometer over the parents' states, "any" first.
    while True:
        for here in range(level, last):
            before = place[here]
            base[here + 1] = base[here] + state[here] * stride[here]
            if state[here] == sizes[here] - 1:
                place[here + 1] = before
                continue
            mask = start + (first_bitmap[family[here]] + state[here]) * width
            if before == -1:
                place[here + 1] = -2 - mask
                continue
            cell = base[here + 1] + any_below[here + 1]
            if before < -1:
                out[cell] += and_into(buffer, here * width, bitmaps, -2 - before, bitmaps, mask, width)
            else:
                out[cell] += and_into(buffer, here * width, buffer, before * width, bitmaps, mask, width)
            place[here + 1] = here
        before = place[last]
        cell = base[last]
        if before < -1:
            for s in range(sizes[last] - 1):
                out[cell + s] += and_count(bitmaps, -2 - before, bitmaps, child + s * width, width)
        elif before >= 0:
            for s in range(sizes[last] - 1):
                out[cell + s] += and_count(buffer, before * width, bitmaps, child + s * width, width)
        level = last - 1
        while level >= 0:
            state[level] = state[level] + 1 if state[level] < sizes[level] - 1 else 0
            if state[level] < sizes[level] - 1:
                break
            level -= 1
        if level < 0:
            break


@njit()
def _fill_margins(ones, first_bitmap, arities, family, out, n_rows):
    """Fill the cells that restrict one variable, from its counts, or none."""
    corner = out.shape[0] - 1
    out[corner] = n_rows
    stride = 1
    for level in range(family.shape[0] - 1, -1, -1):
        r = arities[family[level]]
        for s in range(r - 1):
            out[corner - (r - 1 - s) * stride] = ones[first_bitmap[family[level]] + s]
        stride *= r


@njit()
def _subtract_last_states(arities, family, cells):
    """Turn the cells of "any state", kept in the place of each last state, into the last state's own."""
    stride = 1
    for level in range(family.shape[0] - 1, -1, -1):
        r = arities[family[level]]
        for outer in range(0, cells.shape[0], stride * r):
            last = outer + stride * (r - 1)
            for k in range(r - 1):
                other = outer + stride * k
                for inner in range(stride):
                    cells[last + inner] -= cells[other + inner]
        stride *= r


@njit()
def count_histograms(narrow, medium, wide, block, row, arities, order, variables, begins, cells, cell_begins):
    """Count families as `count_bitmaps` does, from the codes themselves.

    Variable v is row ``row[v]`` of `narrow` (uint8), `medium` (uint16) or `wide` (uint32), as ``block[v]`` is 0, 1, 2.
    """
    n_rows = max(narrow.shape[1], medium.shape[1], wide.shape[1])
    code = np.empty(BLOCK_ROWS, dtype=np.uint32)
    for f in order:
        family = variables[begins[f] : begins[f + 1]]
        out = _table(arities, family, cells, cell_begins[f])
        out[:] = 0
        for begin in range(0, n_rows, BLOCK_ROWS):
            width = min(BLOCK_ROWS, n_rows - begin)
            code[:width] = 0
            fuse_codes(narrow, medium, wide, block, row, arities, family, begin, code[:width])
            for i in range(width):
                out[code[i]] += 1


@njit()
def fuse_codes(narrow, medium, wide, block, row, arities, family, begin, code):
    """Append the states of some variables, in the rows from `begin` on, to mixed-radix codes."""
    end = begin + code.shape[0]
    for variable in family:
        r = np.uint32(arities[variable])
        if block[variable] == 0:
            _append(narrow[row[variable], begin:end], r, code)
        elif block[variable] == 1:
            _append(medium[row[variable], begin:end], r, code)
        else:
            _append(wide[row[variable], begin:end], r, code)


@njit()
def _append(column, r, code):
    for i in range(code.shape[0]):
        code[i] = code[i] * r + np.uint32(column[i])
