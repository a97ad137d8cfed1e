// Exact inference by an inward and an outward sweep through a tree of cliques; Python sends the tree and the tables.
// See networks/query/inference.py (Jensen, Lauritzen and Olesen 1990).
// @ts-check

/**
 * Nodes ascend in all scopes, and in a table the state of the last node changes fastest. A clique comes after its
 * parent, whose number it has. Nodes of one state are in no scope.
 * @typedef {{ arities: number[], cliques: { nodes: number[], parent: number | null }[],
 *   factors: { nodes: number[], table: number[] }[] }} Tree
 */
/** @typedef {{ marginals: Float64Array[], log: number }} Posterior `log` is that of the evidence's probability */

/**
 * Place in a table over `scope` of each cell of a table over `nodes`.
 * @param {number[]} scope
 * @param {number[]} nodes
 * @param {number[]} arities
 */
function placesIn(scope, nodes, arities) {
  const strides = new Map();
  let size = 1;
  for (const v of [...scope].reverse()) {
    strides.set(v, size);
    size *= arities[v];
  }
  let places = new Int32Array(1);
  for (const v of nodes) {
    const [arity, stride] = [arities[v], strides.get(v) ?? 0];
    const longer = new Int32Array(places.length * arity);
    for (let i = 0; i < longer.length; i++) longer[i] = places[Math.floor(i / arity)] + (i % arity) * stride;
    places = longer;
  }
  return { places, size };
}

/** @typedef {ReturnType<typeof placesIn>} Places */

/**
 * Multiply a table by a smaller one, in place, and divide it by its greatest cell, so that no product leaves the range
 * of numbers. Returns the logarithm of that cell, -Infinity if all are 0.
 * @param {Float64Array} table
 * @param {ArrayLike<number>} other
 * @param {Places} at
 */
function multiply(table, other, { places }) {
  let greatest = 0;
  for (let i = 0; i < table.length; i++) {
    table[i] *= other[places[i]];
    if (table[i] > greatest) greatest = table[i];
  }
  for (let i = 0; greatest > 0 && i < table.length; i++) table[i] /= greatest;
  return Math.log(greatest);
}

/**
 * Sums of the cells of a table by their places, divided by their total, and the total.
 * @param {Float64Array} table
 * @param {Places} at
 * @returns {[Float64Array, number]}
 */
function shares(table, { places, size }) {
  const sums = new Float64Array(size);
  for (let i = 0; i < table.length; i++) sums[places[i]] += table[i];
  const total = sums.reduce((a, b) => a + b, 0);
  return [sums.map((x) => x / total), total];
}

export class JoinTree {
  /** @param {Tree} tree */
  constructor({ arities, cliques, factors }) {
    const sizes = cliques.map(({ nodes }) => nodes.reduce((size, v) => size * arities[v], 1));
    const bySize = cliques.map((_, c) => c).sort((a, b) => sizes[a] - sizes[b]);
    // Smallest clique that holds some nodes, and the places of its cells in a table over them.
    const homeOf = (/** @type {number[]} */ nodes) => {
      const clique = /** @type {number} */ (bySize.find((c) => nodes.every((v) => cliques[c].nodes.includes(v))));
      return { clique, at: placesIn(nodes, cliques[clique].nodes, arities) };
    };
    this.cliques = cliques.map(({ nodes, parent }, c) => {
      const above = parent === null ? [] : cliques[parent].nodes;
      const shared = nodes.filter((v) => above.includes(v));
      return { size: sizes[c], parent, up: placesIn(shared, nodes, arities), down: placesIn(shared, above, arities) };
    });
    /** Those of a node of one state have no table to be in. */
    this.homes = arities.map((arity, v) => (arity > 1 ? homeOf([v]) : null));
    this.factors = factors.map(({ nodes, table }) => (nodes.length ? { table, ...homeOf(nodes) } : null));
  }

  /**
   * Distributions of all nodes; null if the evidence is impossible.
   * @param {Map<number, number[]>} evidence - for some nodes, the likelihood of each state
   * @param {Set<number>} [set] - nodes with evidence whose state an intervention sets: their tables do not count
   * @returns {Posterior | null}
   */
  posterior(evidence, set = new Set()) {
    const tables = this.cliques.map(({ size }) => new Float64Array(size).fill(1));
    let log = 0;
    this.factors.forEach((factor, v) => {
      if (factor && !set.has(v)) log += multiply(tables[factor.clique], factor.table, factor.at);
    });
    for (const [v, likelihoods] of evidence) {
      const home = this.homes[v];
      log += home ? multiply(tables[home.clique], likelihoods, home.at) : Math.log(likelihoods[0]);
    }
    const inward = /** @type {Float64Array[]} */ (new Array(tables.length));
    for (let c = tables.length - 1; c >= 0 && log > -Infinity; c--) {
      const { parent, up, down } = this.cliques[c];
      const [message, total] = shares(tables[c], up);
      inward[c] = message;
      log += Math.log(total) + (parent === null ? 0 : multiply(tables[parent], message, down));
    }
    if (log === -Infinity) return null;
    this.cliques.forEach(({ parent, up, down }, c) => {
      if (parent === null) return;
      const [outward] = shares(tables[parent], down);
      multiply(tables[c], outward.map((x, i) => (inward[c][i] > 0 ? x / inward[c][i] : 0)), up);
    });
    const marginals = this.homes.map((home) => (home ? shares(tables[home.clique], home.at)[0] : Float64Array.of(1)));
    return { marginals, log };
  }
}
