import { Chart, Cron, Duration, Size, Testing } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import { complaints, LEAST, objects, written } from './support';
import { RayBatchScheduler } from '../../../src';
import {
  RayCluster, RayCronJob, RayDeletionPolicy, RayFaultTolerance, RayJob, RayJobEnd, RayJobSubmissionMode, type RayCronJobProps, type RayJobOptions,
  type RayJobProps,
} from '../../../src/constructs/ray';

const PROGRAM: RayJobOptions = { entrypoint: 'python train.py', cluster: LEAST };

const jobOf = (props: Partial<RayJobProps>) => written('RayJob', (chart) => {
  new RayJob(chart, 'Job', { ...PROGRAM, ...props });
});
const cronJobOf = (job: Partial<RayJobOptions>, props: Partial<RayCronJobProps> = {}) => written('RayCronJob', (chart) => {
  new RayCronJob(chart, 'Cron', { schedule: Cron.daily(), job: { ...PROGRAM, ...job }, ...props });
});

describe('a RayJob by default', () => {
  test('has a cluster of its own, submits by a Job, and shuts the cluster down', () => {
    const chart = Testing.chart();
    const job = new RayJob(chart, 'Job', { ...PROGRAM, metadata: { name: 'train' } });
    const [object] = Testing.synth(chart);
    expect(object).toMatchObject({ apiVersion: 'ray.io/v1', kind: 'RayJob', metadata: { name: 'train' } });
    const { rayClusterSpec, ...rest } = object.spec;
    expect(rest).toEqual({
      entrypoint: 'python train.py', submissionMode: 'K8sJobMode', shutdownAfterJobFinishes: true,
      submitterPodTemplate: {
        metadata: { labels: { 'sidecar.istio.io/inject': 'false' } },
        spec: {
          restartPolicy: 'Never', automountServiceAccountToken: false, securityContext: { seccompProfile: { type: 'RuntimeDefault' } },
          containers: [{
            name: 'ray-job-submitter', image: 'rayproject/ray:2.54.0', securityContext: { allowPrivilegeEscalation: false },
            resources: { requests: { cpu: '100m', memory: '256Mi' }, limits: { memory: '1Gi' } },
          }],
        },
      },
    });
    expect(rayClusterSpec).toMatchObject({ rayVersion: '2.54.0', headGroupSpec: { template: { spec: { containers: [{ name: 'ray-head' }] } } } });
    expect([job.name, job.kind, job.resourceType]).toEqual(['train', 'RayJob', 'rayjobs']);
    expect(job.workerGroups).toEqual([]);
  });

  test('has a generated name that KubeRay takes', () => {
    const chart = new Chart(Testing.app(), 'x'.repeat(40));
    expect(new RayJob(chart, 'Job'.repeat(10), PROGRAM).name.length).toBeLessThanOrEqual(47);
    expect(new RayCronJob(chart, 'Cron'.repeat(10), { schedule: Cron.daily(), job: PROGRAM }).name.length).toBeLessThanOrEqual(36);
    expect(() => Testing.synth(chart)).not.toThrow();
  });
});

describe('a RayJob', () => {
  test('with every option', () => {
    const { spec } = jobOf({
      runtimeEnv: {
        workingDir: 'gs://code/app.zip', pyModules: ['s3://code/lib.whl'], pip: ['torch==2.8.0'], envVars: { DEBUG: '1' }, more: { config: { setup_timeout_seconds: 600 } },
      },
      entrypointResources: { cpus: 2, gpus: 0.5, custom: { large: 1 } },
      retries: 2,
      activeDeadline: Duration.hours(2),
      preRunningDeadline: Duration.minutes(10),
      ttlAfterFinished: Duration.minutes(5),
      submitter: { image: 'ray:1', resources: { cpu: kplus.Cpu.millis(200), memory: Size.mebibytes(512) }, retries: 4, podSpec: { serviceAccountName: 'submitter', containers: [{ name: 'ray-job-submitter', tty: true }] } },
      jobMetadata: { team: 'a' },
      suspend: true,
    });
    const { rayClusterSpec: _cluster, ...rest } = spec;
    expect(rest).toEqual({
      entrypoint: 'python train.py',
      submissionMode: 'K8sJobMode',
      runtimeEnvYAML: `working_dir: gs://code/app.zip
py_modules:
  - s3://code/lib.whl
pip:
  - "torch==2.8.0"
env_vars:
  DEBUG: "1"
config:
  setup_timeout_seconds: 600
`,
      entrypointNumCpus: 2,
      entrypointNumGpus: 0.5,
      entrypointResources: '{"large":1}',
      backoffLimit: 2,
      activeDeadlineSeconds: 7200,
      preRunningDeadlineSeconds: 600,
      shutdownAfterJobFinishes: true,
      ttlSecondsAfterFinished: 300,
      metadata: { team: 'a' },
      suspend: true,
      submitterConfig: { backoffLimit: 4 },
      submitterPodTemplate: {
        metadata: { labels: { 'sidecar.istio.io/inject': 'false' } },
        spec: {
          restartPolicy: 'Never', serviceAccountName: 'submitter', securityContext: { seccompProfile: { type: 'RuntimeDefault' } },
          containers: [{ name: 'ray-job-submitter', image: 'ray:1', tty: true, securityContext: { allowPrivilegeEscalation: false }, resources: { requests: { cpu: '200m', memory: '512Mi' }, limits: { cpu: '200m', memory: '512Mi' } } }],
        },
      },
    });
  });

  test('says how often it is submitted', () => {
    const { spec } = jobOf({ submitter: { retries: 1 } });
    expect(spec.submitterConfig).toEqual({ backoffLimit: 1 });
    expect(spec.submitterPodTemplate).toEqual(jobOf({}).spec.submitterPodTemplate);
  });

  test('submits with the image of the head', () => {
    const { spec } = jobOf({ submitter: { podSpec: { nodeSelector: { pool: 'system' } } }, cluster: { ...LEAST, head: { image: 'rayproject/ray:2.54.0-cpu' } } });
    expect(spec.submitterPodTemplate.spec).toMatchObject({
      nodeSelector: { pool: 'system' }, containers: [{ image: 'rayproject/ray:2.54.0-cpu', resources: { requests: { cpu: '100m', memory: '256Mi' }, limits: { memory: '1Gi' } } }],
    });
  });

  test.each([
    ['uv', { uv: ['torch==2.8.0'] }, 'uv:\n  - "torch==2.8.0"\n'], ['an environment of conda', { conda: 'training' }, 'conda: training\n'],
  ])('can have packages by %s', (_tool, runtimeEnv, yaml) => {
    expect(jobOf({ runtimeEnv }).spec.runtimeEnvYAML).toBe(yaml);
  });

  test.each([RayJobSubmissionMode.K8S_JOB, RayJobSubmissionMode.SIDECAR, RayJobSubmissionMode.HTTP])('can submit by %s', (submissionMode) => {
    expect(jobOf({ submissionMode }).spec.submissionMode).toBe(submissionMode);
  });

  test('can wait for you to submit', () => {
    expect(jobOf({ submissionMode: RayJobSubmissionMode.INTERACTIVE, entrypoint: undefined }).spec).not.toHaveProperty('entrypoint');
  });

  test('can keep its cluster', () => {
    expect(jobOf({ shutdownAfterJobFinishes: false }).spec.shutdownAfterJobFinishes).toBe(false);
  });

  test('can say what goes at which end, instead of a shutdown', () => {
    const { spec } = jobOf({
      deletionRules: [
        { policy: RayDeletionPolicy.CLUSTER, end: RayJobEnd.SUCCEEDED },
        { policy: RayDeletionPolicy.WORKERS, end: RayJobEnd.FAILED, after: Duration.minutes(1) },
        { policy: RayDeletionPolicy.JOB, end: RayJobEnd.GIVEN_UP, after: Duration.days(1) },
      ],
    });
    expect(spec).not.toHaveProperty('shutdownAfterJobFinishes');
    expect(spec.deletionStrategy.deletionRules).toEqual([
      { policy: 'DeleteCluster', condition: { jobStatus: 'SUCCEEDED', ttlSeconds: 0 } },
      { policy: 'DeleteWorkers', condition: { jobStatus: 'FAILED', ttlSeconds: 60 } },
      { policy: 'DeleteSelf', condition: { jobDeploymentStatus: 'Failed', ttlSeconds: 86400 } },
    ]);
    expect(jobOf({ deletionRules: [{ policy: RayDeletionPolicy.NONE, end: RayJobEnd.FAILED }] }).spec.deletionStrategy.deletionRules).toEqual([
      { policy: 'DeleteNone', condition: { jobStatus: 'FAILED', ttlSeconds: 0 } },
    ]);
  });

  test('can run on a cluster that is made beside it, after which it is applied', () => {
    const made = objects((chart) => {
      const job = (onCluster: RayCluster) => new RayJob(chart, 'Job', { entrypoint: 'python train.py', onCluster, metadata: { name: 'train' } });
      job(new RayCluster(chart, 'Zoo', { ...LEAST, metadata: { name: 'zoo' } }));
    });
    expect(made.map(({ kind }) => kind)).toEqual(['RayCluster', 'RayJob']);
    expect(made[1].spec).toEqual({ entrypoint: 'python train.py', submissionMode: 'K8sJobMode', clusterSelector: { 'ray.io/cluster': 'zoo' } });
  });

  test('can run on a cluster that is there already, and gets no workers of its own then', () => {
    const chart = Testing.chart();
    const job = new RayJob(chart, 'Job', { entrypoint: 'python train.py', onCluster: RayCluster.fromRayClusterName(chart, 'Shared', 'shared') });
    expect(Testing.synth(chart)[0].spec.clusterSelector).toEqual({ 'ray.io/cluster': 'shared' });
    expect(job.workerGroups).toEqual([]);
    expect(() => job.addWorkerGroup({ name: 'gpu' })).toThrow('RayJob at \'test/Job\': group \'gpu\' needs a cluster of the job\'s own, but the job runs on \'shared\'.');
  });

  test('finds no cluster of another namespace', () => {
    expect(complaints((chart) => {
      const onCluster = new RayCluster(chart, 'Ray', { ...LEAST, metadata: { name: 'ray', namespace: 'other' } });
      new RayJob(chart, 'Job', { entrypoint: 'python train.py', onCluster, metadata: { name: 'train' } });
    }, 'ml')).toEqual(['RayJob \'train\': metadata.namespace: "ml": RayCluster \'ray\' is in the namespace \'other\', but a job can only use clusters in its own namespace. Use the same namespace for both.']);
  });

  test('can wait in a queue, as a gang, with a Redis', () => {
    const made = objects((chart) => {
      new RayJob(chart, 'Job', {
        ...PROGRAM, metadata: { name: 'train' }, queueName: 'q', gang: { scheduler: RayBatchScheduler.KAI },
        cluster: { ...LEAST, faultTolerance: RayFaultTolerance.ownRedis({ password: { secret: kplus.Secret.fromSecretName(chart, 'S', 's'), key: 'p' } }) },
      });
    });
    expect(made.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual(['Service train-redis', 'StatefulSet train-redis', 'RayJob train']);
    expect(made[2].metadata.labels).toEqual({ 'kueue.x-k8s.io/queue-name': 'q' });
  });

  test('gets workers after it was made', () => {
    const chart = Testing.chart();
    const job = new RayJob(chart, 'Job', PROGRAM);
    job.addWorkerGroup({ name: 'gpu', replicas: 2 });
    expect(Testing.synth(chart)[0].spec.rayClusterSpec.workerGroupSpecs).toMatchObject([{ groupName: 'gpu', replicas: 2 }]);
  });

  test('is told what is wrong with it and its cluster, with paths of its own object', () => {
    expect(complaints((chart) => {
      new RayJob(chart, 'Job', { metadata: { name: 'train' }, cluster: { ...LEAST, workerGroups: [{ name: 'A' }] } });
    })).toEqual([
      'RayJob \'train\': spec.entrypoint: is required: the command that runs on the cluster, such as "python train.py".',
      'RayJob \'train\': spec.rayClusterSpec.workerGroupSpecs[0].groupName: "A": is part of the names of pods: lower-case letters, digits and \'-\', at most 63, '
      + 'starting and ending with a letter or digit. Choose such a name.',
    ]);
  });

  test('with a token in its environment is refused', () => {
    expect(complaints((chart) => {
      new RayJob(chart, 'Job', { ...PROGRAM, metadata: { name: 'train' }, cluster: { ...LEAST, env: { HF_TOKEN: kplus.EnvValue.fromValue(`hf_${'a'.repeat(34)}`) } } });
    })).toEqual([expect.stringContaining('RayJob \'train\': spec.rayClusterSpec.headGroupSpec.template.spec.containers[0].env')]);
  });

  test('looks as it did', () => {
    expect(jobOf({ metadata: { name: 'train' }, cluster: { ...LEAST, workerGroups: [{ name: 'cpu', replicas: 2 }] }, retries: 1, activeDeadline: Duration.hours(1) })).toMatchSnapshot();
  });
});

describe('a RayCronJob', () => {
  test('makes jobs by a schedule', () => {
    const chart = Testing.chart();
    const cron = new RayCronJob(chart, 'Cron', { schedule: Cron.schedule({ minute: '0', hour: '3' }), timeZone: 'Europe/Berlin', suspend: true, job: PROGRAM, metadata: { name: 'nightly' } });
    const [object] = Testing.synth(chart);
    expect(object).toMatchObject({
      apiVersion: 'ray.io/v1', kind: 'RayCronJob', metadata: { name: 'nightly' },
      spec: { schedule: '0 3 * * *', timeZone: 'Europe/Berlin', suspend: true, jobTemplate: { entrypoint: 'python train.py', submissionMode: 'K8sJobMode', shutdownAfterJobFinishes: true } },
    });
    expect(object.spec.jobTemplate.rayClusterSpec.rayVersion).toBe('2.54.0');
    expect([cron.kind, cron.resourceType]).toEqual(['RayCronJob', 'raycronjobs']);
  });

  test('can send them to a cluster that is there', () => {
    const { spec } = written('RayCronJob', (chart) => {
      new RayCronJob(chart, 'Cron', { schedule: Cron.daily(), job: { entrypoint: 'python train.py', onCluster: RayCluster.fromRayClusterName(chart, 'Ray', 'shared') } });
    });
    expect(spec.jobTemplate).toEqual({ entrypoint: 'python train.py', submissionMode: 'K8sJobMode', clusterSelector: { 'ray.io/cluster': 'shared' } });
  });

  test('looks as it did', () => {
    expect(cronJobOf({ retries: 1 }, { metadata: { name: 'nightly' } })).toMatchSnapshot();
  });

  test('is told what is wrong with it and its job', () => {
    expect(complaints((chart) => {
      new RayCronJob(chart, 'Cron', { metadata: { name: 'nightly' }, schedule: Cron.schedule({ hour: '25' }), job: { ...PROGRAM, jobId: 'a' } });
    })).toEqual([
      expect.stringContaining('RayCronJob \'nightly\': spec.schedule: "* 25 * * *": has \'25\' as its hour'),
      'RayCronJob \'nightly\': spec.jobTemplate.jobId: "a": is one id for all runs, and Ray accepts each id only once. Remove it.',
    ]);
  });
});
