import { constructSparkApplicationSpec } from '../../../src/manifests/spark/application';
import { checkForeign } from '../../../src/model/checks/foreign-rules';
import type {
  ScheduledSparkApplicationSpec, SparkApplicationSpec, SparkConnectSpec, SparkExecutorSpec, SparkHistoryServerSpec, SparkMonitoringSpec,
} from '../../../src/model/spark/spec';
import {
  validateHistoryServer, validateScheduledSparkApplication, validateSparkApplication, validateSparkConnect,
} from '../../../src/model/spark/validation';
import { formatViolation } from '../../../src/model/violations';

const LEAST: SparkApplicationSpec = {
  sparkVersion: '4.0.1', image: 'spark:4', program: { type: 'Python', file: 'local:///app/main.py' }, driver: {}, executor: {},
};
const JMX: SparkMonitoringSpec = { kind: 'jmx', jar: '/opt/jmx.jar', port: 8090, driver: true, executors: true, configMapName: 'metrics' };
const L4 = { gpu: 1 };

function application(change: Partial<SparkApplicationSpec> = {}, name = 'features') {
  const spec = { ...LEAST, ...change };
  const found = validateSparkApplication(name, spec).map(formatViolation);
  const object = { apiVersion: 'sparkoperator.k8s.io/v1beta2', kind: 'SparkApplication', metadata: { name }, spec: JSON.parse(JSON.stringify(constructSparkApplicationSpec(spec))) as object };
  inObjects.push([found, checkForeign(object, [object]).map(formatViolation)]);
  return found;
}

/** What was found in an application, and in the object that is made of it. */
const inObjects: (readonly [string[], string[]])[] = [];

/** What an object does not say, or may say: it has settings where we have fields, and accounts and images in templates. */
const ONLY_IN_CODE = [
  /^spec\.executor\.(gpusPerTask|gpuDiscoveryScript)/, /^spec\.eventLog/, /has its own field/, /Use executor\.env/, /is overwritten by Spark/, /is the name of two different volumes/,
  /Use dynamicAllocation\.initialExecutors/, /has two volumes/,
];

const executor = (change: Partial<SparkExecutorSpec>, more: Partial<SparkApplicationSpec> = {}) => application({ executor: change, ...more });

test('the least is right', () => {
  expect(application()).toEqual([]);
});

test('everything is right', () => {
  expect(application({
    program: { type: 'Scala', file: 's3a://jobs/app.jar', mainClass: 'org.example.Main' },
    dependencies: {
      jars: ['https://repo.example.org/a.jar'], files: ['gs://jobs/settings.json'], pyFiles: ['local:///app/lib.zip'], archives: ['gs://jobs/env.tar.gz#env'],
      packages: ['org.example:a_2.13:1.0'], excludePackages: ['org.slf4j:slf4j-api'], repositories: ['https://repo.example.org/maven'],
    },
    sparkConf: { 'spark.sql.shuffle.partitions': '64' },
    hadoopConf: { 'fs.s3a.endpoint': 'https://minio' },
    driver: { cores: 2, coreRequest: '500m', coreLimit: '2', memoryMib: 2048, memoryOverheadMib: 512, javaOptions: '-XX:+UseG1GC' },
    executor: { cores: 4, devices: { gpu: 2 }, gpusPerTask: 0.5, memoryMib: 8192 },
    dynamicAllocation: { minExecutors: 1, initialExecutors: 2, maxExecutors: 10 },
    eventLog: { folder: 'gs://logs/spark', rollingMib: 128 },
    monitoring: JMX,
    batchScheduler: { name: 'volcano', queue: 'team' },
    restart: { policy: 'OnFailure', failureRetries: 3, failureRetrySeconds: 10, submissionRetries: 2, submissionRetrySeconds: 5 },
    driverIngresses: [{ servicePort: 4040, servicePortName: 'ui', urlFormat: '{{$appName}}.example.org' }],
    ttlSeconds: 3600,
  })).toEqual([]);
});

describe('an application is refused with', () => {
  test.each<readonly [string, string[], RegExp]>([
    ['a name that no Service can have', application({}, 'Features'), /^metadata\.name: .*lower-case letters/],
    ['a name that its UI\'s Service cannot begin with', application({}, 'f'.repeat(57)), /NAME-ui-svc\. Use at most 56 characters/],
    ['a Spark without pod templates', application({ sparkVersion: '2.4.8' }), /^spec\.sparkVersion: "2\.4\.8": must be a version of Spark from 3\.0\.0 on/],
    ['a version that is none', application({ sparkVersion: 'latest' }), /^spec\.sparkVersion/],
    ['no image', application({ image: '' }), /^spec\.image/],
    ['a file of the author\'s machine', application({ program: { type: 'Python', file: '/app/main.py' } }), /For a file in the image, write 'local:\/\/\/app\/main\.py'/],
    ['a file without a place', application({ program: { type: 'Python', file: 'main.py' } }), /Use a URI such as local:\/\/\/opt\/app\/main\.py/],
    ['a host in local://', application({ program: { type: 'Python', file: 'local://app/main.py' } }), /Write three slashes/],
    ['s3://', application({ program: { type: 'Python', file: 's3://jobs/main.py' } }), /Did you mean 's3a:\/\/'\?/],
    ['a misspelt scheme', application({ program: { type: 'Python', file: 'httsp://x/main.py' } }), /has a scheme that Spark does not support\. Did you mean 'https'\?/],
    ['a script of Python without its ending', application({ program: { type: 'Python', file: 'gs://jobs/main' } }), /recognizes a Python program by the extension \.py/],
    ['a script that is called a jar', application({ program: { type: 'Java', file: 'gs://jobs/main.py', mainClass: 'x' } }), /is started as a script/],
    ['a jar without its class', application({ program: { type: 'Java', file: 'gs://jobs/main.jar' } }), /^spec\.mainClass: is required for Java/],
    ['a package without a version', application({ dependencies: { packages: ['org.example:a'] } }), /^spec\.deps\.packages\[0\]: .*group:artifact:version/],
    ['a version to leave out', application({ dependencies: { packages: ['a:b:1'], excludePackages: ['a:b:1'] } }), /^spec\.deps\.excludePackages\[0\]: .*without a version/],
    ['something to leave out of nothing', application({ dependencies: { excludePackages: ['a:b'] } }), /but there are none/],
    ['a repository that is no URL', application({ dependencies: { repositories: ['central'] } }), /^spec\.deps\.repositories\[0\]/],
    ['a Python file that executors cannot import', application({ dependencies: { pyFiles: ['gs://jobs/env.tar.gz'] } }), /^spec\.deps\.pyFiles\[0\]: .*must end with \.py/],
    ['a jar of the author\'s machine', application({ dependencies: { jars: ['lib.jar'] } }), /^spec\.deps\.jars\[0\]/],
    ['half a core to count tasks by', executor({ cores: 0.5 }), /^spec\.executor\.cores: 0\.5: .*Use coreRequest/],
    ['a limit below the request', application({ driver: { cores: 4, coreLimit: '2' } }), /^spec\.driver\.coreLimit: "2": is less than what the pod requests \(4\)/],
    ['a request that is not a quantity', executor({ coreRequest: 'two' }), /^spec\.executor\.coreRequest: "two": must be a quantity of cores above 0, such as 500m or 2\./],
    ['a heap that Spark does not start with', application({ driver: { memoryMib: 256 } }), /^spec\.driver\.memory: "256m": .*450 MiB/],
    ['no memory beside the heap', executor({ memoryOverheadMib: 0 }), /^spec\.executor\.memoryOverhead/],
    ['a variable of Spark\'s', application({ driver: { env: [{ name: 'SPARK_CONF_DIR', value: '/x' }] } }), /^spec\.driver\.env\.SPARK_CONF_DIR: .*belongs to Spark/],
    ['a heap in Java\'s options', executor({ javaOptions: '-Xmx4g' }), /^spec\.executor\.javaOptions: "-Xmx4g": is rejected by Spark\. Use memory/],
    ['a setting in Java\'s options', executor({ javaOptions: '-Dspark.ui.port=1' }), /Use sparkConf/],
    ['an image in the template', executor({ podSpec: { containers: [{ name: 'spark-kubernetes-executor', image: 'x' }] } }), /containers\[spark-kubernetes-executor\]\.image: "x": is overwritten by Spark\. Use image/],
    ['a restart policy of pods', executor({ podSpec: { restartPolicy: 'Always' } }), /^spec\.executor\.template\.spec\.restartPolicy/],
    ['an account that Spark is not told', application({ driver: { podSpec: { serviceAccountName: 'x' } } }), /has its own field, serviceAccount/],
    ['two volumes of a name', executor({ volumes: [{ name: 'a' }, { name: 'a' }] }), /^spec\.executor\.volumeMounts: "a": is the name of two different volumes/],
    ['two volumes at a path', executor({ volumeMounts: [{ name: 'a', mountPath: '/d' }, { name: 'b', mountPath: '/d' }] }), /has two volumes/],
    ['GPUs for tasks without GPUs', executor({ gpusPerTask: 1 }), /^spec\.executor\.gpusPerTask: 1: needs GPUs to count/],
    ['more GPUs for a task than there are', executor({ devices: L4, gpusPerTask: 2 }), /is more than an executor has \(1\)/],
    ['one and a half GPUs', executor({ devices: { gpu: 2 }, gpusPerTask: 1.5 }), /must be a whole number, or a share of up to 1 in Spark 4\.0\.1/],
    ['a share that Spark 3 does not know', executor({ devices: L4, gpusPerTask: 0.75 }, { sparkVersion: '3.5.7' }), /a share of up to 0\.5 in Spark 3\.5\.7/],
    ['cores that get no GPU', executor({ devices: L4, gpusPerTask: 1, cores: 4 }), /gives work to 1 of the executor's 4 cores/],
    ['a script for GPUs that nobody counts', executor({ devices: L4, gpuDiscoveryScript: '/x.sh' }), /^spec\.executor\.gpuDiscoveryScript/],
    ['no executor', executor({ instances: 0 }), /^spec\.executor\.instances: 0: must be a whole number, 1 or more/],
    ['more executors at least than at most', application({ dynamicAllocation: { minExecutors: 5, maxExecutors: 2 } }), /^spec\.dynamicAllocation\.minExecutors: 5: is more than maxExecutors \(2\)/],
    ['a beginning beyond the end', application({ dynamicAllocation: { initialExecutors: 5, maxExecutors: 2 } }), /is not between minExecutors \(0\) and maxExecutors \(2\)/],
    ['a negative number of executors', application({ dynamicAllocation: { minExecutors: -1 } }), /must be a whole number, 0 or more/],
    ['no executors at most', application({ dynamicAllocation: { maxExecutors: 0 } }), /must be a whole number, 1 or more/],
    ['two numbers of executors', executor({ instances: 2 }, { dynamicAllocation: {} }), /Use dynamicAllocation\.initialExecutors/],
    ['no way to keep what was shuffled', application({ dynamicAllocation: { shuffleTracking: false } }), /leaves Spark without a way to keep shuffle data/],
    ['a setting that has a field', application({ sparkConf: { 'spark.executor.memory': '4g' } }), /^spec\.sparkConf\['spark\.executor\.memory'\]: "4g": has its own field\. Use executor\.memory/],
    ['a variable among the settings', application({ sparkConf: { 'spark.executorEnv.A': '1' } }), /Use executor\.env/],
    ['a setting of the operator\'s', application({ sparkConf: { 'spark.master': 'k8s://x' } }), /is set by the Spark operator/],
    ['a setting of nobody\'s', application({ sparkConf: { 'sql.shuffle.partitions': '4' } }), /ignores names that do not start with "spark/],
    ['Hadoop\'s settings with a prefix', application({ hadoopConf: { 'spark.hadoop.fs.s3a.endpoint': 'x' } }), /^spec\.hadoopConf\['spark\.hadoop/],
    ['a key of a bucket', application({ hadoopConf: { 'fs.s3a.secret.key': 'abcdefgh' } }), /^spec\.hadoopConf\['fs\.s3a\.secret\.key'\]: "\.\.\. \(8 characters\)": is a secret/],
    ['a password', application({ sparkConf: { 'spark.ssl.keyPassword': 'abc' } }), /^spec\.sparkConf\['spark\.ssl\.keyPassword'\]: "\.\.\. \(3 characters\)": is a secret/],
    ['event logs that go with the pod', application({ eventLog: { folder: '/tmp/spark-events' } }), /^spec\.eventLog: .*is deleted with the driver's pod/],
    ['event logs on s3://', application({ eventLog: { folder: 's3://logs/spark' } }), /Did you mean 's3a:\/\/'\?/],
    ['files of event logs that are too small', application({ eventLog: { folder: 'gs://logs/spark', rollingMib: 1 } }), /must be 10 MiB or more/],
    ['restarts of what never restarts', application({ restart: { policy: 'Never', failureRetries: 1 } }), /is used only by the policies OnFailure and Always/],
    ['a limit of what always restarts', application({ restart: { policy: 'Always', failureRetries: 1 } }), /is a limit that the policy Always does not have/],
    ['no time between restarts', application({ restart: { policy: 'OnFailure', failureRetrySeconds: 0 } }), /^spec\.restartPolicy\.onFailureRetryInterval: 0: must be a whole number, 1 or more/],
    ['a relative exporter', application({ monitoring: { ...JMX, jar: 'jmx.jar' } }), /^spec\.monitoring\.prometheus\.jmxExporterJar/],
    ['a port that the definition refuses', application({ monitoring: { ...JMX, port: 80 } }), /must be a whole number from 1024 to 49151/],
    ['a port that Spark has', application({ monitoring: { ...JMX, port: 4040 } }), /is a port of Spark's own/],
    ['a name that no port has', application({ monitoring: { ...JMX, portName: 'Metrics' } }), /^spec\.monitoring\.prometheus\.portName/],
    ['metrics of nobody', application({ monitoring: { ...JMX, driver: false, executors: false } }), /exports no metrics/],
    ['a UI on no port', application({ ui: { servicePort: 70000 } }), /^spec\.sparkUIOptions\.servicePort/],
  ])('%s', (_what, found, problem) => {
    expect(found).toEqual([expect.stringMatching(problem)]);
  });

  test('ports and hosts that the operator\'s webhook refuses twice', () => {
    const ingress = { servicePort: 4040, servicePortName: 'ui', urlFormat: 'a.example.org' };
    expect(application({ driverIngresses: [ingress, ingress, { ...ingress, servicePort: 0, urlFormat: '' }] })).toEqual([
      expect.stringMatching(/^spec\.driverIngressOptions\[1\]\.servicePort: 4040: is already/),
      expect.stringMatching(/^spec\.driverIngressOptions\[1\]\.ingressURLFormat: .*leads to another port/),
      expect.stringMatching(/^spec\.driverIngressOptions\[2\]\.servicePort: 0: must be a whole number from 1 to 65535/),
      expect.stringMatching(/^spec\.driverIngressOptions\[2\]\.ingressURLFormat: "": is required/),
    ]);
  });
});

test('dynamic allocation without tracking is right where shuffled data is kept otherwise', () => {
  expect(application({ dynamicAllocation: { shuffleTracking: false }, sparkConf: { 'spark.decommission.enabled': 'true' } })).toEqual([]);
});

describe('a schedule is refused with', () => {
  const scheduled = (change: Partial<ScheduledSparkApplicationSpec>, name = 'nightly') => (
    validateScheduledSparkApplication(name, { schedule: '@daily', application: LEAST, ...change }).map(formatViolation));

  test('nothing, when it is right', () => {
    expect(scheduled({ timeZone: 'Europe/Berlin', concurrency: 'Forbid', successfulRuns: 0, failedRuns: 3 })).toEqual([]);
  });

  test.each<readonly [string, string[], RegExp]>([
    ['a name that its runs cannot begin with', scheduled({}, 'n'.repeat(44)), /with a timestamp of 19 digits\. Use at most 43 characters/],
    ['a schedule that is none', scheduled({ schedule: 'daily' }), /^spec\.schedule/],
    ['a time zone that is none', scheduled({ timeZone: 'Berlin' }), /^spec\.timeZone/],
    ['less than nothing to keep', scheduled({ failedRuns: -1 }), /^spec\.failedRunHistoryLimit/],
    ['runs that wait', scheduled({ application: { ...LEAST, suspend: true } }), /^spec\.template\.suspend: true: makes every run wait until someone resumes it\./],
    ['an application that is wrong', scheduled({ application: { ...LEAST, image: '' } }), /^spec\.template\.image/],
  ])('%s', (_what, found, problem) => {
    expect(found).toEqual([expect.stringMatching(problem)]);
  });
});

describe('a Spark Connect server is refused with', () => {
  const connect = (change: Partial<SparkConnectSpec>, name = 'shared') => (
    validateSparkConnect(name, { sparkVersion: '4.0.1', image: 'spark:4', server: {}, executor: {}, ...change }).map(formatViolation));

  test('nothing, when it is right', () => {
    expect(connect({ sparkConf: { 'spark.jars.packages': 'org.apache.spark:spark-connect_2.12:3.5.7' }, sparkVersion: '3.5.7' })).toEqual([]);
  });

  test.each<readonly [string, string[], RegExp]>([
    ['a name that executors cannot begin with', connect({}, 'n'.repeat(48)), /as NAME-exec-NUMBER with ten digits\. Use at most 47 characters/],
    ['a Spark that has none', connect({ sparkVersion: '3.3.4' }), /does not have Spark Connect, which was added in 3\.4\.0/],
    ['a server with too small a heap', connect({ server: { memoryMib: 100 } }), /^spec\.server\.memory/],
    ['a setting of the server that has a field', connect({ sparkConf: { 'spark.driver.memory': '4g' } }), /Use server\.memory/],
  ])('%s', (_what, found, problem) => {
    expect(found).toEqual([expect.stringMatching(problem)]);
  });
});

describe('a history server is refused with', () => {
  const history = (change: Partial<SparkHistoryServerSpec>) => (
    validateHistoryServer({ image: 'spark:4', eventLog: { folder: 'gs://logs/spark' }, memoryMib: 2048, cpu: '500m', ...change }).map(formatViolation));

  test('nothing, when it is right', () => {
    expect(history({ sparkConf: { 'spark.history.retainedApplications': '10' } })).toEqual([]);
  });

  test.each<readonly [string, string[], RegExp]>([
    ['a folder of its own disk', history({ eventLog: { folder: '/logs' } }), /^eventLog: "\/logs"/],
    ['little memory', history({ memoryMib: 256 }), /^memory: "256Mi"/],
    ['a setting that it does not read', history({ sparkConf: { 'spark.executor.memory': '1g' } }), /is not a setting that a history server reads/],
    ['a setting that is set', history({ sparkConf: { 'spark.history.ui.port': '80' } }), /is set here/],
  ])('%s', (_what, found, problem) => {
    expect(found).toEqual([expect.stringMatching(problem)]);
  });
});

test('an application in YAML is judged by the same rules', () => {
  const expected = inObjects.map(([found]) => found.filter((line) => !ONLY_IN_CODE.some((rule) => rule.test(line))));
  expect(inObjects.map(([, ofObject]) => ofObject)).toEqual(expected);
  expect(expected.flat().length).toBeGreaterThan(40);
});
