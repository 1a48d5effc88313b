import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { untilGone } from '../../local/support/processes';
import { temporaryFolder } from '../../local/support/temporary-folder';
import { COMMAND, programArguments } from '../../support/bundled';
import { trainyard as trainyardHere, type Finished } from '../support/command';

const root = temporaryFolder();
let files = 0;

/** Starts the command; `whenLines` is called once that many lines stand on standard output. */
function trainyard(
  args: string[],
  whenLines?: { readonly count: number; readonly then: (child: ReturnType<typeof spawn>, lines: string[]) => void },
): Promise<Finished> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [...programArguments(COMMAND), ...args], { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, NO_COLOR: '1' } });
    let [out, err, called] = ['', '', false];
    child.stdout.on('data', (chunk: Buffer) => {
      out += chunk.toString();
      const lines = out.split('\n').slice(0, -1);
      if (whenLines && !called && lines.length >= whenLines.count) {
        called = true;
        whenLines.then(child, lines);
      }
    });
    child.stderr.on('data', (chunk: Buffer) => {
      err += chunk.toString();
    });
    child.once('close', (code) => resolve({ code, out, err }));
  });
}

function manifest(script: string, replicas = 2): string {
  const file = path.join(root, `job-${++files}.json`);
  fs.writeFileSync(file, JSON.stringify({
    apiVersion: 'ml.collabnix.io/v1alpha1',
    kind: 'MLTrainingJob',
    metadata: { name: `job-${files}` },
    spec: { framework: 'plain', image: 'img', replicas, command: ['/bin/sh', '-c', script] },
  }));
  return file;
}

test('runs a job and exits with 0 when it completes', async () => {
  const { code, out, err } = await trainyard(['run', manifest('echo hello from $RANK')]);
  expect(code).toBe(0);
  expect(out.split('\n').sort()).toEqual(['', '[0] worker-0 | hello from 0', '[1] worker-1 | hello from 1']);
  expect(err).toMatch(/: Completed in \d+:\d\d\n/);
});

test('exits with 1 when the job fails, and tells why', async () => {
  const { code, err } = await trainyard(['run', manifest('echo out of luck; exit 9', 1)]);
  expect(code).toBe(1);
  expect(err).toMatch(/Failed after .*: ReplicaFailed\n {2}job-\d+-worker-0 \(worker 0, rank 0, attempt 0\): exit code 9, Error\n {2}its last lines:\n {4}\| out of luck\n/);
});

test('exits with 2 when the job cannot be run as it is written', async () => {
  const file = path.join(root, 'bad.yaml');
  fs.writeFileSync(file, 'apiVersion: ml.collabnix.io/v1alpha1\nkind: MLTrainingJob\nmetadata: { name: bad }\nspec: { framework: pytorhc, replicas: 0 }\n');
  const { code, out, err } = await trainyardHere(['run', file]);
  expect(code).toBe(2);
  expect(out).toBe('');
  expect(err).toMatch(/^trainyard: Job 'bad' has 3 problems:\n/);
});

test('exits with 2 for a file that is not there and for an unknown option', async () => {
  const [missing, unknown] = await Promise.all([trainyardHere(['run', path.join(root, 'none.yaml')]), trainyardHere(['run', 'x', '--jbo', 'y'])]);
  expect(missing).toMatchObject({ code: 2, err: expect.stringContaining('no such file') });
  expect(unknown).toMatchObject({ code: 2, err: expect.stringMatching(/unknown option '--jbo'\n\(Did you mean --job\?\)/) });
});

test.each([['SIGINT', 130], ['SIGTERM', 143]] as const)('ends the replicas on %s, leaves no process and exits with %d', async (signal, exitCode) => {
  const pids: number[] = [];
  const { code, out, err } = await trainyard(['run', manifest('trap "echo saved; exit 0" TERM; echo $$$$; while :; do sleep 0.05; done')], {
    count: 2,
    then: (child, lines) => {
      pids.push(...lines.map((line) => Number(line.split('| ')[1])));
      child.kill(signal);
    },
  });
  expect(code).toBe(exitCode);
  expect(out.match(/saved/g)).toHaveLength(2);
  expect(err).toContain('Interrupted after');
  expect(pids).toHaveLength(2);
  await Promise.all(pids.map(untilGone));
});

test('leaves no process when it is killed itself', async () => {
  const pids: number[] = [];
  await trainyard(['run', manifest('echo $$$$; exec sleep 300')], {
    count: 2,
    then: (child, lines) => {
      pids.push(...lines.map((line) => Number(line.split('| ')[1])));
      child.kill('SIGKILL');
    },
  });
  expect(pids).toHaveLength(2);
  await Promise.all(pids.map(untilGone));
});

test('prints its version', async () => {
  const { version } = JSON.parse(fs.readFileSync(path.join(__dirname, '../../../package.json'), 'utf8')) as { version: string };
  const { code, out } = await trainyard(['version']);
  expect(code).toBe(0);
  expect(out).toContain(`trainyard ${version} `);
});
