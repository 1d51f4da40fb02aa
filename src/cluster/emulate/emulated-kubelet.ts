import type { KubernetesApi } from '../client/kubernetes-api.js';
import { isConflict, isNotFound } from '../client/kubernetes-error.js';
import type { Pod } from '../client/object-types.js';
import { pods } from '../client/resources.js';
import type { EmulatorDelays } from './delays.js';
import type { EmulatedNode } from './emulated-node.js';
import { type PodFault, readFaults } from './faults.js';
import { containersReady, type Life, lifePatch, rejectedPatch } from './pod-status.js';
import { newerOf, Stopped, type Work } from './work.js';

export interface KubeletSurroundings {
  readonly api: KubernetesApi;
  readonly delays: EmulatorDelays;
  readonly work: Work;
  node(name: string): EmulatedNode | undefined;
  log(message: string, details: Readonly<Record<string, unknown>>): void;
}

/** The lives of the pods that are bound to emulated nodes. */
export interface EmulatedKubelet {
  /** Takes note of a pod as it is stored now; pods of other nodes are left alone. */
  observe(pod: Pod): void;
  /** The pod is gone from the API server. */
  forget(uid: string, nodeName: string | undefined): void;
  /** Looks again at all pods of a node, such as after it came back; `restarted` when its containers were ended meanwhile. */
  revisit(nodeName: string, restarted: boolean): void;
  /** The node is gone: its pods are deleted after a while. */
  orphan(nodeName: string): void;
}

interface PodRecord {
  pod: Pod;
  life: Life;
  restarts: number;
  isBusy: boolean;
  isDirty: boolean;
  hasEnded: boolean;
}

const retryMs = 50;
const ipOf = (index: number) => `10.${64 + ((index >> 16) & 63)}.${(index >> 8) & 255}.${index & 255}`;

/** A kubelet for all emulated nodes together. Each pod has one worker at a time, which looks until nothing changes any more. */
export function createKubelet({ api, delays, work, node, log }: KubeletSurroundings): EmulatedKubelet {
  const records = new Map<string, PodRecord>();
  const taken = new Set<string>();
  let addresses = 0;

  const faulty = (record: PodRecord, fault: PodFault) => readFaults(record.pod.metadata.annotations).has(fault);

  async function live(record: PodRecord): Promise<void> {
    const { pod } = record;
    const host = node(pod.spec.nodeName ?? '');
    if (host === undefined || !host.isUp()) return;
    const phase = pod.status?.phase;
    if (pod.metadata.deletionTimestamp !== undefined) return end(record, host);
    if (phase === 'Failed' || phase === 'Succeeded') return host.release(uidOf(pod));
    if (record.life === 'bound') {
      if (host.admit(pod) === undefined) return writeStatus(record, rejectedPatch(pod));
      if (phase === 'Running') record.life = 'running';
      else {
        record.life = 'starting';
        later(delays.startMs * (faulty(record, 'slow-start') ? 20 : 1), record, () => {
          record.life = 'running';
        });
      }
    }
    if (record.life === 'starting') return;
    sicken(record);
    const patch = lifePatch(pod, record.life, record.restarts, pod.status?.podIP ?? nextAddress(), new Date().toISOString());
    if (patch !== undefined) await writeStatus(record, patch);
  }

  /** A fault can come and go while the pod runs. */
  function sicken(record: PodRecord): void {
    const wasCrashed = record.life === 'crashed';
    record.life = faulty(record, 'crash-loop') ? 'crashed' : faulty(record, 'never-ready') ? 'unready' : 'running';
    if (record.life === 'crashed' && !wasCrashed) crash(record);
  }

  function crash(record: PodRecord): void {
    later(delays.crashMs, record, () => {
      if (record.life !== 'crashed') return;
      record.restarts += 1;
      crash(record);
    });
  }

  function nextAddress(): string {
    for (;;) {
      addresses += 1;
      const address = ipOf(addresses);
      if (!taken.has(address)) return address;
    }
  }

  async function end(record: PodRecord, host: EmulatedNode): Promise<void> {
    if (faulty(record, 'stuck-terminating')) return;
    const graceMs = (record.pod.metadata.deletionGracePeriodSeconds ?? 0) * 1000;
    if (!record.hasEnded) await work.sleep(Math.min(graceMs, containersReady(record.pod) ? delays.stopMs : 0));
    record.hasEnded = true;
    // The containers have ended: the devices are free before the API server forgets the pod.
    host.release(uidOf(record.pod));
    await remove(record.pod);
  }

  async function remove({ metadata }: Pod): Promise<void> {
    await work.write(() => api.remove(pods, metadata, { uid: metadata.uid, gracePeriodSeconds: 0 }));
  }

  async function writeStatus(record: PodRecord, status: object): Promise<void> {
    const { metadata } = record.pod;
    // Strategic, so that conditions of others, such as readiness gates, stay; the uid makes it this pod and no later one.
    const body = { metadata: { uid: metadata.uid }, status };
    const written = await work.write(() => api.patch(pods, metadata, body, { type: 'strategic', subresource: 'status' }));
    record.pod = newerOf(record.pod, written);
    record.isDirty = true;
  }

  function later(ms: number, record: PodRecord, act: () => void): void {
    work.sleep(ms).then(
      () => {
        if (records.get(uidOf(record.pod)) !== record) return;
        act();
        look(record);
      },
      () => {},
    );
  }

  function look(record: PodRecord): void {
    record.isDirty = true;
    if (record.isBusy) return;
    record.isBusy = true;
    void (async () => {
      try {
        while (record.isDirty) {
          record.isDirty = false;
          await live(record);
        }
      } catch (error) {
        if (error instanceof Stopped || isNotFound(error)) return;
        if (isConflict(error)) {
          // Someone else wrote at the same moment; a pod that is another one by now has been forgotten.
          later(retryMs, record, () => {});
          return;
        }
        log('cannot write the pod', { pod: record.pod.metadata.name, error: String(error) });
      } finally {
        record.isBusy = false;
      }
    })();
  }

  const podsOf = (nodeName: string) => [...records.values()].filter(({ pod }) => pod.spec.nodeName === nodeName);

  return {
    observe(pod) {
      if (node(pod.spec.nodeName ?? '') === undefined) return;
      const restarts = pod.status?.containerStatuses?.[0]?.restartCount ?? 0;
      const record = records.get(uidOf(pod)) ?? { pod, life: 'bound' as const, restarts, isBusy: false, isDirty: false, hasEnded: false };
      if (pod.status?.podIP !== undefined) taken.add(pod.status.podIP);
      records.set(uidOf(pod), record);
      record.pod = newerOf(record.pod, pod);
      look(record);
    },
    forget(uid, nodeName) {
      records.delete(uid);
      node(nodeName ?? '')?.release(uid);
    },
    revisit(nodeName, restarted) {
      for (const record of podsOf(nodeName)) {
        if (restarted && record.life !== 'bound') {
          record.life = 'bound';
          record.restarts += 1;
        }
        look(record);
      }
    },
    orphan(nodeName) {
      work.sleep(delays.orphanMs).then(
        () => {
          for (const { pod } of podsOf(nodeName)) void remove(pod).catch(() => {});
        },
        () => {},
      );
    },
  };
}

const uidOf = ({ metadata }: Pod) => metadata.uid ?? '';
