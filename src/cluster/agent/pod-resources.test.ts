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

/** Fields that the agent does not read stand between those that it does: cpu ids (varints, packed), memory, topology. */
function encode(held: readonly ContainerDevices[]): Buffer {
  const unread = Buffer.concat([field(3, Buffer.from([1, 2, 3])), Buffer.from([24, 200, 1])]);
  return Buffer.concat(
    held.map(({ namespace, pod, container, resource, devices }) => {
      const device = Buffer.concat([field(1, resource), ...devices.map((id) => field(2, id)), field(3, field(1, Buffer.from([8, 1])))]);
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
  it('says what to do when there is no socket', async () => {
    await expect(listPodResources('/nonexistent/kubelet.sock')).rejects.toMatchObject({ code: 'KUBELET_UNREADABLE' });
  });
});
