import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ContainerDevices, listPodResources, readPodResources } from './pod-resources.js';

/** Protobuf as any encoder writes it: tag, length, bytes. */
const field = (number: number, content: Uint8Array | string): Buffer => {
  const bytes = Buffer.from(content);
  return Buffer.concat([varint((number << 3) | 2), varint(bytes.length), bytes]);
};

function varint(value: number): Buffer {
  return value < 128 ? Buffer.from([value]) : Buffer.concat([Buffer.from([(value & 127) | 128]), varint(value >> 7)]);
}

/**
 * Fields that the agent does not read stand between those that it does, as in podresources/v1: cpu ids (packed and single), memory
 * with its topology, and what DRA gave, whose field numbers mean other things elsewhere.
 */
function encode(held: readonly ContainerDevices[]): Buffer {
  const topology = field(3, field(1, Buffer.from([8, 1])));
  const memory = field(4, Buffer.concat([field(1, 'hugepages-1Gi'), Buffer.from([16, 128, 128, 4]), topology]));
  const claimed = field(
    4,
    Buffer.concat([field(1, field(1, 'k8s.gpu.nvidia.com/claim=x')), field(2, 'gpu.nvidia.com'), field(4, 'gpu-0')]),
  );
  const dynamic = field(5, Buffer.concat([field(2, 'claim'), field(3, 'team'), claimed]));
  const unread = Buffer.concat([field(3, Buffer.from([1, 2, 3])), Buffer.from([24, 200, 1]), memory, dynamic]);
  return Buffer.concat(
    held.map(({ namespace, pod, container, resource, devices }) => {
      const device = Buffer.concat([field(1, resource), ...devices.map((id) => field(2, id)), topology]);
      return field(
        1,
        Buffer.concat([field(1, pod), field(2, namespace), field(3, Buffer.concat([field(1, container), field(2, device), unread]))]),
      );
    }),
  );
}

const someHeld = fc.array(
  fc.record({
    namespace: fc.string({ maxLength: 20 }),
    pod: fc.string({ maxLength: 200 }),
    container: fc.string({ maxLength: 20, unit: 'grapheme' }),
    resource: fc.constantFrom('nvidia.com/gpu', 'nvidia.com/mig-1g.10gb', 'example.com/nic'),
    devices: fc.array(
      fc.uuid().map((uuid) => `MIG-${uuid}`),
      { maxLength: 4 },
    ),
  }),
  { maxLength: 8 },
);

describe('readPodResources', () => {
  it('reads what is encoded, and skips what it does not need', () => {
    fc.assert(
      fc.property(someHeld, (held) => {
        expect(readPodResources(encode(held))).toEqual(held);
      }),
      { seed: 8, numRuns: 300 },
    );
  });

  it('refuses every message that is cut off, and ends on any bytes', () => {
    const whole = encode([{ namespace: 'n', pod: 'p', container: 'c', resource: 'nvidia.com/gpu', devices: ['GPU-1'] }]);
    for (let length = 1; length < whole.length; length += 1) expect(() => readPodResources(whole.subarray(0, length))).toThrow(RangeError);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        try {
          readPodResources(bytes);
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError);
        }
      }),
      { seed: 8, numRuns: 2000 },
    );
  });
});

describe('listPodResources', () => {
  /** What the agent says when the kubelet sends these bytes as its one message. */
  const answered = async (bytes: Uint8Array): Promise<unknown> => {
    const folder = mkdtempSync(join(tmpdir(), 'inlay-kubelet-'));
    const server = createServer();
    server.on('stream', (stream) => {
      stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
      const head = Buffer.alloc(5);
      head.writeUInt32BE(bytes.length, 1);
      stream.end(Buffer.concat([head, bytes]));
    });
    server.listen(join(folder, 'kubelet.sock'));
    try {
      return await listPodResources(join(folder, 'kubelet.sock')).catch((error: unknown) => error);
    } finally {
      server.close();
      rmSync(folder, { recursive: true });
    }
  };

  it('gives a coded error for bytes that are no list, which the agent logs and outlives', async () => {
    const whole = encode([{ namespace: 'n', pod: 'p', container: 'c', resource: 'nvidia.com/gpu', devices: ['GPU-1'] }]);
    expect(await answered(whole)).toHaveLength(1);
    expect(await answered(whole.subarray(0, -3))).toMatchObject({ code: 'KUBELET_UNREADABLE' });
    expect(await answered(Buffer.from([15]))).toMatchObject({
      code: 'KUBELET_UNREADABLE',
      problems: [{ received: 'wire type 7 is not known' }],
    });
  });

  it('says what to do when there is no socket', async () => {
    await expect(listPodResources('/nonexistent/kubelet.sock')).rejects.toMatchObject({ code: 'KUBELET_UNREADABLE' });
  });
});
