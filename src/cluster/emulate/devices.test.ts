import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Pod } from '../client/object-types.js';
import { assignDevices, countDevices, type Holding, isInvalidSingle, listDevices } from './devices.js';
import type { Cut } from './hardware.js';
import { holdingsOf, reportOf } from './node-objects.js';
import { cutAll, someCuts } from './some-cuts.fixture.js';

describe('the devices of a node', () => {
  const aPod = (uid: string, resource: string, count: number): Pod => ({
    metadata: { name: uid, namespace: 'n', uid },
    spec: { containers: [{ name: 'server', resources: { limits: { [resource]: String(count) } } }] },
  });

  it('are each given to one pod, until there are none', () => {
    fc.assert(
      fc.property(someCuts, fc.array(fc.integer({ min: 1, max: 2 }), { maxLength: 12 }), ({ model, cuts }, amounts) => {
        const devices = listDevices(cutAll(model.name, cuts).hardware);
        const [resource = 'nvidia.com/gpu', total = 0] = Object.entries(countDevices(devices))[0] ?? [];
        const holdings: Holding[] = [];
        let left = total;
        for (const [index, count] of amounts.entries()) {
          const holding = assignDevices(aPod(`p${index}`, resource, count), devices, holdings);
          expect(holding !== undefined).toBe(count <= left);
          if (holding === undefined) continue;
          left -= count;
          holdings.push(holding);
        }
        const given = holdings.flatMap((holding) => holding.devices.map(({ uuid }) => uuid));
        expect(new Set(given).size).toBe(given.length);
        const known = new Map(devices.map((device) => [device.uuid, device.resource]));
        expect(given.every((uuid) => known.get(uuid) === resource)).toBe(true);
      }),
      { seed: 8, numRuns: 300 },
    );
  });

  it('come from the GPU with the most free ones first, as the device plugin spreads', () => {
    const { hardware } = cutAll('A100-80GB', [{ '1g.10gb': 2 }, { '1g.10gb': 7 }]);
    const devices = listDevices(hardware);
    const holding = assignDevices(aPod('p', 'nvidia.com/mig-1g.10gb', 6), devices, []);
    const gpuOf = new Map(devices.map(({ uuid, gpu }) => [uuid, gpu]));
    expect(holding?.devices.map(({ uuid }) => gpuOf.get(uuid))).toEqual([1, 1, 1, 1, 1, 0]);
  });

  it('are none under strategy single unless every GPU is cut into one profile', () => {
    const single = (cuts: readonly Cut[]) => ({ ...cutAll('A100-80GB', cuts).hardware, strategy: 'single' as const });
    expect(countDevices(listDevices(single([{ '1g.10gb': 7 }, { '1g.10gb': 7 }])))).toEqual({ 'nvidia.com/gpu': 14 });
    expect(countDevices(listDevices(single([null, null])))).toEqual({ 'nvidia.com/gpu': 2 });
    for (const wrong of [
      [{ '1g.10gb': 7 }, null],
      [{ '1g.10gb': 7 }, {}],
      [{ '1g.10gb': 1, '2g.20gb': 1 }],
      [{ '1g.10gb': 7 }, { '2g.20gb': 3 }],
    ]) {
      expect(isInvalidSingle(single(wrong))).toBe(true);
      expect(listDevices(single(wrong))).toEqual([]);
    }
  });

  it('are reported with their pods, and the report tells the holdings again', () => {
    const { hardware } = cutAll('H100-80GB', [{ '1g.10gb': 4, '3g.40gb': 1 }, null]);
    const devices = listDevices(hardware);
    const pods = [aPod('a', 'nvidia.com/mig-1g.10gb', 2), aPod('b', 'nvidia.com/gpu', 1)];
    const holdings = pods.flatMap((pod) => assignDevices(pod, devices, []) ?? []);
    const byUuid = (list: readonly Holding[]) =>
      list.map((holding) => ({ ...holding, devices: holding.devices.toSorted((one, other) => (one.uuid < other.uuid ? -1 : 1)) }));
    expect(byUuid(holdingsOf(reportOf(hardware, holdings))).toSorted((one, other) => (one.uid < other.uid ? -1 : 1))).toEqual(
      byUuid(holdings),
    );
  });
});
