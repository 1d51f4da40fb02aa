/** Closed forms of queues with Poisson arrivals; times in units of the mean service time. */

/** Mean and 99th percentile of the response time of a queue. */
export interface Response {
  readonly mean: number;
  readonly p99: number;
}

/** M/M/c at a load: Erlang's C, and the tail of wait plus service. */
export function mmcResponse(servers: number, load: number): Response {
  const offered = servers * load;
  let blocked = 1;
  for (let n = 1; n <= servers; n++) blocked = (offered * blocked) / (n + offered * blocked);
  const waits = blocked / (1 - load * (1 - blocked));
  const drain = servers * (1 - load);
  const tail = (t: number) =>
    Math.abs(drain - 1) < 1e-9
      ? Math.exp(-t) * (1 + waits * t)
      : (1 - waits) * Math.exp(-t) + (waits * (drain * Math.exp(-t) - Math.exp(-drain * t))) / (drain - 1);
  return { mean: 1 + waits / drain, p99: whereBelow(tail, 0.01) };
}

/** M/D/c at a load: states after one service time as a chain, then Franx (2001) for the wait. */
export function mdcResponse(servers: number, load: number): Response {
  const offered = servers * load;
  const states = Math.ceil(servers + 40 / (1 - load));
  const arriving = poisson(offered, states);
  const weights = stationary(states, (from, to) => {
    const kept = Math.max(0, from - servers);
    return to < kept ? 0 : (arriving[to - kept] as number);
  });
  const inSystem = weights.reduce((sum, weight, n) => sum + n * weight, 0);
  const atMost: number[] = [];
  weights.reduce((sum, weight, n) => {
    atMost[n] = sum + weight;
    return sum + weight;
  }, 0);
  const waitTail = (x: number) => {
    const k = Math.floor(x) + 1;
    const y = offered * (k - x);
    const terms = poisson(y, k * servers);
    let sum = 0;
    for (let j = 0; j < k * servers; j++)
      sum += (terms[j] as number) * (atMost[Math.min(states - 1, servers + k * servers - 1 - j)] as number);
    return 1 - sum;
  };
  return { mean: inSystem / offered, p99: 1 + whereBelow(waitTail, 0.01) };
}

/**
 * One server that takes up to `maxBatch` at once, whatever is there, in a time of `perBatch + n · perRequest`: mean response by the chain of
 * those left behind at the ends of batches, and renewal reward over the time between.
 */
export function bulkMeanResponse(maxBatch: number, perBatch: number, perRequest: number, rate: number): number {
  const states = 40 * maxBatch;
  const timeOf = (n: number) => perBatch + n * perRequest;
  const arriving = Array.from({ length: maxBatch + 1 }, (_, n) => poisson(rate * timeOf(n), states));
  const taken = (n: number) => Math.min(maxBatch, Math.max(1, n));
  const weights = stationary(states, (from, to) => {
    const left = Math.max(0, from - maxBatch);
    return to < left ? 0 : ((arriving[taken(from)] as number[])[to - left] as number);
  });
  let requestTime = 0;
  let time = 0;
  for (const [n, weight] of weights.entries()) {
    const batchTime = timeOf(taken(n));
    // Until the batch ends all that were there stay in the system, and arrivals join evenly.
    requestTime += weight * (Math.max(1, n) * batchTime + (rate * batchTime ** 2) / 2);
    time += weight * (batchTime + (n === 0 ? 1 / rate : 0));
  }
  return requestTime / time / rate;
}

function poisson(mean: number, count: number): number[] {
  const logs: number[] = [];
  let log = -mean;
  for (let n = 0; n < count; n++) {
    logs.push(Math.exp(log));
    log += Math.log(mean / (n + 1));
  }
  return logs;
}

/** Stationary weights by the elimination of Grassmann, Taksar and Heyman. */
function stationary(states: number, step: (from: number, to: number) => number): number[] {
  const p = Array.from({ length: states }, (_, from) => Float64Array.from({ length: states }, (_, to) => step(from, to)));
  for (let n = states - 1; n > 0; n--) {
    const row = p[n] as Float64Array;
    let down = 0;
    for (let to = 0; to < n; to++) down += row[to] as number;
    for (let from = 0; from < n; from++) {
      const up = ((p[from] as Float64Array)[n] as number) / down;
      (p[from] as Float64Array)[n] = up;
      if (up > 0)
        for (let to = 0; to < n; to++) (p[from] as Float64Array)[to] = ((p[from] as Float64Array)[to] as number) + up * (row[to] as number);
    }
  }
  const weights = [1];
  for (let n = 1; n < states; n++)
    weights.push(weights.reduce((sum, weight, from) => sum + weight * ((p[from] as Float64Array)[n] as number), 0));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => weight / total);
}

function whereBelow(tail: (x: number) => number, value: number): number {
  let high = 1;
  while (tail(high) > value) high *= 2;
  let low = 0;
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    if (tail(middle) > value) low = middle;
    else high = middle;
  }
  return high;
}
