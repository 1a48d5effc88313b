import { restartsInPlace, whyNotInPlace } from '../../../src/model/training-job/restart-in-place';
import type { RunPolicySpec } from '../../../src/model/training-job/run-policy';
import type { TrainingJobSpec } from '../../../src/model/training-job/spec';
import { validateTrainingJob } from '../../../src/model/training-job/validation/validation';
import { resolved, shortForm } from '../jobs';

const job = (runPolicy: RunPolicySpec = {}, more: Partial<TrainingJobSpec> = {}, framework: TrainingJobSpec['framework'] = 'plain') =>
  resolved(shortForm(framework, 2, { runPolicy: { restartPolicy: 'OnFailure', ...runPolicy }, ...more }));
const inPlace = (...args: Parameters<typeof job>) => restartsInPlace(job(...args), job(...args).roles[0]);

describe('independent replicas are restarted in place', () => {
  test('when they are restarted on failure or always, and the kubelet\'s rules are the job\'s', () => {
    expect(inPlace()).toBe(true);
    expect(inPlace({}, {}, 'tensorflow')).toBe(true);
    // What the API server writes into every job.
    expect(inPlace({ backoff: { initialSeconds: 10, maxSeconds: 360, resetAfterSeconds: 600 } })).toBe(true);
    expect(inPlace({ exitCodes: { fail: [] } })).toBe(true);
  });

  test.each<[string, RunPolicySpec, TrainingJobSpec['framework']]>([
    ['never restarted', { restartPolicy: 'Never' }, 'plain'],
    ['restarted by exit code', { restartPolicy: 'ExitCode' }, 'plain'],
    ['asked to tell exit codes apart', { exitCodes: { fail: [2] } }, 'plain'],
    ['asked for another backoff', { backoff: { initialSeconds: 1 } }, 'plain'],
    ['kept when the job has ended', { cleanPodPolicy: 'None' }, 'plain'],
    ['told not to', { restartInPlace: false }, 'plain'],
    ['of a gang', {}, 'pytorch'],
  ])('not when they are %s', (_, policy, framework) => {
    expect(inPlace(policy, {}, framework)).toBe(false);
  });

  test('with checkpoints only when the job asks for it, because the container would get an old RESUME_FROM', () => {
    expect(inPlace({}, { checkpointPath: '/checkpoints' })).toBe(false);
    expect(inPlace({ restartInPlace: true }, { checkpointPath: '/checkpoints' })).toBe(true);
  });
});

describe('restartInPlace: true', () => {
  const complaints = (runPolicy: RunPolicySpec, framework: TrainingJobSpec['framework'] = 'plain') =>
    validateTrainingJob('net', shortForm(framework, 2, { runPolicy: { restartInPlace: true, ...runPolicy } }));

  test('is an error where it is not possible, which says why', () => {
    expect(complaints({ restartPolicy: 'OnFailure' })).toEqual([]);
    expect(complaints({ restartPolicy: 'OnFailure', exitCodes: { fail: [2] } })).toEqual([
      { path: 'spec.runPolicy.restartInPlace', value: true, message: expect.stringContaining('the kubelet does not distinguish between exit codes') },
    ]);
    expect(complaints({ restartPolicy: 'OnFailure' }, 'pytorch')[0].message).toContain('replicas of PyTorch depend on each other');
    expect(complaints({})[0].message).toContain('role worker has Never');
  });

  test('is right when one role can', () => {
    const mixed = resolved({
      framework: 'tensorflow', image: 'i', roles: [{ name: 'chief' }, { name: 'ps', restartPolicy: 'Always' }], runPolicy: { restartInPlace: true },
    });
    expect(mixed.roles.map((role) => [role.name, whyNotInPlace(mixed, role) === undefined])).toEqual([['chief', false], ['ps', true]]);
    expect(validateTrainingJob('net', mixed.spec)).toEqual([]);
  });
});
