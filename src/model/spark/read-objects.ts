/**
 * The Spark operator's objects as they are written in manifests, in the model's terms, so that the rules of the constructs hold for them. Settings of
 * Spark that have a field are left out: a manifest may use either. So are values of the wrong type, which the check of the structure finds.
 * @see https://www.kubeflow.org/docs/components/spark-operator/reference/api-docs/
 */
import { hasField } from './reserved-settings';
import { SPARK_CONTAINERS } from './settings';
import type {
  DynamicAllocationSpec, Fields, ScheduledSparkApplicationSpec, SparkApplicationSpec, SparkConnectSpec, SparkDependenciesSpec,
  SparkMonitoringSpec, SparkPodSpec, SparkProgramSpec, SparkRestartSpec, SparkSessionSpec,
} from './spec';
import { amountIn, jsonNumber, jsonText, numberIn, record, records, textIn, texts, textsIn, type JsonRecord } from '../json-parts';
import type { ManifestObject } from '../objects/manifest-object';
import type { EnvVarSpec } from '../training-job/spec';

/** MiB by the units of the JVM. */
const UNITS: { readonly [unit: string]: number } = { k: 1 / 1024, m: 1, g: 1024, t: 1024 * 1024 };

/** `spec` of a SparkApplication. */
export function readSparkApplication({ spec }: ManifestObject): SparkApplicationSpec {
  return readApplication(record(spec));
}

/** `spec` of a ScheduledSparkApplication. */
export function readScheduledSparkApplication({ spec: written }: ManifestObject): ScheduledSparkApplicationSpec {
  const spec = record(written);
  return {
    schedule: jsonText(spec.schedule), timeZone: textIn(spec.timeZone), application: readApplication(record(spec.template)),
    successfulRuns: numberIn(spec.successfulRunHistoryLimit), failedRuns: numberIn(spec.failedRunHistoryLimit),
  };
}

/** `spec` of a SparkConnect. */
export function readSparkConnect({ spec: written }: ManifestObject): SparkConnectSpec {
  const spec = record(written);
  return { ...readSession(spec), server: readPod(record(spec.server)) };
}

function readApplication(spec: JsonRecord): SparkApplicationSpec {
  const port = numberIn(record(spec.sparkUIOptions).servicePort);
  return {
    ...readSession(spec),
    program: { type: jsonText(spec.type) as SparkProgramSpec['type'], file: textIn(spec.mainApplicationFile) ?? '', mainClass: textIn(spec.mainClass) },
    dependencies: Object.fromEntries(Object.entries(record(spec.deps)).map(([name, list]) => [name, texts(list)])) as SparkDependenciesSpec,
    driver: readPod(record(spec.driver)),
    monitoring: readMonitoring(record(spec.monitoring)),
    restart: spec.restartPolicy === undefined ? undefined : readRestart(record(spec.restartPolicy)),
    suspend: typeof spec.suspend === 'boolean' ? spec.suspend : undefined,
    ui: port === undefined ? undefined : { servicePort: port },
    driverIngresses: records(spec.driverIngressOptions).map(({ servicePort, servicePortName, ingressURLFormat }) => (
      { servicePort: numberIn(servicePort) ?? 0, servicePortName: jsonText(servicePortName), urlFormat: textIn(ingressURLFormat) ?? '' })),
  };
}

function readSession(spec: JsonRecord): SparkSessionSpec {
  const executor = record(spec.executor);
  const allocation = record(spec.dynamicAllocation);
  return {
    sparkVersion: jsonText(spec.sparkVersion),
    // Without one, driver and executor, or a setting, name theirs.
    image: textIn(spec.image) ?? 'named elsewhere',
    sparkConf: Object.fromEntries(Object.entries(textsIn(spec.sparkConf)).filter(([name]) => !hasField(name))),
    hadoopConf: textsIn(spec.hadoopConf),
    dynamicAllocation: allocation.enabled === true ? readAllocation(allocation) : undefined,
    // The operator passes the number on as the first of a changing number.
    executor: { ...readPod(executor), instances: allocation.enabled === true ? undefined : numberIn(executor.instances) },
  };
}

function readPod(pod: JsonRecord): SparkPodSpec {
  return {
    cores: numberIn(pod.cores),
    coreRequest: amountIn(pod.coreRequest),
    coreLimit: amountIn(pod.coreLimit),
    memoryMib: mibIn(pod.memory),
    memoryOverheadMib: mibIn(pod.memoryOverhead),
    javaOptions: textIn(pod.javaOptions),
    env: [pod, ...mainContainers(pod)].flatMap(({ env }) => records(env)) as unknown as readonly EnvVarSpec[],
    volumeMounts: records(pod.volumeMounts) as readonly Fields[],
    podSpec: readTemplate(record(record(pod.template).spec)),
  };
}

function mainContainers({ template }: JsonRecord): readonly JsonRecord[] {
  const names: readonly unknown[] = Object.values(SPARK_CONTAINERS);
  return records(record(record(template).spec).containers).filter(({ name }) => names.includes(name));
}

/** What the rules ask of a template. An account and an image in it are taken by the operator, too. */
function readTemplate({ serviceAccountName: _account, containers, ...spec }: JsonRecord): Fields {
  return { ...spec, containers: records(containers).map(({ image: _image, ...container }) => container) };
}

function readAllocation({ initialExecutors, minExecutors, maxExecutors, shuffleTrackingEnabled }: JsonRecord): DynamicAllocationSpec {
  return {
    initialExecutors: numberIn(initialExecutors), minExecutors: numberIn(minExecutors), maxExecutors: numberIn(maxExecutors),
    ...(shuffleTrackingEnabled === false && { shuffleTracking: false }),
  };
}

function readMonitoring({ prometheus, exposeDriverMetrics, exposeExecutorMetrics }: JsonRecord): SparkMonitoringSpec | undefined {
  const { jmxExporterJar, port = 8090, portName } = record(prometheus);
  return jmxExporterJar === undefined ? undefined : {
    kind: 'jmx', jar: jsonText(jmxExporterJar), port: jsonNumber(port), portName: textIn(portName), configMapName: '',
    driver: exposeDriverMetrics === true, executors: exposeExecutorMetrics === true,
  };
}

function readRestart({ type, ...policy }: JsonRecord): SparkRestartSpec {
  return {
    policy: jsonText(type ?? 'Never') as SparkRestartSpec['policy'],
    failureRetries: numberIn(policy.onFailureRetries), failureRetrySeconds: numberIn(policy.onFailureRetryInterval),
    submissionRetries: numberIn(policy.onSubmissionFailureRetries), submissionRetrySeconds: numberIn(policy.onSubmissionFailureRetryInterval),
  };
}

function mibIn(value: unknown): number | undefined {
  const match = /^(\d{1,15})([kmgt])b?$/i.exec(jsonText(value).slice(0, 20));
  return match === null ? undefined : jsonNumber(match[1]) * UNITS[match[2].toLowerCase()];
}
