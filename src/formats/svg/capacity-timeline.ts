import type { StateDocument } from '../../demand/documents/state.js';
import type { TransitionDocument } from '../../demand/documents/transition.js';

/** How much of a service is ready over the time of a transition, requests per second. */
export interface CapacityLine {
  readonly service: string;
  /** What the service was planned for before, and after; 0 where it did not or will not exist. */
  readonly oldRateRps: number;
  readonly newRateRps: number;
  /** What it must have at every moment: the lower of the rates, or what it has at the start where that is less. */
  readonly floorRps: number;
  /** From second 0 on, ascending; each capacity holds until the next point. */
  readonly points: readonly { readonly atS: number; readonly rps: number }[];
}

/** Ready capacity over time of every service that a transition changes, in the order of the target, then of the state. */
export function listCapacities(state: StateDocument, { target, steps }: TransitionDocument): readonly CapacityLine[] {
  const oldRates = new Map(state.services.map(({ name, rateRps }) => [name, rateRps]));
  const newRates = new Map(target.services.map(({ name, rateRps }) => [name, rateRps]));
  const changes = new Map<string, { readonly atS: number; readonly rps: number }[]>();
  for (const step of steps) {
    if (step.kind !== 'start-pod' && step.kind !== 'stop-pod') continue;
    const own = changes.get(step.service) ?? [];
    own.push(step.kind === 'start-pod' ? { atS: step.endS, rps: step.capacityRps } : { atS: step.startS, rps: -step.capacityRps });
    changes.set(step.service, own);
  }
  const atEnd = new Map<string, number>();
  for (const { service, capacityRps = 0 } of target.gpus.flatMap(({ instances }) => instances)) {
    if (service !== null) atEnd.set(service, (atEnd.get(service) ?? 0) + capacityRps);
  }
  return [...new Set([...newRates.keys(), ...oldRates.keys()])].flatMap((service) => {
    const own = changes.get(service);
    if (own === undefined) return [];
    const startRps = own.reduce((rps, change) => rps - change.rps, atEnd.get(service) ?? 0);
    const [oldRateRps, newRateRps] = [oldRates.get(service) ?? 0, newRates.get(service) ?? 0];
    const floorRps = Math.max(0, Math.min(oldRateRps, newRateRps, startRps));
    return [{ service, oldRateRps, newRateRps, floorRps, points: accumulate(startRps, own) }];
  });
}

/** Changes of one instant make one point. */
function accumulate(startRps: number, changes: readonly { readonly atS: number; readonly rps: number }[]): CapacityLine['points'] {
  const points = [{ atS: 0, rps: Math.max(0, startRps) }];
  let rps = startRps;
  for (const change of changes.toSorted((a, b) => a.atS - b.atS)) {
    rps += change.rps;
    if (points.at(-1)?.atS === change.atS) points.pop();
    // What is left of a sum of fractions that should cancel is no capacity.
    points.push({ atS: change.atS, rps: Math.abs(rps) < 1e-9 * Math.max(1, Math.abs(startRps)) ? 0 : rps });
  }
  return points;
}
