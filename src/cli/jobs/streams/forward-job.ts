/** Forwards ports of pods of a job until Ctrl-C or the end of the job. */
import { forwardPort, shownAddress, type ForwardedPort } from './forward-port';
import type { PortPair } from './port-spec';
import { untilStopped } from './until-stopped';
import { explainRefusal } from './exec';
import { currentJob, isFinal, standingOfJob, titleOf, type Target } from '../target';
import { onceEach, type Terminal } from '../../../local/output/terminal';
import { ApiError } from '../../../operator/runtime/http/api-error';

/** A port of a pod, which may be in a different namespace than the job. */
export interface PodPort {
  readonly namespace: string;
  readonly pod: string;
  readonly ports: PortPair;
}

/** Forwarded ports, in the order of the request. */
export interface OpenPorts {
  readonly ports: readonly ForwardedPort[];
  /** Waits for Ctrl-C or the end of the job. @returns the exit code */
  wait(): Promise<number>;
}

/** Opens all ports or none. @throws CliError when a local port is not available */
export async function openPorts(target: Target, wanted: readonly PodPort[], address: string, terminal: Terminal): Promise<OpenPorts> {
  const note = onceEach((sentence) => terminal.warn(sentence));
  let finish!: (code: number) => void;
  const ended = new Promise<number>((resolve) => {
    finish = resolve;
  });
  // A failed connection may be the first sign that the job has ended.
  const endIfOver = () => void whyOver(target).then((sentence) => {
    if (sentence !== undefined) {
      note(sentence);
      finish(1);
    }
  }, () => undefined);
  const ports: ForwardedPort[] = [];
  try {
    for (const { namespace, pod, ports: pair } of wanted) {
      const where = `port ${pair.remote} of pod ${pod}`;
      ports.push(await forwardPort({
        client: target.client, namespace, pod, address, ports: pair,
        onProblem: (sentence) => {
          note(`${where}: ${sentence}`);
          endIfOver();
        },
        onRefused: (error) => {
          const explained = explainRefusal(error, 'forward ports of pods', 'pods/portforward') as Error;
          note(`${where}: ${explained.message}`);
          if (error instanceof ApiError && error.isForbidden) {
            finish(1);
          }
          endIfOver();
        },
      }));
    }
  } catch (error) {
    ports.forEach((port) => port.close());
    throw error;
  }
  return {
    ports,
    wait: async () => {
      try {
        return await untilStopped(ended);
      } finally {
        ports.forEach((port) => port.close());
      }
    },
  };
}

/** Why new connections cannot succeed; undefined while they can: pods of a restarted job have the same names. */
async function whyOver(target: Target): Promise<string | undefined> {
  const job = await currentJob(target);
  if (job === undefined) {
    return `${titleOf(target)} is deleted`;
  }
  const standing = standingOfJob(job);
  return isFinal(standing) ? `${titleOf(target)} has ended (${standing.state})` : undefined;
}

/** `Forwarding 127.0.0.1:8080 -> digits-worker-0:80`. */
export function forwardingLine({ local, remote }: ForwardedPort, address: string, pod: string): string {
  return `Forwarding ${shownAddress(address)}:${local} -> ${pod}:${remote}`;
}
