/**
 * Runs a command in a container of a pod.
 *
 * Version 4 of the protocol cannot close the input of a command, version 5 can. The API server proxies version 4 to the kubelet unchanged. It
 * translates version 5 to SPDY (up to Kubernetes 1.35; since 1.36 the kubelet translates), and API servers before 1.30 do not accept it. So version 5
 * is used only when a command reads its input until the end, such as a piped file. On a terminal the end of input is a character (Ctrl-D), for which
 * version 4 is enough.
 */
import type { Readable } from 'node:stream';
import type { RawData } from 'ws';
import { openStream } from './open-stream';
import { CliError } from '../../cli-error';
import { ApiError } from '../../../operator/runtime/http/api-error';
import {
  COMMAND_CHANNELS, V4_PROTOCOL, V5_PROTOCOL, channelMessage, closeMessage, commandEndIn, resizeMessage, type CommandEnd,
} from '../../../operator/runtime/http/stream-channels';
import { sendSlowly, writeSlowly, type FlowSink } from '../../../operator/runtime/http/stream-flow';
import type { KubeClient } from '../../../operator/runtime/kube-client';
import { PODS, objectPath } from '../../../operator/runtime/resource-kind';

/** What is run, and where. */
export interface ExecRequest {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  readonly command: readonly string[];
}

/** The input and outputs of a command. */
export interface ExecStreams {
  /** @default - the command has no input */
  readonly stdin?: Readable;
  readonly stdout: FlowSink;
  /** Not used with a terminal, whose output is one stream. */
  readonly stderr: FlowSink;
  /** Terminal of the user. The command gets one of this size. @default - the command has no terminal */
  readonly terminal?: TerminalSize;
  /** Closes the connection. */
  readonly signal?: AbortSignal;
  /** Called with a warning for the user. */
  readonly onProblem?: (sentence: string) => void;
}

/** The size of a terminal, now and when it changes. */
export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
  on(event: 'resize', listener: () => void): unknown;
  off(event: 'resize', listener: () => void): unknown;
}

/** Milliseconds after a command's end until the server must have closed the connection. */
const CLOSE_MS = 5_000;

/**
 * Runs a command until it exits.
 * @throws CliError when the connection is lost before that, ApiError when the server refuses the request
 */
export async function exec(client: KubeClient, request: ExecRequest, streams: ExecStreams): Promise<CommandEnd> {
  const { stdin, stdout, stderr, terminal, signal, onProblem } = streams;
  const { namespace, pod, container } = request;
  const endsInput = stdin !== undefined && terminal === undefined;
  const description = `exec in container ${container} of pod "${namespace}/${pod}"`;
  const socket = await openStream(client, {
    path: execPath(request, stdin !== undefined, terminal !== undefined),
    protocols: endsInput ? [V5_PROTOCOL, V4_PROTOCOL] : [V4_PROTOCOL],
    description,
  });
  const send = (message: Buffer) => sendSlowly(socket, message, stdin!);
  const onInput = (chunk: Buffer) => send(channelMessage(COMMAND_CHANNELS.stdin, chunk));
  const onInputEnd = () => {
    if (socket.protocol === V5_PROTOCOL) {
      socket.send(closeMessage(COMMAND_CHANNELS.stdin));
    } else if (endsInput) {
      onProblem?.('the API server is older than Kubernetes 1.30 and cannot signal the end of the input. If the command waits for more input, press Ctrl-C.');
    }
  };
  const onResize = () => {
    if (terminal!.columns > 0 && terminal!.rows > 0) {
      socket.send(resizeMessage(terminal!.columns, terminal!.rows));
    }
  };
  const onAbort = () => socket.terminate();
  try {
    return await new Promise<CommandEnd>((resolve, reject) => {
      let end: CommandEnd | undefined;
      socket.on('message', (data: RawData) => {
        const message = data as Buffer;
        const rest = message.subarray(1);
        if (rest.length === 0) {
          // A kubelet first sends an empty message, to confirm the connection.
          return;
        }
        switch (message[0]) {
          case COMMAND_CHANNELS.stdout: return writeSlowly(socket, rest, stdout);
          case COMMAND_CHANNELS.stderr: return writeSlowly(socket, rest, stderr);
          case COMMAND_CHANNELS.error:
            end = commandEndIn(rest);
            // This is the last message. The server closes the connection after it.
            setTimeout(() => socket.terminate(), CLOSE_MS).unref();
        }
      });
      const onClose = () => (end === undefined ? reject(signal?.aborted ? new CliError(`${description}: the command did not end in time.`)
        : new CliError(`${description}: the connection ended before the command did. The pod may have ended, or its node may be unavailable. The command may still be running.`)) : resolve(end));
      socket.once('close', onClose);
      signal?.addEventListener('abort', onAbort);
      if (signal?.aborted || socket.readyState > socket.OPEN) {
        return onClose();
      }
      stdin?.on('data', onInput).once('end', onInputEnd);
      if (terminal !== undefined) {
        onResize();
        terminal.on('resize', onResize);
      }
      socket.resume();
    });
  } finally {
    signal?.removeEventListener('abort', onAbort);
    stdin?.off('data', onInput).off('end', onInputEnd);
    terminal?.off('resize', onResize);
    socket.terminate();
  }
}

export function execPath({ namespace, pod, container, command }: ExecRequest, hasInput: boolean, hasTerminal: boolean): string {
  const query = new URLSearchParams([
    ...command.map((part): [string, string] => ['command', part]),
    ['container', container], ['stdin', String(hasInput)], ['stdout', 'true'], ['stderr', String(!hasTerminal)], ['tty', String(hasTerminal)],
  ]);
  return `${objectPath(PODS, { namespace, name: pod }, 'exec')}?${query.toString()}`;
}

export interface CommandOutput {
  readonly end: CommandEnd;
  readonly out: string;
  readonly err: string;
}

/** Bytes that are kept of each stream. */
const MAX_OUTPUT = 256 * 1024;

/** Runs a command with short output. @param timeoutMs time limit in milliseconds */
export async function execForOutput(client: KubeClient, request: ExecRequest, timeoutMs: number): Promise<CommandOutput> {
  const [out, err] = [new Kept(), new Kept()];
  const end = await exec(client, request, { stdout: out, stderr: err, signal: AbortSignal.timeout(timeoutMs) });
  return { end, out: out.text, err: err.text };
}

/** A sink that keeps the first bytes. */
export class Kept implements FlowSink {
  private readonly chunks: Buffer[] = [];
  private bytes = 0;

  /** @param max bytes that are kept */
  public constructor(private readonly max: number = MAX_OUTPUT) {}

  public get text(): string {
    return Buffer.concat(this.chunks).toString('utf8');
  }

  public write(chunk: Buffer): boolean {
    if (this.bytes < this.max) {
      this.chunks.push(Buffer.from(chunk.subarray(0, this.max - this.bytes)));
    }
    this.bytes += chunk.length;
    return true;
  }

  public once(): void {
    // It accepts everything, so it emits nothing.
  }

  public off(): void {
    // See above.
  }
}

/** Explains a missing permission; other errors stay as they are. @param what such as `run commands in pods` @param resource such as `pods/exec` */
export function explainRefusal(error: unknown, what: string, resource: string): unknown {
  if (!(error instanceof ApiError) || !error.isForbidden) {
    return error;
  }
  return new CliError(`You do not have permission to ${what}: ${error.serverMessage}. An administrator can grant it: the verbs get and create on ${resource}.`);
}
