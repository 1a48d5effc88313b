import { Chart, Duration, Size, Testing } from 'cdk8s';
import { loadAll } from 'js-yaml';
import { LogCollection, LokiBucketKind, type FluentBitOptions } from '../../../src/constructs/monitoring';
import { Engine, Framework, TrainingJob } from '../../../src/constructs/training-job';
import { workloadKindOf } from '../../../src/model/kinds/registry';
import { MANAGED_BY_LABEL, MANAGED_BY_OPERATOR } from '../../../src/model/labels';
import type { ManifestObject } from '../../../src/model/objects/manifest-object';
import { podLabels } from '../../../src/model/references/relations';
import { everyFileOfExample } from '../../support/examples';

describe('values of Fluent Bit', () => {
  const config = (options: Partial<FluentBitOptions> = {}): { readonly inputs: string; readonly filters: string; readonly outputs: string } => (
    LogCollection.fluentBitValues({ lokiUrl: 'http://loki-gateway.logging', ...options }).config);

  /** Sections of a configuration, as lists of keys with their values. */
  const sections = (text: string) => text.split(/^\[\w+\]\n/m).filter((part) => part !== '')
    .map((part) => part.trim().split('\n').map((line) => /^\s*(\S+) (.*)$/.exec(line)!.slice(1)));

  /** Whether a pod's lines are kept, as Fluent Bit's filter decides. */
  const isRead = (labels: { readonly [label: string]: string }) => {
    const [, grep] = sections(config().filters);
    const rules = grep.filter(([key]) => key === 'Regex').map(([, rule]) => /^\$kubernetes\['labels'\]\['([^']+)'\] (.+)$/.exec(rule)!);
    return rules.some(([, label, pattern]) => new RegExp(pattern).test(labels[label] ?? ''));
  };

  test('are valid sections: a record is kept if one rule matches', () => {
    const [kubernetes, grep] = sections(config().filters).map((entries) => Object.fromEntries(entries));
    expect(kubernetes).toMatchObject({ Name: 'kubernetes', Match: 'kube.*', Labels: 'On' });
    expect(grep).toMatchObject({ Name: 'grep', Match: 'kube.*', Logical_Op: 'or' });
  });

  test.each<[string, Engine, Framework, { readonly [label: string]: string }?]>([
    ['JobSet', Engine.jobSet(), Framework.pytorch()],
    ['Kubeflow Trainer', Engine.trainer(), Framework.pytorch()],
    ['training-operator v1', Engine.trainingOperatorV1(), Framework.tensorflow()],
    ['training-operator v1, with a launcher', Engine.trainingOperatorV1(), Framework.mpi()],
    ['a Job', Engine.job(), Framework.pytorch()],
    ['Volcano', Engine.volcano(), Framework.pytorch()],
    ['KubeRay, which adds a label', Engine.ray(), Framework.pytorch(), { 'ray.io/cluster': 'net-x' }],
    ['Spark', Engine.spark(), Framework.pytorch()],
  ])('read all pods of a job on %s', (_system, engine, framework, added = {}) => {
    const chart = new Chart(Testing.app(), 'jobs', { namespace: 'ml' });
    new TrainingJob(chart, 'Net', { framework, engine, replicas: 2, image: 'trainer:1', command: ['train'], resources: { memory: Size.gibibytes(1) } });
    const pods = (Testing.synth(chart) as ManifestObject[]).flatMap(podLabels).map((labels) => ({ ...labels, ...added }));
    expect(pods.length).toBeGreaterThan(0);
    expect(pods.filter((labels) => !isRead(labels))).toEqual([]);
  });

  test('read the pods of Ray, Spark and model servers in the examples', () => {
    const objects = ['ray', 'serving', 'spark'].flatMap((name) => [...everyFileOfExample(`${name}/main.ts`)].filter(([file]) => file.endsWith('.yaml'))
      .flatMap(([, text]) => loadAll(text) as ManifestObject[]));
    const workloads = objects.filter((object) => workloadKindOf(object)?.logStream !== undefined && workloadKindOf(object)!.podLabels !== undefined);
    expect([...new Set(workloads.map(({ kind }) => kind))].sort()).toEqual(['InferenceService', 'RayCluster', 'SparkApplication', 'SparkConnect']);
    expect(workloads.flatMap((object) => podLabels(object).filter((labels) => !isRead(labels)).map(() => `${object.kind} ${object.metadata?.name}`))).toEqual([]);
  });

  test.each<[string, { readonly [label: string]: string }]>([
    ['of the operator, which labels them when it creates them', { job: 'net', role: 'worker', [MANAGED_BY_LABEL]: MANAGED_BY_OPERATOR }],
    ['of large language models', { 'app.kubernetes.io/part-of': 'llminferenceservice', 'app.kubernetes.io/name': 'llama' }],
    ['of Spark without its operator', { 'spark-role': 'driver' }],
    ['that submit a RayJob, which have its output', { 'ray.io/originated-from-cr-name': 'net', 'ray.io/originated-from-crd': 'RayJob', 'job-name': 'net' }],
  ])('read pods %s', (_whose, labels) => expect(isRead(labels)).toBe(true));

  test.each<[string, { readonly [label: string]: string }]>([
    ['that bear no label', {}],
    ['of Jobs that are no training', { 'job-name': 'backup', 'batch.kubernetes.io/job-name': 'backup' }],
    ['of programs of others', { 'app.kubernetes.io/managed-by': 'trainyard-like', 'app.kubernetes.io/part-of': 'shop', 'app.kubernetes.io/name': 'shop' }],
  ])('leave out pods %s', (_whose, labels) => expect(isRead(labels)).toBe(false));

  test('send lines to Loki with the labels that tell whose they are', () => {
    const [loki] = sections(config().outputs).map((entries) => Object.fromEntries(entries));
    expect(loki).toMatchObject({ Name: 'loki', Host: 'loki-gateway.logging', Port: '80', Tls: 'Off' });
    for (const label of ['namespace=$kubernetes[\'namespace_name\']', 'job_name=$kubernetes[\'labels\'][\'job\']', 'ray_cluster=$kubernetes[\'labels\'][\'ray.io/cluster\']']) {
      expect(loki.Labels.split(', ')).toContain(label);
    }
  });

  test('take the address apart, and the tenant', () => {
    const loki = (options: Parameters<typeof config>[0]) => Object.fromEntries(sections(config(options).outputs)[0]);
    expect(loki({ lokiUrl: 'https://logs.example', tenant: 'ml' })).toMatchObject({ Host: 'logs.example', Port: '443', Tls: 'On', Tenant_ID: 'ml' });
    expect(loki({ lokiUrl: 'http://loki:3100/' })).toMatchObject({ Host: 'loki', Port: '3100' });
  });

  test('read some namespaces only where that is wanted', () => {
    const path = (namespaces?: string[]) => Object.fromEntries(sections(config({ namespaces }).inputs)[0]).Path;
    expect(path()).toBe('/var/log/containers/*.log');
    expect(path(['ml', 'dev'])).toBe('/var/log/containers/*_ml_*.log,/var/log/containers/*_dev_*.log');
  });

  test('refuse an address with a path, one that is none, and no namespaces', () => {
    for (const lokiUrl of ['http://loki/loki/api/v1/push', 'loki:3100', '']) {
      expect(() => LogCollection.fluentBitValues({ lokiUrl }))
        .toThrow(`LogCollection.fluentBitValues: lokiUrl is '${lokiUrl}' and must be a URL with a host and no path, such as 'http://loki-gateway.logging'.`);
    }
    expect(() => config({ namespaces: [] })).toThrow('namespaces is [] and must be at least one namespace.');
  });

  test('do not show the password of an address', () => {
    const refusal = () => LogCollection.fluentBitValues({ lokiUrl: 'https://writer:fakepassword@loki.example/push' });
    expect(refusal).toThrow('must be a URL with a host and no path');
    expect(refusal).not.toThrow('fakepassword');
  });
});

describe('values of Loki', () => {
  test('are one process that keeps lines on its volume, and deletes old ones', () => {
    const values = LogCollection.lokiValues({ retention: Duration.days(30) });
    expect(values).toMatchObject({
      deploymentMode: 'SingleBinary',
      loki: {
        storage: { type: 'filesystem' }, schemaConfig: { configs: [{ from: '2026-01-01', object_store: 'filesystem', schema: 'v13' }] },
        limits_config: { retention_period: '720h' }, compactor: { retention_enabled: true, delete_request_store: 'filesystem' },
      },
      singleBinary: { replicas: 1, persistence: { size: '50Gi' } },
      read: { replicas: 0 }, write: { replicas: 0 }, backend: { replicas: 0 },
    });
  });

  test('keep lines in a bucket', () => {
    const values = LogCollection.lokiValues({
      retention: Duration.hours(25), bucket: { kind: LokiBucketKind.S3, name: 'logs', region: 'eu-west-1' }, volumeSize: Size.gibibytes(5), schemaFrom: '2025-06-01',
    });
    expect(values.loki).toMatchObject({
      storage: { type: 's3', bucketNames: { chunks: 'logs', ruler: 'logs', admin: 'logs' }, s3: { region: 'eu-west-1' } },
      schemaConfig: { configs: [{ from: '2025-06-01', object_store: 's3' }] }, compactor: { delete_request_store: 's3' },
    });
    expect(values.singleBinary.persistence.size).toBe('5Gi');
  });

  test('refuse what Loki cannot do', () => {
    const retention = Duration.days(1);
    expect(() => LogCollection.lokiValues({ retention: Duration.hours(1) })).toThrow('LogCollection.lokiValues: retention is 1 h and must be whole hours, 24 or more');
    expect(() => LogCollection.lokiValues({ retention, schemaFrom: 'today' })).toThrow('schemaFrom is \'today\' and must be a day, such as \'2026-01-01\'.');
    expect(() => LogCollection.lokiValues({ retention, bucket: { kind: LokiBucketKind.GCS, name: 'logs', region: 'eu' } }))
      .toThrow('bucket.region is \'eu\' and must be left out for \'gcs\': only S3 has regions.');
  });
});
