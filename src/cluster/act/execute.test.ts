import { describe, expect, it } from 'vitest';
import type { KubernetesApi } from '../client/kubernetes-api.js';
import { KubernetesError } from '../client/kubernetes-error.js';
import { services } from '../client/resources.js';
import type { Write } from '../decide/write.js';
import { execute } from './execute.js';

const write: Write = { kind: 'apply', resource: services, where: { name: 'tags' }, object: { metadata: { name: 'tags' } }, why: 'test' };

/** An API server that answers every apply with a status, and what it was asked. */
function aServer(status: number) {
  const asked: unknown[] = [];
  const api = {
    async apply(_resource: unknown, object: unknown, options: { readonly force?: boolean }) {
      asked.push(options.force);
      if (status < 300) return object;
      throw new KubernetesError('conflict with "kubectl-create"', { status, reason: 'Conflict', request: 'PATCH' });
    },
  };
  return { asked, api: api as unknown as KubernetesApi };
}

describe('an apply', () => {
  it('takes over the fields of what is the own, and of nothing that is not known to be', async () => {
    const { api, asked } = aServer(200);
    for (const isNew of [undefined, false, true]) await execute(api, { ...write, ...(isNew !== undefined && { isNew }) });
    expect(asked).toEqual([true, true, false]);
  });

  it('that somebody else’s object stands in the way of waits and tries again, instead of looking anew without pause', async () => {
    const { api } = aServer(409);
    expect(await execute(api, { ...write, isNew: true })).toMatchObject({ kind: 'refused', error: { status: 409 } });
  });
});
