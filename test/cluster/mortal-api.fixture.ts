import type { KubernetesApi } from '../../src/cluster/client/kubernetes-api.js';

/** An API of a process that can be killed: from then on no request is sent and none is answered. */
export interface MortalApi {
  readonly api: KubernetesApi;
  die(): void;
}

const writing = ['create', 'replace', 'apply', 'patch', 'evict', 'remove'] as const;

/** The process dies when it is told to, or by itself right after so many writes, whatever their answers. */
export function mortalApi(
  api: KubernetesApi,
  { writes = Number.POSITIVE_INFINITY, onDeath = () => {} }: { readonly writes?: number; readonly onDeath?: () => void } = {},
): MortalApi {
  let left = writes;
  const die = () => {
    left = 0;
    onDeath();
  };
  const never = () => new Promise<never>(() => {});
  const limited =
    (send: (...args: readonly unknown[]) => Promise<unknown>, cost: number) =>
    async (...args: readonly unknown[]): Promise<unknown> => {
      if (left <= 0) return never();
      left -= cost;
      const answer = await send(...args).then(
        (value) => () => value,
        (error: unknown) => () => {
          throw error;
        },
      );
      if (cost > 0 && left === 0) die();
      return left <= 0 ? never() : answer();
    };
  const verbs = [...writing.map((verb) => [verb, 1] as const), ['get', 0] as const, ['list', 0] as const];
  const mortal = verbs.map(([verb, cost]) => [verb, limited(api[verb] as (...args: readonly unknown[]) => Promise<unknown>, cost)]);
  return { api: { ...api, ...Object.fromEntries(mortal) } as KubernetesApi, die };
}
