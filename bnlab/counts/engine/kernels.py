"""Compiled loops that read rows: the only code of the package that touches the data itself.

Two ways to count a family, chosen by what they cost (`bnlab.counts.engine.cost_model`):

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

import numpy as np

from bnlab._runtime.jit import inner, njit
from bnlab.counts.engine.vectors import TOGETHER, and_into, count_cross, equal_into, popcount

BLOCK_ROWS = 4096

_NOWHERE = np.iinfo(np.int64).min


@njit()
def build_bitmaps(narrow, row, arities, members, bitmaps, begin, end):
    """Write the bitmaps of some blocks of rows, and add their set bits to `ones`; block 0 comes first.

    Variable v is row ``row[v]`` of `narrow` (uint8). `bitmaps` are the parts of `bnlab.counts.engine.bitmaps.Bitmaps`;
    where there is room for one block, it is that of the last. Bit b of word w in ``words[block, first[v] + s]`` is set
    where row 64 w + b of the block holds s; the last state has no bitmap. Bits beyond the table are 0.
    """
    first, ones, words = bitmaps
    n_rows = narrow.shape[1]
    width = words.shape[2]
    for block in range(begin, end):
        start = block * width * 64
        rest = min(n_rows - start, width * 64)
        whole = rest // 64
        place = block % words.shape[0]
        for v in members:
            for s in range(arities[v] - 1):
                bitmap = first[v] + s
                if block == 0:
                    ones[bitmap] = 0
                at = (place * words.shape[1] + bitmap) * width
                ones[bitmap] += equal_into(words, at, narrow, row[v] * n_rows + start, np.uint8(s), whole)
                for w in range(whole, width):
                    word = np.uint64(0)
                    for b in range(rest - 64 * w):
                        word |= np.uint64(narrow[row[v], start + 64 * w + b] == s) << np.uint64(b)
                    words[place, bitmap, w] = word
                    ones[bitmap] += popcount(word)


@njit()
def count_bitmaps(codes, arities, bitmaps, order, variables, begins, cells, cell_begins):
    """Count each family f in `order`, one block of rows after the other.

    Its variables are ``variables[begins[f]:begins[f + 1]]``, its table begins at ``cells[cell_begins[f]]``.
    `codes` are `narrow` and `row` of `build_bitmaps`, and the variables whose bitmaps are built on the way.
    """
    narrow, row, members = codes
    first_bitmap, ones, words = bitmaps
    n_rows, width = narrow.shape[1], words.shape[2]
    deepest = 1
    for f in order:
        deepest = max(deepest, begins[f + 1] - begins[f])
    memory = np.empty((deepest, width), dtype=np.uint64), np.empty((5, deepest + 1), dtype=np.int64)
    for block in range((n_rows + 64 * width - 1) // (64 * width)):
        if members.shape[0]:
            build_bitmaps(narrow, row, arities, members, bitmaps, block, block + 1)
        for f in order:
            family = variables[begins[f] : begins[f + 1]]
            _count_block(words, block, first_bitmap, arities, family, cells, cell_begins[f], memory, False)
    for f in order:
        family = variables[begins[f] : begins[f + 1]]
        _complete(ones, first_bitmap, arities, family, cells, cell_begins[f], n_rows, -1)


@njit()
def count_joint(arities, first_bitmap, ones, bitmaps, n_rows, variables):
    """Table of some variables, flat, from bitmaps of every block of rows (see `count_bitmaps`)."""
    depth = variables.shape[0]
    size = 1
    for variable in variables:
        size *= arities[variable]
    cells = np.empty(size, dtype=np.int64)
    memory = np.empty((depth, bitmaps.shape[2]), dtype=np.uint64), np.empty((5, depth + 1), dtype=np.int64)
    joint_into(arities, (first_bitmap, ones, bitmaps), n_rows, variables, memory, cells, 0, -1)
    return cells


@njit(inline="always")
def joint_into(arities, bits, n_rows, variables, memory, cells, begin, rest):
    """As `count_joint`, into ``cells[begin:]``, for callers who keep the memory that it takes.

    The table of three variables or more is counted in less time where that of all but the first is at ``cells[rest]``;
    else `rest` is negative.
    """
    first_bitmap, ones, bitmaps = bits
    for block in range(bitmaps.shape[0]):
        _count_block(bitmaps, block, first_bitmap, arities, variables, cells, begin, memory, rest >= 0)
    _complete(ones, first_bitmap, arities, variables, cells, begin, n_rows, rest)


@njit(no_cpython_wrapper=True, forceinline=True)
def _count_block(bitmaps, block, first_bitmap, arities, family, cells, begin, memory, rest_is_known):
    """Add a block of rows to the cells of a family that restrict two variables or more to a state, not the last.

    The others stand at "any", in the place of the last state. The table begins at ``cells[begin]``, and block 0, which
    comes first, sets it to zero. With `rest_is_known` the first variable never stands at "any".
    """
    buffer, work = memory
    # place: where the AND of the levels above lies, in words from the beginning of the bitmaps; it may be a buffer.
    sizes, state, stride, base, place = work[0], work[1], work[2], work[3], work[4]
    width, depth = bitmaps.shape[2], family.shape[0]
    if depth == 1:
        return
    start = block % bitmaps.shape[0] * bitmaps.shape[1] * width
    stride[depth - 1] = 1
    for level in range(depth - 1, -1, -1):
        sizes[level] = arities[family[level]]
        state[level] = sizes[level] - 1
        if level:
            stride[level - 1] = stride[level] * sizes[level]
    if block == 0:
        for cell in range(begin, begin + stride[0] * sizes[0]):
            cells[cell] = 0
    last = depth - 2
    scratch = (buffer.ctypes.data - bitmaps.ctypes.data) // 8
    everywhere = scratch + last * width
    for i in range(width):
        buffer[last, i] = ~np.uint64(0)
    base[0] = begin
    place[0] = everywhere
    if rest_is_known:
        if sizes[0] == 1:
            return
        state[0] = 0
    level = 0
    # Odometer over the states of all but two, "any" first.
    while level >= 0:
        for here in range(level, last):
            level = here + 1
            before = place[here]
            base[level] = base[here] + state[here] * stride[here]
            place[level] = before
            if state[here] == sizes[here] - 1:
                continue
            mask = start + (first_bitmap[family[here]] + state[here]) * width
            place[level] = mask
            if before == everywhere:
                continue
            place[level] = scratch + here * width
            if and_into(bitmaps, place[level], bitmaps, before, bitmaps, mask, width) == 0:
                place[level] = _NOWHERE
                break
        if place[level] != _NOWHERE:
            _count_pair(bitmaps, start, width, first_bitmap, arities, family, cells, base[last], place[last])
        level -= 1
        while level >= 0:
            state[level] = state[level] + 1 if state[level] < sizes[level] - 1 else 0
            if state[level] < sizes[level] - 1:
                break
            level -= 1


@inner
def _count_pair(bitmaps, start, width, first_bitmap, arities, family, out, cell, among):
    """Add the cells of the last two variables, "any" among them, in the rows whose bits are set in `among`."""
    x, y = family[-2], family[-1]
    m, n = arities[x] - 1, arities[y] - 1
    x_begin, y_begin = start + first_bitmap[x] * width, start + first_bitmap[y] * width
    if 0 < m <= TOGETHER and 0 < n <= TOGETHER:
        count_cross(bitmaps, among, (x_begin, m), (y_begin, n), width, out, cell)
        return
    some = np.empty((TOGETHER + 1) * (TOGETHER + 1), dtype=np.int64)
    for i in range(0, max(m, 1), TOGETHER):
        for j in range(0, max(n, 1), TOGETHER):
            a, b = min(TOGETHER, m - i), min(TOGETHER, n - j)
            some[:] = 0
            at_x, at_y = x_begin + i * width if m else among, y_begin + j * width if n else among
            count_cross(bitmaps, among, (at_x, max(a, 1)), (at_y, max(b, 1)), width, some, 0)
            for k in range(a + (i + a == m)):
                for h in range(b + (j + b == n)):
                    at_k, at_h = k if k < a else max(a, 1), h if h < b else max(b, 1)
                    out[cell + (i + k) * (n + 1) + j + h] += some[at_k * (max(b, 1) + 1) + at_h]


@njit(no_cpython_wrapper=True, forceinline=True)
def _complete(ones, first_bitmap, arities, family, cells, begin, n_rows, rest):
    """Complete the table at ``cells[begin]``: the cells that restrict one variable or none, and those of last states.

    The first are filled in from the variables' counts. The cells of "any state", kept in the place of each last state,
    turn into the last state's own. Those of any state of the first variable are at ``cells[rest]``, if not negative.
    """
    end = 1
    for variable in family:
        end *= arities[variable]
    end += begin
    open_end = end
    if rest >= 0:
        open_end = end - (end - begin) // arities[family[0]]
        for i in range(end - open_end):
            cells[open_end + i] = cells[rest + i]
    else:
        cells[end - 1] = n_rows
        stride = 1
        for level in range(family.shape[0] - 1, -1, -1):
            r = arities[family[level]]
            for s in range(r - 1):
                cells[end - 1 - (r - 1 - s) * stride] = ones[first_bitmap[family[level]] + s]
            stride *= r
    stride = 1
    for level in range(family.shape[0] - 1, -1, -1):
        r = arities[family[level]]
        for outer in range(begin, open_end if level else end, stride * r):
            last = outer + stride * (r - 1)
            for other in range(outer, last, stride):
                for i in range(stride):
                    cells[last + i] -= cells[other + i]
        stride *= r


@njit()
def count_histograms(codes, arities, order, variables, begins, cells, cell_begins):
    """Count families as `count_bitmaps` does, from the codes themselves.

    `codes` are blocks of columns of uint8, uint16 and uint32, then the block (0, 1 or 2) and the row of each variable.
    """
    n_rows = max(codes[0].shape[1], codes[1].shape[1], codes[2].shape[1])
    code = np.empty(BLOCK_ROWS, dtype=np.uint32)
    for f in order:
        family = variables[begins[f] : begins[f + 1]]
        size = 1
        for variable in family:
            size *= arities[variable]
        out = cells[cell_begins[f] : cell_begins[f] + size]
        for i in range(size):
            out[i] = 0
        for begin in range(0, n_rows, BLOCK_ROWS):
            n_here = min(BLOCK_ROWS, n_rows - begin)
            for i in range(n_here):
                code[i] = 0
            fuse_codes(codes, arities, family, begin, code[:n_here])
            for i in range(n_here):
                out[code[i]] += 1


@inner
def fuse_codes(codes, arities, family, begin, code):
    """Append the states of some variables, in the rows from `begin` on, to mixed-radix codes."""
    narrow, medium, wide, block, row = codes
    end = begin + code.shape[0]
    for variable in family:
        r = np.uint32(arities[variable])
        if block[variable] == 0:
            _append(narrow[row[variable], begin:end], r, code)
        elif block[variable] == 1:
            _append(medium[row[variable], begin:end], r, code)
        else:
            _append(wide[row[variable], begin:end], r, code)


@inner
def _append(column, r, code):
    # A function of its own: written out by numba in the loop above, it takes more than twice as long.
    for i in range(code.shape[0]):
        code[i] = code[i] * r + np.uint32(column[i])
