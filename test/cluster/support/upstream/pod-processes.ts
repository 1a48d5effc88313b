/**
 * Programs of a pod's containers on this machine, for controllers' own helpers that look at each other's processes: in one namespace of processes, as
 * where a pod shares it, with a folder that containers share.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import { eventually } from '../cluster';
import { containerEnvironment } from '../../../../src/local/process/pod-fields';
import { MemoryObjectSource } from '../../../../src/local/process/object-source';
import type { Container, Pod } from '../../../../src/manifests/kubernetes';
import { expandReferences } from '../../../../src/model/variable-references';

/** How a program ended, and what it said. */
export interface Ended {
  readonly code: number | null;
  readonly output: string;
}

/** Why there can be no such pod here; undefined where there can. */
export function processNamespaceProblem(): string | undefined {
  const { status } = spawnSync('unshare', ['-mpf', '--mount-proc', 'mount', '-t', 'tmpfs', 'tmpfs', '/var/log'], { stdio: 'ignore' });
  return status === 0 ? undefined : 'pods need namespaces of mounts and processes, and `unshare -mpf --mount-proc` does not work here';
}

/**
 * Starts the programs of a pod in their order, as the kubelet does, and waits until all have ended. When one fails, the others are killed. What a
 * container says is also in the file `said-CONTAINER` of the shared folder, so that programs can wait for each other.
 * @param shared path below /var/log of the folder that containers share
 * @param programs by container, for those whose image starts something else
 */
export async function runPod(
  pod: Pod, shared: string, programs: { readonly [container: string]: readonly string[] },
): Promise<{ [container: string]: Ended }> {
  const pause = spawn('unshare', ['-mpf', '--mount-proc', '--kill-child', 'sh', '-c', `mount -t tmpfs tmpfs /var/log && mkdir -p ${shared} && echo ready && exec sleep infinity`],
    { stdio: ['ignore', 'pipe', 'ignore'] });
  let said = '';
  pause.stdout.on('data', (text: Buffer) => { said += String(text); });
  try {
    await eventually('the pod\'s namespaces', async () => said.includes('ready'));
    const first = childrenOf(pause);
    const running: Promise<readonly [string, Ended]>[] = [];
    for (const container of pod.spec!.containers) {
      const { name } = container;
      const saidFile = `/proc/${first}/root${shared}/said-${name}`;
      fs.writeFileSync(saidFile, '');
      const child = await enter(first, pod, container, programs[name] ?? []);
      running.push(endOf(child, saidFile).then((ended) => {
        if (ended.code !== 0) {
          pause.kill('SIGKILL');
        }
        return [name, ended];
      }));
      await eventually(`container ${name} to start`, async () => child.exitCode !== null || childrenOf(child) !== '');
    }
    return Object.fromEntries(await Promise.all(running));
  } finally {
    pause.kill('SIGKILL');
  }
}

function childrenOf({ pid }: ChildProcess): string {
  const file = `/proc/${pid}/task/${pid}/children`;
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8').trim() : '';
}

/** Containers are entered from outside: their parents are not in the namespace, as the kubelet's are not. */
async function enter(namespaces: string, pod: Pod, container: Container, program: readonly string[]): Promise<ChildProcess> {
  const env = Object.fromEntries(await containerEnvironment(pod, container, new MemoryObjectSource()));
  const words = [...program, ...(container.command ?? []), ...(container.args ?? [])].map((word) => expandReferences(word, (name) => env[name]));
  return spawn('nsenter', ['-t', namespaces, '-m', '-p', ...words], { stdio: ['ignore', 'pipe', 'pipe'], env: { PATH: process.env.PATH, ...env } });
}

async function endOf(child: ChildProcess, saidFile: string): Promise<Ended> {
  let output = '';
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.on('data', (text: Buffer) => {
      output += String(text);
      // The folder goes with a pod that is killed.
      if (fs.existsSync(saidFile)) {
        fs.writeFileSync(saidFile, output);
      }
    });
  }
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  return { code, output };
}
