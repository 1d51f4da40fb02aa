import type { Backend } from '../backend.js';
import { devicePlugin } from '../device-plugin.js';
import { isCutAndOffered, listOpenSteps } from '../layout-steps.js';
import { writeFiles } from './write-files.js';

/** A person cuts GPUs and starts and stops pods, by files that are written for them. A node changes as under mig-manager. */
export const manual: Backend = {
  name: 'manual',
  costModel: 'node',
  executor: 'person',
  allocation: devicePlugin,
  kinds: [],
  configMapsOf: () => [],
  readLayouts: () => undefined,
  isChanging: () => false,
  isDone: isCutAndOffered,
  writeFiles,
  begin: () => ({
    work({ nodes, progress }) {
      const open = [...nodes.values()].flatMap((node) => listOpenSteps(node, progress));
      return {
        writes: [],
        running: new Map(open.map(({ id, gpu }) => [id, `GPU ${gpu} to be cut by hand`])),
        failures: [],
        againInMs: Number.POSITIVE_INFINITY,
        drain: new Set(),
        closed: new Set(),
        closedSlices: new Set(),
        unclosed: new Set(),
        commit() {},
      };
    },
    shared: () => [],
  }),
};
