import type { StepTime } from './draft-step.js';
import { type FoundOrder, listFloors, type OrderContext, writeOrder } from './find-order.js';
import type { MoveProblem } from './move-problem.js';
import { solveWaves } from './wave-program.js';

/** How far and how long a service falls below its floor. */
export interface ServiceDip {
  readonly service: string;
  /** Largest shortfall, requests per second. */
  readonly rps: number;
  /** Time below the floor. */
  readonly seconds: number;
  /** Requests that find no capacity: shortfall × time. */
  readonly requests: number;
}

/** An order that breaks floors as little as was found. */
export interface DippingOrder {
  readonly order: FoundOrder;
  readonly dips: readonly ServiceDip[];
}

const mostWaves = 4;
const nodes = 100;

/** The order with the smallest dip that was found (requests without capacity, over all services) when floors may be broken. */
export async function findDip(move: MoveProblem, context: OrderContext): Promise<DippingOrder | undefined> {
  let best: DippingOrder | undefined;
  const missed = (found: DippingOrder): number => found.dips.reduce((sum, { requests }) => sum + requests, 0);
  for (let waves = 1; waves <= mostWaves && context.signal?.aborted !== true; waves++) {
    const answer = await solveWaves(move, waves, { stopGaps: false, dips: true }, context.solver, { maxNodes: nodes });
    if (answer.kind !== 'order') continue;
    const order = writeOrder(move, answer.plan, context);
    if (order === undefined) continue;
    const found = { order, dips: measureDips(move, order, context) };
    if (best === undefined || missed(found) < missed(best)) best = found;
  }
  return best;
}

function measureDips(move: MoveProblem, { draft, timed }: FoundOrder, { workload }: OrderContext): ServiceDip[] {
  const floors = listFloors(move);
  const events: { at: number; isEnd: boolean; service: number; rps: number }[] = [];
  for (const [index, { kind, pod }] of draft.steps.entries()) {
    if (pod === undefined || pod.service < 0) continue;
    const { startS, endS } = timed.times[index] as StepTime;
    if (kind === 'start-pod') events.push({ at: endS, isEnd: true, service: pod.service, rps: pod.rps });
    if (kind === 'stop-pod') events.push({ at: startS, isEnd: false, service: pod.service, rps: -pod.rps });
  }
  events.sort((a, b) => a.at - b.at || Number(b.isEnd) - Number(a.isEnd));
  return floors.flatMap(({ ready, floor }, i): ServiceDip[] => {
    let now = ready;
    let since = 0;
    let seconds = 0;
    let requests = 0;
    let worst = 0;
    for (const { at, rps } of events.filter(({ service }) => service === i)) {
      const short = floor - now;
      if (short > 1e-9 * floor) {
        seconds += at - since;
        requests += short * (at - since);
        if (at > since) worst = Math.max(worst, short);
      }
      now += rps;
      since = at;
    }
    return seconds === 0 ? [] : [{ service: workload.services[i]?.name ?? '', rps: worst, seconds, requests }];
  });
}
