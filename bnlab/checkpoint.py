"""States of searches in files: JSON and arrays, no pickle, so that a file from elsewhere cannot run code.

A file holds plain values, arrays, and classes of bnlab by their names. Nothing else can be written, and nothing else is
created when a file is read. An older file is replaced in one step: a kill leaves the old or the new file, never a part.
"""

from __future__ import annotations

import json
import os
import sys
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import is_dataclass
from functools import lru_cache
from io import BytesIO
from math import prod
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np

from bnlab._runtime.budget import MemoryBudget, check_memory
from bnlab._runtime.files import open_to_read, replace_file
from bnlab._runtime.interrupts import reraise_interrupts
from bnlab._runtime.types import field_types, fits

__all__ = ["load_state", "resume", "save_state"]

FORMAT = "bnlab state 1"
JSON_BYTES = 25
"""Memory that a byte of JSON may need: "{}," becomes a dict."""
MAX_UNPACKED = 100
"""Maximum ratio of the size of a state to that of its file, beyond `SMALL` bytes."""
SMALL = 1 << 24
_SHOWN = 500
_CONTENT = "content"
_LEDGER = "citests:Ledger"
_PLAIN = (str, bool, int, type(None))
_COLLECTIONS = {"tuple": tuple, "list": list, "set": set, "frozenset": frozenset}

_HEADERS: dict[tuple[int, int], Any] = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}


def save_state(state: Any, path: str | os.PathLike[str]) -> None:
    """Write a state to a file.

    Parameters
    ----------
    state : object
        Any state of a `bnlab.search.Search` of this package, a `bnlab.search.Trace`, or collections of them.
    path : str or path
        An existing file is replaced.

    Raises
    ------
    TypeError
        If something in the state is neither a plain value, an array, a collection, nor an object of a class of bnlab.
    OSError
        If the file cannot be written; an older one stays unchanged.

    Examples
    --------
    >>> from bnlab.learners import HillClimbing
    >>> from bnlab.search import run
    >>> search = HillClimbing(lambda child, parents: len(parents) - 0.6 * len(parents) ** 2, 3)
    >>> state, _ = search.step(search.init())
    >>> path = getfixture("tmp_path") / "climb.state"
    >>> save_state(state, path)
    >>> run(search, load_state(path)) == run(search, state)
    True
    """
    arrays: dict[str, Any] = {}
    content = json.dumps({"format": FORMAT, "state": _packed(state, arrays)})
    arrays[_CONTENT] = np.frombuffer(content.encode(), dtype=np.uint8)
    buffer = BytesIO()
    np.savez_compressed(buffer, **arrays)
    if sum(array.nbytes for array in arrays.values()) > _max_unpacked(buffer.tell()):
        buffer = BytesIO()
        np.savez(buffer, **arrays)
    replace_file(path, buffer.getvalue())


def load_state(path: str | os.PathLike[str]) -> Any:
    """Read a state from a file that `save_state` wrote.

    Raises
    ------
    ValueError
        If the file is damaged, has another format, holds a value of another type than its class declares, names a class
        that is not of bnlab or whose module has not been imported yet, or holds more than fits into memory.
    OSError
        If there is no such file, or it cannot be read.
    """
    with open_to_read(path, "give the path of a file that save_state wrote.") as file:
        try:
            with zipfile.ZipFile(file) as archive:
                return _read(archive, str(path), os.fstat(file.fileno()).st_size)
        except MemoryBudget:
            raise
        except Exception as error:  # libraries raise many kinds of errors for a damaged file
            raise ValueError(
                f"{path} is no whole file of the form {FORMAT!r} ({type(error).__name__}: {error!s:.{_SHOWN}}): take "
                "an older copy, or start the search again."
            ) from error


def _read(archive: zipfile.ZipFile, path: str, size: int) -> Any:
    """State in an archive; all sizes are checked before anything is unpacked."""
    _check_sizes(archive.infolist(), path, size)
    arrays = {member.filename.removesuffix(".npy"): _array(archive, member) for member in archive.infolist()}
    content = json.loads(bytes(arrays.pop(_CONTENT)))
    if content["format"] != FORMAT:
        raise ValueError(f"its format is {content['format']!r}")
    return _unpacked(content["state"], arrays)


def _max_unpacked(size: int) -> int:
    return SMALL + MAX_UNPACKED * size


def _check_sizes(members: list[zipfile.ZipInfo], path: str, size: int) -> None:
    """Refuse an archive that would unpack to too much; members cannot exceed their declared sizes."""
    bytes_each = {f"{_CONTENT}.npy": JSON_BYTES}
    needed = sum(bytes_each.get(member.filename, 1) * member.file_size for member in members)
    check_memory(needed, f"the state in {path}", "take a smaller file")
    total = sum(member.file_size for member in members)
    if total > _max_unpacked(size):
        raise ValueError(f"its {size:,} bytes would unpack to {total:,}, more than {MAX_UNPACKED} times as many")
    if any(member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) for member in members):
        raise ValueError("it is packed in another way than save_state packs")


def _array(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Any:
    """Array in a member, whose number of bytes must match its declared shape and type."""
    with archive.open(member) as file:
        version = np.lib.format.read_magic(file)
        if version not in _HEADERS:
            raise ValueError(f"{member.filename} is an array of the format {version}")
        shape, _, dtype = _HEADERS[version](file)
        if dtype.hasobject or prod(shape) * dtype.itemsize != member.file_size - file.tell():
            raise ValueError(f"{member.filename} does not hold the {shape} of {dtype} that it says")
        file.seek(0)
        return np.lib.format.read_array(file, allow_pickle=False)


def resume(
    search: Any, path: str | os.PathLike[str], *, of: str = "", seconds: float = 10.0
) -> Iterator[tuple[Any, Any]]:
    """Iterate a search and save its states to a file; if the file exists, continue from its state.

    The file is written every `seconds`, and at the end, also after an interrupt. A killed run continues from the last
    saved state and ends like an uninterrupted run.

    Parameters
    ----------
    search : bnlab.search.Search
    path : str or path
    of : str, optional
        Identification of the search, for example the fingerprint of its table and its settings; a file with another one
        is refused.
    seconds : float
        Minimum time between two writes; 0 writes after every step.

    Yields
    ------
    state, info
        As for `bnlab.search.iterate`. If the search in the file is done, its state and None.

    Raises
    ------
    ValueError
        If the file is damaged, or of another search.
    OSError
        If the file cannot be written; the previous one stays unchanged.

    Examples
    --------
    >>> from bnlab.learners import HillClimbing
    >>> search = HillClimbing(lambda child, parents: len(parents) - 0.6 * len(parents) ** 2, 3)
    >>> path = getfixture("tmp_path") / "climb.state"
    >>> for state, info in resume(search, path): pass
    >>> [info for state, info in resume(search, path)]
    [None]
    """
    state = _load_checked(path, of) if Path(path).exists() else search.init()
    saved, saved_at = state, monotonic()
    try:
        if search.is_done(state):
            yield state, None
        while not search.is_done(state):
            with reraise_interrupts():
                state, info = search.step(state)
            if monotonic() - saved_at >= seconds:
                save_state((of, state), path)
                saved, saved_at = state, monotonic()
            yield state, info
    finally:
        if saved is not state:
            save_state((of, state), path)


def _load_checked(path: str | os.PathLike[str], of: str) -> Any:
    content = load_state(path)
    if not (isinstance(content, tuple) and len(content) == 2 and content[0] == of):
        raise ValueError(
            f"{path} holds the state of another search than of={of!r}: name another file, or remove it to start again."
        )
    return content[1]


def _packed(value: Any, arrays: dict[str, Any]) -> Any:
    """Plain values unchanged, everything else as {kind: content}."""
    if isinstance(value, _PLAIN):
        return value
    if isinstance(value, (np.ndarray, np.generic)):
        if value.dtype.hasobject:
            raise TypeError(f"an array of {value.dtype} cannot be saved: it may hold anything.")
        name = f"a{len(arrays)}"
        arrays[name] = np.asarray(value)
        return {"array" if isinstance(value, np.ndarray) else "scalar": name}
    if isinstance(value, float):
        return {"float": value.hex()}
    if type(value).__name__ in _COLLECTIONS and type(value).__module__ == "builtins":
        items = [_packed(item, arrays) for item in value]
        # Sorted, because the order of a set depends on how it was made, and equal sets are to have equal bytes.
        return {type(value).__name__: sorted(items, key=repr) if isinstance(value, (set, frozenset)) else items}
    kind = _name(type(value))
    if kind == _LEDGER:
        return {kind: _packed(value.to_dict(), arrays)}
    if isinstance(value, Mapping):
        return {"dict": [[_packed(k, arrays), _packed(v, arrays)] for k, v in value.items()]}
    holder: type = type(value)
    if kind is None or not _holds_data(holder):
        raise TypeError(f"a {type(value).__module__}.{type(value).__qualname__} cannot be saved: {value!r:.80}")
    return {kind: {part: _packed(getattr(value, part), arrays) for part in field_types(holder)}}


def _unpacked(value: Any, arrays: Mapping[str, Any]) -> Any:
    """Value from its form by `_packed`."""
    if isinstance(value, _PLAIN):
        return value
    ((kind, content),) = value.items()
    if kind == "float":
        return float.fromhex(content)
    if kind == "array":
        return arrays[content]
    if kind == "scalar":
        if arrays[content].ndim:
            raise ValueError(f"a single number is needed, and not an array of shape {arrays[content].shape}")
        return arrays[content][()]
    if kind == "dict":
        return {_unpacked(k, arrays): _unpacked(v, arrays) for k, v in content}
    if kind in _COLLECTIONS:
        if not isinstance(content, list):
            raise ValueError(f"a list is needed, and not {content!r:.80}")
        return _COLLECTIONS[kind](_unpacked(item, arrays) for item in content)
    found = _class(kind)
    if found is None:
        raise ValueError(f"{kind!r} is no class of bnlab that holds a state")
    if _name(found) == _LEDGER:
        entries = _unpacked(content, arrays)
        if not isinstance(entries, dict):
            raise ValueError(f"{kind!r} is made of a dictionary, and not of {entries!r:.80}")
        return found(entries)
    return _create(found, {name: _unpacked(item, arrays) for name, item in content.items()})


def _create(kind: type, parts: dict[str, Any]) -> Any:
    """Object of a class; its parts and their types must be those that the class declares."""
    types = field_types(kind)
    name = _name(kind)
    if set(types) != set(parts):
        raise ValueError(f"{name!r} has the parts {sorted(types)}, and the file {sorted(parts)}")
    for part, hint in types.items():
        if not fits(parts[part], hint):
            shown = hint.__name__ if type(hint) is type else hint
            raise ValueError(f"{name!r} has {part}={parts[part]!r:.80}, which is not of the type {shown}")
    return kind(**parts)


def _name(kind: type) -> str | None:
    """Name of a class in files, "folder:class", so that its module may move in its folder; None outside bnlab."""
    package, _, rest = kind.__module__.partition(".")
    return f"{rest.partition('.')[0]}:{kind.__qualname__}" if package == "bnlab" else None


@lru_cache(maxsize=1000)
def _class(name: str) -> type | None:
    """Class of bnlab that holds only data, by its `_name`, or by "module:class" as in older files."""
    place, _, qualified = name.partition(":")
    folder = place.removeprefix("bnlab.").partition(".")[0]
    if not (folder.isidentifier() and qualified.isidentifier()):
        return None
    found = {
        kind
        for module_name, module in list(sys.modules.items())
        if module_name == f"bnlab.{folder}" or module_name.startswith(f"bnlab.{folder}.")
        if isinstance(kind := vars(module).get(qualified), type) and _name(kind) == f"{folder}:{qualified}"
    }
    if not found:
        raise ValueError(f"it holds a {qualified}: make the search that it belongs to first, from bnlab.{folder}")
    (kind,) = found
    return kind if _holds_data(kind) else None


def _holds_data(kind: type) -> bool:
    named_tuple = issubclass(kind, tuple) and "_fields" in vars(kind)
    return named_tuple or is_dataclass(kind) or _name(kind) == _LEDGER
