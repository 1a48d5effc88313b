/** Programs with all that Spark's constructs can be told. */
import { Duration, Size, type Chart } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import { Accelerator } from '../../../../src';
import {
  ScheduledSparkApplication, SparkApplication, SparkConcurrency, SparkConnect, SparkEventLog, SparkHistoryServer, SparkMonitoring, SparkProgram,
  SparkRestartPolicy, SparkScheduler, type SparkApplicationProps, type SparkPodOptions,
} from '../../../../src/constructs/spark';

export const LEAST: SparkApplicationProps = { image: 'spark:4', program: SparkProgram.python('local:///app/main.py') };

/** All that a pod can be told. */
function pods(chart: Chart, id: string): SparkPodOptions {
  const secret = kplus.Secret.fromSecretName(chart, `Secret${id}`, 'registry');
  return {
    image: 'spark:5', cores: 2, coreRequest: kplus.Cpu.millis(500), coreLimit: kplus.Cpu.units(4), memory: Size.gibibytes(8), memoryOverhead: Size.gibibytes(2), javaOptions: '-XX:+UseG1GC',
    accelerator: Accelerator.NVIDIA_L4.count(2), env: { A: kplus.EnvValue.fromValue('1') }, envFrom: [kplus.Env.fromSecret(secret)],
    volumeMounts: [{ path: '/data', volume: kplus.Volume.fromEmptyDir(chart, `Data${id}`, 'data', { sizeLimit: Size.gibibytes(1) }) }],
    nodeSelector: { pool: 'gpu' }, tolerations: [{ key: 'spot' }], priorityClassName: 'high', podLabels: { tier: 'x' }, podAnnotations: { note: 'x' },
    podSpec: { terminationGracePeriodSeconds: 60, containers: [{ name: 'proxy', image: 'proxy:1' }] },
  };
}

/** By what they are about. */
export const SPARK_PROGRAMS: readonly (readonly [string, (chart: Chart) => void])[] = [
  ['the least application', (chart) => void new SparkApplication(chart, 'Features', LEAST)],
  ['an application with everything', (chart) => void new SparkApplication(chart, 'Features', {
    ...LEAST,
    program: SparkProgram.scala('gs://jobs/a.jar', 'org.example.Main'),
    arguments: ['--day', '1'],
    dependencies: {
      jars: ['gs://jobs/b.jar'], files: ['gs://jobs/c.json'], pyFiles: ['gs://jobs/d.zip'], archives: ['gs://jobs/e.tar.gz#e'], packages: ['a:b:1'], excludePackages: ['c:d'],
      repositories: ['https://repo.example.org'],
    },
    driver: pods(chart, 'Driver'),
    executor: { ...pods(chart, 'Executor'), gpusPerTask: 1 },
    dynamicAllocation: { initialExecutors: 1, minExecutors: 1, maxExecutors: 4, shuffleTracking: true, shuffleTrackingTimeout: Duration.minutes(1) },
    sparkConf: { 'spark.sql.ansi.enabled': 'true' },
    hadoopConf: { 'fs.gs.project.id': 'p' },
    imagePullPolicy: kplus.ImagePullPolicy.ALWAYS,
    imagePullSecrets: [kplus.Secret.fromSecretName(chart, 'Secret', 'registry')],
    eventLog: SparkEventLog.onVolume(kplus.Volume.fromEmptyDir(chart, 'Logs', 'logs'), 'spark', { compress: true, rolling: Size.mebibytes(128) }),
    monitoring: SparkMonitoring.jmxExporter({ jar: '/opt/jmx.jar', portName: 'metrics' }),
    batchScheduler: SparkScheduler.volcano({ queue: 'team', priorityClassName: 'high' }),
    restart: {
      policy: SparkRestartPolicy.ON_FAILURE, failureRetries: 1, failureRetryInterval: Duration.seconds(10), submissionRetries: 1,
      submissionRetryInterval: Duration.seconds(10),
    },
    ttlAfterFinished: Duration.hours(1),
    suspend: true,
    ui: { port: 80, serviceType: kplus.ServiceType.CLUSTER_IP, annotations: { a: 'b' } },
    driverIngresses: [{ port: 4040, portName: 'ui', urlFormat: '{{$appName}}.example.org' }],
  })],
  ['Spark\'s own metrics, YuniKorn, and a bucket of event logs', (chart) => void new SparkApplication(chart, 'Features', {
    ...LEAST, monitoring: SparkMonitoring.servlet(), batchScheduler: SparkScheduler.yunikorn('root.team'), eventLog: SparkEventLog.at('gs://logs/spark'),
  })],
  ['a schedule', (chart) => void new ScheduledSparkApplication(chart, 'Nightly', {
    ...LEAST, schedule: '0 3 * * *', timeZone: 'Europe/Berlin', concurrency: SparkConcurrency.REPLACE, successfulRuns: 3, failedRuns: 3, suspendSchedule: true,
  })],
  ['the least server', (chart) => void new SparkConnect(chart, 'Shared', { image: 'spark:4' })],
  ['a server with everything', (chart) => void new SparkConnect(chart, 'Shared', {
    image: 'spark:4', server: pods(chart, 'Server'), executor: { ...pods(chart, 'Executor'), gpusPerTask: 1 }, dynamicAllocation: { minExecutors: 0, maxExecutors: 4 },
    sparkConf: { 'spark.sql.ansi.enabled': 'true' }, hadoopConf: { 'fs.gs.project.id': 'p' }, eventLog: SparkEventLog.onVolume(kplus.Volume.fromEmptyDir(chart, 'Logs', 'logs')),
    serviceType: kplus.ServiceType.LOAD_BALANCER, serviceAnnotations: { a: 'b' },
  })],
  ['a history server', (chart) => void new SparkHistoryServer(chart, 'History', {
    image: 'spark:4', eventLog: SparkEventLog.onVolume(kplus.Volume.fromEmptyDir(chart, 'Logs', 'logs')), keep: Duration.days(30), serviceType: kplus.ServiceType.NODE_PORT,
    hadoopConf: { 'fs.gs.project.id': 'p' }, nodeSelector: { pool: 'cpu' }, tolerations: [{ key: 'spot' }],
  })],
];
