import { connect, constants } from 'node:http2';
import { createConnection } from 'node:net';
import { inlayError } from '../../errors.js';
import { bytesOf, readFields, stringOf } from './protobuf.js';

/** A container and the devices that the kubelet gave it. */
export interface ContainerDevices {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  /** Such as `nvidia.com/mig-1g.10gb`. */
  readonly resource: string;
  /** As the device plugin names them: uuids of NVIDIA's. */
  readonly devices: readonly string[];
}

/** Where every kubelet offers its PodResources API. */
export const defaultSocket = '/var/lib/kubelet/pod-resources/kubelet.sock';

const path = '/v1.PodResourcesLister/List';
const timeoutMs = 10_000;
/** A node runs at most a few hundred pods; an answer takes some hundred bytes a pod. */
const mostBytes = 16 * 1024 * 1024;

/**
 * Asks the kubelet which container holds which devices. It is one gRPC call without arguments, so HTTP/2 of Node itself is
 * enough and no gRPC library is needed. Throws KUBELET_UNREADABLE when there is no answer or it cannot be read.
 */
export async function listPodResources(socket: string = defaultSocket): Promise<ContainerDevices[]> {
  try {
    return readPodResources(await call(socket));
  } catch (error) {
    const received = error instanceof Error ? error.message : String(error);
    throw inlayError('KUBELET_UNREADABLE', { message: `The kubelet gave no list of devices at ${socket}.`, received }, { cause: error });
  }
}

/** The devices in a `ListPodResourcesResponse`; field numbers are those of the kubelet's podresources/v1. */
export function readPodResources(message: Uint8Array): ContainerDevices[] {
  return bytesOf(readFields(message), 1).flatMap((podBytes) => {
    const pod = readFields(podBytes);
    return bytesOf(pod, 3).flatMap((containerBytes) => {
      const container = readFields(containerBytes);
      return bytesOf(container, 2).map((deviceBytes) => {
        const device = readFields(deviceBytes);
        const ids = bytesOf(device, 2).map((bytes) => new TextDecoder().decode(bytes));
        const names = { namespace: stringOf(pod, 2), pod: stringOf(pod, 1), container: stringOf(container, 1) };
        return { ...names, resource: stringOf(device, 1), devices: ids };
      });
    });
  });
}

function call(socket: string): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const session = connect('http://localhost', { createConnection: () => createConnection(socket) });
    const fail = (error: Error) => {
      session.destroy();
      reject(error);
    };
    session.on('error', fail);
    const stream = session.request({
      [constants.HTTP2_HEADER_METHOD]: 'POST',
      [constants.HTTP2_HEADER_PATH]: path,
      'content-type': 'application/grpc',
      te: 'trailers',
    });
    stream.setTimeout(timeoutMs, () => fail(new Error(`silent for ${timeoutMs} ms`)));
    const pieces: Buffer[] = [];
    let size = 0;
    let status: string | undefined;
    let message = '';
    // An answer without content carries its status in the headers.
    const note = (headers: Record<string, unknown>) => {
      if (headers['grpc-status'] !== undefined) status = String(headers['grpc-status']);
      if (headers['grpc-message'] !== undefined) message = decodeURIComponent(String(headers['grpc-message']));
    };
    stream.on('response', note);
    stream.on('trailers', note);
    stream.on('data', (piece: Buffer) => {
      size += piece.length;
      if (size > mostBytes) fail(new Error(`the answer is larger than ${mostBytes} bytes`));
      else pieces.push(piece);
    });
    stream.on('error', fail);
    stream.on('end', () => {
      session.close();
      if (status === '0') resolve(unframe(Buffer.concat(pieces)));
      else reject(new Error(`gRPC status ${status ?? 'missing'} ${message}`.trim()));
    });
    stream.end(frame(new Uint8Array()));
  });
}

/** gRPC sends each message behind a flag for compression and its length. */
function frame(message: Uint8Array): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

function unframe(bytes: Buffer): Uint8Array {
  if (bytes.length < 5 || bytes.readUInt32BE(1) !== bytes.length - 5) throw new RangeError('the answer is not one gRPC message');
  if (bytes[0] !== 0) throw new RangeError('the answer is compressed');
  return bytes.subarray(5);
}
