/**
 * Runs a command in a container of a pod.
 *
 * Version 4 of the protocol where the end of the input does not have to be told: the API server passes it on as it is. Version 5 can end the input,
 * which is what a command reads a piped file until; up to 1.35 the API server translates it to SPDY for the kubelet, which costs it a copy of
 * everything, and an API server before 1.29 does not know it. On a terminal the end of the input is a character (Ctrl-D), so version 4 does.
 */
import type { Readable } from 'node:stream';
import type { RawData } from 'ws';
import { openStream, sendSlowly, writeSlowly, type Sink } from './open-stream';
import { CliError } from '../../cli-error';
import { ApiError } from '../../../operator/runtime/http/api-error';
import {
  COMMAND_CHANNELS, V4_PROTOCOL, V5_PROTOCOL, channelMessage, closeMessage, commandEndIn, resizeMessage, type CommandEnd,
} from '../../../operator/runtime/http/stream-channels';
import type { KubeClient } from '../../../operator/runtime/kube-client';
import { PODS, objectPath } from '../../../operator/runtime/resource-kind';

/** What is run, and where. */
export interface ExecRequest {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  readonly command: readonly string[];
}

/** Where its bytes come from and go to. */
export interface ExecStreams {
  /** @default - the command has no input */
  readonly stdin?: Readable;
  readonly stdout: Sink;
  /** With a terminal there is none. */
  readonly stderr: Sink;
  /** Asks for a terminal. @default - the command has none */
  readonly terminal?: TerminalSize;
  /** Ends the connection, and so the wait. */
  readonly signal?: AbortSignal;
  /** Called with a sentence about what the user should know. */
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
 * Runs it to its end.
 * @throws CliError where the connection is lost before, ApiError where the server refuses
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
      onProblem?.('the cluster is older than Kubernetes 1.30, and cannot tell the command that its input has ended. If it waits for more, press Ctrl-C.');
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
          // The first message of a kubelet says no more than that the connection is made.
          return;
        }
        switch (message[0]) {
          case COMMAND_CHANNELS.stdout: return writeSlowly(socket, rest, stdout);
          case COMMAND_CHANNELS.stderr: return writeSlowly(socket, rest, stderr);
          case COMMAND_CHANNELS.error:
            end = commandEndIn(rest);
            // It is the last message, and the server closes the connection.
            setTimeout(() => socket.terminate(), CLOSE_MS).unref();
        }
      });
      const onClose = () => (end === undefined ? reject(signal?.aborted ? new CliError(`${description}: the command did not end in time.`)
        : new CliError(`${description}: the connection ended before the command did. The pod may have ended, or its node may be gone; the command may still run.`)) : resolve(end));
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

/** Path of the request. */
export function execPath({ namespace, pod, container, command }: ExecRequest, hasInput: boolean, hasTerminal: boolean): string {
  const query = new URLSearchParams([
    ...command.map((part): [string, string] => ['command', part]),
    ['container', container], ['stdin', String(hasInput)], ['stdout', 'true'], ['stderr', String(!hasTerminal)], ['tty', String(hasTerminal)],
  ]);
  return `${objectPath(PODS, { namespace, name: pod }, 'exec')}?${query.toString()}`;
}

/** What a short command has written. */
export interface CommandOutput {
  readonly end: CommandEnd;
  readonly out: string;
  readonly err: string;
}

/** Most bytes that are kept of each stream. */
const MAX_OUTPUT = 256 * 1024;

/** Runs a command that writes little. @param timeoutMs after which it is given up */
export async function execForOutput(client: KubeClient, request: ExecRequest, timeoutMs: number): Promise<CommandOutput> {
  const [out, err] = [new Kept(), new Kept()];
  const end = await exec(client, request, { stdout: out, stderr: err, signal: AbortSignal.timeout(timeoutMs) });
  return { end, out: out.text, err: err.text };
}

/** Keeps the first bytes that are written to it. */
export class Kept implements Sink {
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
    // It is never full.
  }
}

/** Sentence for a refusal that has a usual cause. @param what `run commands in pods` @param resource `pods/exec` */
export function explainRefusal(error: unknown, what: string, resource: string): unknown {
  if (!(error instanceof ApiError) || !error.isForbidden) {
    return error;
  }
  return new CliError(`You do not have permission to ${what}: ${error.serverMessage} An administrator can allow it with the verbs get and create on ${resource}.`);
}
