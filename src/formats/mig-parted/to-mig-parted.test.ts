import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import type { PlanDocument, PlanGpu } from '../../demand/documents/plan.js';
import { builtInCatalogue } from '../../gpu/catalogue.js';
import { a100Pool, type SyntheticPool, syntheticPlan, t4Pool } from '../synthetic-plan.fixture.js';
import { toMigParted } from './to-mig-parted.js';

const a30Pool: SyntheticPool = {
  name: 'a30',
  type: 'A30-24GB',
  layouts: [
    [
      ['2g.12gb', 0],
      ['1g.6gb', 2],
      ['1g.6gb', 3],
    ],
    [['4g.24gb', 0]],
  ],
};

/** The v1 grammar of mig-parted, strictly: unknown keys and loose types are errors. */
const migPartedSchema = z.strictObject({
  version: z.literal('v1'),
  'mig-configs': z.record(
    z.string().regex(/^[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$/),
    z
      .array(
        z
          .strictObject({
            devices: z.array(z.number().int().min(0)).min(1),
            'device-filter': z.array(z.string().regex(/^0x[0-9A-F]{4}10DE$/)).optional(),
            'mig-enabled': z.boolean(),
            'mig-devices': z.record(z.string().regex(/^[1-7]g\.\d+gb([+-][a-z.]+)*$/), z.number().int().min(1)).optional(),
          })
          .refine((entry) => entry['mig-enabled'] === (entry['mig-devices'] !== undefined)),
      )
      .min(1),
  ),
});

const exportPlan = (plan: PlanDocument, gpusPerNode: number): string => toMigParted(plan, { gpusPerNode, catalogue: builtInCatalogue });
const read = (text: string) => migPartedSchema.parse(parse(text, { strict: true, uniqueKeys: true }));

/** How often each config is named by a node, from the comments. */
function countNodes(text: string): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  let nodes = 0;
  for (const line of text.split('\n')) {
    if (/^ {2}# .* node \d+: /.test(line)) nodes += 1;
    const [, name] = /^ {2}(\S+):$/.exec(line) ?? [];
    if (name === undefined) continue;
    counts[name] = nodes;
    nodes = 0;
  }
  return counts;
}

/** Where each GPU of the plan ends up, from the comments. */
function placeGpus(text: string): readonly { readonly id: string; readonly index: number; readonly config: string }[] {
  const placed: { id: string; index: number; config: string }[] = [];
  let waiting: { id: string; index: number }[] = [];
  for (const line of text.split('\n')) {
    const [, names] = /^ {2}# .* node \d+: (.*)$/.exec(line) ?? [];
    if (names !== undefined) {
      const gpus = names.split(', ').map((name) => name.split(' = '));
      waiting.push(...gpus.map(([index, id = '']) => ({ id, index: Number(index) })));
    }
    const [, config] = /^ {2}(\S+):$/.exec(line) ?? [];
    if (config === undefined) continue;
    placed.push(...waiting.map((gpu) => ({ ...gpu, config })));
    waiting = [];
  }
  return placed;
}

function sumCounts(pairs: readonly (readonly [string, number])[]): Readonly<Record<string, number>> {
  const sums: Record<string, number> = {};
  for (const [name, count] of pairs) sums[name] = (sums[name] ?? 0) + count;
  return sums;
}

const somePlan = fc
  .record({ gpus: fc.integer({ min: 0, max: 40 }), seed: fc.integer({ min: 1, max: 9999 }), gpusPerNode: fc.integer({ min: 1, max: 9 }) })
  .map(({ gpus, seed, gpusPerNode }) => ({
    plan: syntheticPlan({ gpus, seed, services: 3, pools: [a100Pool, a30Pool, t4Pool] }),
    gpusPerNode,
  }));

describe('toMigParted', () => {
  it('writes a config for each way to cut a node and says which node takes it', () => {
    const plan = syntheticPlan({ gpus: 6, services: 2, pools: [a100Pool] });
    expect(exportPlan(plan, 4)).toMatchInlineSnapshot(`
      "# mig-parted configuration of the plan synthetic fleet, sha256:0000000000000000000000000000000000000000000000000000000000000001
      # Nodes of 4 GPUs: 2. Set the label nvidia.com/mig.config of each node to the config named below it.
      # mig-parted empties a GPU before it changes how the GPU is cut: move the pods away first.
      version: v1
      mig-configs:
        # a100 node 1: 0 = a100-0001, 1 = a100-0004, 2 = a100-0002, 3 = a100-0003
        inlay-a100-80gb-aab8beb22c82:
          - devices: [0]
            device-filter: ["0x20B210DE", "0x20B510DE", "0x20F310DE", "0x20F510DE"]
            mig-enabled: true
            mig-devices:
              "1g.10gb": 3
          - devices: [1]
            device-filter: ["0x20B210DE", "0x20B510DE", "0x20F310DE", "0x20F510DE"]
            mig-enabled: true
            mig-devices:
              "1g.10gb": 7
          - devices: [2]
            device-filter: ["0x20B210DE", "0x20B510DE", "0x20F310DE", "0x20F510DE"]
            mig-enabled: true
            mig-devices:
              "2g.20gb": 2
              "3g.40gb": 1
          - devices: [3]
            device-filter: ["0x20B210DE", "0x20B510DE", "0x20F310DE", "0x20F510DE"]
            mig-enabled: true
            mig-devices:
              "7g.80gb": 1
        # a100 node 2: 0 = a100-0006, 1 = a100-0005
        inlay-a100-80gb-8d1c1c94f752:
          - devices: [0]
            device-filter: ["0x20B210DE", "0x20B510DE", "0x20F310DE", "0x20F510DE"]
            mig-enabled: true
            mig-devices:
              "1g.10gb": 3
          - devices: [1]
            device-filter: ["0x20B210DE", "0x20B510DE", "0x20F310DE", "0x20F510DE"]
            mig-enabled: true
            mig-devices:
              "7g.80gb": 1
          - devices: [2, 3]
            device-filter: ["0x20B210DE", "0x20B510DE", "0x20F310DE", "0x20F510DE"]
            mig-enabled: false
      "
    `);
  });

  it('keeps the grammar and configures exactly the instances of the plan', () => {
    fc.assert(
      fc.property(somePlan, ({ plan, gpusPerNode }) => {
        const text = exportPlan(plan, gpusPerNode);
        const nodes = countNodes(text);
        const configured = Object.entries(read(text)['mig-configs']).flatMap(([name, entries]) =>
          entries.flatMap(({ devices, 'mig-devices': counts = {} }) =>
            Object.entries(counts).map(([profile, count]) => [profile, count * devices.length * (nodes[name] ?? 0)] as const),
          ),
        );
        const planned = plan.gpus.flatMap(({ instances }) => instances).filter(({ profile }) => profile !== 'full');
        expect(sumCounts(configured)).toEqual(sumCounts(planned.map(({ profile }) => [profile, 1])));
      }),
      { seed: 21, numRuns: 60 },
    );
  });

  it('lists every GPU index of a node exactly once', () => {
    fc.assert(
      fc.property(somePlan, ({ plan, gpusPerNode }) => {
        for (const entries of Object.values(read(exportPlan(plan, gpusPerNode))['mig-configs'])) {
          const indices = entries.flatMap(({ devices }) => devices).sort((a, b) => a - b);
          expect(indices).toEqual(Array.from({ length: gpusPerNode }, (_, index) => index));
        }
      }),
      { seed: 22, numRuns: 60 },
    );
  });

  it('names every GPU with MIG once in the comments, at an index that is cut as planned', () => {
    fc.assert(
      fc.property(somePlan, ({ plan, gpusPerNode }) => {
        const text = exportPlan(plan, gpusPerNode);
        const configs = read(text)['mig-configs'];
        const cuts = placeGpus(text).map(({ id, index, config }) => {
          const entry = configs[config]?.find(({ devices }) => devices.includes(index));
          return [id, entry?.['mig-devices'] ?? {}];
        });
        const planned = plan.gpus
          .filter(({ type }) => type !== t4Pool.type)
          .map(({ id, instances }) => [
            id,
            sumCounts(instances.flatMap(({ profile }) => (profile === 'full' ? [] : [[profile, 1] as const]))),
          ]);
        expect(cuts).toHaveLength(planned.length);
        expect(Object.fromEntries(cuts)).toEqual(Object.fromEntries(planned));
      }),
      { seed: 23, numRuns: 60 },
    );
  });

  it('limits a config to its PCI ids where a profile means another slice elsewhere, or models are mixed', () => {
    const filters = (pools: readonly SyntheticPool[]): boolean =>
      exportPlan(syntheticPlan({ gpus: 4, services: 1, pools }), 2).includes('device-filter');
    expect(filters([{ ...a100Pool, layouts: [[['1g.10gb', 0]]] }])).toBe(true);
    expect(filters([a30Pool])).toBe(false);
    expect(filters([a100Pool, a30Pool])).toBe(true);
  });

  it('counts in the instances of others and says so', () => {
    const plan = syntheticPlan({ gpus: 1, services: 1 });
    const gpu: PlanGpu = { ...(plan.gpus[0] as PlanGpu), instances: [], occupied: [{ profile: '2g.20gb', start: 2 }] };
    const text = exportPlan({ ...plan, gpus: [gpu] }, 1);
    expect(Object.values(read(text)['mig-configs'])[0]?.[0]?.['mig-devices']).toEqual({ '2g.20gb': 1 });
    expect(text).toContain('# Instances of others are counted in on: a100-0001.');
  });

  it('leaves out GPUs without MIG', () => {
    const text = exportPlan(syntheticPlan({ gpus: 3, services: 1, pools: [t4Pool] }), 8);
    expect(read(text)).toEqual({ version: 'v1', 'mig-configs': {} });
    expect(text).toContain('# GPUs without MIG need no config and are left out: 3.');
  });

  it('keeps names inside their comment', () => {
    const name = 'x\u0085y\u2028  evil: []\u2029\ufeff#';
    const plan = syntheticPlan({ gpus: 1, services: 1, pools: [{ ...a30Pool, name }] });
    const text = exportPlan({ ...plan, metadata: { ...plan.metadata, name } }, 1);
    expect(text).not.toMatch(/[\u0085\u2028\u2029\ufeff]/);
    expect(Object.keys(read(text)['mig-configs'])).toHaveLength(1);
  });

  it('gives a changed layout a new name and an equal one the same', () => {
    const names = (seed: number) => Object.keys(read(exportPlan(syntheticPlan({ gpus: 4, services: 2, seed }), 4))['mig-configs']);
    expect(names(3)).toEqual(names(3));
    expect(names(3)).not.toEqual(names(4));
  });
});
