"""Processes that run cells and can be ended at any time."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ProcessPoolExecutor
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection, wait
from pathlib import Path
from threading import Thread
from typing import Any


class Processes:
    """Pool of processes, which start at the first task.

    They end when this process ends, however it ends. No record is lost then, because this process writes the records.
    As a context manager the pool returns the executor, and ends the processes at exit, also after an interrupt.

    Parameters
    ----------
    number : int
        Maximum number of processes.

    Examples
    --------
    >>> with Processes(1) as executor:
    ...     executor.submit(max, 3, 5).result()
    5
    """

    def __init__(self, number: int) -> None:
        if number < 1:
            raise ValueError(f"processes={number}: at least one is needed")
        self.number = number
        self._pool: ProcessPoolExecutor | None = None
        self._closed = False

    @property
    def executor(self) -> ProcessPoolExecutor:
        """The executor; a new one after `kill`. RuntimeError after `close`."""
        pool = self._pool
        if pool is None:
            context = get_context("spawn")
            self._end, theirs = context.Pipe()
            pool = self._pool = ProcessPoolExecutor(
                self.number, mp_context=context, initializer=_watch, initargs=(theirs,)
            )
        if self._closed:  # perhaps by another thread, before it could see this pool
            self.kill()
            raise RuntimeError("these processes are closed")
        return pool

    def __enter__(self) -> ProcessPoolExecutor:
        return self.executor

    def __exit__(self, *_: object) -> None:
        self.kill()

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Call a function of a module in one of the processes."""
        return self.executor.submit(function, *arguments)

    def kill(self) -> None:
        """End the processes now; code that waits for a result gets an exception."""
        pool, self._pool = self._pool, None
        if pool is None:
            return
        self._end.send_bytes(b"end")
        self._end.close()
        # Unfinished futures fail with their processes; cancelled ones would never wake the code that waits for them.
        pool.shutdown(wait=False)

    def close(self) -> None:
        """End the processes for good."""
        self._closed = True
        self.kill()


def in_own_process(task: Callable[[Mapping[str, Any]], dict[str, Any]], cell: Mapping[str, Any]) -> dict[str, Any]:
    """Call a function of a module in a process that does nothing else."""
    with Processes(1) as pool:
        return pool.submit(task, dict(cell)).result()


def peak_megabytes(process: int | str = "self") -> float | None:
    """Peak resident memory of this process or of the given one; None if the system does not report it."""
    status = Path(f"/proc/{process}/status")
    if not status.exists():
        return None
    line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM:"))
    return round(int(line.split()[1]) / 1024, 1)


def _watch(end: Connection) -> None:
    """End this process on a message, or when its parent has ended."""
    # Interrupts are for the parent, but a terminal and a kernel send them to all processes.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = parent_process()

    def watch() -> None:
        wait([end, parent.sentinel] if parent is not None else [end])
        os._exit(1)

    Thread(target=watch, daemon=True).start()
