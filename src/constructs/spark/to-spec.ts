/** Converts the properties of Spark's constructs to specs. Pure; fields that are not given stay undefined. */
import type { SparkDynamicAllocation, SparkRestart, SparkSessionProps } from './session-props';
import type { SparkExecutorPods, SparkPodOptions } from './spark-pods';
import { containerMib } from '../../manifests/spark/session';
import { errorsOf } from '../../model/findings';
import { SPARK_VERSION } from '../../model/spark/settings';
import type { DynamicAllocationSpec, SparkExecutorSpec, SparkPodSpec, SparkRestartSpec, SparkSessionSpec } from '../../model/spark/spec';
import type { ResourcesSpec } from '../../model/training-job/spec';
import { ViolationCollector, type Violation } from '../../model/violations';
import type { AcceleratorRequest } from '../accelerators/accelerator';
import { checkSelector, devicesOf as acceleratorDevices, envWith } from '../training-job/job-accelerators';
import { podSettings } from '../training-job/pods/pod-settings';

/** A pod. */
export function sparkPod(options: SparkPodOptions = {}): SparkPodSpec {
  const { accelerator } = options;
  const settings = podSettings('a pod of Spark', options);
  return {
    ...settings,
    image: options.image,
    cores: options.cores,
    coreRequest: options.coreRequest?.amount,
    coreLimit: options.coreLimit?.amount,
    memoryMib: options.memory?.toMebibytes(),
    memoryOverheadMib: options.memoryOverhead?.toMebibytes(),
    javaOptions: options.javaOptions,
    ...(accelerator && envWith(settings.env, accelerator)),
    devices: accelerator && devicesOf(accelerator, options),
    nodeSelector: accelerator === undefined ? options.nodeSelector : { ...accelerator.nodeSelector, ...options.nodeSelector },
    tolerations: [...accelerator?._tolerations ?? [], ...settings.tolerations].map((one) => ({ ...one })),
  };
}

/** Executors. */
function sparkExecutor(options: SparkExecutorPods = {}): SparkExecutorSpec {
  const { instances, gpusPerTask, gpuDiscoveryScript, serviceAccount } = options;
  return { ...sparkPod(options), instances, gpusPerTask, gpuDiscoveryScript, serviceAccountName: serviceAccount?.name };
}

/** Fields of all kinds. */
export function sparkSession(props: SparkSessionProps, serviceAccountName: string): SparkSessionSpec {
  return {
    sparkVersion: props.sparkVersion ?? SPARK_VERSION,
    image: props.image,
    sparkConf: props.sparkConf,
    hadoopConf: props.hadoopConf,
    dynamicAllocation: props.dynamicAllocation && allocation(props.dynamicAllocation),
    executor: sparkExecutor(props.executor),
    serviceAccountName,
    imagePullSecrets: (props.imagePullSecrets ?? []).map(({ name }) => name),
    eventLog: props.eventLog?._spec,
  };
}

/** When an application is restarted. */
export function restart(written: SparkRestart): SparkRestartSpec {
  return {
    policy: written.policy,
    failureRetries: written.failureRetries,
    failureRetrySeconds: written.failureRetryInterval?.toSeconds(),
    submissionRetries: written.submissionRetries,
    submissionRetrySeconds: written.submissionRetryInterval?.toSeconds(),
  };
}

/** Violations of a pod's accelerator, including conflicts with its node selector. */
export function acceleratorViolations(options: SparkPodOptions | undefined, path: string): Violation[] {
  const { accelerator, nodeSelector } = options ?? {};
  const violations = new ViolationCollector();
  if (accelerator !== undefined) {
    violations.addAll(errorsOf(accelerator._findings(`${path}.accelerator`)));
    checkSelector(accelerator, { path: `${path}.nodeSelector`, labels: nodeSelector }, `${path}.accelerator`, violations);
  }
  return violations.violations;
}

function allocation(written: SparkDynamicAllocation): DynamicAllocationSpec {
  const { shuffleTrackingTimeout, ...counts } = written;
  return { ...counts, shuffleTrackingTimeoutSeconds: shuffleTrackingTimeout?.toSeconds() };
}

/** Shared memory counts against the container's memory, so it gets at most half of it. */
function devicesOf(request: AcceleratorRequest, { memory, memoryOverhead }: SparkPodOptions): ResourcesSpec {
  const half = Math.floor(containerMib({ memoryMib: memory?.toMebibytes(), memoryOverheadMib: memoryOverhead?.toMebibytes() }, true) / 2);
  const wanted = request.sharedMemory?.toMebibytes();
  return {
    ...(request.count > 0 && acceleratorDevices(request)),
    ...(wanted !== undefined && { sharedMemory: `${Math.min(wanted, half)}Mi` }),
  };
}
