import { parseProgressPath, progressAudience, progressPath } from '../../../src/model/progress/contract';
import { parseProgressReport } from '../../../src/model/progress/report';

const TIME = '2026-01-31T12:00:00Z';

/** The paths that are wrong in a body. */
function complaints(body: unknown): string[] {
  const parsed = parseProgressReport(typeof body === 'string' ? body : JSON.stringify(body));
  return 'violations' in parsed ? parsed.violations.map(({ path }) => path) : [];
}

const withStatus = (fields: object) => ({ trainerStatus: { lastUpdatedTime: TIME, ...fields } });

test('what Kubeflow\'s clients send is read, and times are written as Go writes them', () => {
  const body = '{"trainerStatus": {"lastUpdatedTime": "2026-01-31T13:00:00.123456+01:00", "progressPercentage": 45, "estimatedRemainingSeconds": 789, '
    + '"metrics": [{"name": "loss", "value": "0.25"}, {"name": "epoch", "value": "3"}]}}';
  expect(parseProgressReport(body)).toEqual({ report: { trainerStatus: {
    progressPercentage: 45, estimatedRemainingSeconds: 789, lastUpdatedTime: TIME,
    metrics: [{ name: 'loss', value: '0.25' }, { name: 'epoch', value: '3' }],
  } } });
});

test('as in Go null is absent, and unknown fields are ignored', () => {
  expect(parseProgressReport('null')).toEqual({ report: {} });
  expect(parseProgressReport('{"trainerStatus": null, "checkpoint": null, "more": [1]}')).toEqual({ report: {} });
  expect(parseProgressReport(JSON.stringify(withStatus({ progressPercentage: null, metrics: null, later: true }))))
    .toEqual({ report: { trainerStatus: { lastUpdatedTime: TIME } } });
});

test('a checkpoint stands beside the status, or alone', () => {
  expect(parseProgressReport('{"checkpoint": {"path": "s3://b/step-3", "step": 3}}')).toEqual({ report: { checkpoint: { path: 's3://b/step-3', step: 3 } } });
  expect(parseProgressReport('{"checkpoint": {"path": "/c"}}')).toEqual({ report: { checkpoint: { path: '/c' } } });
});

test.each([
  ['no JSON', 'text', ['body']],
  ['a number', '7', ['body']],
  ['a list', [], ['body']],
  ['a status without a time', { trainerStatus: {} }, ['trainerStatus.lastUpdatedTime']],
  ['a date without a time', { trainerStatus: { lastUpdatedTime: '2026-01-31' } }, ['trainerStatus.lastUpdatedTime']],
  ['a month that there is not', { trainerStatus: { lastUpdatedTime: '2026-13-01T00:00:00Z' } }, ['trainerStatus.lastUpdatedTime']],
  ['too much progress', withStatus({ progressPercentage: 101 }), ['trainerStatus.progressPercentage']],
  ['a fraction', withStatus({ progressPercentage: 0.5 }), ['trainerStatus.progressPercentage']],
  ['seconds beyond 32 bits', withStatus({ estimatedRemainingSeconds: 2 ** 31 }), ['trainerStatus.estimatedRemainingSeconds']],
  ['metrics by name', withStatus({ metrics: { loss: 1 } }), ['trainerStatus.metrics']],
  ['a metric without a name', withStatus({ metrics: [{ value: '1' }] }), ['trainerStatus.metrics[0].name']],
  ['an empty value', withStatus({ metrics: [{ name: 'a', value: '' }] }), ['trainerStatus.metrics[0].value']],
  ['several things', withStatus({ progressPercentage: 'x', metrics: [null] }),
    ['trainerStatus.progressPercentage', 'trainerStatus.metrics[0].name', 'trainerStatus.metrics[0].value']],
  ['a checkpoint without a path', { checkpoint: { step: 3 } }, ['checkpoint.path']],
  ['a step below nothing', { checkpoint: { path: '/c', step: -1 } }, ['checkpoint.step']],
  ['a path that is too long', { checkpoint: { path: 'x'.repeat(4097) } }, ['checkpoint.path']],
])('%s is refused, with the field at fault', (_what, body, paths) => {
  expect(complaints(body)).toEqual(paths);
});

test('64 characters are counted as characters, not as bytes or halves of them', () => {
  expect(complaints(withStatus({ metrics: [{ name: '😀'.repeat(64), value: 'ä'.repeat(64) }] }))).toEqual([]);
  expect(complaints(withStatus({ metrics: [{ name: '😀'.repeat(65), value: '1' }] }))).toEqual(['trainerStatus.metrics[0].name']);
});

test('a path leads to its job, and nothing else does', () => {
  const job = { namespace: 'team-a', name: 'net' };
  expect(progressPath(job)).toBe('/apis/trainer.kubeflow.org/v1alpha1/namespaces/team-a/trainjobs/net/status');
  expect(progressAudience(job)).toBe('trainer.kubeflow.org/v1alpha1/namespaces/team-a/trainjobs/net/status');
  expect(parseProgressPath(progressPath(job))).toEqual(job);
  const others = [
    '/', '/healthz', `${progressPath(job)}/`, `/x${progressPath(job)}`, progressPath({ namespace: '', name: 'net' }), progressPath({ namespace: 'a/b', name: 'c' }),
    progressPath({ namespace: 'A', name: 'net' }), progressPath({ namespace: '..', name: 'net' }), progressPath(job).replace('trainer.', 'trainerx'),
  ];
  expect(others.map(parseProgressPath)).toEqual(others.map(() => undefined));
});
