/** Rules on run policies, templates, checkpoints and on features that are designed and not built. */
import { validateTrainingJob } from '../../../src/model/training-job/validation/validation';
import { job, jobWithRoles, testMistakes } from './mistakes';

describe('a run policy that contradicts itself is named', () => {
  testMistakes([
    ['a longest wait below the first', job({ runPolicy: { backoff: { initialSeconds: 60, maxSeconds: 30 } } }), 'spec.runPolicy.backoff.maxSeconds', 30, ['at least initialSeconds (60)']],
    ['a first wait above the default of the longest', job({ runPolicy: { backoff: { initialSeconds: 400 } } }), 'spec.runPolicy.backoff.maxSeconds', 360, ['at least initialSeconds (400)']],
    ['an exit code with two meanings', job({ runPolicy: { exitCodes: { retry: [3], fail: [2, 3] } } }), 'spec.runPolicy.exitCodes.fail', 3, ['is already in exitCodes.retry', 'Remove it']],
    ['an exit code that is listed twice', job({ runPolicy: { exitCodes: { recover: [75, 75] } } }), 'spec.runPolicy.exitCodes.recover', 75, ['already in exitCodes.recover']],
  ]);
});

describe('a template that takes what the operator sets is named', () => {
  const withSpec = (spec: object) => job({ template: { spec } });

  testMistakes([
    ['the blog\'s label', job({ template: { metadata: { labels: { job: 'other' } } } }), "spec.template.metadata.labels['job']", 'other', ['set by the operator', 'Remove it']],
    ['a label of ours on a role', jobWithRoles([{ name: 'worker', template: { metadata: { labels: { role: 'x' } } } }]), "spec.roles[0].template.metadata.labels['role']", 'x', ['uses it to find its pods']],
    ['the index of the replica', job({ template: { metadata: { labels: { 'ml.collabnix.io/replica-index': '0' } } } }), "spec.template.metadata.labels['ml.collabnix.io/replica-index']", '0', ['Remove it']],
    ['the restart policy of the pod', withSpec({ restartPolicy: 'OnFailure' }), 'spec.template.spec.restartPolicy', 'OnFailure', ['must be Never', 'spec.runPolicy.restartPolicy']],
    ['the host name', withSpec({ hostname: 'me' }), 'spec.template.spec.hostname', 'me', ['replicas use it to find each other']],
    ['the subdomain', withSpec({ subdomain: 'us' }), 'spec.template.spec.subdomain', 'us', ['Remove it']],
    ['the image of the training container', withSpec({ containers: [{ name: 'training', image: 'i' }] }), 'spec.template.spec.containers[0].image', 'i', ['Set spec.image or spec.roles[].image']],
    ['its command', withSpec({ containers: [{ name: 'training', command: ['c'] }] }), 'spec.template.spec.containers[0].command', ['c'], ['Set spec.command']],
    ['a container beside it without an image', withSpec({ containers: [{ name: 'trainning' }] }), 'spec.template.spec.containers[0].image', undefined, ['is required', 'or write training']],
    ['an init container without an image', withSpec({ initContainers: [{ name: 'fetch' }] }), 'spec.template.spec.initContainers[0].image', undefined, ['is required']],
    ['the name of a volume of ours', withSpec({ volumes: [{ name: 'data' }, { name: 'trainyard-checkpoints' }] }), 'spec.template.spec.volumes[1].name', 'trainyard-checkpoints', ["starts with 'trainyard-'", 'Rename it']],
  ]);

  test('and one that does not can say anything else about the pod', () => {
    const template = {
      metadata: { labels: { team: 'a' }, annotations: { 'example.com/a': 'b' }, creationTimestamp: null },
      spec: {
        restartPolicy: 'Never', serviceAccountName: 'trainer', hostNetwork: true, dnsPolicy: null,
        containers: [{ name: 'training', resources: {}, volumeMounts: [{ name: 'data', mountPath: '/data' }] }, { name: 'sidecar', image: 's' }],
        volumes: [{ name: 'data', emptyDir: {} }],
      },
    };
    expect(validateTrainingJob('net', job({ template }))).toEqual([]);
  });
});

describe('a checkpoint that could not be written is named', () => {
  testMistakes([
    ['a claim without a path', job({ checkpoint: { claimName: 'c' } }), 'spec.checkpointPath', undefined, ['must be an absolute path', 'spec.checkpoint.claimName']],
    ['a claim at a URL', job({ checkpointPath: 's3://b', checkpoint: { claimName: 'c' } }), 'spec.checkpointPath', 's3://b', ['absolute path']],
    ['a folder without a claim', job({ checkpointPath: '/c', checkpoint: { subPath: 'runs' } }), 'spec.checkpoint.subPath', 'runs', ['Set spec.checkpoint.claimName']],
    ['a folder outside of the claim', job({ checkpointPath: '/c', checkpoint: { claimName: 'c', subPath: 'a/../../b' } }), 'spec.checkpoint.subPath', 'a/../../b', ["relative path without '..'"]],
    ['a number of them without a place', job({ checkpoint: { keepLast: 3 } }), 'spec.checkpoint.keepLast', 3, ['Set spec.checkpointPath']],
    ['an absolute folder', job({ checkpointPath: '/c', checkpoint: { claimName: 'c', subPath: '/a' } }), 'spec.checkpoint.subPath', '/a', ['relative path']],
  ]);

  test('and one that can be is accepted', () => {
    for (const fields of [
      { checkpointPath: '/c', checkpoint: { claimName: 'c', subPath: 'runs/a..b', gracePeriodSeconds: 120 } },
      { checkpointPath: 'gs://b/run', checkpoint: { resumeFrom: 'gs://b/old', keepLast: 1 } },
    ]) {
      expect(validateTrainingJob('net', job(fields))).toEqual([]);
    }
  });
});

describe('a feature that the operator does not act on yet is refused instead of ignored', () => {
  const tuning = { objective: 'accuracy', parameters: { lr: { type: 'float', min: 0, max: 1 } } };

  test('unless it is switched off', () => {
    for (const fields of [{ autoTuning: { ...tuning, enabled: false } }, { preflight: { enabled: false } }, { debug: { enabled: false } }]) {
      expect(validateTrainingJob('net', job(fields))).toEqual([]);
    }
  });
});
