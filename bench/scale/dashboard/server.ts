/** `trainyard ui`, whose server is that of the dashboard. */
import { spawn, type ChildProcess } from 'node:child_process';
import path from 'node:path';
import type { BenchPlane } from '../bench-plane';

const COMMAND = path.resolve(__dirname, '..', '..', '..', 'lib', 'cli', 'trainyard.mjs');

/** A server that runs. */
export interface Server {
  readonly child: ChildProcess;
  readonly address: string;
  readonly origin: string;
  readonly cookie: string;
}

/** Starts it as a process of its own. @param namespace that is shown first */
export async function startServer(plane: BenchPlane, namespace: string): Promise<Server> {
  const child = spawn(process.execPath, [COMMAND, 'ui', '--kubeconfig', plane.plane.kubeconfigPath, '-n', namespace], { stdio: ['ignore', 'pipe', 'inherit'] });
  const address = await new Promise<string>((resolve, reject) => {
    child.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString().trim()));
    child.once('exit', () => reject(new Error('trainyard ui ended before it printed its address')));
  });
  const { origin, searchParams } = new URL(address);
  return { child, address, origin, cookie: `trainyard=${searchParams.get('secret')}` };
}
