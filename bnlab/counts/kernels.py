"""Compiled loops that read rows: the only code of the package that touches the data itself.

Two ways to count a family, chosen by `bnlab.counts.source`:

*bit-sliced*: one bitmap per variable and state, a cell of the table is the popcount of an AND. The last state
of each variable has no bitmap: its cells follow by subtraction from the cells of "any state", so a family of
binary variables needs one popcount per subset of its variables, as in an ADtree (Moore and Lee 1998).

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
from numba.extending import intrinsic

from bnlab._jit import njit

BLOCK_WORDS = 512
BLOCK_ROWS = 4096
MAX_DEPTH = 16


@intrinsic  # type: ignore[untyped-decorator]
def popcount(typing_context: Any, word: Any) -> Any:
    """Set bits of a uint64; one instruction, and vectorised by the compiler inside a loop."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        function = builder.module.declare_intrinsic("llvm.ctpop", [ir.IntType(64)])
        return builder.call(function, arguments)

    return types.uint64(types.uint64), generate


@intrinsic  # type: ignore[untyped-decorator]
def equal_rows(typing_context: Any, column: Any, start: Any, state: Any) -> Any:
    """Word whose bit b tells whether ``column[start + b] == state``: one vector comparison of 64 codes."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        codes, indices = ir.VectorType(ir.IntType(8), 64), ir.VectorType(ir.IntType(32), 64)
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        at = builder.bitcast(builder.gep(data, [arguments[1]]), codes.as_pointer())
        undefined = ir.Constant(codes, ir.Undefined)
        single = builder.insert_element(undefined, arguments[2], ir.Constant(ir.IntType(32), 0))
        everywhere = builder.shuffle_vector(single, undefined, ir.Constant(indices, [0] * 64))
        return builder.bitcast(builder.icmp_unsigned("==", builder.load(at, align=1), everywhere), ir.IntType(64))

    return types.uint64(column, types.int64, types.uint8), generate


@njit()
def build_bitmaps(column, bitmaps, ones):
    """Set bit b of word w in ``bitmaps[s]`` where row 64 w + b of a uint8 column holds s; count them in ``ones[s]``."""
    n_rows = column.shape[0]
    n_states, n_words = bitmaps.shape
    for w in range(n_rows // 64):
        for s in range(n_states):
            word = equal_rows(column, np.int64(64 * w), np.uint8(s))
            bitmaps[s, w] = word
            ones[s] += np.int64(popcount(word))
    for w in range(n_rows // 64, n_words):
        for s in range(n_states):
            word = np.uint64(0)
            for b in range(n_rows - 64 * w):
                word |= np.uint64(column[64 * w + b] == s) << np.uint64(b)
            bitmaps[s, w] = word
            ones[s] += np.int64(popcount(word))


@njit()
def _and_into(target, a, b):
    total = np.uint64(0)
    for w in range(a.shape[0]):
        word = a[w] & b[w]
        target[w] = word
        total += popcount(word)
    return np.int64(total)


@njit()
def _and_count(a, b):
    total = np.uint64(0)
    for w in range(a.shape[0]):
        total += popcount(a[w] & b[w])
    return np.int64(total)


@njit()
def _subtract_last_states(cells, sizes):
    """Turn the cells of "any state", kept in the place of each last state, into the last state's own."""
    stride = 1
    for axis in range(sizes.shape[0] - 1, -1, -1):
        r = sizes[axis]
        for outer in range(0, cells.shape[0], stride * r):
            last = outer + stride * (r - 1)
            for k in range(r - 1):
                other = outer + stride * k
                for inner in range(stride):
                    cells[last + inner] -= cells[other + inner]
        stride *= r


@njit()
def count_bitmaps(bitmaps, first_bitmap, ones, n_rows, arities, order, variables, begins, cells, cell_begins):
    """Count each family f in `order`.

    Its variables are ``variables[begins[f]:begins[f + 1]]``, its table ``cells[cell_begins[f]:cell_begins[f + 1]]``.
    `first_bitmap[v]` is the row of `bitmaps` that holds state 0 of variable v; its other states follow, all but
    the last. ``ones[row]`` is the number of bits set in that row.
    """
    n_words = bitmaps.shape[1]
    buffer = np.empty((MAX_DEPTH, BLOCK_WORDS), dtype=np.uint64)
    state = np.zeros(MAX_DEPTH, dtype=np.int64)
    # Where the AND of levels 0..l lies: -1 no restriction yet, -2 - row a bitmap itself, else the buffer's level.
    place = np.zeros(MAX_DEPTH + 1, dtype=np.int64)
    sizes = np.zeros(MAX_DEPTH, dtype=np.int64)
    strides = np.zeros(MAX_DEPTH, dtype=np.int64)
    for f in order:
        family = variables[begins[f] : begins[f + 1]]
        depth = family.shape[0]
        out = cells[cell_begins[f] : cell_begins[f + 1]]
        out[:] = 0
        stride = 1
        for level in range(depth - 1, -1, -1):
            sizes[level] = arities[family[level]]
            strides[level] = stride
            stride *= sizes[level]
        child = family[depth - 1]
        child_any = sizes[depth - 1] - 1
        for begin in range(0, n_words, BLOCK_WORDS):
            end = min(begin + BLOCK_WORDS, n_words)
            width = end - begin
            for level in range(depth - 1):
                state[level] = sizes[level] - 1
            place[0] = -1
            level = 0
            # Odometer over the parents' states, "any" (the place of the last state) first.
            while True:
                for at in range(level, depth - 1):
                    before = place[at]
                    s = state[at]
                    if s == sizes[at] - 1:
                        place[at + 1] = before
                        continue
                    row = first_bitmap[family[at]] + s
                    if before == -1:
                        place[at + 1] = -2 - row
                        continue
                    cell = child_any
                    for up in range(at + 1):
                        cell += state[up] * strides[up]
                    for down in range(at + 1, depth - 1):
                        cell += (sizes[down] - 1) * strides[down]
                    mask = bitmaps[row, begin:end]
                    if before < -1:
                        out[cell] += _and_into(buffer[at, :width], bitmaps[-2 - before, begin:end], mask)
                    else:
                        out[cell] += _and_into(buffer[at, :width], buffer[before, :width], mask)
                    place[at + 1] = at
                last = place[depth - 1]
                if last != -1:
                    cell = 0
                    for up in range(depth - 1):
                        cell += state[up] * strides[up]
                    row = first_bitmap[child]
                    if last < -1:
                        for s in range(child_any):
                            out[cell + s] += _and_count(bitmaps[-2 - last, begin:end], bitmaps[row + s, begin:end])
                    else:
                        for s in range(child_any):
                            out[cell + s] += _and_count(buffer[last, :width], bitmaps[row + s, begin:end])
                level = depth - 2
                while level >= 0:
                    state[level] += 1
                    if state[level] == sizes[level]:
                        state[level] = 0
                    if state[level] != sizes[level] - 1:
                        break
                    level -= 1
                if level < 0:
                    break
        corner = out.shape[0] - 1
        for level in range(depth):
            row = first_bitmap[family[level]]
            for s in range(sizes[level] - 1):
                out[corner - (sizes[level] - 1 - s) * strides[level]] = ones[row + s]
        out[corner] = n_rows
        _subtract_last_states(out, sizes[:depth])


@njit()
def count_histograms(narrow, medium, wide, block, row, arities, order, variables, begins, cells, cell_begins):
    """Count families as `count_bitmaps` does, from the codes themselves.

    Variable v is row ``row[v]`` of `narrow` (uint8), `medium` (uint16) or `wide` (uint32), as ``block[v]`` is 0, 1, 2.
    """
    n_rows = max(narrow.shape[1], medium.shape[1], wide.shape[1])
    code = np.empty(BLOCK_ROWS, dtype=np.uint32)
    for f in order:
        family = variables[begins[f] : begins[f + 1]]
        out = cells[cell_begins[f] : cell_begins[f + 1]]
        out[:] = 0
        for begin in range(0, n_rows, BLOCK_ROWS):
            end = min(begin + BLOCK_ROWS, n_rows)
            width = end - begin
            code[:width] = 0
            for variable in family:
                r = np.uint32(arities[variable])
                if block[variable] == 0:
                    column8 = narrow[row[variable], begin:end]
                    for i in range(width):
                        code[i] = code[i] * r + np.uint32(column8[i])
                elif block[variable] == 1:
                    column16 = medium[row[variable], begin:end]
                    for i in range(width):
                        code[i] = code[i] * r + np.uint32(column16[i])
                else:
                    column32 = wide[row[variable], begin:end]
                    for i in range(width):
                        code[i] = code[i] * r + column32[i]
            for i in range(width):
                out[code[i]] += 1


@njit()
def arrange(sources, source_begins, which, strides, sizes, begins, cells, cell_begins):
    """Copy counted tables into families that hold the same variables in another order.

    Family f takes table ``which[f]`` of `sources`; axis a of the family has ``sizes[begins[f] + a]`` states and
    moves by ``strides[begins[f] + a]`` cells in the table.
    """
    state = np.zeros(64, dtype=np.int64)
    for f in range(begins.shape[0] - 1):
        source = sources[source_begins[which[f]] : source_begins[which[f] + 1]]
        out = cells[cell_begins[f] : cell_begins[f + 1]]
        axes = begins[f + 1] - begins[f]
        state[:axes] = 0
        at = 0
        for cell in range(out.shape[0]):
            out[cell] = source[at]
            axis = axes - 1
            while axis >= 0:
                a = begins[f] + axis
                state[axis] += 1
                at += strides[a]
                if state[axis] < sizes[a]:
                    break
                at -= strides[a] * sizes[a]
                state[axis] = 0
                axis -= 1
