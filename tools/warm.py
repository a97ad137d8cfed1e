"""Compile the kernels once, before several processes would each do it: ``python -m tools.warm``."""

from __future__ import annotations

import logging

import bnlab


def main() -> None:
    """Count, score and learn a little, so that the machine code of all of it is on disk."""
    logging.getLogger("bnlab").setLevel(logging.ERROR)
    network = bnlab.load_network("asia")
    table = network.sample(1000, seed=1)
    bnlab.score(network.dag, table, "bdeu")
    bnlab.learn(table, "chow-liu")
    bnlab.learn(table, "branching", score="k2")


if __name__ == "__main__":
    main()
