import fc from 'fast-check';
import { replicaEnvironment, reservedVariables } from '../../../src/model/training-job/environment/environment';
import { PodAddressBook } from '../../../src/model/frameworks/address-book';
import { resolveTrainingJob } from '../../../src/model/training-job/replicas/resolve';
import type { TrainingJobSpec } from '../../../src/model/training-job/spec';
import { validateTrainingJob } from '../../../src/model/training-job/validation/validation';
import { formatViolation } from '../../../src/model/violations';
import { longForm } from '../jobs';
import { anyValue, placesIn, replaceAt, validSpec } from './arbitraries';

/** A valid job that uses every field that the operator acts on, so that each of them can be spoiled. */
const FULL: TrainingJobSpec = longForm('tensorflow', {
  chief: { image: 'chief', command: ['sh'], args: ['-c', 'x'], env: [{ name: 'A', value: '1' }], resources: { gpu: 1 }, restartPolicy: 'OnFailure' },
  worker: { replicas: 3, template: { metadata: { labels: { a: 'b' } }, spec: { nodeSelector: { pool: 'x' } } } },
  ps: 2,
}, {
  command: ['python'], args: ['train.py'], workingDir: '/app',
  env: [{ name: 'B', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } }],
  resources: { gpu: 2, gpuResourceName: 'amd.com/gpu', cpu: '4', memory: '16Gi', ephemeralStorage: '1Gi', sharedMemory: '2Gi', extended: { 'rdma/hca': '1' } },
  hyperparameters: { LR: '0.1' },
  checkpointPath: '/c',
  checkpoint: { resumeFrom: '/old', gracePeriodSeconds: 30, claimName: 'c', subPath: 'run' },
  nprocPerNode: 2, port: 29500, suspend: false, managedBy: 'me',
  template: {
    metadata: { labels: { team: 'a' }, annotations: { x: 'y' } },
    spec: { containers: [{ name: 'training', env: [{ name: 'C', value: '1' }] }], initContainers: [{ name: 'i', image: 'i' }], volumes: [{ name: 'v', emptyDir: {} }] },
  },
  runPolicy: {
    restartPolicy: 'ExitCode', backoffLimit: 3, backoff: { initialSeconds: 1, maxSeconds: 5, resetAfterSeconds: 60 },
    exitCodes: { recover: [75], retry: [1], fail: [2] }, disruptionLimit: 9, activeDeadlineSeconds: 60, ttlSecondsAfterFinished: 60,
    cleanPodPolicy: 'All', successPolicy: 'Coordinator',
  },
  scheduling: { priorityClassName: 'high', schedulerName: 's', nodeSelector: { a: 'b' }, tolerations: [{ key: 'k', operator: 'Exists' }] },
});

/** Validates, and where that finds nothing, does what the operator would do next. */
function survives(spec: unknown): void {
  const violations = validateTrainingJob('net', spec as TrainingJobSpec);
  for (const violation of violations) {
    expect(violation.path).toMatch(/^(spec|metadata\.name)/);
    expect(formatViolation(violation).length).toBeGreaterThan(violation.path.length + 2);
  }
  if (violations.length === 0) {
    const job = resolveTrainingJob('net', spec as TrainingJobSpec);
    for (const replica of job.replicas.slice(0, 3)) {
      const context = { job, replica, addresses: new PodAddressBook('net') };
      const reserved = reservedVariables(context);
      for (const { name, value } of replicaEnvironment(context, 0)) {
        expect(typeof name).toBe('string');
        expect(value === undefined || typeof value === 'string').toBe(true);
        expect(reserved.has(name) ? value ?? '' : '').not.toMatch(/undefined|NaN|\[object/);
      }
    }
  }
}

test('the job that is spoiled below is valid', () => {
  expect(validateTrainingJob('net', FULL)).toEqual([]);
});

test('validation reports or accepts any value as a spec, and never throws', () => {
  fc.assert(fc.property(anyValue, (spec) => survives(spec)), { numRuns: 500 });
});

test('every field of a job can be anything', () => {
  const places = placesIn(FULL);
  fc.assert(fc.property(fc.constantFrom(...places), anyValue, (place, value) => survives(replaceAt(FULL, place, value))), { numRuns: 2000 });
});

test('every field of a job can be left empty, emptied, or turned into a list or an object, one by one', () => {
  for (const place of placesIn(FULL)) {
    for (const value of [null, undefined, '', 0, [], {}, [null], { a: null }]) {
      survives(replaceAt(FULL, place, value));
    }
  }
});

test('several fields of a random job can be wrong together', () => {
  const spoiled = validSpec.chain((spec) => fc.array(fc.tuple(fc.nat(), anyValue), { minLength: 1, maxLength: 4 }).map((changes) =>
    changes.reduce<unknown>((current, [pick, value]) => {
      const places = placesIn(current);
      return replaceAt(current, places[pick % places.length], value);
    }, spec)));
  fc.assert(fc.property(spoiled, (spec) => survives(spec)), { numRuns: 2000 });
});

test('an unknown field is always named, wherever it stands', () => {
  const open = [/^template,spec/, /^template,metadata/, /^roles,\d,template,(spec|metadata)/, /valueFrom/, /tolerations,/, /^(hyperparameters|resources,extended|scheduling,nodeSelector)/];
  const records = placesIn(FULL).filter((place) => {
    const value = place.reduce<unknown>((current, key) => (current as { [key: string]: unknown })[key], FULL);
    return typeof value === 'object' && !Array.isArray(value) && !open.some((pattern) => pattern.test(place.join(',')));
  });
  expect(records.length).toBeGreaterThan(10);
  for (const place of records) {
    const violations = validateTrainingJob('net', replaceAt(FULL, [...place, 'surprise'], 1) as TrainingJobSpec);
    expect(violations).toEqual([{ path: expect.stringMatching(/\.surprise$/), value: 1, message: expect.stringContaining('is not a field of') }]);
  }
});

test('a huge number of roles is refused without being built', () => {
  const roles = Array.from({ length: 5000 }, (_, index) => ({ name: `r${index}`, replicas: 10_000 }));
  expect(validateTrainingJob('net', { framework: 'plain', image: 'i', roles })).toEqual([
    { path: 'spec.roles', value: 5000, message: expect.stringContaining('at most 16 roles') },
    { path: 'spec.roles', value: 50_000_000, message: expect.stringContaining('at most 10000') },
  ]);
});
