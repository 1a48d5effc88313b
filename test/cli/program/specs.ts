/** Random jobs with more of everything than those of the model's own tests: whatever a program has to be able to say. */
import fc from 'fast-check';
import { GANG_SCHEDULERS } from '../../../src/model/training-job/scheduling';
import type { TrainingJobSpec } from '../../../src/model/training-job/spec';
import { validateTrainingJob } from '../../../src/model/training-job/validation/validation';
import { validSpec } from '../../model/training-job/arbitraries';

const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });

/** An object of which each field may be missing. */
function partial<T extends object>(fields: { [K in keyof T]-?: fc.Arbitrary<NonNullable<T[K]>> }): fc.Arbitrary<T> {
  return fc.record(Object.fromEntries(Object.entries<fc.Arbitrary<unknown>>(fields).map(([name, value]) => [name, maybe(value)])) as never)
    .map((value) => Object.fromEntries(Object.entries(value as object).filter(([, entry]) => entry !== undefined)) as T);
}

const seconds = fc.constantFrom(0, 1, 59, 60, 90, 3600, 5400, 86_400, 100_000);
const positive = fc.constantFrom(1, 45, 60, 7200, 604_800);
const word = fc.constantFrom('a', 'gpu-nodes', 'x1');
const bytes = fc.constantFrom('16Gi', '512Mi', '1.5Ti', '2Pi', '100Ki', '16G', '1e3', '128974848', '0.50Gi');
const anyText = fc.oneof(fc.string(), fc.constantFrom('it\'s', 'a\nb\n', '`${x}`\n', '\\', '\u2028', '$(A)', '\r\n', ''));

const resources = partial<NonNullable<TrainingJobSpec['resources']>>({
  gpu: fc.nat(8), gpuResourceName: fc.constantFrom('nvidia.com/gpu', 'amd.com/gpu', 'nvidia.com/mig-1g.5gb', 'gpu.intel.com/i915'), tpu: fc.nat(4),
  cpu: fc.constantFrom('4', '500m', '0.5', '1.50', '2e1'), memory: bytes, ephemeralStorage: bytes, sharedMemory: fc.constantFrom('64Mi', '1Gi'),
  extended: fc.constantFrom<{ readonly [name: string]: string }>({ 'rdma/hca': '8' }, { 'rdma/hca': '08' }, { 'example.com/a': '1', 'example.com/b': '2' }),
});

const reference = fc.constantFrom<{ [source: string]: unknown }>(
  { secretKeyRef: { name: 'hub', key: 'token' } }, { secretKeyRef: { name: 'hub', key: 'token', optional: true } },
  { configMapKeyRef: { name: 'settings', key: 'a.b' } }, { fieldRef: { fieldPath: 'metadata.name' } }, { fieldRef: { fieldPath: 'status.hostIPs' } },
  { fieldRef: { fieldPath: 'metadata.labels[\'app\']', apiVersion: 'v1' } }, { resourceFieldRef: { resource: 'limits.cpu' } },
  { resourceFieldRef: { resource: 'limits.memory', containerName: 'training', divisor: '1Mi' } },
);

const env = fc.uniqueArray(fc.oneof(
  fc.record({ name: fc.stringMatching(/^V_[A-Z]{1,3}$/), value: anyText }),
  fc.record({ name: fc.stringMatching(/^F_[A-Z]{1,3}$/), valueFrom: reference }),
  fc.record({ name: fc.constantFrom('7', '__proto__', 'a-b'), value: fc.constant('x') }),
), { selector: ({ name }) => name, maxLength: 5 });

const volume = fc.constantFrom<{ [source: string]: unknown }>(
  { persistentVolumeClaim: { claimName: 'imagenet' } }, { persistentVolumeClaim: { claimName: 'imagenet', readOnly: true } }, { configMap: { name: 'settings' } },
  { secret: { secretName: 'hub', defaultMode: 256 } }, { emptyDir: {} }, { emptyDir: { medium: 'Memory', sizeLimit: '64Mi' } }, { emptyDir: { sizeLimit: '1Gi' } },
  { nfs: { server: 'files', path: '/x' } }, { csi: { driver: 'gcsfuse.csi.storage.gke.io', volumeAttributes: { bucketName: 'b' } } },
  { hostPath: { path: '/dev' } }, { configMap: { name: 'settings', items: [{ key: 'a', path: 'b' }] } },
);

const volumes = fc.uniqueArray(fc.tuple(fc.constantFrom('data', 'logs', 'settings', 'app'), volume), { selector: ([name]) => name, maxLength: 3 })
  .map((list) => list.map(([name, source]) => ({ name, ...source })));

const template: fc.Arbitrary<NonNullable<TrainingJobSpec['template']>> = fc.record({
  metadata: maybe(fc.constantFrom<NonNullable<NonNullable<TrainingJobSpec['template']>['metadata']>>({ labels: { team: 'vision' } }, { annotations: { 'a/b': 'it\'s' }, labels: {} }, {})),
  volumes,
  mounts: fc.uniqueArray(fc.record({
    name: fc.constantFrom('data', 'logs', 'settings', 'app'), mountPath: fc.constantFrom('/a', '/b', '/c'), readOnly: maybe(fc.boolean()),
    subPath: maybe(fc.constant('x/y')), mountPropagation: maybe(fc.constantFrom('None', 'HostToContainer')),
  }), { selector: ({ mountPath }) => mountPath, maxLength: 3 }),
  envFrom: maybe(fc.constantFrom([{ secretRef: { name: 'hub' } }], [{ configMapRef: { name: 'settings' }, prefix: 'S_' }], [{ secretRef: { name: 'hub', optional: true } }])),
  training: fc.constantFrom({}, { imagePullPolicy: 'Always' }, { securityContext: { runAsUser: 1000 }, lifecycle: {} }),
  sidecars: fc.constantFrom([], [{ name: 'logs', image: 'fluentbit', args: ['-c', 'a\nb'] }]),
  pod: fc.constantFrom({}, { serviceAccountName: 'trainer' }, { imagePullSecrets: [{ name: 'registry' }], hostNetwork: true }, { affinity: { nodeAffinity: {} }, dnsPolicy: 'None' }),
}).map(({ metadata, volumes: list, mounts, envFrom, training, sidecars, pod }) => {
  const mounted = mounts.filter(({ name }) => list.some((entry) => entry.name === name)).map((mount) => JSON.parse(JSON.stringify(mount)));
  const container = { name: 'training', ...training, ...(envFrom && { envFrom }), ...(mounted.length > 0 && { volumeMounts: mounted }) };
  const containers = [...(Object.keys(container).length > 1 ? [container] : []), ...sidecars];
  const spec = { ...pod, ...(containers.length > 0 && { containers }), ...(list.length > 0 && { volumes: list }) };
  return { ...(metadata && { metadata }), ...(Object.keys(spec).length > 0 && { spec }) };
});

const runPolicy = partial<NonNullable<TrainingJobSpec['runPolicy']>>({
  restartPolicy: fc.constantFrom('Never', 'OnFailure', 'ExitCode'), backoffLimit: fc.nat(9),
  backoff: partial({ initialSeconds: fc.constantFrom(0, 10, 60), maxSeconds: fc.constantFrom(3600, 86_400), resetAfterSeconds: seconds }),
  exitCodes: partial({ recover: fc.constant([75]), retry: fc.constant([1, 2]), fail: fc.constant([3]) }),
  restartInPlace: fc.constant(false), startTimeoutSeconds: positive,
  nodeLoss: partial({ graceSeconds: seconds, leaseGraceSeconds: seconds, stuckPods: fc.constantFrom('ForceDelete', 'Wait'), forceDeleteAfterSeconds: seconds }),
  nodeAvoidance: partial({ afterFailures: fc.nat(3), forSeconds: positive }), disruptionLimit: fc.nat(3),
  preRunningDeadlineSeconds: positive, activeDeadlineSeconds: positive,
  ttlSecondsAfterFinished: seconds, cleanPodPolicy: fc.constantFrom('None', 'Running', 'All'),
  successPolicy: fc.constantFrom('Coordinator', 'AllWorkers', 'AllReplicas', 'AnyWorker'),
  stall: fc.record({ timeoutSeconds: positive, action: maybe(fc.constantFrom('Restart' as const, 'Fail' as const)) }),
});

const scheduling = partial<NonNullable<TrainingJobSpec['scheduling']>>({
  queueName: word, queuePriorityClassName: word, queueMode: fc.constantFrom('Workload', 'PodGroup'), priorityClassName: word, schedulerName: word,
  gang: fc.record({
    scheduler: fc.constantFrom(...GANG_SCHEDULERS), queue: maybe(word), minAvailable: maybe(fc.constant(1)), scheduleTimeoutSeconds: maybe(positive),
  }),
  topology: fc.record({ key: fc.constant('cloud.google.com/gce-topology-block'), mode: maybe(fc.constantFrom('Required' as const, 'Preferred' as const)) }),
  spread: fc.record({ key: fc.constant('zone'), maxSkew: maybe(fc.constant(2)), mode: maybe(fc.constantFrom('Required' as const, 'Preferred' as const)) }),
  nodeSelector: fc.constantFrom<{ readonly [label: string]: string }>({ 'example.com/disk': 'fast' }, {}),
  tolerations: fc.constantFrom<NonNullable<NonNullable<TrainingJobSpec['scheduling']>['tolerations']>>(
    [{ key: 'spot', operator: 'Exists' }], [{ key: 'a', operator: 'Equal', value: 'b', effect: 'NoExecute', tolerationSeconds: 60 }], [{ operator: 'Exists' }], [],
    [{ key: 'a', value: 'b' }]),
});

const autoTuning = fc.constantFrom<NonNullable<TrainingJobSpec['autoTuning']>>(
  { objective: 'loss', goal: 'minimize', parameters: { LR: { type: 'float', min: 0.001, max: 0.1, scale: 'log' }, OPT: { type: 'categorical', values: ['adam', 'sgd'] } } },
  { enabled: true, objective: 'loss', algorithm: 'random', maxTrials: 3, parameters: { BATCH: { type: 'int', values: [16, 32] } }, earlyStopping: { enabled: false, minTrials: 2 } },
  { objective: 'loss', algorithm: 'hyperband', budget: { max: 9, parameter: 'EPOCHS' }, parameters: { LR: { type: 'float', min: 0, max: 1, step: 0.5 } } },
  { objective: 'loss', parameters: { SIZE: { type: 'categorical', values: [1, 2] } } },
);

const helpers = fc.uniqueArray(fc.record({
  name: fc.constantFrom('guide', 'judge'), image: fc.constant('help:1'), replicas: maybe(fc.integer({ min: 1, max: 3 })), command: maybe(fc.array(anyText, { maxLength: 2 })),
  args: maybe(fc.array(anyText, { maxLength: 2 })), env: maybe(env), resources: maybe(fc.constant({ cpu: '1', memory: '1Gi' })), port: maybe(fc.constant(6379)),
  template: maybe(fc.constant({ spec: { priorityClassName: 'low' } })), onFailure: maybe(fc.constantFrom('Restart' as const, 'Fail' as const, 'Ignore' as const)),
}), { selector: ({ name }) => name, minLength: 1, maxLength: 2 });

const digest = `sha256:${'0123456789abcdef'.repeat(4)}`;

const code = fc.constantFrom<NonNullable<TrainingJobSpec['code']>>(
  { digest, configMap: 'settings' }, { digest, configMaps: ['code-0', 'code-1'] }, { digest, configMap: 'trainyard-code-0123456789ab', mountPath: '/src', fetchImage: 'busybox:1.37' },
  { digest, url: 's3://b/c.tar.gz?region=eu-west-1', secretName: 'hub', mountPath: '/workspace/code' }, { digest, url: `oci://registry.example/code@${digest}` },
);

const more = partial<TrainingJobSpec>({
  ...{} as { [K in keyof TrainingJobSpec]-?: fc.Arbitrary<NonNullable<TrainingJobSpec[K]>> },
  command: fc.array(anyText, { maxLength: 3 }), args: fc.array(anyText, { maxLength: 3 }), workingDir: fc.constant('/app'), env: env as never, resources, code,
  nprocPerNode: fc.constantFrom<number | string>('auto', 'gpu', 'cpu', 2, '4'), template, runPolicy, scheduling,
  hyperparameters: fc.dictionary(fc.constantFrom('LR', 'B', 'toString'), anyText), checkpointPath: fc.constantFrom('/checkpoints', '/c', 's3://b/run'),
  checkpoint: partial<NonNullable<TrainingJobSpec['checkpoint']>>({
    resumeFrom: fc.constant('s3://b/1'), gracePeriodSeconds: seconds, claimName: fc.constant('runs'), subPath: fc.constant('a'), keepLast: fc.constant(3),
  }),
  preflight: fc.constantFrom({}, { enabled: true }, { image: 'python:3', timeoutSeconds: 90 }), debug: fc.constantFrom({}, { enabled: false }),
  hooks: fc.constantFrom<NonNullable<TrainingJobSpec['hooks']>>(
    {}, { before: { command: ['prepare'] } },
    { after: { image: 'a', command: ['b'], args: ['c'], env: [{ name: 'D', value: 'e' }], resources: { cpu: '1' }, timeoutSeconds: 60 }, onExit: { command: ['f'], backoffLimit: 2 } },
  ),
  idle: fc.constantFrom({ belowPercent: 5, forSeconds: 600 }, { belowPercent: 0, forSeconds: 1, action: 'Suspend' as const }),
  security: fc.constantFrom({ runAsUser: 1000, fsGroup: 1 }, { networkPolicy: {} }, { networkPolicy: { enabled: false, egress: 'Limited' as const, toCidrs: ['10.0.0.0/8'] } }, {}),
  elastic: fc.constantFrom({ minReplicas: 1, maxReplicas: 70 }, { minReplicas: 1, maxReplicas: 60, maxRestarts: 3 }), autoTuning,
  array: partial<NonNullable<TrainingJobSpec['array']>>({ count: fc.constant(9), parallelism: fc.constant(3), maxFailedIndexes: fc.nat(9), keepJobs: fc.nat(9) }), helpers,
  init: fc.boolean(), suspend: fc.boolean(), managedBy: fc.constant('kueue.x-k8s.io/multikueue'),
});

/** A valid spec that says much. */
export const richSpec: fc.Arbitrary<TrainingJobSpec> = fc.tuple(validSpec, more).chain(([base, fields]) => {
  // Not everything goes with everything: what the rules refuse is left out, and something is always left.
  const given = Object.entries(fields);
  return fc.shuffledSubarray(given, { minLength: Math.min(3, given.length), maxLength: given.length }).map((chosen) => {
    let spec: TrainingJobSpec = JSON.parse(JSON.stringify(base));
    for (const [name, value] of chosen) {
      const next = { ...spec, [name]: value } as TrainingJobSpec;
      spec = validateTrainingJob('job', next).length === 0 ? next : spec;
    }
    return spec;
  });
});
