import { spawn, type ChildProcess } from 'node:child_process';
import { KubeClient } from '../../src/operator/runtime/kube-client';
import type { KubeObject } from '../../src/operator/runtime/kube-object';
import { loadConnection } from '../../src/operator/runtime/credentials/kubeconfig';
import { TRAINING_JOBS } from '../../src/operator/training/resources';
import { untilGone } from '../local/support/processes';
import { temporaryFolder } from '../local/support/temporary-folder';
import { COMMAND, programArguments } from '../support/bundled';
import { eventually } from './support/cluster';

const folder = temporaryFolder();

/** A running `trainyard dev`. */
class Command {
  public out = '';
  public err = '';
  public readonly ended: Promise<number | null>;
  private readonly child: ChildProcess;

  public constructor(...flags: string[]) {
    this.child = spawn(process.execPath, [...programArguments(COMMAND), 'dev', ...flags], {
      cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, NO_COLOR: '1' },
    });
    this.child.stdout!.on('data', (chunk: Buffer) => { this.out += chunk.toString(); });
    this.child.stderr!.on('data', (chunk: Buffer) => { this.err += chunk.toString(); });
    this.ended = new Promise((resolve) => this.child.once('close', (code) => resolve(code)));
  }

  public kill(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** Waits until it is ready, and returns a client. */
  public async client(): Promise<KubeClient> {
    const kubeconfig = await eventually(`trainyard dev to be ready:\n${this.err}`, async () => /export KUBECONFIG=(.*)/.exec(this.err)?.[1]);
    return new KubeClient({ connection: await loadConnection({ kubeconfig }) });
  }
}

test('what ran when it was killed goes on the next time; Ctrl-C ends everything', async () => {
  const script = 'echo $$$$; [ $TRAINYARD_ATTEMPT != 0 ] && exit 0; while :; do sleep 0.05; done';
  const spec = { framework: 'jax', image: 'img', replicas: 2, command: ['/bin/sh', '-c', script] };
  const first = new Command();
  const client = await first.client();
  const job = { apiVersion: 'ml.collabnix.io/v1alpha1', kind: 'MLTrainingJob', metadata: { name: 'job', namespace: 'default' }, spec };
  await client.create(TRAINING_JOBS, job as KubeObject);
  const phaseIs = async (of: KubeClient, phase: string) => eventually(`the job to be ${phase}`, async () => {
    const { status } = await of.get<KubeObject & { status?: { phase?: string } }>(TRAINING_JOBS, { namespace: 'default', name: 'job' });
    return status?.phase === phase && status;
  });
  await phaseIs(client, 'Running');
  // A process runs before its first line has come through.
  const pids = await eventually('both replicas to tell their numbers', async () => {
    const told = [...first.out.matchAll(/ \| (\d+)$/gm)].map(([, pid]) => Number(pid));
    return told.length === 2 && told;
  });
  first.kill('SIGKILL');
  await first.ended;
  await Promise.all(pids.map(untilGone));
  client.close();

  const second = new Command('--keep');
  const again = await second.client();
  expect(await phaseIs(again, 'Completed')).toMatchObject({ attempt: 1, restarts: 0, disruptions: 2 });
  again.close();
  second.kill('SIGINT');
  expect(await second.ended).toBe(130);
});
