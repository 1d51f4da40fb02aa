import type { KubernetesApi } from '../client/kubernetes-api.js';
import { isConflict, isNotFound } from '../client/kubernetes-error.js';
import type { Lease } from '../client/object-types.js';
import { pause } from '../client/pause.js';
import { leases } from '../client/resources.js';

/** How the leader is found. Times in milliseconds. */
export interface ElectionOptions {
  readonly namespace: string;
  readonly name: string;
  /** Unique to the process. */
  readonly identity: string;
  /** After this time without a renewal another may take over; at least 1 s. */
  readonly leaseMs: number;
  readonly now: () => number;
  readonly signal: AbortSignal;
  readonly onChange: (leads: boolean) => void;
  readonly onError: (error: unknown) => void;
}

/** An election that goes on until its signal aborts. */
export interface Election {
  /** Whether this process may write now: its own clock says that the lease is far from over. */
  leads(): boolean;
  /** Resolves when the lease was given back after the end. */
  readonly ended: Promise<void>;
}

/**
 * Holds a Lease of coordination.k8s.io as long as it can. Only the time since a change was *seen* counts, never the time that
 * another machine wrote; a leader stops counting itself one third of the lease before others may take it.
 */
export function runElection(api: KubernetesApi, options: ElectionOptions): Election {
  const { namespace, name, identity, leaseMs, now, signal, onChange, onError } = options;
  let heldUntil = 0;
  let seen: { version: string; atMs: number } | undefined;
  let told = false;
  const leads = (): boolean => !signal.aborted && now() < heldUntil;
  const tell = () => {
    if (told === leads()) return;
    told = leads();
    onChange(told);
  };
  const spec = (transitions: number): NonNullable<Lease['spec']> => {
    // Microseconds are what the API server wants to see.
    const time = new Date().toISOString().replace('Z', '000Z');
    return {
      holderIdentity: identity,
      leaseDurationSeconds: Math.max(1, Math.round(leaseMs / 1000)),
      acquireTime: time,
      renewTime: time,
      leaseTransitions: transitions,
    };
  };

  async function attempt(): Promise<void> {
    const startMs = now();
    const current = await api.get(leases, { namespace, name }).catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
    let written: Lease;
    if (current === undefined) written = await api.create(leases, { metadata: { namespace, name }, spec: spec(0) });
    else {
      const version = current.metadata.resourceVersion ?? '';
      if (seen?.version !== version) seen = { version, atMs: startMs };
      const holder = current.spec?.holderIdentity ?? '';
      const isFree =
        holder === '' || holder === identity || startMs - seen.atMs > (current.spec?.leaseDurationSeconds ?? leaseMs / 1000) * 1000;
      if (!isFree) return;
      const transitions = (current.spec?.leaseTransitions ?? 0) + Number(holder !== identity);
      const kept = holder === identity ? { acquireTime: current.spec?.acquireTime ?? '' } : {};
      written = await api.replace(leases, { ...current, spec: { ...spec(transitions), ...kept } });
    }
    seen = { version: written.metadata.resourceVersion ?? '', atMs: startMs };
    heldUntil = startMs + (leaseMs * 2) / 3;
  }

  async function run(): Promise<void> {
    while (!signal.aborted) {
      try {
        await attempt();
      } catch (error) {
        // A conflict says that another was faster.
        if (!isConflict(error)) onError(error);
      }
      tell();
      await pause(Math.max(100, leaseMs / 5), signal);
    }
    const held = now() < heldUntil;
    heldUntil = 0;
    tell();
    if (held) await giveBack().catch(onError);
  }

  /** So that the next one need not wait. */
  async function giveBack(): Promise<void> {
    const current = await api.get(leases, { namespace, name });
    if (current.spec?.holderIdentity !== identity) return;
    await api.replace(leases, { ...current, spec: { ...current.spec, holderIdentity: '' } });
  }

  return { leads, ended: run() };
}
