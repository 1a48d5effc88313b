import type * as kplus from 'cdk8s-plus-28';
import type { ServingWorker } from '../predictor';
import type { ServingProtocol } from '../serving-mode';
import type { AcceleratorRequest } from '../../accelerators/accelerator';
import type { TrainingResources } from '../../training-job/pods/resources';
import type { Toleration } from '../../training-job/pods/toleration';
import type { IProbe, VolumeMount } from '../../training-job/pods/kplus-types';

/** A format that a runtime supports. */
export interface RuntimeModelFormat {
  /** Name of the format, such as that of `ModelFormat.SKLEARN`. */
  readonly name: string;

  /** Version of the format. @default - all versions */
  readonly version?: string;

  /** Whether KServe may select the runtime for models in this format. @default false */
  readonly autoSelect?: boolean;

  /**
   * Priority among several runtimes: the highest number is selected. It must be the same for all versions of a format.
   * @default - the most recently created runtime is selected
   */
  readonly priority?: number;
}

/** Properties of a `ServingRuntime` and of a `ClusterServingRuntime`. */
export interface ServingRuntimeProps extends kplus.ResourceProps {
  /** Supported formats. */
  readonly formats: RuntimeModelFormat[];

  /** Protocols of the server. */
  readonly protocols: ServingProtocol[];

  /** Image of the server. */
  readonly image: string;

  /** Entry point of the server. @default - the image's */
  readonly command?: string[];

  /**
   * Arguments of the server. `{{.Name}}` is the name of the service; `{{.Annotations.x}}` and `{{.Labels.x}}` are its annotations and labels.
   * @default - the image's
   */
  readonly args?: string[];

  /** Port that the server listens on. @default 8080 */
  readonly port?: number;

  /** Environment of the server. @default - the image's */
  readonly env?: { readonly [name: string]: kplus.EnvValue };

  /** Default compute of a replica. @default - no requests */
  readonly resources?: TrainingResources;

  /**
   * Default accelerators of a replica: resource, node selector, tolerations, `/dev/shm` and network variables.
   * @default - none, or those of `resources`
   */
  readonly accelerator?: AcceleratorRequest;

  /** When the server is restarted. @default - when it ends */
  readonly liveness?: IProbe;

  /** When the server gets requests. @default - when its port is open */
  readonly readiness?: IProbe;

  /** How long the server may take to start. @default - no limit */
  readonly startup?: IProbe;

  /** Volumes that the server mounts. @default - none */
  readonly volumeMounts?: VolumeMount[];

  /** Labels that a node must have. @default - any node, or those with the accelerator */
  readonly nodeSelector?: { readonly [label: string]: string };

  /** Taints that the pods tolerate, in addition to those of `resources`. @default - none */
  readonly tolerations?: Toleration[];

  /** Registry credentials for pulling the image. @default - the service account's */
  readonly imagePullSecrets?: kplus.ISecret[];

  /** Labels of the pods. @default - KServe's */
  readonly podLabels?: { readonly [name: string]: string };

  /** Annotations of the pods. @default - KServe's */
  readonly podAnnotations?: { readonly [name: string]: string };

  /** Additional nodes of a replica. They cannot be removed later. @default - a replica is one pod */
  readonly worker?: ServingWorker;

  /** Whether the runtime is disabled. @default false */
  readonly disabled?: boolean;
}
