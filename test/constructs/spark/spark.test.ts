import { ApiObject, Chart, Duration, JsonPatch, Size, Testing } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import { Accelerator, Credentials, RemoteSecret, SecretStoreRef, TolerationEffect } from '../../../src';
import {
  ScheduledSparkApplication, SparkApplication, SparkConcurrency, SparkConnect, SparkEventLog, SparkHistoryServer, SparkIdentity, SparkMonitoring,
  SparkProgram, SparkRestartPolicy, SparkScheduler, type SparkApplicationProps,
} from '../../../src/constructs/spark';
import { errorsOf } from '../../support/synth-errors';

const LEAST: SparkApplicationProps = { image: 'spark:4', program: SparkProgram.python('local:///app/main.py') };

function newChart() {
  return new Chart(Testing.app(), 'spark', { namespace: 'ml' });
}

// Manifests are looked into freely here.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
function synthesized(chart: Chart): any[] {
  return Testing.synth(chart);
}

function specOf(props: Partial<SparkApplicationProps>, chart = newChart()) {
  new SparkApplication(chart, 'Features', { ...LEAST, ...props });
  return synthesized(chart).find(({ kind }) => kind === 'SparkApplication').spec;
}

const TEMPLATE = { metadata: { labels: { 'sidecar.istio.io/inject': 'false' } }, spec: { securityContext: { seccompProfile: { type: 'RuntimeDefault' } } } };
const template = (name: string) => ({
  ...TEMPLATE, spec: { containers: [{ name, securityContext: { allowPrivilegeEscalation: false } }], ...TEMPLATE.spec },
});

describe('a SparkApplication by default', () => {
  test('is a program, one executor, and an identity with the rights of a driver', () => {
    const chart = newChart();
    const application = new SparkApplication(chart, 'Features', { ...LEAST, metadata: { name: 'features' } });
    const objects = synthesized(chart);
    expect(objects.map(({ kind }) => kind)).toEqual(['ServiceAccount', 'Role', 'RoleBinding', 'SparkApplication']);
    expect(objects[3]).toEqual({
      apiVersion: 'sparkoperator.k8s.io/v1beta2',
      kind: 'SparkApplication',
      metadata: { name: 'features', namespace: 'ml' },
      spec: {
        type: 'Python', mode: 'cluster', sparkVersion: '4.0.1', image: 'spark:4', mainApplicationFile: 'local:///app/main.py',
        driver: { cores: 1, serviceAccount: objects[0].metadata.name, template: template('spark-kubernetes-driver') },
        executor: {
          cores: 1, instances: 1,
          template: { ...TEMPLATE, spec: { ...template('spark-kubernetes-executor').spec, automountServiceAccountToken: false } },
        },
      },
    });
    expect(application.uiServiceName).toBe('features-ui-svc');
    expect(application.resourceType).toBe('sparkapplications');
    expect(application.serviceAccount.name).toBe(objects[0].metadata.name);
  });

  test('has a name that leaves room for what the operator derives from it', () => {
    const chart = new Chart(Testing.app(), 'x'.repeat(60), { namespace: 'ml' });
    expect(new SparkApplication(chart, 'Features', LEAST).name.length).toBeLessThanOrEqual(56);
    expect(new ScheduledSparkApplication(chart, 'Nightly', { ...LEAST, schedule: '@daily' }).name.length).toBeLessThanOrEqual(43);
    expect(new SparkConnect(chart, 'Shared', { image: 'spark:4' }).name.length).toBeLessThanOrEqual(47);
    expect(() => Testing.synth(chart)).not.toThrow();
  });

  test('lets its driver make executors in its namespace, and nothing else', () => {
    const chart = newChart();
    new SparkIdentity(chart, 'Spark', { metadata: { name: 'spark', annotations: { 'iam.gke.io/gcp-service-account': 'spark@project.iam.gserviceaccount.com' } } });
    const [account, role, binding] = synthesized(chart);
    expect(account).toMatchObject({ metadata: { name: 'spark', annotations: { 'iam.gke.io/gcp-service-account': expect.any(String) } }, automountServiceAccountToken: true });
    expect(role.rules.flatMap(({ resources }: { resources: string[] }) => resources)).toEqual(['pods', 'services', 'configmaps', 'persistentvolumeclaims']);
    expect(binding).toMatchObject({ roleRef: { kind: 'Role', name: 'spark' }, subjects: [{ kind: 'ServiceAccount', name: 'spark', namespace: 'ml' }] });
  });

  test('needs a namespace for its identity', () => {
    const chart = Testing.chart();
    new SparkApplication(chart, 'Features', LEAST);
    expect(errorsOf(chart.node.root as never)).toEqual([expect.stringMatching(/SparkIdentity '.*': subjects\[0\]\.namespace: is required/)]);
  });
});

describe('options of a SparkApplication', () => {
  const chart = newChart();
  const secret = kplus.Secret.fromSecretName(chart, 'Secret', 'registry');
  const claim = kplus.Volume.fromPersistentVolumeClaim(chart, 'Claim', kplus.PersistentVolumeClaim.fromClaimName(chart, 'Data', 'data'));

  test.each<readonly [string, Partial<SparkApplicationProps>, object]>([
    ['the version', { sparkVersion: '3.5.7' }, { sparkVersion: '3.5.7' }],
    ['a program of Java', { program: SparkProgram.java('gs://jobs/a.jar', 'org.example.Main') }, { type: 'Java', mainApplicationFile: 'gs://jobs/a.jar', mainClass: 'org.example.Main' }],
    ['a program of Scala', { program: SparkProgram.scala('gs://jobs/a.jar', 'org.example.Main') }, { type: 'Scala', mainClass: 'org.example.Main' }],
    ['a program of R', { program: SparkProgram.r('gs://jobs/a.R') }, { type: 'R' }],
    ['arguments', { arguments: ['--day', '1'] }, { arguments: ['--day', '1'] }],
    ['the image\'s policy and secrets', { imagePullPolicy: kplus.ImagePullPolicy.ALWAYS, imagePullSecrets: [secret] }, { imagePullPolicy: 'Always', imagePullSecrets: ['registry'] }],
    ['settings', { sparkConf: { 'spark.sql.ansi.enabled': 'true' }, hadoopConf: { 'fs.gs.project.id': 'p' } }, { sparkConf: { 'spark.sql.ansi.enabled': 'true' }, hadoopConf: { 'fs.gs.project.id': 'p' } }],
    ['dependencies, with a folder for packages that exists', { dependencies: { packages: ['a:b:1'], jars: [] } }, { deps: { packages: ['a:b:1'] }, sparkConf: { 'spark.jars.ivy': '/tmp/.ivy2' } }],
    ['dependencies of every kind', {
      dependencies: {
        jars: ['gs://a/a.jar'], files: ['gs://a/a.csv'], pyFiles: ['gs://a/a.zip'], archives: ['gs://a/env.tgz#env'], packages: ['a:b:1'], excludePackages: ['c:d'], repositories: ['https://maven.example'],
      },
    }, {
      deps: {
        jars: ['gs://a/a.jar'], files: ['gs://a/a.csv'], pyFiles: ['gs://a/a.zip'], archives: ['gs://a/env.tgz#env'], packages: ['a:b:1'], excludePackages: ['c:d'], repositories: ['https://maven.example'],
      },
    }],
    ['dynamic allocation by decommissioned executors', { dynamicAllocation: { shuffleTracking: false }, sparkConf: { 'spark.decommission.enabled': 'true', 'spark.storage.decommission.shuffleBlocks.enabled': 'true' } },
      { dynamicAllocation: { enabled: true, shuffleTrackingEnabled: false } }],
    ['no restarts', { restart: { policy: SparkRestartPolicy.NEVER } }, { restartPolicy: { type: 'Never' } }],
    ['restarts without end', { restart: { policy: SparkRestartPolicy.ALWAYS } }, { restartPolicy: { type: 'Always' } }],
    ['the script that tells of GPUs', { executor: { accelerator: Accelerator.NVIDIA_L4.count(1), gpusPerTask: 0.5, gpuDiscoveryScript: '/opt/gpus.sh', cores: 2 } },
      { sparkConf: { 'spark.executor.resource.gpu.discoveryScript': '/opt/gpus.sh', 'spark.task.resource.gpu.amount': '0.5' } }],
    ['dynamic allocation, whose timeout is in milliseconds', { dynamicAllocation: { initialExecutors: 2, minExecutors: 1, maxExecutors: 8, shuffleTrackingTimeout: Duration.minutes(30) } },
      { dynamicAllocation: { enabled: true, initialExecutors: 2, minExecutors: 1, maxExecutors: 8, shuffleTrackingTimeout: 1_800_000 } }],
    ['a scheduler, also in the templates', { batchScheduler: SparkScheduler.volcano({ queue: 'team', priorityClassName: 'high' }) }, {
      batchScheduler: 'volcano', batchSchedulerOptions: { queue: 'team', priorityClassName: 'high' },
      driver: { template: { spec: { schedulerName: 'volcano' } } }, executor: { template: { spec: { schedulerName: 'volcano' } } },
    }],
    ['YuniKorn', { batchScheduler: SparkScheduler.yunikorn('root.team') }, { batchScheduler: 'yunikorn', batchSchedulerOptions: { queue: 'root.team' } }],
    ['the coscheduling plugin', { batchScheduler: SparkScheduler.coscheduling() }, { batchScheduler: 'kube-scheduler' }],
    ['restarts', { restart: { policy: SparkRestartPolicy.ON_FAILURE, failureRetries: 3, failureRetryInterval: Duration.seconds(10), submissionRetries: 2, submissionRetryInterval: Duration.minutes(1) } },
      { restartPolicy: { type: 'OnFailure', onFailureRetries: 3, onFailureRetryInterval: 10, onSubmissionFailureRetries: 2, onSubmissionFailureRetryInterval: 60 } }],
    ['its end', { ttlAfterFinished: Duration.hours(1), suspend: true }, { timeToLiveSeconds: 3600, suspend: true }],
    ['the UI', { ui: { port: 80, serviceType: kplus.ServiceType.NODE_PORT, annotations: { a: 'b' } }, driverIngresses: [{ port: 4040, urlFormat: '{{$appName}}.example.org' }] },
      { sparkUIOptions: { servicePort: 80, serviceType: 'NodePort', serviceAnnotations: { a: 'b' } }, driverIngressOptions: [{ servicePort: 4040, servicePortName: 'driver-port-4040', ingressURLFormat: '{{$appName}}.example.org' }] }],
    ['an ingress of the driver with a name for its port', { driverIngresses: [{ port: 8080, portName: 'health', urlFormat: 'x.example.org' }] },
      { driverIngressOptions: [{ servicePort: 8080, servicePortName: 'health', ingressURLFormat: 'x.example.org' }] }],
    ['event logs in a bucket', { eventLog: SparkEventLog.at('gs://logs/spark', { compress: true, rolling: Size.mebibytes(128) }) }, {
      sparkConf: {
        'spark.eventLog.enabled': 'true', 'spark.eventLog.dir': 'gs://logs/spark', 'spark.eventLog.compress': 'true', 'spark.eventLog.rolling.enabled': 'true', 'spark.eventLog.rolling.maxFileSize': '128m',
      },
    }],
    ['event logs on a volume of the driver', { eventLog: SparkEventLog.onVolume(claim, 'spark') }, {
      sparkConf: { 'spark.eventLog.dir': 'file:///var/log/spark-events' },
      driver: { template: { spec: {
        volumes: [{ name: 'spark-event-log', persistentVolumeClaim: { claimName: 'data' } }],
        containers: [{ volumeMounts: [{ name: 'spark-event-log', mountPath: '/var/log/spark-events', subPath: 'spark' }] }],
      } } },
    }],
    ['Spark\'s own metrics', { monitoring: SparkMonitoring.servlet() }, {
      sparkConf: { 'spark.ui.prometheus.enabled': 'true', 'spark.metrics.conf.*.sink.prometheusServlet.path': '/metrics/prometheus' },
      driver: { template: { metadata: { annotations: { 'prometheus.io/port': '4040' } } } },
    }],
    ['an identity that exists', { serviceAccount: kplus.ServiceAccount.fromServiceAccountName(chart, 'Account', 'spark') }, { driver: { serviceAccount: 'spark' } }],
    ['what a pod is', { driver: {
      image: 'driver:1', cores: 2, coreRequest: kplus.Cpu.millis(500), coreLimit: kplus.Cpu.units(3), memory: Size.gibibytes(4), memoryOverhead: Size.mebibytes(768), javaOptions: '-XX:+UseG1GC',
      env: { A: kplus.EnvValue.fromValue('1') }, envFrom: [kplus.Env.fromSecret(secret)], volumeMounts: [{ path: '/data', volume: claim }], nodeSelector: { pool: 'stable' },
      tolerations: [{ key: 'spot', effect: TolerationEffect.NO_SCHEDULE }], priorityClassName: 'high', podLabels: { tier: 'driver' }, podAnnotations: { note: 'x' }, podSpec: { hostNetwork: true },
    } }, { driver: {
      image: 'driver:1', cores: 2, coreRequest: '500m', coreLimit: '3', memory: '4096m', memoryOverhead: '768m', javaOptions: '-XX:+UseG1GC',
      template: {
        metadata: { labels: { tier: 'driver' }, annotations: { note: 'x' } },
        spec: {
          containers: [{ name: 'spark-kubernetes-driver', env: [{ name: 'A', value: '1' }], envFrom: [{ secretRef: { name: 'registry' } }], volumeMounts: [{ mountPath: '/data' }] }],
          volumes: [{ persistentVolumeClaim: { claimName: 'data' } }], nodeSelector: { pool: 'stable' }, tolerations: [{ key: 'spot', effect: 'NoSchedule' }], priorityClassName: 'high', hostNetwork: true,
        },
      },
    } }],
  ])('say %s', (_what, props, expected) => {
    expect(specOf(props)).toMatchObject(expected);
  });

  test('give executors accelerators by the template, and tell Spark to count them', () => {
    const { executor, sparkConf } = specOf({
      executor: { instances: 2, cores: 2, memory: Size.gibibytes(16), accelerator: Accelerator.NVIDIA_L4.count(2), gpusPerTask: 1 },
    });
    expect(executor).toMatchObject({
      instances: 2,
      template: { spec: {
        nodeSelector: { 'cloud.google.com/gke-accelerator': 'nvidia-l4' },
        tolerations: [{ key: 'nvidia.com/gpu', operator: 'Exists' }],
        containers: [{ resources: { limits: { 'nvidia.com/gpu': '2' } }, volumeMounts: [{ mountPath: '/dev/shm' }] }],
        // Half of 16 GiB of heap and 40 % beside it.
        volumes: [{ emptyDir: { medium: 'Memory', sizeLimit: '11469Mi' } }],
      } },
    });
    expect(sparkConf).toEqual({
      'spark.executor.resource.gpu.amount': '2', 'spark.executor.resource.gpu.vendor': 'nvidia.com', 'spark.task.resource.gpu.amount': '1',
      'spark.executor.resource.gpu.discoveryScript': '/opt/spark/examples/src/main/scripts/getGpusResources.sh',
    });
  });

  test('count devices for Volcano\'s gang, which the operator does not', () => {
    const { batchSchedulerOptions } = specOf({
      batchScheduler: SparkScheduler.volcano(),
      driver: { cores: 2 },
      executor: { instances: 3, cores: 4, memory: Size.gibibytes(10), accelerator: Accelerator.NVIDIA_L4.count(1) },
    });
    expect(batchSchedulerOptions).toEqual({ resources: { 'cpu': '14000m', 'memory': `${1024 + 410 + 3 * (10240 + 4096)}Mi`, 'nvidia.com/gpu': '3' } });
  });

  test('name both files of the JMX exporter, so that no webhook has to mount them', () => {
    const own = newChart();
    new SparkApplication(own, 'Features', { ...LEAST, monitoring: SparkMonitoring.jmxExporter({ jar: '/opt/jmx.jar', port: 9404, portName: 'metrics', executors: false, configuration: 'rules: []' }) });
    const [, , , files, { spec }] = synthesized(own);
    expect(files).toMatchObject({ kind: 'ConfigMap', metadata: { namespace: 'ml' }, data: { 'metrics.properties': expect.stringContaining('JmxSink'), 'jmx-exporter.yaml': 'rules: []' } });
    expect(spec.monitoring).toEqual({
      exposeDriverMetrics: true, exposeExecutorMetrics: false, metricsPropertiesFile: '/etc/spark-metrics/metrics.properties',
      prometheus: { jmxExporterJar: '/opt/jmx.jar', port: 9404, portName: 'metrics', configFile: '/etc/spark-metrics/jmx-exporter.yaml' },
    });
    for (const { template: { spec: pod } } of [spec.driver, spec.executor]) {
      expect(pod.volumes).toEqual([{ name: 'spark-metrics', configMap: { name: files.metadata.name } }]);
      expect(pod.containers[0].volumeMounts).toEqual([{ name: 'spark-metrics', mountPath: '/etc/spark-metrics', readOnly: true }]);
    }
  });
});

test('a pod of Spark gets its keys as variables or files', () => {
  const chart = newChart();
  const use = Credentials.secret(kplus.Secret.fromSecretName(chart, 'Hub', 'hub')).asEnvironment({ HF_TOKEN: 'token' });
  const { driver, executor } = specOf({ executor: { credentials: [use] } }, chart);
  expect(executor.template.spec.containers[0].env).toEqual([{ name: 'HF_TOKEN', valueFrom: { secretKeyRef: { name: 'hub', key: 'token' } } }]);
  expect(driver.template.spec.containers[0].env).toBeUndefined();
});

describe('after construction a SparkApplication', () => {
  test('takes variables and volumes for driver and executors', () => {
    const chart = newChart();
    const application = new SparkApplication(chart, 'Features', { ...LEAST, driver: { env: { A: kplus.EnvValue.fromValue('1') } } });
    application.addEnv('A', kplus.EnvValue.fromValue('2'));
    application.addVolumeMount('/data', kplus.Volume.fromEmptyDir(chart, 'Data', 'data'));
    const { driver, executor } = synthesized(chart).find(({ kind }) => kind === 'SparkApplication').spec;
    for (const pod of [driver, executor]) {
      expect(pod.template.spec).toMatchObject({ volumes: [{ name: 'data' }], containers: [{ env: [{ name: 'A', value: '2' }], volumeMounts: [{ name: 'data', mountPath: '/data' }] }] });
    }
    expect(() => application.addVolumeMount('/data', kplus.Volume.fromEmptyDir(chart, 'Other', 'other')))
      .toThrow('SparkApplication at \'spark/Features\': cannot mount volume \'other\' at \'/data\', because volume \'data\' is already mounted there. Choose another path.');
  });

  test('can be patched, and keeps what was said to it', () => {
    const chart = newChart();
    const conf = { 'spark.sql.ansi.enabled': 'true' };
    const application = new SparkApplication(chart, 'Features', { ...LEAST, sparkConf: conf });
    conf['spark.sql.ansi.enabled'] = 'false';
    ApiObject.of(application).addJsonPatch(JsonPatch.add('/spec/proxyUser', 'me'));
    expect(synthesized(chart).find(({ kind }) => kind === 'SparkApplication').spec).toMatchObject({ proxyUser: 'me', sparkConf: { 'spark.sql.ansi.enabled': 'true' } });
  });
});

describe('synth tells what is wrong with', () => {
  function toldBy(program: (chart: Chart) => void) {
    const chart = newChart();
    program(chart);
    return errorsOf(chart.node.root as never);
  }

  test('an application', () => {
    expect(toldBy((chart) => new SparkApplication(chart, 'Features', { ...LEAST, metadata: { name: 'features' }, executor: { instances: 0 } }))).toEqual([
      '[spark/Features] SparkApplication \'features\': spec.executor.instances: 0: must be a whole number, 1 or more. To scale with the workload, use dynamicAllocation.',
    ]);
  });

  test('a key that stands in the manifest, whoever has it', () => {
    const hadoopConf = { 'my.hub': `hf_${'Ab1'.repeat(12)}` };
    const told = (program: (chart: Chart) => void) => toldBy(program).map((line) => /\] (\w+) /.exec(line)?.[1]);
    expect(told((chart) => new SparkApplication(chart, 'A', { ...LEAST, hadoopConf }))).toEqual(['SparkApplication']);
    expect(told((chart) => new ScheduledSparkApplication(chart, 'A', { ...LEAST, schedule: '@daily', hadoopConf }))).toEqual(['ScheduledSparkApplication']);
    expect(told((chart) => new SparkConnect(chart, 'A', { image: 'spark:4', hadoopConf }))).toEqual(['SparkConnect']);
  });

  test('credentials of another namespace', () => {
    const use = (chart: Chart) => Credentials.externalSecret(chart, 'Hub', {
      metadata: { namespace: 'other' }, store: SecretStoreRef.namespaced('vault'), keys: { HF_TOKEN: RemoteSecret.named('hub') },
    }).asEnvironment();
    expect(toldBy((chart) => new SparkApplication(chart, 'A', { ...LEAST, executor: { credentials: [use(chart)] } }))).toEqual([expect.stringMatching(/is in 'other', but pods can only use Secrets in their own namespace/)]);
    expect(toldBy((chart) => new SparkConnect(chart, 'A', { image: 'spark:4', server: { credentials: [use(chart)] } }))).toEqual([expect.stringMatching(/is in 'other'/)]);
  });

  test('its accelerators first', () => {
    const executor = { accelerator: Accelerator.NVIDIA_L4.count(3), nodeSelector: { 'cloud.google.com/gke-accelerator': 'nvidia-tesla-t4' } };
    expect(toldBy((chart) => new SparkApplication(chart, 'Features', { ...LEAST, executor }))).toEqual([
      expect.stringMatching(/executor\.accelerator.*: 3: /),
      expect.stringMatching(/executor\.nodeSelector\['cloud\.google\.com\/gke-accelerator'\]: "nvidia-tesla-t4": conflicts with 'executor\.accelerator'/),
    ]);
  });

  test('a schedule, a server and a history', () => {
    expect(toldBy((chart) => {
      new ScheduledSparkApplication(chart, 'Nightly', { ...LEAST, schedule: '0 25 * * *' });
      new SparkConnect(chart, 'Shared', { image: '', server: { accelerator: Accelerator.NVIDIA_L4.count(3) } });
      new SparkConnect(chart, 'Other', { image: '' });
      new SparkHistoryServer(chart, 'History', { image: 'spark:4', eventLog: SparkEventLog.at('/logs') });
    })).toEqual([
      expect.stringMatching(/ScheduledSparkApplication '.*': spec\.schedule: "0 25 \* \* \*"/),
      expect.stringMatching(/SparkConnect '.*': server\.accelerator/),
      expect.stringMatching(/SparkConnect '.*': spec\.image/),
      expect.stringMatching(/SparkHistoryServer '.*': eventLog: "\/logs"/),
    ]);
  });
});

test('a ScheduledSparkApplication is an application with a schedule', () => {
  const chart = newChart();
  const scheduled = new ScheduledSparkApplication(chart, 'Nightly', {
    ...LEAST, metadata: { name: 'nightly' }, schedule: '0 3 * * *', timeZone: 'Europe/Berlin', concurrency: SparkConcurrency.FORBID, successfulRuns: 3, failedRuns: 5, suspendSchedule: true,
  });
  scheduled.addEnv('A', kplus.EnvValue.fromValue('1'));
  scheduled.addVolumeMount('/data', kplus.Volume.fromEmptyDir(chart, 'Data', 'data'));
  const { spec } = synthesized(chart).find(({ kind }) => kind === 'ScheduledSparkApplication');
  expect(spec).toMatchObject({
    schedule: '0 3 * * *', timeZone: 'Europe/Berlin', concurrencyPolicy: 'Forbid', successfulRunHistoryLimit: 3, failedRunHistoryLimit: 5, suspend: true,
    template: { mainApplicationFile: 'local:///app/main.py', driver: { template: { spec: { containers: [{ env: [{ name: 'A' }], volumeMounts: [{ mountPath: '/data' }] }] } } } },
  });
  expect(scheduled.resourceType).toBe('scheduledsparkapplications');
});

test.each([SparkConcurrency.ALLOW, SparkConcurrency.FORBID, SparkConcurrency.REPLACE])('a ScheduledSparkApplication that is due while it runs: %s', (concurrency) => {
  const chart = newChart();
  new ScheduledSparkApplication(chart, 'Nightly', { ...LEAST, schedule: '@daily', concurrency });
  expect(synthesized(chart).find(({ kind }) => kind === 'ScheduledSparkApplication').spec.concurrencyPolicy).toBe(concurrency);
});

test('the JMX exporter measures what its properties say', () => {
  const chart = newChart();
  new SparkApplication(chart, 'Features', { ...LEAST, monitoring: SparkMonitoring.jmxExporter({ jar: '/opt/jmx.jar', driver: false, metricsProperties: 'a=b' }) });
  const objects = synthesized(chart);
  expect(objects.find(({ kind }) => kind === 'ConfigMap').data['metrics.properties']).toBe('a=b');
  expect(objects.find(({ kind }) => kind === 'SparkApplication').spec.monitoring).toMatchObject({ exposeDriverMetrics: false, exposeExecutorMetrics: true });
});

test('a ScheduledSparkApplication refuses two volumes at one place', () => {
  const chart = newChart();
  const scheduled = new ScheduledSparkApplication(chart, 'Nightly', { ...LEAST, schedule: '@daily' });
  scheduled.addVolumeMount('/data', kplus.Volume.fromEmptyDir(chart, 'Data', 'data'));
  expect(() => scheduled.addVolumeMount('/data', kplus.Volume.fromEmptyDir(chart, 'Other', 'other'))).toThrow(
    'ScheduledSparkApplication at \'spark/Nightly\': cannot mount volume \'other\' at \'/data\', because volume \'data\' is already mounted there. Choose another path.');
});

test('all kinds are as they were', () => {
  const chart = newChart();
  const eventLog = SparkEventLog.at('gs://logs/spark');
  const { serviceAccount } = new SparkIdentity(chart, 'Spark');
  new SparkApplication(chart, 'Features', { ...LEAST, serviceAccount, eventLog, executor: { instances: 4, cores: 4, memory: Size.gibibytes(8) } });
  new ScheduledSparkApplication(chart, 'Nightly', { ...LEAST, serviceAccount, schedule: '@daily' });
  new SparkConnect(chart, 'Shared', { image: 'spark:4', serviceAccount });
  new SparkHistoryServer(chart, 'History', { image: 'spark:4', eventLog });
  expect(Testing.synth(chart)).toMatchSnapshot();
});
