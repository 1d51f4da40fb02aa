import type { PlanDocument } from '../demand/documents/plan.js';
import type { StateDocument } from '../demand/documents/state.js';
import { tightenRules } from '../demand/tighten-rules.js';
import type { Workload } from '../demand/workload.js';
import { checkBound } from './check-bound.js';
import { checkCertificate } from './check-certificate.js';
import { checkGpus } from './check-gpus.js';
import { checkIdentity } from './check-identity.js';
import { checkLoads } from './check-loads.js';
import { checkOperatingPoints } from './check-operating-points.js';
import { checkOptimality } from './check-optimality.js';
import { checkPlacements } from './check-placements.js';
import { checkPools } from './check-pools.js';
import { checkReplicas } from './check-replicas.js';
import { checkServices } from './check-services.js';
import { checkTotals } from './check-totals.js';
import { gatherFacts } from './plan-facts.js';
import { pricePools } from './pool-pricing.js';
import { type CheckName, checkNames, type VerifyReport, type Violation } from './verify-report.js';

/** What else a plan is held against. */
export interface VerifyOptions {
  /** What runs now: what is reserved there must be left alone. */
  readonly current?: StateDocument | undefined;
}

/**
 * Checks every promise of a plan from the workload, the measured rows and the GPU models alone: nothing of the planner is used.
 * Proves the bound again from its certificate. Takes any plan that has the shape of the document. `limitedBy` is a reason, not a
 * promise, and is not checked; nor is what a simulation said in `check`, save that the plan was made by the tight rule.
 */
export function verifyPlan(workload: Workload, plan: PlanDocument, options: VerifyOptions = {}): VerifyReport {
  const facts = gatherFacts(plan.check === undefined ? workload : tightenRules(workload), plan, options.current);
  const pricing = pricePools(facts);
  const found: Readonly<Record<CheckName, readonly Violation[]>> = {
    identity: checkIdentity(facts),
    gpus: checkGpus(facts),
    placements: checkPlacements(facts),
    'operating points': checkOperatingPoints(facts),
    loads: checkLoads(facts),
    services: checkServices(facts),
    replicas: checkReplicas(facts),
    pools: checkPools(facts),
    totals: checkTotals(facts),
    certificate: checkCertificate(facts, pricing),
    bound: checkBound(facts, pricing),
    optimality: checkOptimality(facts),
  };
  const checks = checkNames.map((name) => ({ name, ok: found[name].length === 0, violations: found[name] }));
  return { kind: checks.every(({ ok }) => ok) ? 'holds' : 'broken', checks };
}
