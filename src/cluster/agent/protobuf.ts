/** One field of a protobuf message: its number and its value, bytes for everything that has a length. */
export interface ProtobufField {
  readonly field: number;
  readonly value: Uint8Array | bigint;
}

/**
 * The fields of a protobuf message in their order (wire types varint, 64-bit, bytes and 32-bit). Throws RangeError when
 * the bytes end inside a field.
 */
export function readFields(bytes: Uint8Array): ProtobufField[] {
  const fields: ProtobufField[] = [];
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;

  function varint(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = view.getUint8(at);
      at += 1;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    throw new RangeError('a varint is longer than ten bytes');
  }

  while (at < bytes.length) {
    const tag = varint();
    const field = Number(tag >> 3n);
    const wireType = Number(tag & 7n);
    if (wireType === 0) fields.push({ field, value: varint() });
    else if (wireType === 2) {
      const length = Number(varint());
      if (length > bytes.length - at) throw new RangeError('the message ends inside a field');
      fields.push({ field, value: bytes.subarray(at, at + length) });
      at += length;
    } else if (wireType === 1 || wireType === 5) {
      fields.push({ field, value: wireType === 1 ? view.getBigUint64(at, true) : BigInt(view.getUint32(at, true)) });
      at += wireType === 1 ? 8 : 4;
    } else throw new RangeError(`wire type ${wireType} is not known`);
  }
  return fields;
}

/** The values of the messages or strings of one field, as bytes. */
export function bytesOf(fields: readonly ProtobufField[], field: number): Uint8Array[] {
  return fields.flatMap((entry) => (entry.field === field && entry.value instanceof Uint8Array ? [entry.value] : []));
}

/** The last string of one field; empty when there is none, as protobuf 3 has it. */
export function stringOf(fields: readonly ProtobufField[], field: number): string {
  return new TextDecoder().decode(bytesOf(fields, field).at(-1));
}
