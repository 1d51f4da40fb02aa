import { describe, expect, it } from 'vitest';
import { services } from '../client/resources.js';
import { managedBy } from '../objects/names.js';
import { keepApplied } from './keep-applied.js';

const metadata = { name: 'media-tags', namespace: 'team' };
const wanted = { metadata, spec: { selector: { app: 'own' }, ports: [{ port: 80 }] } };
const other = { selector: { app: 'theirs' }, ports: [{ port: 80 }] };

describe('an object that is kept as it should be', () => {
  it.each([
    ['is written anew where there is none', [], [true]],
    ['is written anew where another has made one of its name', [{ metadata, spec: other }], [true]],
    ['is taken back where the own one was changed', [{ metadata: { ...metadata, labels: managedBy }, spec: other }], [false]],
    [
      'is left alone where it is as wanted',
      [{ metadata: { ...metadata, labels: managedBy }, spec: { ...wanted.spec, clusterIP: '' } }],
      [],
    ],
  ])('%s', (_what, all, isNew) => {
    expect(keepApplied(services, wanted, all)).toMatchObject(isNew.map((one) => ({ kind: 'apply', isNew: one })));
  });
});
