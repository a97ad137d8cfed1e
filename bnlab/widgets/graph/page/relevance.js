// Information of some nodes about another one, as networks/query/relevance.py defines it.
// @ts-check

const sum = (/** @type {number[]} */ all) => all.reduce((a, b) => a + b, 0);
const entropy = (/** @type {number[]} */ shares) => -sum(shares.map((p) => (p > 0 ? p * Math.log(p) : 0)));

/** @typedef {ArrayLike<number>[]} Marginals */

/**
 * Information, share, change and accuracy of each node of `others` about a target.
 * @param {number} target
 * @param {number[]} others
 * @param {Marginals} now
 * @param {(Marginals | null)[]} given - marginals given each state of the target, null for an impossible one
 */
export function relevance(target, others, now, given) {
  const prior = Array.from(now[target]);
  const uncertainty = entropy(prior);
  return others.map((v) => {
    let [left, change, accuracy] = [0, 0, -Math.max(...prior)];
    for (let s = 0; s < now[v].length; s++) {
      const joint = prior.map((p, k) => p * (given[k]?.[v][s] ?? 0));
      const total = sum(joint);
      if (total === 0) continue;
      const posterior = joint.map((x) => x / total);
      left += total * entropy(posterior);
      change = Math.max(change, ...posterior.map((p, k) => Math.abs(p - prior[k])));
      accuracy += Math.max(...joint);
    }
    const information = Math.max(uncertainty - left, 0);
    return [information, uncertainty > 0 ? information / uncertainty : 0, change, Math.max(accuracy, 0)];
  });
}
