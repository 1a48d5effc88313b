/** What an administrator does with etcdctl when etcd is full, by the calls that etcdctl makes. */
import fs from 'node:fs';
import http2 from 'node:http2';
import type { ControlPlane } from '../../../src/local/control-plane';

/**
 * Frees the space of old versions and of what was deleted, and takes the alarm back.
 *
 * @param revision the latest one, as lists of the API server name it
 */
export async function freeSpace(plane: ControlPlane, revision: bigint): Promise<void> {
  const { caFile, client } = plane.tlsFiles;
  const [ca, cert, key] = [caFile, client.certFile, client.keyFile].map((file) => fs.readFileSync(file));
  const session = http2.connect(plane.etcdUrl, { ca, cert, key });
  try {
    // CompactionRequest: revision, physical.
    await call(session, '/etcdserverpb.KV/Compact', [0x08, ...varint(revision), 0x10, 1]);
    await call(session, '/etcdserverpb.Maintenance/Defragment', []);
    // AlarmResponse: header, alarms. AlarmMember: member, alarm. AlarmRequest: action DEACTIVATE, member, alarm.
    const [raised] = fieldsOf(await call(session, '/etcdserverpb.Maintenance/Alarm', [])).get(2)!;
    const [[member], [alarm]] = [1, 2].map((field) => fieldsOf(raised as Buffer).get(field)!);
    await call(session, '/etcdserverpb.Maintenance/Alarm', [0x08, 2, 0x10, ...varint(member as bigint), 0x18, ...varint(alarm as bigint)]);
  } finally {
    session.destroy();
  }
}

/** One gRPC call with one message each way. */
async function call(session: http2.ClientHttp2Session, path: string, message: readonly number[]): Promise<Buffer> {
  return new Promise<Buffer>((resolve, reject) => {
    session.once('error', reject);
    const stream = session.request({ ':method': 'POST', ':path': path, 'content-type': 'application/grpc', 'te': 'trailers' });
    const chunks: Buffer[] = [];
    let trailers: http2.IncomingHttpHeaders = {};
    // An error without a body comes in the headers alone.
    stream.on('response', (headers) => { trailers = headers; });
    stream.on('trailers', (headers) => { trailers = headers; });
    stream.on('error', reject);
    stream.on('close', () => {
      session.off('error', reject);
      const { 'grpc-status': status, 'grpc-message': text } = trailers;
      // The first five bytes frame the message.
      return status === '0' ? resolve(Buffer.concat(chunks).subarray(5)) : reject(new Error(`etcd: ${path} answered ${String(status)}: ${String(text)}`));
    });
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    const frame = Buffer.alloc(5 + message.length);
    frame.writeUInt32BE(message.length, 1);
    frame.set(message, 5);
    stream.end(frame);
  });
}

function varint(value: bigint): number[] {
  return value < 128n ? [Number(value)] : [Number(value & 127n) | 128, ...varint(value >> 7n)];
}

/** Fields of a message by number: numbers, and bytes of messages within. Others do not occur in what is read here. */
function fieldsOf(message: Buffer): Map<number, (bigint | Buffer)[]> {
  const fields = new Map<number, (bigint | Buffer)[]>();
  let at = 0;
  const next = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = BigInt(message[at++]);
      value |= (byte & 127n) << shift;
      if (byte < 128n) {
        return value;
      }
    }
  };
  while (at < message.length) {
    const key = Number(next());
    let value: bigint | Buffer = next();
    if ((key & 7) === 2) {
      const length = Number(value);
      value = message.subarray(at, at += length);
    }
    fields.set(key >> 3, [...fields.get(key >> 3) ?? [], value]);
  }
  return fields;
}
