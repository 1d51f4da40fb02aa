import { describe, expect, it } from 'vitest';
import { defaultDelays } from './delays.js';
import { cutOf, newHardware } from './hardware.js';
import { type MigManagerNode, runMigManager } from './mig-manager.js';

describe('runMigManager', () => {
  const file = 'version: v1\nmig-configs:\n  halves: [{devices: all, mig-enabled: true, mig-devices: {3g.40gb: 2}}]\n';

  /** A node with two whole A100s that writes down what is done to it. */
  function aNode(faults: readonly string[] = [], busy: readonly number[] = []): { readonly done: string[]; readonly node: MigManagerNode } {
    const done: string[] = [];
    let hardware = newHardware('node', { model: 'A100-80GB', gpus: 2 });
    const node: MigManagerNode = {
      name: 'node',
      delays: defaultDelays,
      hardware: () => hardware,
      setHardware(changed) {
        hardware = changed;
        done.push(changed.gpus.map((gpu) => JSON.stringify(cutOf(gpu))).join(' '));
      },
      configFile: () => file,
      isBusy: (gpu) => busy.includes(gpu),
      setState: async (state) => void done.push(state),
      setOperands: async (running) => void done.push(running ? 'operands on' : 'operands off'),
      reboot: async () => void done.push('reboot'),
      takeFault: async (fault) => faults.includes(fault),
      sleep: async (ms) => void done.push(`${ms} ms`),
    };
    return { done, node };
  }

  it('goes through its steps in order, and does nothing when all is as asked', async () => {
    const { done, node } = aNode();
    await runMigManager(node, 'halves');
    expect(done).toEqual([
      'pending',
      'operands off',
      '500 ms',
      '500 ms',
      '100 ms',
      '{"3g.40gb":2} null',
      '100 ms',
      '{"3g.40gb":2} {"3g.40gb":2}',
      'success',
      '1000 ms',
      'operands on',
    ]);
    done.length = 0;
    await runMigManager(node, 'halves');
    expect(done).toEqual(['success']);
  });

  it('takes twenty times as long when told to be slow', async () => {
    const { done, node } = aNode(['mig-slow', 'plugin-slow']);
    await runMigManager(node, 'halves');
    expect(done.filter((line) => line.endsWith(' ms'))).toEqual(['10000 ms', '10000 ms', '2000 ms', '2000 ms', '20000 ms']);
  });

  it('stops at the first GPU that is used, and leaves the rest as it is', async () => {
    const { done, node } = aNode([], [1]);
    await runMigManager(node, 'halves');
    expect(done).toContain('{"3g.40gb":2} null');
    expect(done.slice(-3)).toEqual(['failed', '1000 ms', 'operands on']);
  });
});
