import { ComponentName } from './components';
import { ControlPlaneUser } from './credentials';
import { FakeNodesOptions } from './fake-nodes';

/** Options of `ControlPlane.start`. */
export interface ControlPlaneOptions {
  /**
   * Folder for all state. An existing one continues with its data, its users' tokens and, if it is free, its port.
   * @default a temporary folder, removed by `stop`
   */
  readonly dataDir?: string;
  /** Port of the API server on 127.0.0.1. @default the one that `dataDir` had before, else a free one */
  readonly port?: number;
  /** Users in addition to `admin`, with the permissions of RBAC objects in the cluster. @default none */
  readonly users?: readonly ControlPlaneUser[];
  /**
   * Feature gates of the Kubernetes programs.
   * @default none
   * @see https://kubernetes.io/docs/reference/command-line-tools-reference/feature-gates/
   */
  readonly featureGates?: Readonly<Record<string, boolean>>;
  /**
   * API groups, versions or resources to switch on or off, such as `{ 'scheduling.k8s.io/v1alpha2': true }`.
   * @default those that are on by default
   */
  readonly runtimeConfig?: Readonly<Record<string, boolean>>;
  /** More flags of kube-apiserver, after the others. @default none */
  readonly apiServerArgs?: readonly string[];
  /** More flags of etcd, after the others. The last value of a flag counts. @default none */
  readonly etcdArgs?: readonly string[];
  /** Admission plugins to switch off. @default `ServiceAccount` when kube-controller-manager does not run, else none */
  readonly disableAdmissionPlugins?: readonly string[];
  /**
   * File to which the API server appends one JSON line per request: user, verb, object, answer.
   * @default none
   * @see https://kubernetes.io/docs/tasks/debug/debug-cluster/audit/
   */
  readonly auditLogPath?: string;
  /**
   * Whether etcd does not wait for the disk. Data may be lost when the machine loses power, but not when processes are killed.
   * @default true
   */
  readonly unsafeNoFsync?: boolean;
  /** Runs kube-controller-manager, with all its default controllers or with those named. @default false */
  readonly controllerManager?: boolean | { readonly controllers: readonly string[] };
  /** Runs kube-scheduler. @default false */
  readonly scheduler?: boolean;
  /**
   * Runs KWOK with fake nodes, on which pods run without containers. kube-scheduler or a `nodeName` assigns pods to them.
   * @default none
   */
  readonly fakeNodes?: FakeNodesOptions;
  /**
   * Milliseconds until each program must be ready. A busy machine may need many seconds.
   * @default 60000
   */
  readonly startTimeoutMs?: number;
  /** Called with lines about the progress of downloads and builds. @default no output */
  readonly log?: (line: string) => void;
  /** Called when a program ends without being stopped, with the last lines of its log. @default nothing happens */
  readonly onUnexpectedExit?: (name: ComponentName, lastLogLines: string) => void;
}
