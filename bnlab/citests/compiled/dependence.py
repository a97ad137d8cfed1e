"""The degree of dependence dep(x, y, z) on a table in memory, compiled with the counting of its calls.

Its strengths and records are those of `bnlab.citests.tester.Dep` over a `G2Tester`.
"""

# mypy: allow-untyped-defs
from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
from numba import types

from bnlab._runtime.jit import inner, njit
from bnlab._runtime.stored import call_at, named_tuple_at
from bnlab.citests.compiled.g2 import expected_of_cells, g2_of_cells, log_upper_gamma_ratio
from bnlab.citests.compiled.state import FULL, DependenceState
from bnlab.citests.compiled.tables import GOLDEN, joint_table, key_of
from bnlab.citests.g2 import SMALLEST_RATIO
from bnlab.citests.tester import FEW_ROWS_ALPHA, FEW_ROWS_PER_DF, NOT_PERFORMED, SPARSE_ROWS_PER_CELL, UNDECIDED

_LOG_FEW_ROWS_ALPHA = math.log(FEW_ROWS_ALPHA)


def _array(kind: Any, dimensions: int, *, readonly: bool = False) -> Any:
    return types.Array(kind, dimensions, "C", readonly=readonly)


_INT, _FLOAT = types.int64, types.float64
_INTS, _FLOATS, _WORDS = _array(_INT, 1), _array(_FLOAT, 1), _array(types.uint64, 3)
_SIZES, _SETS = _array(types.int8, 1), _array(types.uint16, 2)
_CODES = [_array(kind, 2, readonly=True) for kind in (types.uint8, types.uint16, types.uint32)]
STATE_TYPE = types.NamedTuple(
    [
        *(_INTS, _INTS, _INTS, _WORDS, _FLOATS),
        *(*_CODES, _INTS, _INTS),
        *(_INT, _FLOAT, _INTS, _FLOAT, _FLOAT, types.boolean, _FLOAT, _FLOAT, _INT, _FLOAT, _INT),
        *(_INTS, _FLOATS, _SIZES, _SETS, _SIZES, _SETS, _array(types.uint64, 1), _FLOATS, _array(types.boolean, 1)),
        *(_INT, _INT, _array(types.uint64, 2), _FLOATS),
        *(_INT, _array(types.uint64, 2), _INTS, _INTS),
        *(_INTS, _INTS, _INTS, _array(types.uint64, 2), _array(_INT, 2), _INTS),
    ],
    DependenceState,
)
_state_at = named_tuple_at(STATE_TYPE)


@cache
def compiled_ask() -> int:
    """Address of the machine code of `_ask`."""
    signature = (types.int64,) * 4
    if signature not in _ask.overloads:
        _ask.compile(signature)
    compiled = _ask.overloads[signature]
    address: int = compiled.library.get_pointer_to_function(compiled.fndesc.llvm_cfunc_wrapper_name)
    return address


@inner
def ask(dep, x, y, z, k):
    """Strength of dependence of x and y given the first k of `z`, in any order, recorded as by `Dep`."""
    members = _state_at(dep.state).members
    for i in range(k):
        members[i] = z[i]
    # At its address, or the code of a test is part of each learner: its first compilation then takes 5 to 7 s longer.
    strength = call_at(dep.ask, (dep.state, np.int64(x), np.int64(y), np.int64(k)))
    if strength != strength:
        raise RuntimeError("the search has been interrupted")
    return strength


@inner
def separates(dep, x, y, z, k):
    """Whether the first k of `z` separate x and y, as `Dep.separates` says."""
    return ask(dep, x, y, z, k) == 0


@njit(no_cpython_wrapper=True, no_cfunc_wrapper=False)  # called at its address
def _ask(address, x, y, k):
    """Strength given the first k of ``dep.members``, in any order, recorded; NaN when the search has to end."""
    dep = _state_at(address)
    if dep.stop[0]:
        return np.nan
    a, b = (x, y) if x < y else (y, x)
    given = dep.members
    for i in range(1, k):
        member = given[i]
        j = i
        while j and given[j - 1] > member:
            given[j] = given[j - 1]
            j -= 1
        given[j] = member
    row = b * (b - 1) // 2 + a
    place: Any = 0
    if k < dep.remember_below:
        key = np.uint64(row * (dep.arities.shape[0] + 1) + (given[0] + 1 if k else 0) + 1)
        room = dep.remembered.shape[0]
        place = np.int64((key * GOLDEN >> np.uint64(32)) * np.uint64(room) >> np.uint64(32))
        while dep.remembered_keys[place] != key:
            if dep.remembered_keys[place] == 0:
                if dep.calls[2] + 1 >= FULL * room:  # one place stays free, where probing ends
                    dep.stop[0] = True
                    return np.nan
                break
            place = place + 1 if place + 1 < room else 0
        else:
            return dep.remembered[place]
        dep.remembered_keys[place] = key
        dep.calls[2] += 1
    given[k], given[k + 1] = a, b
    if dep.remember_below <= k <= dep.known_order:
        low, high, slot = key_of(given[: k + 2], dep.key_bits, dep.known_keys.shape[0])
        if dep.known_keys[slot, 0] == low and dep.known_keys[slot, 1] == high:
            strength = dep.known[slot]
        else:
            strength = _strength(address, a, b, k)
            dep.known_keys[slot, 0], dep.known_keys[slot, 1] = low, high
            dep.known[slot] = strength
    else:
        strength = _strength(address, a, b, k)
    dep.calls[1 if strength == NOT_PERFORMED else 0] += 1
    if strength < 0:
        strength = dep.if_not_performed
    if strength == 0 and not 0 <= dep.separator_size[row] <= k:
        dep.separator_size[row] = k
        for i in range(k):
            dep.separators[row, i] = given[i]
    elif 0 < strength < dep.weakest[row]:
        dep.weakest[row] = strength
        dep.weakest_size[row] = k
        for i in range(k):
            dep.weakest_given[row, i] = given[i]
    if k < dep.remember_below:
        dep.remembered[place] = strength
    return strength


@inner
def separator_into(dep, x, y, z):
    """Write the smallest set that separated x and y, ascending, to `z`, and return its size."""
    state = _state_at(dep.state)
    a, b = (x, y) if x < y else (y, x)
    row = b * (b - 1) // 2 + a
    size = np.int64(state.separator_size[row])
    k = size if size > 0 else 0
    for i in range(k):
        z[i] = state.separators[row, i]
    return k


@inner
def separator_size(dep, x, y, others, max_order):
    """Size of the first subset of `others`, small ones first, that separates x and y; -1 when none does."""
    m = others.shape[0]
    z = np.empty(m, dtype=np.int64)
    chosen = np.empty(m, dtype=np.int64)
    for size in range(min(m, max_order) + 1):
        more = first_combination(chosen, size)
        while more:
            for i in range(size):
                z[i] = others[chosen[i]]
            if separates(dep, x, y, z, size):
                return size
            more = next_combination(chosen, size, m)
    return -1


@inner
def without(members, x, others):
    """Write the members but x to `others`, which may be where they are; return how many."""
    k = 0
    for v in members:
        if v != x:
            others[k] = v
            k += 1
    return k


@inner
def first_combination(chosen, size):
    """Write the first combination of `size` positions, as `itertools.combinations` orders them."""
    for i in range(size):
        chosen[i] = i
    return True


@inner
def next_combination(chosen, size, m):
    """Write the next combination of positions below m; False after the last."""
    i = size - 1
    while i >= 0 and chosen[i] == m - size + i:
        i -= 1
    if i < 0:
        return False
    chosen[i] += 1
    for j in range(i + 1, size):
        chosen[j] = chosen[j - 1] + 1
    return True


@njit(inline="always")
def _strength(address, x, y, k):
    """Strength of x and y given the first k of ``dep.members``, which x and y follow."""
    dep = _state_at(address)
    arities, family = dep.arities, dep.family[: k + 2]
    cells = 1.0  # as a float it cannot overflow
    for i in range(k + 2):
        v = dep.members[i]
        cells *= arities[v]
        j = i
        while j and (arities[family[j - 1]], family[j - 1]) > (arities[v], v):
            family[j] = family[j - 1]
            j -= 1
        family[j] = v
    if dep.n_rows < dep.fewest * cells:
        return NOT_PERFORMED
    begins = dep.begins
    begins[0] = joint_table(dep, family, np.int64(cells))
    strata = stride = of_x = of_y = 1
    for i in range(k + 1, -1, -1):
        r = arities[family[i]]
        if family[i] == x:
            of_x = stride
        elif family[i] == y:
            of_y = stride
        else:
            for at in range(strata, strata * r):
                begins[at] = begins[at - strata] + stride
            strata *= r
        stride *= r
    r_x, r_y = arities[x], arities[y]
    table = dep.tables, begins[:strata], (r_x, r_y), (of_x, of_y), (dep.n_rows, dep.unit, dep.terms), dep.column
    statistic, df = g2_of_cells(*table)
    few_rows = dep.n_rows < dep.rows_per_cell * cells
    freedom = float(df)
    if dep.plain:
        freedom = (r_x - 1.0) * (r_y - 1.0) * strata
    elif few_rows and (k == 0 or dep.n_rows < SPARSE_ROWS_PER_CELL * cells):
        freedom = expected_of_cells(*table)
    few_rows = few_rows and k > 0
    if freedom == 0 and k > 0 and dep.fewest < dep.rows_per_cell:
        return NOT_PERFORMED if few_rows else UNDECIDED
    if freedom == 0:
        return 0.0
    ratio = call_at(dep.gammaincc, (freedom / 2, statistic / 2, np.int32(0)))
    log_p = math.log(ratio) if ratio > SMALLEST_RATIO else log_upper_gamma_ratio(freedom / 2, statistic / 2)
    if log_p <= dep.log_alpha:
        return -log_p
    if few_rows:
        return 0.0 if dep.n_rows >= FEW_ROWS_PER_DF * freedom and log_p > _LOG_FEW_ROWS_ALPHA else NOT_PERFORMED
    return UNDECIDED if k > 0 and log_p <= dep.log_separating else 0.0
