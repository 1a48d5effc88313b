import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { canonicalSpec, runIdentity, runLabels, validateRun, validateRunVariables, withRun } from '../../../src/model/runs/identity';
import type { TrainingJobSpec } from '../../../src/model/training-job/spec';

const IMAGE_DIGEST = 'e'.repeat(64);
const SPEC: TrainingJobSpec = { framework: 'pytorch', image: 'train:1', replicas: 2, code: { digest: `sha256:${'c'.repeat(64)}`, configMap: 'code' } };
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const DIGEST = sha256(canonicalSpec(SPEC));

test('by default the id is the name and the beginning of the digest of the spec', () => {
  expect(runIdentity('train', SPEC, {}, sha256)).toEqual({
    id: `train-${DIGEST.slice(0, 8)}`, ownId: `train-${DIGEST.slice(0, 8)}`, parent: undefined, specDigest: `sha256:${DIGEST}`, codeDigest: SPEC.code!.digest,
  });
});

test('ids are labels, however long the name is', () => {
  expect(runIdentity('n'.repeat(56), SPEC, {}, sha256).id).toHaveLength(63);
});

test('the order of fields and an empty one change nothing, a value does', () => {
  const reversed = Object.fromEntries(Object.entries(SPEC).reverse()) as unknown as TrainingJobSpec;
  expect(canonicalSpec({ ...reversed, port: undefined })).toBe(canonicalSpec(SPEC));
  expect(canonicalSpec({ ...SPEC, replicas: 3 })).not.toBe(canonicalSpec(SPEC));
});

test('a job that is suspended is the same run', () => {
  expect(canonicalSpec({ ...SPEC, suspend: true, managedBy: 'kueue.x-k8s.io/multikueue' })).toBe(canonicalSpec(SPEC));
});

test('labels have the first digits of digests, and no more than a label can hold', () => {
  const identity = runIdentity('train', { ...SPEC, image: `train@sha256:${IMAGE_DIGEST}` }, { id: 'llama-7b.3', parent: 'llama-7b.2' }, sha256);
  const labels = runLabels({ ...SPEC, image: `train@sha256:${IMAGE_DIGEST}` }, identity);
  expect(labels).toEqual({
    'ml.collabnix.io/run-id': 'llama-7b.3',
    'ml.collabnix.io/parent-run': 'llama-7b.2',
    'ml.collabnix.io/spec-digest': identity.specDigest.slice(7, 23),
    'ml.collabnix.io/code-digest': 'c'.repeat(16),
    'ml.collabnix.io/image-digest': 'e'.repeat(16),
  });
});

test('variables have whole digests', () => {
  const spec = { ...SPEC, image: `train@sha256:${IMAGE_DIGEST}`, env: [{ name: 'A', value: '1' }] };
  const identity = runIdentity('train', spec, { parent: 'llama-7b.2' }, sha256);
  expect(withRun(spec, identity, [{ name: 'TRACKER', value: 'x' }]).env).toEqual([
    { name: 'TRAINYARD_RUN_ID', value: identity.id },
    { name: 'TRAINYARD_PARENT_RUN', value: 'llama-7b.2' },
    { name: 'TRAINYARD_SPEC_DIGEST', value: identity.specDigest },
    { name: 'TRAINYARD_CODE_DIGEST', value: `sha256:${'c'.repeat(64)}` },
    { name: 'TRAINYARD_IMAGE_DIGEST', value: `sha256:${IMAGE_DIGEST}` },
    { name: 'TRACKER', value: 'x' },
    { name: 'A', value: '1' },
  ]);
});

test('an image by its tag has no digest at synth', () => {
  const { env, template } = withRun(SPEC, runIdentity('train', SPEC, {}, sha256), []);
  expect(env!.map(({ name }) => name)).toEqual(['TRAINYARD_RUN_ID', 'TRAINYARD_SPEC_DIGEST', 'TRAINYARD_CODE_DIGEST']);
  expect(Object.keys(template!.metadata!.labels!)).not.toContain('ml.collabnix.io/image-digest');
});

test('roles with images of their own have their own digests, and no label speaks for all', () => {
  const spec: TrainingJobSpec = {
    ...SPEC, replicas: undefined, image: `train@sha256:${IMAGE_DIGEST}`,
    roles: [{ name: 'master' }, { name: 'worker', image: `other@sha256:${'f'.repeat(64)}`, env: [{ name: 'A', value: '1' }] }],
    helpers: [{ name: 'feeder', image: 'feeder:1', command: ['feed'] }],
    hooks: { before: { command: ['x'] }, after: { command: ['x'], image: 'tools:1' } },
  };
  const { env, roles, helpers, hooks, template } = withRun(spec, runIdentity('train', spec, {}, sha256), []);
  expect(env!.map(({ name }) => name)).not.toContain('TRAINYARD_IMAGE_DIGEST');
  expect(roles!.map((role) => role.env)).toEqual([
    [{ name: 'TRAINYARD_IMAGE_DIGEST', value: `sha256:${IMAGE_DIGEST}` }],
    [{ name: 'TRAINYARD_IMAGE_DIGEST', value: `sha256:${'f'.repeat(64)}` }, { name: 'A', value: '1' }],
  ]);
  expect(helpers![0].env).toBeUndefined();
  expect(hooks).toEqual({ before: { command: ['x'], env: [{ name: 'TRAINYARD_IMAGE_DIGEST', value: `sha256:${IMAGE_DIGEST}` }] }, after: { command: ['x'], image: 'tools:1' } });
  expect(Object.keys(template!.metadata!.labels!)).not.toContain('ml.collabnix.io/image-digest');
});

test.each<[string, Partial<TrainingJobSpec>]>([
  ['trial of a search', { autoTuning: { parameters: [] } as unknown as TrainingJobSpec['autoTuning'] }],
  ['copy of an array', { array: { count: 3 } }],
])('each %s is a run of its own, whose parent is the whole', (_what, change) => {
  const spec = { ...SPEC, ...change };
  const identity = runIdentity('train', spec, {}, sha256);
  const { env, template } = withRun(spec, identity, []);
  expect(env!.slice(0, 2)).toEqual([
    { name: 'TRAINYARD_RUN_ID', value: `$(TRAINYARD_JOB_NAME)-${identity.specDigest.slice(7, 15)}` }, { name: 'TRAINYARD_PARENT_RUN', value: identity.id },
  ]);
  expect(template!.metadata!.labels).toMatchObject({ 'ml.collabnix.io/parent-run': identity.id });
  expect(template!.metadata!.labels).not.toHaveProperty(['ml.collabnix.io/run-id']);
  expect(runIdentity('train', spec, { id: 'exp' }, sha256)).toMatchObject({ id: 'exp', ownId: 'exp-$(TRAINYARD_JOB_NAME)' });
});

test('labels and annotations of the template stay', () => {
  const spec: TrainingJobSpec = { ...SPEC, template: { metadata: { labels: { team: 'a' }, annotations: { note: 'b' } }, spec: { hostNetwork: true } } };
  expect(withRun(spec, runIdentity('train', spec, {}, sha256), []).template).toMatchObject({
    metadata: { labels: { team: 'a' }, annotations: { note: 'b' } }, spec: { hostNetwork: true },
  });
});

test.each(['', '-a', 'a-', 'a b', 'a/b', 'a'.repeat(64)])('%j is not an id', (id) => {
  expect(validateRun({ id })).toEqual([{ path: 'run.id', value: id, message: expect.stringContaining('at most 63 letters') as string }]);
  expect(validateRun({ parent: id })[0].path).toBe('run.parent');
});

test('a run is not its own parent', () => {
  expect(validateRun({ id: 'a', parent: 'a' })).toEqual([{ path: 'run.parent', value: 'a', message: expect.stringContaining('is the run itself') as string }]);
  expect(validateRun({ id: 'b', parent: 'a' })).toEqual([]);
});

test('what the identity sets, the job cannot', () => {
  const env = [{ name: 'TRAINYARD_RUN_ID', value: 'x' }];
  const violations = validateRunVariables({ ...SPEC, env, roles: [{ name: 'master' }, { name: 'worker', env }], helpers: [{ name: 'h', env, command: [] }], hooks: { onExit: { env, command: [] } } }, ['TRAINYARD_RUN_ID'], 'run');
  expect(violations.map(({ path }) => path)).toEqual(['spec.env[\'TRAINYARD_RUN_ID\']', 'spec.roles[1].env[\'TRAINYARD_RUN_ID\']', 'spec.helpers[0].env[\'TRAINYARD_RUN_ID\']', 'spec.hooks.onExit.env[\'TRAINYARD_RUN_ID\']']);
  expect(violations[0].message).toBe('is set by \'run\' of the job. Remove it here, or leave \'run\' out.');
});

test('every label of every run is one that Kubernetes takes', () => {
  const name = fc.stringMatching(/^[a-z]([-a-z0-9]{0,54}[a-z0-9])?$/);
  fc.assert(fc.property(name, fc.integer({ min: 1, max: 100 }), (job, replicas) => {
    const spec = { ...SPEC, replicas };
    for (const value of Object.values(runLabels(spec, runIdentity(job, spec, {}, sha256)))) {
      expect(value).toMatch(/^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/);
    }
  }));
});
