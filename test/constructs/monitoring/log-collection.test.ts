import { Duration, Size } from 'cdk8s';
import { LogCollection, LokiBucketKind, type FluentBitOptions } from '../../../src/constructs/monitoring';

describe('values of Fluent Bit', () => {
  const config = (options: Partial<FluentBitOptions> = {}): { readonly inputs: string; readonly filters: string; readonly outputs: string } => (
    LogCollection.fluentBitValues({ lokiUrl: 'http://loki-gateway.logging', ...options }).config);

  /** Sections of a configuration, as lists of keys with their values. */
  const sections = (text: string) => text.split(/^\[\w+\]\n/m).filter((part) => part !== '')
    .map((part) => part.trim().split('\n').map((line) => /^\s*(\S+) (.*)$/.exec(line)!.slice(1)));

  test('read the pods of every system of ours, and no others', () => {
    const [, grep] = sections(config().filters);
    expect(grep).toEqual([
      ['Name', 'grep'], ['Match', 'kube.*'], ['Logical_Op', 'or'],
      ['Regex', '$kubernetes[\'labels\'][\'ml.collabnix.io/replica-index\'] .+'], ['Regex', '$kubernetes[\'labels\'][\'ml.collabnix.io/hook\'] .+'],
      ['Regex', '$kubernetes[\'labels\'][\'ray.io/cluster\'] .+'],
      ['Regex', '$kubernetes[\'labels\'][\'spark-role\'] .+'], ['Regex', '$kubernetes[\'labels\'][\'serving.kserve.io/inferenceservice\'] .+'],
    ]);
  });

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
