/** The Python client, installed as pip does, against a real API server with our operator and pods that are processes. */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { parse, stringify } from 'yaml';
import { DevEnvironment } from '../../../src/local/dev/dev-environment';
import { loadConnection } from '../../../src/operator/runtime/credentials/kubeconfig';
import { KubeClient } from '../../../src/operator/runtime/kube-client';
import type { KubeObject } from '../../../src/operator/runtime/kube-object';
import { CONFIG_MAPS, type ResourceKind } from '../../../src/operator/runtime/resource-kind';
import { TRAINING_JOBS } from '../../../src/operator/training/resources';
import { describeUnlessMissing } from '../../frameworks/support/describe-framework';
import { isFound } from '../../frameworks/support/frameworks';
import { temporaryFolder } from '../../local/support/temporary-folder';
import { CLIENT_PACKAGE, clientPython, installClient } from '../../python/support/client-python';
import { eventually } from '../support/cluster';

// As the package has it.
const OPERATOR_PROGRAM = path.join(__dirname, '..', '..', '..', 'assets', 'operator.mjs.br');
const PROGRESS = path.join(__dirname, '..', '..', '..', 'python', 'trainyard-progress', 'src');

const SERVICE_ACCOUNTS: ResourceKind = { group: '', version: 'v1', plural: 'serviceaccounts', kind: 'ServiceAccount', namespaced: true };

/** What starts the processes of PyTorch's jobs in its images: here it only says that it was asked. */
const TORCHRUN = '#!/bin/sh\nexec env LAUNCHED_BY="torchrun for $PET_NNODES" RANK="$PET_NODE_RANK" python3 "$@"\n';

const state = clientPython();

describeUnlessMissing('trainyard-client', isFound(state) ? [] : [`its dependencies are missing: ${state.missing}`], () => {
  const folder = temporaryFolder();
  let environment: DevEnvironment;
  let client: KubeClient;
  let bin: string;

  beforeAll(async () => {
    bin = installClient(isFound(state) ? state.python : '', path.join(folder, 'python'));
    fs.writeFileSync(path.join(bin, 'torchrun'), TORCHRUN, { mode: 0o755 });
    environment = await DevEnvironment.start({
      workingDir: folder, operatorProgram: OPERATOR_PROGRAM, env: { ...process.env, PATH: `${bin}${path.delimiter}${process.env.PATH}` },
      onLine: () => undefined, notice: () => undefined, warn: () => undefined,
    });
    client = new KubeClient({ connection: await loadConnection({ kubeconfig: environment.kubeconfig }) });
  });

  afterAll(async () => {
    client.close();
    await environment.stop(0);
  });

  /** Runs a script of `scripts`, and gives the JSON that it prints last. */
  async function run(script: string, args: readonly string[] = [], kubeconfig = environment.kubeconfig): Promise<unknown> {
    const child = spawn(path.join(bin, 'python3'), [path.join(__dirname, 'scripts', script), ...args], {
      cwd: folder, env: { ...process.env, KUBECONFIG: kubeconfig, PYTHONPATH: PROGRESS, PYTHONDONTWRITEBYTECODE: '1' }, stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [out, err] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
    const code = await new Promise((resolve) => child.on('close', resolve));
    if (code !== 0) {
      throw new Error(`${script} ended with ${code}:\n${out}${err}`);
    }
    return JSON.parse(out.trim().split('\n').at(-1)!) as unknown;
  }

  test('every snippet of the page prints what the page shows', async () => {
    const found = await run('page.py', [path.join(__dirname, '..', '..', '..', 'docs', 'languages', 'python-client.md')]) as readonly (readonly [string, string])[];
    expect(found.map(([said]) => said)).toEqual(found.map(([, shown]) => shown));
    expect(found.length).toBeGreaterThan(8);
    for (const { metadata } of (await client.list<KubeObject>(TRAINING_JOBS, { namespace: 'default' })).items) {
      await client.delete(TRAINING_JOBS, { namespace: 'default', name: metadata!.name! }).catch(() => undefined);
    }
  });

  test('a function trains with its imports, helpers and hostile arguments, and its logs and metrics are read', async () => {
    const found = await run('train.py') as { readonly code: string };
    expect(found).toEqual({
      phase: 'Completed', ready: '2/2', ranks: ['rank 0 of 2 42 $(RANK) $$', 'rank 1 of 2 42 $(RANK) $$'], hostile: [true, true],
      again: true, 'of rank 1': [1, 1], listed: ['digits'], got: 'Completed', metrics: { loss: 0.25, doubled: 42 }, progress: 100,
      code: expect.stringMatching(/^digits-code-\w{5}$/),
    });
    const job = await client.get<KubeObject>(TRAINING_JOBS, { namespace: 'default', name: 'digits' });
    const code = await client.get<KubeObject>(CONFIG_MAPS, { namespace: 'default', name: found.code });
    expect(code.metadata?.ownerReferences).toEqual([expect.objectContaining({ kind: 'MLTrainingJob', name: 'digits', uid: job.metadata!.uid })]);
    await client.delete(TRAINING_JOBS, { namespace: 'default', name: 'digits' });
    await eventually('the code to be deleted with its job', async () => await client.tryGet(CONFIG_MAPS, { namespace: 'default', name: found.code }) === undefined);
  });

  test('a job is suspended, resumed, run again and deleted, and its code goes with the last of its runs', async () => {
    expect(await run('lifecycle.py', [path.join(folder, 'marker')])).toEqual({
      phases: ['Running', 'Suspended', 'Running', 'Completed', 'Completed', 'Completed'], first: 'started', again: ['stops-2', 'stops-3'], shared: 1, kept: true, said: [],
    });
  });

  test('a search finds the best of its trials', async () => {
    expect(await run('search.py')).toEqual({
      phase: 'Completed', best: [21, { x: 2, kind: 'b' }], trials: Array(6).fill('Completed'), listed: expect.arrayContaining(['curve']),
    });
    expect((await run('search.py').catch((error: Error) => error.message))).toContain("Cannot create the job 'curve' in the namespace 'default': it exists.");
  });

  test('failures are told with their last lines, and scripts, packages and launchers work', async () => {
    const found = await run('failures.py') as { readonly failure: string };
    expect(found).toMatchObject({
      script: ["['--epochs', '$(x)'] 3"], packages: ['trainyard: installed trainyard-test-wheel', 'from a package'], launched: ['launched torchrun for 1'],
    });
    expect(found.failure).toMatch(/^The job 'default\/fails' is Failed, and will not be Completed/);
    expect(found.failure).toContain('rank 0 (fails-worker-0) on local: Error, exit code 1\n');
    expect(found.failure).toContain('ValueError: loss is NaN');
  });

  test('a user without rights is told which one is missing', async () => {
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'eve', namespace: 'default' } };
    await client.create(SERVICE_ACCOUNTS, account as KubeObject);
    const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', metadata: { name: 'eve', namespace: 'default' }, spec: {} };
    const { status } = await client.create(SERVICE_ACCOUNTS, request as KubeObject, { subresource: 'token' }) as KubeObject & { status: { token: string } };
    const config = parse(fs.readFileSync(environment.kubeconfig, 'utf8')) as { users: { user: object }[] };
    config.users.forEach((entry) => (entry.user = { token: status.token }));
    const file = path.join(folder, 'eve.yaml');
    fs.writeFileSync(file, stringify(config));
    const found = await run('rights.py', [], file) as { readonly [work: string]: readonly [string, string] };
    const user = 'system:serviceaccount:default:eve';
    expect(Object.values(found).map(([type]) => type)).toEqual(['Forbidden', 'Forbidden', 'Forbidden', 'Forbidden']);
    expect(found.list[1]).toBe(`Cannot list jobs in the namespace 'default': '${user}' does not have the permission 'list' on mltrainingjobs.ml.collabnix.io there. `
      + 'Ask whoever manages the namespace for a role with it (check: kubectl auth can-i list mltrainingjobs.ml.collabnix.io), or choose another namespace=.');
    expect(found.train[1]).toContain("does not have the permission 'create' on configmaps there");
    expect(found.other[1]).toContain("in the namespace 'kube-system'");
  });

  test('a program of the Kubeflow SDK runs with its import changed', async () => {
    expect(await run('sdk.py', [path.join(CLIENT_PACKAGE, 'tests', 'sdk_examples')])).toEqual({
      function: ['status Complete nodes 1 runtime torch-distributed', 'log rank 0'], status: 'Complete',
      step: ['node-0', 'Succeeded'], logs: ['hi 0'], events: expect.arrayContaining(['MLTrainingJob']) as string[], left: false,
    });
  });
});
