import type { LogLevel } from './log-level';
import type { ComputeResources } from '../training-job/pods/resources';
import type { Toleration } from '../training-job/pods/toleration';

/** Properties of the pods of each program of Trainyard: `TrainingOperator`, `TrainyardNotifier` and `TrainyardDashboard`. */
export interface ProgramProps {
  /** Log level. `INFO` logs each change by a user (dashboard) and each delivered message (notifier). @default LogLevel.INFO */
  readonly logLevel?: LogLevel;

  /**
   * Image that contains the code (see the Dockerfile in the repository). Not together with `nodeImage`.
   * @default - the code is in ConfigMaps and runs on `nodeImage`
   */
  readonly image?: string;

  /**
   * Image with Node.js 20.16 or newer as `node`, for clusters with a private registry.
   * @default - Docker's official image, version 22 on Alpine
   */
  readonly nodeImage?: string;

  /**
   * Compute of each pod: request and limit, as in all constructs.
   * @default - requests 50m CPU and 128Mi memory, limit 512Mi memory (notifier: 20m, 96Mi and 256Mi); each value that you set replaces its default
   */
  readonly resources?: ComputeResources;

  /** Labels that a node must have. @default - any node */
  readonly nodeSelector?: { readonly [label: string]: string };

  /** Taints that the pods tolerate. @default - none */
  readonly tolerations?: Toleration[];

  /** PriorityClass of the pods. @default - the cluster's */
  readonly priorityClassName?: string;
}
