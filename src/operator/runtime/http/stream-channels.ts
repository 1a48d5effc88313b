/**
 * The protocols in which a kubelet runs commands and forwards ports over a WebSocket: every binary message starts with a byte that says its channel.
 * The client's side is in `cli/jobs/streams`, the kubelet's in `local/dev`.
 * @see https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/
 */

/** Channels without a message that closes one: an input has no end before the connection has. Forwarded ports have only this one. */
export const V4_PROTOCOL = 'v4.channel.k8s.io';

/** The same, and {@link CLOSE_CHANNEL}. */
export const V5_PROTOCOL = 'v5.channel.k8s.io';

/** Channels of a command. */
export const COMMAND_CHANNELS = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4 } as const;

/** Of {@link V5_PROTOCOL}: a message here has the number of the channel that ends. */
export const CLOSE_CHANNEL = 255;

/** Of a connection that forwards one port. */
export const PORT_CHANNELS = { data: 0, error: 1 } as const;

/** Bytes in front of everything else on a channel of a port: the port, the lower byte first. */
export const PORT_PREFIX_BYTES = 2;

/** A message. */
export function channelMessage(channel: number, data: Buffer): Buffer {
  return Buffer.concat([Buffer.from([channel]), data]);
}

/** The message by which {@link V5_PROTOCOL} ends a channel. */
export function closeMessage(channel: number): Buffer {
  return Buffer.from([CLOSE_CHANNEL, channel]);
}

/** The message of a terminal's size. */
export function resizeMessage(columns: number, rows: number): Buffer {
  return channelMessage(COMMAND_CHANNELS.resize, Buffer.from(JSON.stringify({ Width: columns, Height: rows })));
}

/** The size that such a message has, without its channel; undefined where it has none. */
export function sizeIn(data: Buffer): { readonly columns: number; readonly rows: number } | undefined {
  try {
    const { Width, Height } = JSON.parse(data.toString('utf8')) as { readonly Width?: unknown; readonly Height?: unknown };
    return isSize(Width) && isSize(Height) ? { columns: Width, rows: Height } : undefined;
  } catch {
    return undefined;
  }
}

function isSize(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) > 0 && (value as number) < 65_536;
}

/** What {@link PORT_PREFIX_BYTES} are. */
export function portPrefix(port: number): Buffer {
  const bytes = Buffer.alloc(PORT_PREFIX_BYTES);
  bytes.writeUInt16LE(port);
  return bytes;
}

/** How a command ended. */
export type CommandEnd =
  | { readonly kind: 'exited'; readonly exitCode: number }
  /** It did not run, or what runs it lost it. */
  | { readonly kind: 'failed'; readonly message: string };

/** `Status` of the API, as it comes at the end of a command. */
interface EndStatus {
  readonly status?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly details?: { readonly causes?: readonly { readonly reason?: string; readonly message?: string }[] };
}

const NON_ZERO = 'NonZeroExitCode';
const EXIT_CODE = 'ExitCode';

/** Reads the message on the error channel, without its channel. */
export function commandEndIn(data: Buffer): CommandEnd {
  const text = data.toString('utf8');
  let status: EndStatus;
  try {
    status = JSON.parse(text) as EndStatus;
  } catch {
    return { kind: 'failed', message: text.slice(0, 2000) };
  }
  if (status.status === 'Success') {
    return { kind: 'exited', exitCode: 0 };
  }
  const code = (status.details?.causes ?? []).find(({ reason }) => reason === EXIT_CODE)?.message ?? '';
  return status.reason === NON_ZERO && /^\d{1,9}$/.test(code)
    ? { kind: 'exited', exitCode: Number(code) } : { kind: 'failed', message: status.message ?? text.slice(0, 2000) };
}

/** The message that {@link commandEndIn} reads, with its channel. */
export function commandEndMessage(end: CommandEnd): Buffer {
  const status: EndStatus = end.kind === 'failed' ? { status: 'Failure', reason: 'InternalError', message: end.message }
    : end.exitCode === 0 ? { status: 'Success' } : {
      status: 'Failure', reason: NON_ZERO, message: `command terminated with non-zero exit code: exit status ${end.exitCode}`,
      details: { causes: [{ reason: EXIT_CODE, message: String(end.exitCode) }] },
    };
  return channelMessage(COMMAND_CHANNELS.error, Buffer.from(JSON.stringify({ metadata: {}, ...status })));
}
