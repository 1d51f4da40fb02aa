import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { builtInCatalogue } from '../../../gpu/catalogue.js';
import { findGpuModel } from '../../../gpu/find-gpu-model.js';
import type { GpuModel } from '../../../gpu/gpu-model.js';
import type { ConfigMap, Node } from '../../client/object-types.js';
import { annotations, nvidia } from '../../objects/names.js';
import { changeNode, type NodeChange } from './change-node.js';
import { configName, type NodeConfig, standardConfigs, writeEntries } from './config-map.js';
import { createConfigKeeper } from './keep-configs.js';

const settings = {
  namespace: 'gpu-operator',
  configMap: 'inlay-mig-config',
  settleMs: 75_000,
  timeoutMs: 900_000,
  retries: 2,
  backoffMs: 30_000,
};
const nowMs = Date.UTC(2026, 0, 5);
const wanted: NodeConfig = [{ '1g.10gb': 2, '3g.40gb': 1 }, undefined];
const current: NodeConfig = [{ '7g.80gb': 1 }, undefined];

function aNode(labels: Record<string, string> = {}, notes: Record<string, string> = {}): Node {
  return { kind: 'Node', metadata: { name: 'gpu-0', labels, annotations: notes } };
}

const aChange = (parts: Partial<NodeChange> = {}): NodeChange => ({
  node: aNode(),
  cordon: 'own',
  wanted,
  current,
  idle: true,
  settings,
  writtenAt: () => nowMs - 100_000,
  nowMs,
  ...parts,
});

const model = (name: string): GpuModel => {
  const found = findGpuModel(builtInCatalogue, name);
  if (found.kind !== 'found') throw new Error(name);
  return found.model;
};

describe('changeNode', () => {
  it('sets no label before the node is cordoned, idle, and the config has had time to arrive', () => {
    const labelOf = (change: NodeChange) =>
      changeNode(change).writes.flatMap((write) => (write.kind === 'patch' && 'metadata' in write.body ? [write.body] : []));
    const setsLabel = (change: NodeChange) => JSON.stringify(labelOf(change)).includes(nvidia.migConfig);
    expect(setsLabel(aChange({ cordon: 'no' }))).toBe(false);
    expect(setsLabel(aChange({ cordon: 'foreign' }))).toBe(false);
    expect(setsLabel(aChange({ idle: false }))).toBe(false);
    expect(setsLabel(aChange({ writtenAt: () => undefined }))).toBe(false);
    expect(setsLabel(aChange({ writtenAt: () => nowMs - 1000 }))).toBe(false);
    expect(changeNode(aChange({ writtenAt: () => nowMs - 1000 })).againInMs).toBe(74_000);
    expect(setsLabel(aChange())).toBe(true);
  });

  it('takes no state for an answer that belongs to the change before', () => {
    const [write] = changeNode(aChange({ node: aNode({ [nvidia.migConfig]: 'inlay-000000000000', [nvidia.migState]: 'failed' }) })).writes;
    expect(write).toMatchObject({ kind: 'patch', body: { metadata: { labels: { [nvidia.migState]: null } } } });
  });

  it('tries again later and later under new names, then goes back and stays there', () => {
    const base = configName(wanted);
    const at = (number: number, ago: number) => ({
      [annotations.attempt]: `${number} ${new Date(nowMs - ago).toISOString()}`,
      [annotations.formerConfig]: configName(current),
    });
    const failed = (name: string) => ({ [nvidia.migConfig]: name, [nvidia.migState]: 'failed' });
    expect(changeNode(aChange({ node: aNode(failed(base), at(1, 10_000)) }))).toMatchObject({ writes: [], againInMs: 20_000 });
    expect(changeNode(aChange({ node: aNode(failed(base), at(1, 30_000)) })).writes[0]).toMatchObject({
      body: { metadata: { labels: { [nvidia.migConfig]: `${base}-r1` } } },
    });
    expect(changeNode(aChange({ node: aNode(failed(`${base}-r1`), at(2, 30_000)) }))).toMatchObject({ writes: [], againInMs: 30_000 });
    const last = changeNode(aChange({ node: aNode(failed(`${base}-r2`), at(3, 1)) }));
    expect(last.writes[0]).toMatchObject({ body: { metadata: { labels: { [nvidia.migConfig]: configName(current) } } } });
    expect(last.failure?.code).toBe('LAYOUT_CHANGE_FAILED');
    const after = aNode(
      { [nvidia.migConfig]: configName(current), [nvidia.migState]: 'success' },
      { ...at(1, 1), [annotations.failedConfig]: base.slice(6), [annotations.cordonedBy]: 'inlay-operator' },
    );
    expect(changeNode(aChange({ node: after })).writes[0]).toMatchObject({
      event: 'NodeReleased',
      body: { spec: { unschedulable: null } },
    });
    expect(changeNode(aChange({ node: after, cordon: 'no' })).failure?.code).toBe('LAYOUT_CHANGE_FAILED');
  });

  it('keeps a node closed while the way back is not through', () => {
    const base = configName(wanted);
    const notes = {
      [annotations.attempt]: `1 ${new Date(nowMs).toISOString()}`,
      [annotations.formerConfig]: configName(current),
      [annotations.failedConfig]: base.slice(6),
    };
    const half: NodeConfig = [{}, undefined];
    expect(
      changeNode(aChange({ current: half, node: aNode({ [nvidia.migConfig]: configName(current), [nvidia.migState]: 'failed' }, notes) }))
        .writes,
    ).toEqual([]);
  });
});

describe('the ConfigMap of mig-manager', () => {
  it('lists every GPU of a node once, whatever the layouts', () => {
    const gpu = fc.option(fc.dictionary(fc.constantFrom('1g.10gb', '2g.20gb', '3g.40gb'), fc.integer({ min: 1, max: 3 })), {
      nil: undefined,
    });
    fc.assert(
      fc.property(fc.array(gpu, { minLength: 1, maxLength: 16 }), (config) => {
        const devices = writeEntries(config).flatMap((entry) => (entry.devices === 'all' ? [] : entry.devices));
        expect(devices.toSorted((a, b) => a - b)).toEqual(config.map((_, index) => index));
        for (const entry of writeEntries(config)) {
          for (const index of entry.devices as readonly number[]) expect(entry['mig-devices']).toEqual(config[index]);
        }
      }),
      { seed: 31, numRuns: 200 },
    );
  });

  it('has the standard names, and balanced ones as NVIDIA means them', () => {
    const configs = standardConfigs([model('A100-80GB')]);
    expect(configs).toMatchObject({
      'all-disabled': [{ devices: 'all', 'mig-enabled': false }],
      'all-1g.10gb': [{ 'mig-devices': { '1g.10gb': 7 } }],
      'all-balanced': [{ 'mig-devices': { '1g.10gb': 2, '2g.20gb': 1, '3g.40gb': 1 } }],
    });
    expect(standardConfigs([model('A30-24GB')])['all-balanced']).toMatchObject([{ 'mig-devices': { '1g.6gb': 2, '2g.12gb': 1 } }]);
    for (const [entry] of Object.values(standardConfigs([model('A100-80GB'), model('A30-24GB')])).filter((list) => list.length > 1)) {
      expect(entry?.['device-filter']?.length).toBeGreaterThan(0);
    }
  });

  it('keeps what nodes name, drops what nobody names, and remembers since when', () => {
    const used = configName(current);
    const facts = { settings, models: [model('A100-80GB')], nodes: [aNode({ [nvidia.migConfig]: used })], nowMs };
    const first = createConfigKeeper({ ...facts, maps: [] }).keep({ [used]: current, [configName(wanted)]: wanted });
    const map = (first?.kind === 'apply' ? first.object : undefined) as ConfigMap;
    const again = createConfigKeeper({ ...facts, maps: [map], nowMs: nowMs + 5000 });
    expect(again.keep({ [used]: current, [configName(wanted)]: wanted })).toBeUndefined();
    expect(again.writtenAt(configName(wanted), wanted)).toBe(nowMs);
    expect(again.writtenAt(configName(wanted), current)).toBeUndefined();
    const other: NodeConfig = [{ '2g.20gb': 3 }];
    const next = again.keep({ [configName(other)]: other });
    const configs = parse((next?.kind === 'apply' ? (next.object as ConfigMap).data?.['config.yaml'] : '') ?? '')['mig-configs'];
    expect(Object.keys(configs)).toEqual(expect.arrayContaining([used, configName(other), 'all-disabled']));
    expect(Object.keys(configs)).not.toContain(configName(wanted));
  });
});
