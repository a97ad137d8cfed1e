"""Samples of graphs from their posterior by a Markov chain over ordered partitions of the variables.

References
----------
J. Kuipers, G. Moffa. Partition MCMC for inference on acyclic digraphs. JASA 112, 2017.
M. Grzegorczyk, D. Husmeier. Improving the structure MCMC sampler for Bayesian networks by introducing a new edge
reversal move. Machine Learning 71, 2008.
N. Friedman, D. Koller. Being Bayesian about network structure. Machine Learning 50, 2003 (orders).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bnlab._runtime.budget import check_memory
from bnlab._runtime.cached import cached_property
from bnlab._runtime.interrupts import run_interruptible
from bnlab._runtime.threads import available_cores, run_parallel
from bnlab._runtime.values import check_counts, check_optional_counts
from bnlab.engine.partitions import Draws, Families, cells_of_sums, draw_graph, enter_layers, families_of, sample
from bnlab.graphs.confidence import ChainTraces, EdgeConfidence
from bnlab.graphs.dag import Dag
from bnlab.learners.bootstrap import ConfidenceSearch
from bnlab.learners.posterior.convergence import effective_sample_size, split_r_hat, standard_errors, uncertain_edges
from bnlab.learners.posterior.families import FamilyScores, check_structure_prior
from bnlab.learners.types import Floats, Integers, Mask
from bnlab.search import Progress, Snapshot, Work

BLOCK = 20
"""Draws of each chain in one step."""
BYTES_A_CELL = 8
"""For one cell of a sampled adjacency matrix, its probability, and copies of them."""
R_HATS = 30
"""Number of points of the curve of R-hat over draws."""


class ChainBlock(NamedTuple):
    """Draws of one chain in one step.

    Attributes
    ----------
    layers : ndarray of int64, shape (n,)
        Layer of each variable after the last draw.
    graphs : ndarray of bool, shape (draws, n, n)
        Adjacency matrices of sampled DAGs.
    arcs : ndarray of float32, shape (draws, n, n)
        Probability of each edge given the partition.
    scores : ndarray of float64, shape (draws,)
        Scores of the DAGs, in nats.
    """

    layers: Integers
    graphs: Mask
    arcs: NDArray[np.float32]
    scores: Floats


class SamplerState(NamedTuple):
    """State of a `PartitionSampler`.

    Attributes
    ----------
    steps : int
        Number of steps made.
    layers : ndarray of int64, shape (chains, n)
        Present layer of each variable.
    scores : tuple of ndarray of float64, each of shape (chains, draws)
        Scores of the DAGs of each step.
    graphs, arcs : tuple of ndarray, each of shape (chains, draws, n, n)
        Draws of each step after the burn-in, as in `ChainBlock`.
    total : ndarray of float64, shape (n, n)
        Sum of `arcs` over chains and draws.
    best_score : float
        Greatest score of a DAG drawn so far.
    """

    steps: int
    layers: Integers
    scores: tuple[Floats, ...]
    graphs: tuple[Mask, ...]
    arcs: tuple[NDArray[np.float32], ...]
    total: Floats
    best_score: float = -np.inf

    @property
    def iteration(self) -> int:
        """Draws of each chain so far."""
        return self.steps * BLOCK


@dataclass(frozen=True)
class PartitionSampler(ConfidenceSearch):
    """Partition MCMC (Kuipers and Moffa 2017): a `Search` with some draws of every chain per step.

    A player shows the scores of the first chain. To see the scores of several chains, show them as separate runs:
    ``SearchPlayer({f"chain {seed}": replace(sampler, chains=1, seed=seed) for seed in range(4)})`` with
    `dataclasses.replace`.

    A move draws a new place for one variable, given the places of the others: in one of their layers, or alone between
    two of them. Each place has its exact probability (Gibbs sampling), so that no move is rejected. Under "graphs",
    edges of a DAG of the partition are also reversed (Grzegorczyk and Husmeier 2008). Chains start from random graphs.
    In the first half of the burn-in they sample from a power of the posterior that rises to 1 (simulated annealing), so
    that they do not stay near the first good graphs. The random numbers follow from (seed, step, chain).

    Parameters
    ----------
    families : FamilyScores
        Each variable has the empty set, or a set that all its others contain: these parents are required.
    structure_prior : {"graphs", "orders"}
        Equal prior probability of all DAGs, or of all orders of the variables (then a DAG counts once for each order
        that it agrees with).
    chains : int
    draws : int
        Number of draws of each chain after the burn-in; at least 4, rounded up to a multiple of 20.
    burn_in : int, optional
        Number of first draws of each chain that are dropped; by default half of `draws`.
    moves : int
        Number of moves, and of edge reversals, between two draws.
    seed : int

    Raises
    ------
    ValueError
        If an option is out of range or unknown, or the samples would not fit into memory.

    Examples
    --------
    >>> import bnlab
    >>> from bnlab.learners import partition_sampler
    >>> from bnlab.search import iterate
    >>> sampler = partition_sampler(bnlab.load_network("cancer").sample(500, seed=1), draws=100)
    >>> for state, progress in iterate(sampler):
    ...     pass
    >>> sampler.result(state).graphs
    400
    """

    families: FamilyScores
    structure_prior: str = "graphs"
    chains: int = field(default=4, kw_only=True)
    draws: int = field(default=1000, kw_only=True)
    burn_in: int | None = field(default=None, kw_only=True)
    moves: int = field(default=100, kw_only=True)
    seed: int = field(default=0, kw_only=True)
    threshold: ClassVar[float | None] = 0.5

    def __post_init__(self) -> None:
        check_counts(1, chains=self.chains, moves=self.moves)
        check_counts(4, draws=self.draws)
        check_counts(0, seed=self.seed)
        check_optional_counts(0, burn_in=self.burn_in)
        check_structure_prior(self.structure_prior)
        check_memory(
            BYTES_A_CELL * self.chains * self._kept * BLOCK * self.families.n**2,
            f"{self.chains} chains of {self.draws:,} graphs of {self.families.n} variables",
            "take fewer draws or select fewer variables",
        )
        check_memory(
            8 * sum(cells_of_sums(self.families.candidates, self.families.core_sizes)),
            f"sums over the sets of up to {max(self.families.core_sizes)} candidates",
            "lower candidates",
        )
        for v, bits in enumerate(self.families.bits):
            if not (bits == np.bitwise_and.reduce(bits)).any():
                raise ValueError(
                    f"variable {v} has no score without parents, nor a set that all its others contain: add its empty "
                    "set of parents"
                )
        self._required  # noqa: B018 - raises if these edges close a cycle

    def init(self) -> SamplerState:
        """Start each chain from a graph drawn for a random order."""
        n = self.families.n
        layers = np.stack([self._start(chain) for chain in range(self.chains)])
        return SamplerState(0, layers, (), (), (), np.zeros((n, n)))

    def step(self, state: SamplerState) -> tuple[SamplerState, Progress]:
        """Make some draws of every chain; the scores are those of the first chain."""
        self._check(state)
        families = self._families(self._power(state.steps))
        tasks = [partial(self._draw, families, layers, state.steps, chain) for chain, layers in enumerate(state.layers)]
        return self._after(state, run_interruptible(run_parallel, tasks, available_cores()))

    def is_done(self, state: SamplerState) -> bool:
        """Whether all draws are made."""
        return state.steps >= self._dropped + self._kept

    def result(self, state: SamplerState) -> EdgeConfidence:
        """Probabilities of the edges so far.

        Returns
        -------
        EdgeConfidence
            `arcs` is the mean of the probabilities given each partition, which varies less than the frequency in the
            DAGs. `errors` are Monte Carlo errors plus an estimated bound of what parent sets that were left out can
            change. `samples` are the DAGs, chain by chain. `diagnostics` has "r_hat", the greatest split R-hat, and
            "ess", the least effective sample size, among edges with a probability between 0.01 and 0.99. Without such
            edges they are 1 and the number of draws, and before the first draws after the burn-in nan. `chains` has the
            scores of all draws and the R-hat after some of them.
        """
        n, burn_in = self.families.n, self._dropped * BLOCK
        scores = np.concatenate(state.scores, axis=1) if state.scores else np.empty((self.chains, 0))
        diagnostics = self.diagnostics(state)
        if not state.arcs:
            chains = ChainTraces(scores, burn_in, np.empty(0, dtype=np.int64), np.empty(0))
            return EdgeConfidence(self._names, np.zeros((n, n)), 0, "mcmc", diagnostics=diagnostics, chains=chains)
        arcs = np.concatenate(state.arcs, axis=1)
        mean = arcs.mean(axis=(0, 1), dtype=np.float64).clip(0.0, 1.0)
        doubtful = uncertain_edges(arcs)
        # One child at a time, because the Fourier transforms of all edges need much memory.
        errors = np.stack([standard_errors(arcs[..., v]) for v in range(n)], axis=1)
        places = np.unique(np.linspace(BLOCK, arcs.shape[1], R_HATS).astype(np.int64))
        r_hats = np.array([split_r_hat(doubtful[:, :place]).max(initial=1.0) for place in places])
        return EdgeConfidence(
            self._names,
            mean,
            arcs.shape[0] * arcs.shape[1],
            "mcmc",
            errors + self.families.left_out(mean),
            diagnostics=diagnostics,
            samples=np.concatenate(state.graphs, axis=1).reshape(-1, n, n),
            chains=ChainTraces(scores, burn_in, places, r_hats),
        )

    def diagnostics(self, state: SamplerState) -> dict[str, float]:
        """Convergence of the edge probabilities so far, as in `result`."""
        if not state.arcs:
            return {"r_hat": np.nan, "ess": np.nan}
        doubtful = uncertain_edges(np.concatenate(state.arcs, axis=1))
        return {
            "r_hat": float(split_r_hat(doubtful).max(initial=1.0)),
            "ess": float(effective_sample_size(doubtful).min(initial=doubtful.shape[0] * doubtful.shape[1])),
        }

    def snapshot(self, state: SamplerState) -> Snapshot:
        """Draws made, including the burn-in, and the probabilities of the edges so far."""
        work = Work(state.iteration, (self._dropped + self._kept) * BLOCK, "draws")
        drawn = max(len(state.arcs) * BLOCK * self.chains, 1)
        return Snapshot(work, (state.total / drawn).clip(0.0, 1.0))

    def variable_names(self) -> tuple[str, ...] | None:
        """Names of the variables."""
        return self.families.names

    def score_of(self, parents: Sequence[Sequence[int]]) -> float | None:
        """Score of a network; None if one of its families was not scored."""
        return self.families.score_of(parents)

    def advance(self, layers: Integers, step: int, chain: int) -> ChainBlock:
        """Make the draws of one chain in one step, from its layers before the step."""
        return self._draw(self._families(self._power(step)), layers, step, chain)

    def _draw(self, families: Families, layers: Integers, step: int, chain: int) -> ChainBlock:
        n = self.families.n
        uniforms = self._random(step + 1, chain).random((BLOCK, 2 * n + 6 * self.moves))
        after = layers.copy()
        cube = (BLOCK, n, n)
        draws = Draws(np.zeros(cube, dtype=np.bool_), np.zeros(cube, dtype=np.float32), np.empty(BLOCK))
        sample(after, families, self.structure_prior == "graphs", uniforms, draws)
        return ChainBlock(after, draws.graphs, draws.arcs, draws.scores / self._power(step))

    def run_on(self, executor: Executor, state: SamplerState | None = None) -> Iterator[tuple[SamplerState, Progress]]:
        """Iterate with the chains on an executor; the states equal those of `step`."""
        state = self.init() if state is None else state
        while not self.is_done(state):
            self._check(state)
            waiting = [
                executor.submit(self.advance, layers, state.steps, chain) for chain, layers in enumerate(state.layers)
            ]
            state, progress = self._after(state, [future.result() for future in waiting])
            yield state, progress

    def __getstate__(self) -> dict[str, Any]:
        """Omit cached values: another process computes them again."""
        return {name: value for name, value in vars(self).items() if name != "_sampled"}

    @property
    def _dropped(self) -> int:
        """Number of steps of the burn-in."""
        return -(-(self.draws // 2 if self.burn_in is None else self.burn_in) // BLOCK)

    def _power(self, step: int) -> float:
        """Power of the posterior that a step samples from: it rises to 1 in the first half of the burn-in."""
        return min((step + 1) / (self._dropped // 2 + 1), 1.0) ** 3

    @property
    def _kept(self) -> int:
        """Number of steps after the burn-in."""
        return -(-self.draws // BLOCK)

    @property
    def _names(self) -> tuple[str, ...]:
        return self.families.names or tuple(str(v) for v in range(self.families.n))

    @cached_property
    def _required(self) -> Dag:
        return Dag(self._names, self.families.required)

    def _families(self, power: float) -> Families:
        """Families in the form that the compiled functions read, with a power of their weights."""
        return self._sampled if power == 1.0 else self._compiled(power)

    @cached_property
    def _sampled(self) -> Families:
        return self._compiled(1.0)

    def _compiled(self, power: float) -> Families:
        scored = self.families
        return families_of(scored.candidates, scored.core_sizes, scored.bits, power * np.concatenate(scored.scores))

    def _random(self, step: int, chain: int) -> np.random.Generator:
        return np.random.default_rng((self.seed, step, chain))

    def _start(self, chain: int) -> Integers:
        """Random order with required parents first, or the layers of a graph drawn for such an order."""
        n, random = self.families.n, self._random(0, chain)
        order, depth = random.permutation(n), np.zeros(n, dtype=np.int64)
        enter_layers(self._required.adjacency(), depth)
        order = np.argsort(order[np.argsort(depth[order], kind="stable")])  # place of each variable
        if self.structure_prior == "orders":
            return order
        graph = np.zeros((n, n), dtype=np.bool_)
        draw_graph(order, self._sampled, False, random.random(n), graph, np.zeros((n, n), dtype=np.float32))
        layers = np.zeros(n, dtype=np.int64)
        enter_layers(graph, layers)
        return layers

    def _check(self, state: SamplerState) -> None:
        shape = (self.chains, self.families.n)
        layers = state.layers
        if layers.shape != shape or layers.dtype != np.int64:
            raise ValueError(f"the state is not one of this search: its layers are not integers of shape {shape}")
        for row in layers:
            used = np.unique(row)
            if used[0] != 0 or used[-1] != len(used) - 1:
                raise ValueError("the state is not one of this search: its layers are not numbered from 0 on")
            if self.structure_prior == "orders" and len(used) < len(row):
                raise ValueError("the state is not one of this search: a layer of an order has two variables")

    def _after(self, state: SamplerState, blocks: Sequence[ChainBlock]) -> tuple[SamplerState, Progress]:
        scores = np.stack([block.scores for block in blocks])
        after = state._replace(
            steps=state.steps + 1,
            layers=np.stack([block.layers for block in blocks]),
            scores=(*state.scores, scores),
            best_score=max(state.best_score, float(scores.max())),
        )
        if state.steps >= self._dropped:
            arcs = np.stack([block.arcs for block in blocks])
            after = after._replace(
                graphs=(*state.graphs, np.stack([block.graphs for block in blocks])),
                arcs=(*state.arcs, arcs),
                total=state.total + arcs.sum(axis=(0, 1), dtype=np.float64),
            )
        others = tuple(block.scores for block in blocks[1:])
        return after, Progress(after.iteration, blocks[0].scores, after.best_score, others=others)
