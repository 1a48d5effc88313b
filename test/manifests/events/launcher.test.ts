/** Parts of the launcher's programs that no server is needed for: which jobs are at their end, ids, signatures. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { filesDigest, launcherFiles } from '../../../src/manifests/events/launcher';
import { ID_PLACEHOLDER } from '../../../src/model/events/launch';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'trainyard-launcher-'));
  for (const [name, text] of Object.entries(launcherFiles('sqs', {}))) {
    writeFileSync(path.join(folder, name === 'main.py' ? 'sqs.py' : name), text);
  }
});
afterAll(() => rmSync(folder, { recursive: true }));

/** What an expression of Python is for each of some values, with the names of the programs. */
function evaluated<T>(expression: string, values: readonly unknown[]): T[] {
  const program = `import datetime, json, sys; from sqs import *\nprint(json.dumps([${expression} for value in json.load(sys.stdin)]))`;
  const { stdout, stderr, status } = spawnSync('python3', ['-B', '-c', program], { cwd: folder, input: JSON.stringify(values), encoding: 'utf8' });
  if (status !== 0) {
    throw new Error(stderr);
  }
  return JSON.parse(stdout) as T[];
}

test('jobs of every engine have an end', () => {
  const conditions = (...types: string[]) => ({ conditions: types.map((type) => ({ type: type.replace('!', ''), status: type.startsWith('!') ? 'False' : 'True' })) });
  const cases: readonly (readonly [string, object | undefined, string | null])[] = [
    ['one that nobody has looked at', undefined, null],
    ['MLTrainingJob, running', conditions('Created', 'Running', '!Succeeded'), null],
    ['MLTrainingJob', conditions('Created', '!Running', 'Succeeded'), 'succeeded'],
    ['MLTrainingJob, failed', conditions('Failed'), 'failed'],
    ['TrainJob', conditions('Complete'), 'succeeded'],
    ['TrainJob, suspended', conditions('Suspended'), null],
    ['JobSet', conditions('Completed'), 'succeeded'],
    ['Job, whose pods are not yet gone', conditions('SuccessCriteriaMet'), null],
    ['PyTorchJob, restarting', conditions('Restarting'), null],
    ['Volcano, running', { state: { phase: 'Running' } }, null],
    ['Volcano', { state: { phase: 'Completed' } }, 'succeeded'],
    ['Volcano, aborted', { state: { phase: 'Aborted' } }, 'failed'],
    ['RayJob, running', { jobDeploymentStatus: 'Running', jobStatus: 'RUNNING' }, null],
    ['RayJob', { jobDeploymentStatus: 'Complete', jobStatus: 'SUCCEEDED' }, 'succeeded'],
    ['RayJob whose program failed', { jobDeploymentStatus: 'Complete', jobStatus: 'FAILED' }, 'failed'],
    ['RayJob, failed', { jobDeploymentStatus: 'Failed' }, 'failed'],
    ['SparkApplication, running', { applicationState: { state: 'RUNNING' } }, null],
    ['SparkApplication', { applicationState: { state: 'COMPLETED' } }, 'succeeded'],
    ['SparkApplication, failed', { applicationState: { state: 'FAILED' } }, 'failed'],
  ];
  const outcomes = evaluated('outcome(value)', cases.map(([, status]) => (status === undefined ? {} : { status })));
  expect(cases.map(([what], index) => [what, outcomes[index]])).toEqual(cases.map(([what, , outcome]) => [what, outcome]));
});

test('ids of messages are parts of names, as long as their stand-in, and differ', () => {
  const ids = fc.sample(fc.tuple(fc.string(), fc.string()), 200);
  const made = evaluated<string>('id_of(*value)', ids);
  made.forEach((id) => expect(id).toMatch(new RegExp(`^[a-z2-7]{${ID_PLACEHOLDER.length}}$`)));
  expect(new Set(made).size).toBe(new Set(ids.map((parts) => JSON.stringify(parts))).size);
  // Where one ends and the next begins counts.
  expect(new Set(evaluated('id_of(*value)', [['a', 'bc'], ['ab', 'c'], ['abc', '']])).size).toBe(3);
});

test('a template is filled wherever its stand-ins are, and nothing else of it changes', () => {
  const template = { 'trainyard0id': ['x-trainyard0id.svc', 1, true, null, { env: 'TRAINYARD-EVENT' }], 'other': 'trainyard' };
  expect(evaluated('filled(value, "abcdefghijkl", "ZXZlbnQ=")', [template])).toEqual([
    { abcdefghijkl: ['x-abcdefghijkl.svc', 1, true, null, { env: 'ZXZlbnQ=' }], other: 'trainyard' },
  ]);
});

test('a request to AWS has the signature of AWS\' own example', () => {
  const [headers] = evaluated<{ readonly [name: string]: string }>(
    'signed("GET", "https://example.amazonaws.com/", {}, b"", ("us-east-1", "service"), value, datetime.datetime(2015, 8, 30, 12, 36))',
    [{ key: 'AKIDEXAMPLE', secret: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' }],
  );
  expect(headers.Authorization).toBe('AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, '
    + 'Signature=5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31');
});

test('files have another mark when one of them changes, and when content moves from one to another', () => {
  expect(new Set([filesDigest({ a: '1', b: '2' }), filesDigest({ a: '1', b: '3' }), filesDigest({ a: '12', b: '' }), filesDigest({ b: '2' })]).size).toBe(4);
  expect(filesDigest({ a: '1', b: '2' })).toBe(filesDigest({ b: '2', a: '1' }));
});
