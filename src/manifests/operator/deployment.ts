/** The operator's Deployment and what belongs to its pods: code, Service, NetworkPolicy and PodDisruptionBudget. */
import {
  OPERATOR_CODE_HASH, OPERATOR_HEALTH_PORT, OPERATOR_LABELS, OPERATOR_NAME, OPERATOR_NODE_FLAGS, OPERATOR_PORT_NAME, OPERATOR_PROGRESS_PORT,
  OPERATOR_PROGRESS_PORT_NAME, OPERATOR_VARIABLES, operatorProgressUrl,
} from './settings';
import { namespacesNamed } from '../job/network-policy';
import type { EnvVar, Manifest, ResourceRequirements, Toleration } from '../kubernetes';
import {
  codeMounts, codeVolumes, constructProgramCode, PROGRAM_CONTAINER_SECURITY, PROGRAM_POD_SECURITY, programCommand, spreadOverNodes, type MountedCode,
  type ProgramCode,
} from '../node-program';
import { canonicalPodSpec } from '../pod/typed-pod';

/** What the operator is installed with. */
export interface OperatorInstallation {
  readonly namespace: string;
  readonly replicas: number;
  readonly image: string;
  /** ConfigMaps with the code. @default - the image holds it */
  readonly code?: MountedCode;
  readonly logLevel: string;
  readonly watchNamespaces: readonly string[];
  readonly workers?: number;
  /** Parts that the jobs are divided into. @default 1 */
  readonly shards?: number;
  /** Whether training scripts can report their progress. */
  readonly progress: boolean;
  /** Base URL of the Prometheus that is asked for the use of GPUs. @default - none is asked */
  readonly prometheusUrl?: string;
  /** Namespaces whose GPU exporters that one is believed about. @default - the operator's own default */
  readonly gpuExporterNamespaces?: readonly string[];
  /** Whether jobs are counted by training-operator v1's names too. @default false */
  readonly v1MetricNames?: boolean;
  /** Collector of traces, and the part of them that is sent. @default - there are no traces */
  readonly traces?: { readonly endpoint: string; readonly sampleRatio?: number };
  readonly resources: ResourceRequirements;
  readonly nodeSelector?: { readonly [label: string]: string };
  readonly tolerations?: readonly Toleration[];
  readonly priorityClassName?: string;
}

export function constructOperatorDeployment(installation: OperatorInstallation): Manifest & { readonly spec: object } {
  const { namespace, replicas, code } = installation;
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: OPERATOR_NAME, namespace, labels: OPERATOR_LABELS },
    spec: {
      replicas,
      selector: { matchLabels: OPERATOR_LABELS },
      // A new pod is ready before an old one goes, so that a bad version never takes the running one down.
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      template: {
        metadata: {
          labels: OPERATOR_LABELS,
          ...(code && { annotations: { [OPERATOR_CODE_HASH]: code.hash } }),
        },
        spec: canonicalPodSpec(constructPodSpec(installation)),
      },
    },
  };
}

function constructPodSpec(installation: OperatorInstallation): object {
  const { code, nodeSelector, tolerations, priorityClassName } = installation;
  return {
    serviceAccountName: OPERATOR_NAME,
    ...(priorityClassName !== undefined && { priorityClassName }),
    ...(nodeSelector && { nodeSelector }),
    ...(tolerations && tolerations.length > 0 && { tolerations }),
    securityContext: PROGRAM_POD_SECURITY,
    topologySpreadConstraints: spreadOverNodes(OPERATOR_LABELS),
    containers: [constructContainer(installation)],
    volumes: codeVolumes(code),
  };
}

function constructContainer(installation: OperatorInstallation): object {
  const { code, image, resources } = installation;
  const probe = (path: string) => ({ httpGet: { path, port: OPERATOR_PORT_NAME } });
  return {
    name: 'operator',
    image,
    ...(code && { command: programCommand(OPERATOR_NODE_FLAGS) }),
    env: constructEnvironment(installation),
    ports: [
      { name: OPERATOR_PORT_NAME, containerPort: OPERATOR_HEALTH_PORT },
      ...(installation.progress ? [{ name: OPERATOR_PROGRESS_PORT_NAME, containerPort: OPERATOR_PROGRESS_PORT }] : []),
    ],
    livenessProbe: { ...probe('/healthz'), initialDelaySeconds: 15, periodSeconds: 20 },
    readinessProbe: { ...probe('/readyz'), initialDelaySeconds: 1, periodSeconds: 5 },
    resources,
    securityContext: PROGRAM_CONTAINER_SECURITY,
    volumeMounts: codeMounts(code),
  };
}

function constructEnvironment(installation: OperatorInstallation): EnvVar[] {
  const { namespace, logLevel, watchNamespaces, workers, shards = 1, progress } = installation;
  const { prometheusUrl, gpuExporterNamespaces, v1MetricNames, traces } = installation;
  return [
    { name: OPERATOR_VARIABLES.podName, valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
    { name: OPERATOR_VARIABLES.podNamespace, valueFrom: { fieldRef: { fieldPath: 'metadata.namespace' } } },
    { name: OPERATOR_VARIABLES.logLevel, value: logLevel },
    { name: OPERATOR_VARIABLES.healthPort, value: String(OPERATOR_HEALTH_PORT) },
    // Always on: during a rolling update there are two operators even when one replica is asked for.
    { name: OPERATOR_VARIABLES.leaderElect, value: 'true' },
    ...(watchNamespaces.length > 0 ? [{ name: OPERATOR_VARIABLES.watchNamespaces, value: watchNamespaces.join(',') }] : []),
    ...(shards > 1 ? [{ name: OPERATOR_VARIABLES.shards, value: String(shards) }] : []),
    ...(workers !== undefined ? [{ name: OPERATOR_VARIABLES.workers, value: String(workers) }] : []),
    ...(prometheusUrl !== undefined ? [{ name: OPERATOR_VARIABLES.prometheusUrl, value: prometheusUrl }] : []),
    ...(gpuExporterNamespaces !== undefined ? [{ name: OPERATOR_VARIABLES.gpuExporterNamespaces, value: gpuExporterNamespaces.join(',') }] : []),
    ...(v1MetricNames ? [{ name: OPERATOR_VARIABLES.v1MetricNames, value: 'true' }] : []),
    ...(traces ? [{ name: OPERATOR_VARIABLES.tracesEndpoint, value: traces.endpoint }] : []),
    // By the trace's id, which follows from the job's, so that all of a job's spans have the same fate.
    ...(traces?.sampleRatio !== undefined ? [
      { name: OPERATOR_VARIABLES.tracesSampler, value: 'traceidratio' },
      { name: OPERATOR_VARIABLES.tracesSamplerArgument, value: String(traces.sampleRatio) },
    ] : []),
    ...(progress ? [
      { name: OPERATOR_VARIABLES.progressUrl, value: operatorProgressUrl(namespace) },
      { name: OPERATOR_VARIABLES.progressPort, value: String(OPERATOR_PROGRESS_PORT) },
    ] : []),
  ];
}

/**
 * Service in front of the health endpoints and, with `progress`, of the endpoint for reports of progress: those of all replicas that are ready,
 * whoever leads.
 */
export function constructOperatorService(namespace: string, progress = true): Manifest & { readonly spec: object } {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: OPERATOR_NAME, namespace, labels: OPERATOR_LABELS },
    spec: {
      selector: OPERATOR_LABELS,
      ports: [
        { name: OPERATOR_PORT_NAME, port: OPERATOR_HEALTH_PORT, targetPort: OPERATOR_PORT_NAME },
        ...(progress ? [{ name: OPERATOR_PROGRESS_PORT_NAME, port: OPERATOR_PROGRESS_PORT, targetPort: OPERATOR_PROGRESS_PORT_NAME }] : []),
      ],
    },
  };
}

/**
 * Who may connect to the operator's pods. Probes are not asked about: a kubelet reaches the pods of its node whatever a policy says. Where the
 * operator connects to is not limited, because no policy can name the API server.
 * @param metricsNamespaces namespaces that read the metrics; @default - all
 * @param progress whether pods of all namespaces report their progress
 */
export function constructOperatorNetworkPolicy(
  namespace: string, metricsNamespaces: readonly string[] | undefined, progress: boolean,
): Manifest & { readonly spec: object } {
  const port = (number: number) => [{ port: number, protocol: 'TCP' }];
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: OPERATOR_NAME, namespace, labels: OPERATOR_LABELS },
    spec: {
      podSelector: { matchLabels: OPERATOR_LABELS },
      policyTypes: ['Ingress'],
      ingress: [
        // A rule without namespaces is one for everybody, and a list of none would be as well.
        ...(metricsNamespaces?.length === 0 ? [] : [{
          ...(metricsNamespaces && { from: [namespacesNamed(metricsNamespaces)] }),
          ports: port(OPERATOR_HEALTH_PORT),
        }]),
        ...(progress ? [{ ports: port(OPERATOR_PROGRESS_PORT) }] : []),
      ],
    },
  };
}

/** Budget that lets a node be drained and never takes more than one replica at a time. */
export function constructOperatorDisruptionBudget(namespace: string): Manifest & { readonly spec: object } {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: OPERATOR_NAME, namespace, labels: OPERATOR_LABELS },
    spec: { maxUnavailable: 1, selector: { matchLabels: OPERATOR_LABELS } },
  };
}

/**
 * Constructs the ConfigMaps of the operator's code.
 * @param bundle the operator as one ES module, compressed with brotli
 */
export function constructOperatorCode(bundle: Uint8Array, namespace: string): ProgramCode {
  return constructProgramCode({ program: 'operator', name: OPERATOR_NAME, namespace, labels: OPERATOR_LABELS, hashLabel: OPERATOR_CODE_HASH }, bundle);
}
