"""Other processes that run cells, and that can be ended in the middle of one."""

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
    """Pool of processes, started when there is something to do.

    They end with this process, however it ends. No record is lost then, because this process writes them. As a context
    manager it gives the executor, and ends the processes at its exit, also after an interrupt.

    Parameters
    ----------
    number : int
        Processes at most.

    Examples
    --------
    >>> with Processes(1) as executor:
    ...     executor.submit(max, 3, 5).result()
    5
    """

    def __init__(self, number: int) -> None:
        if number < 1:
            raise ValueError(f"processes={number}: at least one is needed")
        self._number = number
        self._pool: ProcessPoolExecutor | None = None

    @property
    def executor(self) -> ProcessPoolExecutor:
        """The pool, fresh after `kill`."""
        if self._pool is None:
            context = get_context("spawn")
            self._end, theirs = context.Pipe()
            self._pool = ProcessPoolExecutor(self._number, mp_context=context, initializer=_watch, initargs=(theirs,))
        return self._pool

    def __enter__(self) -> ProcessPoolExecutor:
        return self.executor

    def __exit__(self, *_: object) -> None:
        self.kill()

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Have a function of a module called in one of the processes."""
        return self.executor.submit(function, *arguments)

    def kill(self) -> None:
        """End the processes now; what waits for them gets an exception."""
        pool, self._pool = self._pool, None
        if pool is None:
            return
        self._end.send_bytes(b"end")
        self._end.close()
        # Futures that are left break with their processes; cancelled ones would never wake who waits for them.
        pool.shutdown(wait=False)


def in_own_process(task: Callable[[Mapping[str, Any]], dict[str, Any]], cell: Mapping[str, Any]) -> dict[str, Any]:
    """Result of a function of a module, called in a process that does nothing else."""
    with Processes(1) as pool:
        return pool.submit(task, dict(cell)).result()


def peak_megabytes(process: int | str = "self") -> float | None:
    """Greatest resident memory so far of this process, or of that with a number; None where the system reports none."""
    status = Path(f"/proc/{process}/status")
    if not status.exists():
        return None
    line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM:"))
    return round(int(line.split()[1]) / 1024, 1)


def _watch(end: Connection) -> None:
    """End this process on a message, or when its parent is gone."""
    # An interrupt is meant for the parent; a terminal and a kernel send it to all.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = parent_process()

    def watch() -> None:
        wait([end, parent.sentinel] if parent is not None else [end])
        os._exit(1)

    Thread(target=watch, daemon=True).start()
