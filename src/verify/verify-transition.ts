import { transitionId } from '../demand/documents/canonical.js';
import type { StateDocument } from '../demand/documents/state.js';
import type { TransitionDocument } from '../demand/documents/transition.js';
import type { Workload } from '../demand/workload.js';
import { checkBackend } from './transition/check-backend.js';
import { checkBounds } from './transition/check-bounds.js';
import { checkCounts } from './transition/check-counts.js';
import { checkDelayedFloor } from './transition/check-delayed-floor.js';
import { checkDemand } from './transition/check-demand.js';
import { checkKnownGpus } from './transition/check-known-gpus.js';
import { checkOrder } from './transition/check-order.js';
import { checkPeak } from './transition/check-peak.js';
import { checkSteps } from './transition/check-steps.js';
import { checkTarget } from './transition/check-target.js';
import { replaySteps } from './transition/replay.js';
import type { Refusal } from './transition/step-effects.js';
import { type TransitionCheckName, type TransitionReport, transitionCheckNames } from './transition/transition-checks.js';
import { gatherTransitionFacts } from './transition/transition-facts.js';
import type { Violation } from './verify-report.js';

/**
 * Checks every promise of a transition by carrying out its steps on the state, and proves from its dependencies that it stays
 * legal and above every floor however long steps take: nothing of the planner is used. Old rates come from the state. Takes
 * any transition that has the shape of the document.
 */
export function verifyTransition(state: StateDocument, transition: TransitionDocument, workload: Workload): TransitionReport {
  const facts = gatherTransitionFacts(state, transition, workload);
  const replay = replaySteps(facts);
  const refused = (check: Refusal['check']): readonly Violation[] =>
    replay.refusals.filter((refusal) => refusal.check === check).map(({ check: _, ...violation }) => violation);
  const found: Readonly<Record<TransitionCheckName, readonly Violation[]>> = {
    identity: checkIdentity(transition),
    demand: checkDemand(facts),
    gpus: checkKnownGpus(facts),
    steps: checkSteps(facts),
    placements: refused('placements'),
    pods: refused('pods'),
    reserved: refused('reserved'),
    backend: [...checkBackend(facts), ...refused('backend')],
    floor: replay.dips,
    target: checkTarget(facts, replay),
    peak: checkPeak(facts, replay),
    counts: checkCounts(facts, replay),
    bounds: checkBounds(facts),
    order: checkOrder(facts, replay),
    'floor under delay': checkDelayedFloor(facts),
  };
  const checks = transitionCheckNames.map((name) => ({ name, ok: found[name].length === 0, violations: found[name] }));
  return { kind: checks.every(({ ok }) => ok) ? 'holds' : 'broken', checks };
}

/** The id may be left out; where there is one, it is the hash of everything else. */
function checkIdentity(transition: TransitionDocument): readonly Violation[] {
  const received = transition.metadata.id;
  const expected = transitionId(transition);
  if (received === undefined || received === expected) return [];
  return [{ where: 'metadata.id', message: 'The transition was changed after its id was made.', expected, received }];
}
