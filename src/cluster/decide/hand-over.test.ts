import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { SharingPlan } from '../objects/sharing-plan.js';
import { writeFilesMap } from './hand-over.js';

const plan = { metadata: { name: 'a100-1', uid: 'u' }, spec: {} } as SharingPlan;
/** Text that does not compress: hashes of numbers, 88 characters each. */
const noise = (lines: number) => Array.from({ length: lines }, (_, n) => createHash('sha512').update(`${n}`).digest('base64')).join('\n');

describe('writeFilesMap', () => {
  it('keeps small files as they are', () => {
    expect(writeFilesMap(plan, { 'a.txt': 'one', 'b.txt': 'two' })).toMatchObject({ data: { 'a.txt': 'one', 'b.txt': 'two' } });
  });

  it('compresses the largest first, and says how to unpack it', () => {
    const large = 'as ever\n'.repeat(200_000);
    const { data, binaryData } = writeFilesMap(plan, { 'a.txt': 'one', 'large.yaml': large });
    expect(data?.['a.txt']).toBe('one');
    expect(gunzipSync(Buffer.from(binaryData?.['large.yaml.gz'] ?? '', 'base64')).toString()).toBe(large);
    expect(data?.['read-me.txt']).toContain("jsonpath='{.binaryData.large\\.yaml\\.gz}' | base64 -d | gunzip > large.yaml");
  });

  it('leaves out what does not fit even then, says so, and stays below what an object may have', () => {
    const map = writeFilesMap(plan, { 'a.txt': 'one', 'large.yaml': noise(40_000), 'small.txt': noise(100) });
    expect(JSON.stringify(map).length).toBeLessThan(1024 * 1024);
    expect(map.data?.['a.txt']).toBe('one');
    expect(Object.keys(map.binaryData ?? {})).not.toContain('large.yaml.gz');
    expect(map.data?.['read-me.txt']).toMatch(/^large\.yaml is left out: .* kubectl get splan a100-1 -o yaml has the whole plan\./);
  });
});
