import type { GpuPoolSpec } from '../objects/gpu-pool.js';
import type { Backend, Backends } from './backend.js';
import { manual } from './manual/manual.js';
import { migManager } from './mig-manager/mig-manager.js';

const known: Readonly<Record<GpuPoolSpec['backend'], Backend>> = { 'mig-manager': migManager, manual };

/** The backends that a GpuPool may name. Another one is added here and to `backend` of `objects/gpu-pool.ts`, nowhere else. */
export const builtInBackends: Backends = new Map(Object.entries(known));
