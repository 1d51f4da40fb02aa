/** States are left out when all of them together are rarer than this share of the smallest tail of interest. */
const negligible = 1e-12;

/**
 * The waiting time of the queue M/D/c at a load of at most 0.5: Poisson arrivals, `servers` servers, one fixed service time, first come first served.
 * Returns the function x → P(wait > x service times), for x ≥ 0. Method: Franx, "A simple solution for the M/D/c waiting time distribution" (2001);
 * its complement is summed, so that small tails keep their digits. Tails down to `smallest` have 10 digits at least.
 */
export function mdcWaitTail(servers: number, load: number, smallest: number): (waits: number) => number {
  const offered = servers * load;
  const beyond = tailOfStates(servers, offered, smallest);
  return (waits) => {
    const periods = Math.floor(waits) + 1;
    const mean = offered * (periods - waits);
    const places = periods * servers;
    let weight = Math.exp(-mean);
    let tail = 0;
    for (let arrivals = 0; arrivals < places; arrivals++) {
      tail += weight * (beyond[servers + places - 1 - arrivals] ?? 0);
      weight *= mean / (arrivals + 1);
    }
    return tail + weight * poissonRest(mean, places);
  };
}

/** Wait in service times that a share of at most 1 − percentile/100 of the requests exceeds, in M/D/c at a load of at most 0.5; errs upwards by at most 1e-12. */
export function mdcWaitPercentile(servers: number, load: number, percentile: number): number {
  const allowed = 1 - percentile / 100;
  const tail = mdcWaitTail(servers, load, allowed);
  if (tail(0) <= allowed) return 0;
  let high = 1;
  while (tail(high) > allowed) high++;
  let low = high - 1;
  while (high - low > 1e-12 * high) {
    const middle = (low + high) / 2;
    if (tail(middle) <= allowed) high = middle;
    else low = middle;
  }
  return high;
}

/** Σ_{n ≥ from} mean^(n − from) · from! / n!: what a Poisson weight at `from` must be multiplied by to give the tail from there. */
function poissonRest(mean: number, from: number): number {
  let sum = 1;
  let term = 1;
  for (let n = from + 1; term > 1e-17 * sum; n++) {
    term *= mean / n;
    sum += term;
  }
  return sum;
}

/**
 * P(more than n in the system), by n. A service time later, those who waited or arrived are there: a chain that steps down by at most `servers`,
 * solved by the elimination of Grassmann, Taksar and Heyman, which never subtracts.
 */
function tailOfStates(servers: number, offered: number, smallest: number): Float64Array {
  const states = servers + 2 + Math.ceil(Math.log(smallest * negligible) / -Math.log(decay(offered / servers)));
  const step = transitions(servers, offered, states);
  for (let state = states - 1; state > 0; state--) {
    const lowest = Math.max(0, state - servers);
    let down = 0;
    for (let to = lowest; to < state; to++) down += step[state * states + to] as number;
    for (let from = 0; from < state; from++) {
      const up = (step[from * states + state] as number) / down;
      step[from * states + state] = up;
      for (let to = lowest; to < state; to++)
        step[from * states + to] = (step[from * states + to] as number) + up * (step[state * states + to] as number);
    }
  }
  const weight = new Float64Array(states);
  let total = 1;
  weight[0] = 1;
  for (let state = 1; state < states; state++) {
    let sum = 0;
    for (let from = 0; from < state; from++) sum += (weight[from] as number) * (step[from * states + state] as number);
    weight[state] = sum;
    total += sum;
  }
  const tail = new Float64Array(states);
  for (let state = states - 2; state >= 0; state--) tail[state] = (tail[state + 1] as number) + (weight[state + 1] as number) / total;
  return tail;
}

/** Factor by which each further state is rarer, far out: the root above 1 of z = e^(load · (z − 1)), approached from below. */
function decay(load: number): number {
  let root = 1 / load;
  for (let step = 0; step < 4; step++) root = 1 + Math.log(root) / load;
  return root;
}

/** Row-major probabilities of going from one number in the system to another within a service time. */
function transitions(servers: number, offered: number, states: number): Float64Array {
  const step = new Float64Array(states * states);
  let arriving = Math.exp(-offered);
  for (let arrivals = 0; arrivals < states; arrivals++) {
    for (let from = 0; from < states; from++) {
      const to = Math.max(0, from - servers) + arrivals;
      if (to < states) step[from * states + to] = arriving;
    }
    arriving *= offered / (arrivals + 1);
  }
  return step;
}
