import { Chart, Duration, Size, Testing } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import { SparkConnect, SparkEventLog, SparkHistoryServer, type SparkConnectProps, type SparkHistoryServerProps } from '../../../src/constructs/spark';

function newChart() {
  return new Chart(Testing.app(), 'spark', { namespace: 'ml' });
}

// Manifests are looked into freely here.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
function synthesized(chart: Chart): any[] {
  return Testing.synth(chart);
}

describe('a SparkConnect', () => {
  function connectOf(props: Partial<SparkConnectProps> = {}) {
    const chart = newChart();
    const connect = new SparkConnect(chart, 'Shared', { image: 'spark:4', metadata: { name: 'shared' }, ...props });
    connect.addEnv('A', kplus.EnvValue.fromValue('1'));
    return { connect, spec: synthesized(chart).find(({ kind }) => kind === 'SparkConnect').spec };
  }

  test('asks for the cores and the memory of its server, which the operator does not', () => {
    const { connect, spec } = connectOf({ server: { cores: 2, memory: Size.gibibytes(4), coreLimit: kplus.Cpu.units(4) } });
    expect(connect.url).toBe('sc://shared-server:15002');
    expect(connect.resourceType).toBe('sparkconnects');
    expect(spec.server).toMatchObject({
      cores: 2, memory: '4096m',
      template: { spec: {
        serviceAccountName: connect.serviceAccount.name,
        containers: [{ name: 'spark-kubernetes-driver', env: [{ name: 'A', value: '1' }], resources: { requests: { cpu: '2', memory: '5735Mi' }, limits: { cpu: '4', memory: '5735Mi' } } }],
      } },
    });
    expect(spec.executor).toMatchObject({ instances: 1, cores: 1, template: { spec: { containers: [{ env: [{ name: 'A', value: '1' }] }] } } });
  });

  test('says by settings what its kind has no fields for', () => {
    const chart = newChart();
    const { spec } = connectOf({
      server: { image: 'server:1' },
      executor: {
        image: 'executor:1', coreRequest: kplus.Cpu.millis(500), coreLimit: kplus.Cpu.units(2), memoryOverhead: Size.gibibytes(1), javaOptions: '-XX:+UseG1GC',
        serviceAccount: kplus.ServiceAccount.fromServiceAccountName(chart, 'Account', 'executors'),
      },
      imagePullSecrets: [kplus.Secret.fromSecretName(chart, 'Secret', 'registry')],
      dynamicAllocation: { maxExecutors: 4 },
      eventLog: SparkEventLog.at('gs://logs/spark'),
      serviceType: kplus.ServiceType.LOAD_BALANCER,
      serviceAnnotations: { a: 'b' },
    });
    expect(spec.sparkConf).toEqual({
      'spark.kubernetes.executor.request.cores': '500m', 'spark.kubernetes.executor.limit.cores': '2', 'spark.executor.memoryOverhead': '1024m',
      'spark.executor.extraJavaOptions': '-XX:+UseG1GC', 'spark.kubernetes.authenticate.executor.serviceAccountName': 'executors',
      'spark.kubernetes.container.image.pullSecrets': 'registry', 'spark.eventLog.enabled': 'true', 'spark.eventLog.dir': 'gs://logs/spark',
    });
    expect(spec.server.template.spec.containers[0].image).toBe('server:1');
    expect(spec.executor.template.spec.containers[0].image).toBe('executor:1');
    expect(spec.executor.instances).toBeUndefined();
    expect(spec.dynamicAllocation).toEqual({ enabled: true, maxExecutors: 4 });
    expect(spec.server.service).toMatchObject({ metadata: { annotations: { a: 'b' } }, spec: { type: 'LoadBalancer', ports: expect.arrayContaining([{ name: 'spark-connect-server', port: 15002 }]) } });
  });
});

describe('a SparkHistoryServer', () => {
  function historyOf(props: Partial<SparkHistoryServerProps> = {}) {
    const chart = newChart();
    const history = new SparkHistoryServer(chart, 'History', { image: 'spark:4', eventLog: SparkEventLog.at('gs://logs/spark'), ...props });
    history.addEnv('A', kplus.EnvValue.fromValue('1'));
    const [deployment, service] = synthesized(chart);
    return { history, deployment, service, pod: deployment.spec.template.spec };
  }

  test('is a Deployment that reads the folder, and a Service', () => {
    const { history, deployment, service, pod } = historyOf();
    expect([deployment.kind, service.kind]).toEqual(['Deployment', 'Service']);
    expect(history.serviceName).toBe(service.metadata.name);
    expect(service.spec.selector).toEqual(deployment.spec.selector.matchLabels);
    expect(deployment.spec.template.metadata.labels).toEqual(deployment.spec.selector.matchLabels);
    expect(pod.containers[0]).toMatchObject({
      command: ['/opt/spark/bin/spark-class', 'org.apache.spark.deploy.history.HistoryServer'],
      env: [
        { name: 'SPARK_HISTORY_OPTS', value: '-Dspark.history.fs.logDirectory=gs://logs/spark -Dspark.history.ui.port=18080' },
        { name: 'SPARK_DAEMON_MEMORY', value: '1792m' },
        { name: 'A', value: '1' },
      ],
      resources: { requests: { cpu: '500m', memory: '2Gi' }, limits: { memory: '2Gi' } },
    });
  });

  test.each<[string, string | undefined, readonly string[]]>([
    ['for what programs put aside', undefined, ['/tmp']],
    ['for its store, where that is on disk', '/var/history', ['/tmp', '/var/history']],
    ['for its store, by a URI too', 'file:///var/history', ['/tmp', '/var/history']],
    ['once, where the store is among what is put aside', '/tmp/history', ['/tmp']],
  ])('cannot change its own files, and has a folder to write to %s', (_what, store, folders) => {
    const { pod } = historyOf(store === undefined ? {} : { sparkConf: { 'spark.history.store.path': store } });
    expect(pod.containers[0].securityContext.readOnlyRootFilesystem).toBe(true);
    expect(pod.containers[0].volumeMounts.map(({ mountPath }: { readonly mountPath: string }) => mountPath)).toEqual(folders);
    expect(pod.volumes).toEqual(pod.containers[0].volumeMounts.map(({ name }: { readonly name: string }) => ({ name, emptyDir: {} })));
  });

  test('is as its options say', () => {
    const chart = newChart();
    const volume = kplus.Volume.fromPersistentVolumeClaim(chart, 'Claim', kplus.PersistentVolumeClaim.fromClaimName(chart, 'Data', 'data'));
    const { deployment, service, pod } = historyOf({
      metadata: { name: 'history' }, eventLog: SparkEventLog.onVolume(volume), memory: Size.gibibytes(4), cpu: kplus.Cpu.units(1), keep: Duration.days(30),
      sparkConf: { 'spark.history.retainedApplications': '10' }, hadoopConf: { 'fs.s3a.endpoint': 'a b' }, env: { B: kplus.EnvValue.fromValue('2') },
      serviceAccount: kplus.ServiceAccount.fromServiceAccountName(chart, 'Account', 'reader'), imagePullSecrets: [kplus.Secret.fromSecretName(chart, 'Secret', 'registry')],
      serviceType: kplus.ServiceType.NODE_PORT, nodeSelector: { pool: 'cpu' }, tolerations: [{ key: 'spot' }],
    });
    expect(deployment.metadata.name).toBe('history');
    expect(service).toMatchObject({ metadata: { name: 'history' }, spec: { type: 'NodePort' } });
    expect(pod).toMatchObject({
      serviceAccountName: 'reader', imagePullSecrets: [{ name: 'registry' }], nodeSelector: { pool: 'cpu' }, tolerations: [{ key: 'spot', operator: 'Exists' }],
      volumes: [{ name: 'spark-event-log', persistentVolumeClaim: { claimName: 'data' } }, { name: 'tmp', emptyDir: {} }],
    });
    expect(pod.containers[0].volumeMounts).toEqual([{ name: 'spark-event-log', mountPath: '/var/log/spark-events' }, { name: 'tmp', mountPath: '/tmp' }]);
    expect(pod.containers[0].env[0].value).toBe([
      '-Dspark.history.fs.logDirectory=file:///var/log/spark-events -Dspark.history.ui.port=18080 -Dspark.history.fs.cleaner.enabled=true',
      '-Dspark.history.fs.cleaner.maxAge=2592000s -Dspark.history.retainedApplications=10 "-Dspark.hadoop.fs.s3a.endpoint=a b"',
    ].join(' '));
  });
});
