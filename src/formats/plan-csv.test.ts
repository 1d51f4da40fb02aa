import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PlanDocument } from '../demand/documents/plan.js';
import { toPlanCsv } from './plan-csv.js';
import { syntheticPlan, t4Pool } from './synthetic-plan.fixture.js';

/** A plan of two GPUs that carry `name` as pool and service. */
function planNamed(name: string): PlanDocument {
  const plan = syntheticPlan({ gpus: 2, services: 1, pools: [{ ...t4Pool, name }] });
  return {
    ...plan,
    gpus: plan.gpus.map((gpu) => ({ ...gpu, instances: gpu.instances.map((instance) => ({ ...instance, service: name })) })),
  };
}

describe('toPlanCsv', () => {
  it('writes one row an instance', () => {
    expect(toPlanCsv(syntheticPlan({ gpus: 2, services: 2, seed: 4 }))).toMatchInlineSnapshot(`
      "gpu,pool,type,profile,start,service,batch,processes,capacity_rps,planned_capacity_rps,weight,planned_load,predicted_p99_ms
      a100-0001,a100,A100-80GB,3g.40gb,0,densenet121-2,8,3,120,108,0.5,0.74,12.25
      a100-0001,a100,A100-80GB,2g.20gb,4,resnet50-1,8,1,373.5,336.15000000000003,0.5,0.31,
      a100-0001,a100,A100-80GB,1g.10gb,6,resnet50-1,1,3,373.5,336.15000000000003,0.5,0.97,
      a100-0002,a100,A100-80GB,3g.40gb,0,densenet121-2,8,3,1120,1008,0.5,0.31,12.25
      a100-0002,a100,A100-80GB,2g.20gb,4,resnet50-1,8,1,120,108,0.5,0.74,12.25
      a100-0002,a100,A100-80GB,1g.10gb,6,resnet50-1,1,1,120,108,0.5,0.62,
      "
    `);
  });

  it('writes only the header for an empty plan', () => {
    expect(toPlanCsv(syntheticPlan({ gpus: 0, services: 0 })).split('\r\n')).toHaveLength(2);
  });

  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '=HYPERLINK("http://example.invalid","x")'])('marks %s as text for spreadsheets', (name) => {
    const [row] = parse(toPlanCsv(planNamed(name)), { columns: true }) as { service: string }[];
    expect(row?.service).toBe(`'${name}`);
  });

  it('is read back by a strict reader, whatever the names are', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1 }), (name) => {
        fc.pre(!/^[=+\-@]/.test(name));
        const plan = planNamed(name);
        const rows = parse(toPlanCsv(plan), { columns: true, record_delimiter: '\r\n' }) as Record<string, string>[];
        expect(rows).toHaveLength(2);
        for (const [index, row] of rows.entries()) {
          const instance = plan.gpus[index]?.instances[0];
          expect(row).toMatchObject({ pool: name, service: name, profile: 'full', capacity_rps: String(instance?.capacityRps) });
        }
      }),
      { seed: 31, numRuns: 200 },
    );
  });
});
