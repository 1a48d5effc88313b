import type { Size } from 'cdk8s';
import type * as kplus from 'cdk8s-plus-28';
import type { AcceleratorRequest } from '../accelerators/accelerator';
import type { CredentialUse } from '../credentials/credential-use';
import type { Toleration } from '../training-job/pods/toleration';
import type { IEnvFrom, VolumeMount } from '../training-job/pods/kplus-types';

/**
 * Options of drivers, executors and Spark Connect servers. Cores and memory are Spark settings; everything else is in the pod template, which works
 * with and without the operator's webhook.
 */
export interface SparkPodOptions {
  /** Image of this pod. @default - the application's */
  readonly image?: string;

  /** Cores in Spark: the number of tasks that an executor runs at the same time. @default 1 */
  readonly cores?: number;

  /** CPU request of the pod. @default - as many as `cores` */
  readonly coreRequest?: kplus.Cpu;

  /** Cores that the pod may use. @default - no limit */
  readonly coreLimit?: kplus.Cpu;

  /** Heap of the JVM. The container also gets `memoryOverhead`. @default Size.gibibytes(1) */
  readonly memory?: Size;

  /**
   * Memory of the container in addition to the heap: Python workers, native memory, shared memory.
   * @default - 10 % of the heap, 40 % for Python and R, at least 384 MiB
   */
  readonly memoryOverhead?: Size;

  /** JVM options, without heap sizes and Spark settings. @default - none */
  readonly javaOptions?: string;

  /** Accelerators of each pod: limits, node selector, tolerations and shared memory. @default - none */
  readonly accelerator?: AcceleratorRequest;

  /** Environment. @default - only Spark's */
  readonly env?: { readonly [name: string]: kplus.EnvValue };

  /** ConfigMaps and Secrets whose keys become variables. @default - none */
  readonly envFrom?: IEnvFrom[];

  /** Tokens and keys, as variables or files. @default - none */
  readonly credentials?: CredentialUse[];

  /**
   * Volumes that Spark's container mounts. Spark stores shuffle data in volumes whose names start with `spark-local-dir-`.
   * @default - none
   */
  readonly volumeMounts?: VolumeMount[];

  /** Labels that a node must have. @default - any node */
  readonly nodeSelector?: { readonly [label: string]: string };

  /** Taints that the pod tolerates, in addition to that of its accelerator. @default - none */
  readonly tolerations?: Toleration[];

  /** PriorityClass of the pod. @default - the cluster's */
  readonly priorityClassName?: string;

  /** Labels of the pod. @default - those of the application */
  readonly podLabels?: { readonly [name: string]: string };

  /** Annotations of the pod. @default - none */
  readonly podAnnotations?: { readonly [name: string]: string };

  /**
   * Additional fields of the pod, as in Kubernetes: `affinity`, `initContainers`, sidecars in `containers` and so on.
   * @default - none
   */
  readonly podSpec?: { readonly [field: string]: unknown };
}

/** Executors. */
export interface SparkExecutorPods extends SparkPodOptions {
  /** Number of executors. Not together with `dynamicAllocation`. @default 1 */
  readonly instances?: number;

  /**
   * GPUs that Spark assigns to each task: a whole number, or a fraction (up to 0.5, in Spark 4 up to 1). Needs `accelerator`.
   * @default - Spark does not assign GPUs; every task can use all GPUs of its executor
   */
  readonly gpusPerTask?: number;

  /**
   * Script in the image that reports the GPUs of a pod to Spark. Only with `gpusPerTask`.
   * @default /opt/spark/examples/src/main/scripts/getGpusResources.sh - that of Spark's own images
   */
  readonly gpuDiscoveryScript?: string;

  /** Service account of the executors. @default - the driver's */
  readonly serviceAccount?: kplus.IServiceAccount;
}
