import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { planId } from '../../demand/documents/canonical.js';
import type { PlanDocument } from '../../demand/documents/plan.js';
import { runInProcess } from '../io.fixture.js';

/** Synthetic: made up for this test. */
const table = `model,gpu,mig_profile,batch,processes,throughput_rps,latency_ms,memory_gib
net,A30-24GB,1g.6gb,1,1,60,17,1
net,A30-24GB,1g.6gb,8,1,110,73,2
net,A30-24GB,2g.12gb,8,1,210,38,2
`;
const workloadText = `apiVersion: inlay.dev/v1alpha1
kind: Workload
metadata: {name: small}
spec:
  performance: [table.csv]
  pools: [{name: a30, gpu: A30-24GB}]
  services: [{name: api, model: net, rateRps: 300, latencyMs: 400}]
`;

describe('inlay verify', () => {
  let folder: string;
  let workload: string;
  let plan: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'inlay-verify-'));
    workload = join(folder, 'workload.yaml');
    plan = join(folder, 'plan.json');
    await writeFile(join(folder, 'table.csv'), table);
    await writeFile(workload, workloadText);
    await runInProcess(['plan', workload, '-o', plan]);
  });
  afterAll(() => rm(folder, { recursive: true }));

  /** Writes the plan with a change, under the id of the new content. */
  async function changedPlan(change: (plan: PlanDocument) => void): Promise<string> {
    const file = join(folder, 'changed.json');
    const changed: PlanDocument = JSON.parse(await readFile(plan, 'utf8'));
    change(changed);
    changed.metadata.id = planId(changed);
    await writeFile(file, JSON.stringify(changed));
    return file;
  }

  it('lists the promises that a plan keeps and ends with 0', async () => {
    const { stdout, stderr, exitCode } = await runInProcess(['verify', workload, plan]);
    expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
    expect(stdout).toMatchInlineSnapshot(`
      "✓ identity: the id is the hash of the plan
      ✓ gpus: GPU ids are unique, pools and GPU models match the workload
      ✓ placements: every GPU can be cut as planned, beside what others hold
      ✓ operating points: every instance uses a measured row that its service may use
      ✓ loads: weights, loads and predicted latencies are right and within the latency rule
      ✓ services: every service gets what it needs, and its sums are right
      ✓ replicas: services run on as many different GPUs as they ask for
      ✓ pools: no pool gives more GPUs than it has, and nothing that others hold is touched
      ✓ totals: GPUs, cost, instances and what changes add up
      ✓ certificate: no layout is worth more than its GPU costs
      ✓ bound: the certificate proves the bound
      ✓ optimality: gap, optimal and stoppedBy follow from the bound

      The plan keeps every promise.
      "
    `);
  });

  it('shows what broke and ends with 1', async () => {
    const moved = await changedPlan(({ gpus }) => {
      Object.assign(gpus[0]?.instances[0] ?? {}, { start: 4 });
    });
    const { stdout, exitCode } = await runInProcess(['verify', workload, moved]);
    expect(exitCode).toBe(1);
    expect(stdout).toContain('✗ placements');
    expect(stdout).toContain('cannot start at memory slice 4 of A30-24GB.\n      expected start 0, 1, 2, 3, received 4\n');
    expect(stdout).toContain('The plan breaks 1 of 12 promises.');
  });

  it('prints the report as one JSON document', async () => {
    const modest = await changedPlan((changed) => {
      changed.optimal = false;
    });
    const { stdout, exitCode } = await runInProcess(['verify', workload, modest, '--json']);
    expect(exitCode).toBe(1);
    const report = { kind: 'broken', checks: expect.arrayContaining([{ name: 'identity', ok: true, violations: [] }]) };
    expect(JSON.parse(stdout)).toMatchObject(report);
  });

  it('holds the plan against what others hold', async () => {
    const state = join(folder, 'state.json');
    const id = JSON.parse(await readFile(plan, 'utf8')).gpus[0].id;
    const gpus = [{ id, pool: 'a30', type: 'A30-24GB', reserved: true, instances: [] }];
    await writeFile(
      state,
      JSON.stringify({ apiVersion: 'inlay.dev/v1alpha1', kind: 'State', metadata: { name: 'now' }, services: [], gpus }),
    );
    const { stdout, exitCode } = await runInProcess(['verify', workload, plan, '--current', state]);
    expect(exitCode).toBe(1);
    expect(stdout).toContain(`${id}: others hold this GPU.`);
  });

  it('refuses a file that is not a plan with exit code 2', async () => {
    const { stderr, exitCode } = await runInProcess(['verify', workload, workload]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('WRONG_KIND');
  });
});
