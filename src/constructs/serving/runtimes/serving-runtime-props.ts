import type * as kplus from 'cdk8s-plus-28';
import type { ServingWorker } from '../predictor';
import type { ServingProtocol } from '../serving-mode';
import type { AcceleratorRequest } from '../../accelerators/accelerator-request';
import type { TrainingResources } from '../../training-job/pods/resources';
import type { Toleration } from '../../training-job/pods/toleration';
import type { IProbe, VolumeMount } from '../../training-job/pods/kplus-types';

/** A format that a runtime serves. */
export interface RuntimeModelFormat {
  /** Name of the format, such as that of `ModelFormat.SKLEARN`. */
  readonly name: string;

  /** Version of the format. @default - all versions */
  readonly version?: string;

  /** Whether KServe may choose the runtime for models of the format. @default false */
  readonly autoSelect?: boolean;

  /**
   * Which of several runtimes is chosen: the one with the highest number. The same for all versions of a format.
   * @default - the one that was created last
   */
  readonly priority?: number;
}

/** Properties of a `ServingRuntime` and of a `ClusterServingRuntime`. */
export interface ServingRuntimeProps extends kplus.ResourceProps {
  /** Formats that it serves. */
  readonly formats: RuntimeModelFormat[];

  /** Protocols that the server speaks. */
  readonly protocols: ServingProtocol[];

  /** Image of the server. */
  readonly image: string;

  /** Entry point of the server. @default - the image's */
  readonly command?: string[];

  /**
   * Arguments of the server. `{{.Name}}` is the name of the service that is served, `{{.Annotations.x}}` and `{{.Labels.x}}` are of it.
   * @default - the image's
   */
  readonly args?: string[];

  /** Port that the server listens on. @default 8080 */
  readonly port?: number;

  /** Environment of the server. @default - the image's */
  readonly env?: { readonly [name: string]: kplus.EnvValue };

  /** Compute of a replica that does not ask for its own. @default - none asked for */
  readonly resources?: TrainingResources;

  /**
   * Accelerators of a replica that does not ask for its own: resource, node selector, tolerations, `/dev/shm` and variables of the network in one.
   * @default - none, or those of `resources`
   */
  readonly accelerator?: AcceleratorRequest;

  /** When the server is restarted. @default - when it ends */
  readonly liveness?: IProbe;

  /** When the server gets requests. @default - when its port is open */
  readonly readiness?: IProbe;

  /** Until when the server may start. @default - as long as it needs */
  readonly startup?: IProbe;

  /** Volumes that the server mounts. @default - none */
  readonly volumeMounts?: VolumeMount[];

  /** Labels that a node must have. @default - any node, or those with the accelerator */
  readonly nodeSelector?: { readonly [label: string]: string };

  /** Taints that the pods tolerate. Those of `resources` are tolerated already. @default - none more */
  readonly tolerations?: Toleration[];

  /** Registry credentials that the image is pulled with. @default - the service account's */
  readonly imagePullSecrets?: kplus.ISecret[];

  /** Labels of the pods. @default - KServe's */
  readonly podLabels?: { readonly [name: string]: string };

  /** Annotations of the pods. @default - KServe's */
  readonly podAnnotations?: { readonly [name: string]: string };

  /** Further nodes of a replica. Once a runtime has them, it cannot lose them. @default - a replica is one pod */
  readonly worker?: ServingWorker;

  /** Whether the runtime serves nothing. @default false */
  readonly disabled?: boolean;
}
