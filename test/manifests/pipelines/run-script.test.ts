/** The program that starts a run, against a server that speaks as Kubeflow Pipelines does. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { constructRecurringRun } from '../../../src/manifests/pipelines/pipeline';
import { expandReferences } from '../../../src/model/variable-references';

/** JSON, whose shape this file knows. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Json = any;

interface Seen {
  readonly method: string;
  readonly url: string;
  readonly body: Json;
  readonly authorization?: string;
}

let server: Server;
let seen: Seen[];
let answers: { [request: string]: object };
let folder: string;

beforeEach(async () => {
  seen = [];
  folder = mkdtempSync(path.join(tmpdir(), 'trainyard-run-'));
  answers = {
    'GET /apis/v2beta1/pipelines?page_size=100&namespace=team-a': { pipelines: [{ name: 'other', display_name: 'nightly', pipeline_id: 'p0' }, { name: 'nightly', pipeline_id: 'p1' }] },
    'GET /apis/v2beta1/pipelines/p1/versions?page_size=100': { pipeline_versions: [{ name: 'other', pipeline_version_id: 'v0' }], next_page_token: 'more' },
    'GET /apis/v2beta1/pipelines/p1/versions?page_size=100&page_token=more': { pipeline_versions: [{ name: 'nightly-v1', pipeline_version_id: 'v1' }] },
    'GET /apis/v2beta1/experiments?page_size=100&namespace=team-a': { experiments: [{ display_name: 'nightly', experiment_id: 'e1' }] },
    'POST /apis/v2beta1/runs': { run_id: 'r1' },
  };
  server = createServer((request, response) => {
    let text = '';
    request.on('data', (data) => (text += data));
    request.on('end', () => {
      seen.push({ method: request.method!, url: request.url!, body: text === '' ? undefined : JSON.parse(text), authorization: request.headers.authorization });
      const answer = answers[`${request.method} ${request.url}`];
      response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' }).end(JSON.stringify(answer ?? { message: 'not found' }));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(async () => {
  rmSync(folder, { recursive: true });
  server.close();
  await once(server, 'close');
});

/** Runs the container of the CronJob. */
async function start(changes: object = {}, env: { [name: string]: string } = {}) {
  const { port } = server.address() as { port: number };
  const { spec } = constructRecurringRun({
    name: 'nightly', schedule: '@daily', concurrencyPolicy: 'Forbid', image: 'python:3',
    run: { endpoint: `http://127.0.0.1:${port}/`, namespace: 'team-a', name: 'nightly', pipeline: 'nightly', version: 'nightly-v1', experiment: 'nightly', parameters: { table: '$(HOME)', epochs: 5 }, ...changes },
  }) as { spec: Json };
  const [{ command, env: [settings] }] = spec.jobTemplate.spec.template.spec.containers;
  const [program, ...args] = command.map((word: string) => expandReferences(word, () => 'replaced'));
  const child = spawn(program, args, { env: { PATH: process.env.PATH, [settings.name]: expandReferences(settings.value, () => 'replaced'), TRAINYARD_TOKEN_FILE: path.join(folder, 'token'), ...env } });
  let output = '';
  child.stdout.on('data', (data) => (output += data));
  child.stderr.on('data', (data) => (output += data));
  const [code] = await once(child, 'close');
  return { code, output };
}

test('a run of the version is asked for, by names, with the parameters as they are', async () => {
  writeFileSync(path.join(folder, 'token'), 'secret\n');
  const { code, output } = await start({ pipelineRoot: 'gs://runs', serviceAccount: 'runner' });
  expect(output).toBe('run: started r1\n');
  expect(code).toBe(0);
  const { body } = seen[seen.length - 1];
  expect(body).toEqual({
    display_name: expect.stringMatching(/^nightly-\d{8}-\d{6}$/),
    experiment_id: 'e1',
    pipeline_version_reference: { pipeline_id: 'p1', pipeline_version_id: 'v1' },
    runtime_config: { parameters: { table: '$(HOME)', epochs: 5 }, pipeline_root: 'gs://runs' },
    service_account: 'runner',
  });
  expect(new Set(seen.map(({ authorization }) => authorization))).toEqual(new Set(['Bearer secret']));
});

test('an experiment that is not there is made', async () => {
  answers['GET /apis/v2beta1/experiments?page_size=100&namespace=team-a'] = {};
  answers['POST /apis/v2beta1/experiments'] = { experiment_id: 'e2' };
  expect((await start()).code).toBe(0);
  expect(seen.find(({ method, url }) => method === 'POST' && url.endsWith('experiments'))!.body).toEqual({ display_name: 'nightly', namespace: 'team-a' });
  expect(seen[seen.length - 1].body.experiment_id).toBe('e2');
});

test('a pipeline that is not there is told, and nothing is run', async () => {
  expect(await start({ pipeline: 'weekly' })).toEqual({ code: 1, output: 'run: there is no pipeline weekly\n' });
  expect(seen.filter(({ method }) => method === 'POST')).toEqual([]);
});

test('a version that is not there is told, and nothing is run', async () => {
  const { code, output } = await start({ version: 'nightly-v2' });
  expect(code).toBe(1);
  expect(output).toBe('run: pipeline nightly has no version nightly-v2\n');
  expect(seen.filter(({ method }) => method === 'POST')).toEqual([]);
});

test('what the server says against it is told', async () => {
  const { code, output } = await start({ namespace: 'team-b' });
  expect(code).toBe(1);
  expect(output).toMatch(/^run: http:\/\/127\.0\.0\.1:\d+\/apis\/v2beta1\/pipelines\?page_size=100&namespace=team-b answers 404: \{"message":"not found"\}\n$/);
});
