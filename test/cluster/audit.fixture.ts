import { readFileSync } from 'node:fs';

/** A request as the API server judged and answered it. */
export interface AuditedRequest {
  readonly verb: string;
  readonly group: string;
  /** With its subresource: `pods/eviction`. */
  readonly resource: string;
  /** Empty for all namespaces and for what has none. */
  readonly namespace: string;
  /** As it was known when the request was judged: empty for a list, and for what is created by POST. */
  readonly name: string;
  readonly status: number;
}

interface AuditEvent {
  readonly verb: string;
  readonly requestURI: string;
  readonly user: { readonly username: string };
  readonly impersonatedUser?: { readonly username: string };
  readonly objectRef?: {
    readonly resource: string;
    readonly apiGroup?: string;
    readonly subresource?: string;
    readonly namespace?: string;
    readonly name?: string;
  };
  readonly responseStatus?: { readonly code?: number };
}

/**
 * What a user asked for, from the audit log of an API server. An apply that made the object counts as `create` as well: the server
 * asks for that right then, without a line of its own.
 */
export function readRequests(file: string, user: string): AuditedRequest[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.flatMap((line): AuditedRequest[] => {
    if (line === '') return [];
    const { verb, requestURI, user: asker, impersonatedUser, objectRef, responseStatus } = JSON.parse(line) as AuditEvent;
    if ((impersonatedUser ?? asker).username !== user || objectRef === undefined) return [];
    const { resource, subresource, apiGroup: group = '', namespace = '' } = objectRef;
    const status = responseStatus?.code ?? 0;
    const isPosted = verb === 'create' && subresource === undefined;
    // A watch or list of one object by its name is judged with that name.
    const selected = /[?&]fieldSelector=metadata\.name%3D([^&]+)/.exec(requestURI)?.[1];
    const name = isPosted ? '' : (objectRef.name ?? selected ?? '');
    const request = { verb, group, resource: subresource === undefined ? resource : `${resource}/${subresource}`, namespace, name, status };
    return verb === 'patch' && status === 201 ? [request, { ...request, verb: 'create' }] : [request];
  });
}
