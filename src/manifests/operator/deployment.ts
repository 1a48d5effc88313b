/** The operator's Deployment, and its code, Service and NetworkPolicy. */
import {
  OPERATOR_CODE_HASH, OPERATOR_HEALTH_PORT, OPERATOR_LABELS, OPERATOR_NAME, OPERATOR_NODE_FLAGS, OPERATOR_PORT_NAME, OPERATOR_PROGRESS_PORT,
  OPERATOR_PROGRESS_PORT_NAME, OPERATOR_VARIABLES, operatorProgressUrl,
} from './settings';
import { namespacesNamed } from '../job/network-policy';
import type { EnvVar, Manifest } from '../kubernetes';
import { constructProgramCode, type ProgramCode } from '../node-program';
import { constructProgramDeployment, podVariable, variables, type ProgramInstallation } from '../program-deployment';

/** Settings of the operator's installation. */
export interface OperatorInstallation extends ProgramInstallation {
  readonly replicas: number;
  readonly watchNamespaces: readonly string[];
  readonly workers?: number;
  /** Number of shards of the jobs. @default 1 */
  readonly shards?: number;
  /** Whether training scripts can report their progress. */
  readonly progress: boolean;
  /** Base URL of the Prometheus with the utilization of GPUs. @default - none */
  readonly prometheusUrl?: string;
  /** Namespaces of trusted GPU exporters. @default - the operator's default */
  readonly gpuExporterNamespaces?: readonly string[];
  /** Whether metrics also have training-operator v1's names. @default false */
  readonly v1MetricNames?: boolean;
  /** Collector of traces, and the ratio of traces that are sent. @default - no traces */
  readonly traces?: { readonly endpoint: string; readonly sampleRatio?: number };
}

export function constructOperatorDeployment(installation: OperatorInstallation): Manifest & { readonly spec: object } {
  const { replicas, progress } = installation;
  return constructProgramDeployment(installation, {
    name: OPERATOR_NAME,
    labels: OPERATOR_LABELS,
    hashAnnotation: OPERATOR_CODE_HASH,
    container: 'operator',
    flags: OPERATOR_NODE_FLAGS,
    replicas,
    spread: true,
    env: constructEnvironment(installation),
    ports: { [OPERATOR_PORT_NAME]: OPERATOR_HEALTH_PORT, ...(progress && { [OPERATOR_PROGRESS_PORT_NAME]: OPERATOR_PROGRESS_PORT }) },
    healthPort: OPERATOR_PORT_NAME,
  });
}

function constructEnvironment(installation: OperatorInstallation): EnvVar[] {
  const { namespace, logLevel, watchNamespaces, workers, shards = 1, progress } = installation;
  const { prometheusUrl, gpuExporterNamespaces, v1MetricNames, traces } = installation;
  const names = OPERATOR_VARIABLES;
  return [
    podVariable(names.podName, 'name'),
    podVariable(names.podNamespace, 'namespace'),
    ...variables([
      [names.logLevel, logLevel],
      [names.healthPort, String(OPERATOR_HEALTH_PORT)],
      // Always on: during a rolling update there are two operators even with one replica.
      [names.leaderElect, 'true'],
      [names.watchNamespaces, watchNamespaces.length > 0 ? watchNamespaces.join(',') : undefined],
      [names.shards, shards > 1 ? String(shards) : undefined],
      [names.workers, workers?.toString()],
      [names.prometheusUrl, prometheusUrl],
      [names.gpuExporterNamespaces, gpuExporterNamespaces?.join(',')],
      [names.v1MetricNames, v1MetricNames ? 'true' : undefined],
      [names.tracesEndpoint, traces?.endpoint],
      // By the trace's id, which is derived from the job's, so that either all or none of a job's spans are sent.
      [names.tracesSampler, traces?.sampleRatio === undefined ? undefined : 'traceidratio'],
      [names.tracesSamplerArgument, traces?.sampleRatio?.toString()],
      [names.progressUrl, progress ? operatorProgressUrl(namespace) : undefined],
      [names.progressPort, progress ? String(OPERATOR_PROGRESS_PORT) : undefined],
    ]),
  ];
}

/**
 * Service for the health endpoints and, with `progress`, for the endpoint of progress reports, of all ready replicas.
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
 * Limits ingress to the operator's pods. Probes need no rule, because policies do not apply to a pod's own node. Egress is not limited, because a
 * policy cannot select the API server.
 * @param metricsNamespaces namespaces that may read the metrics; @default - all
 * @param progress whether pods of all namespaces may report their progress
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
        // A rule without namespaces, or with an empty list, would allow all of them.
        ...(metricsNamespaces?.length === 0 ? [] : [{
          ...(metricsNamespaces && { from: [namespacesNamed(metricsNamespaces)] }),
          ports: port(OPERATOR_HEALTH_PORT),
        }]),
        ...(progress ? [{ ports: port(OPERATOR_PROGRESS_PORT) }] : []),
      ],
    },
  };
}

/**
 * Constructs the ConfigMaps of the operator's code.
 * @param bundle the operator as one ES module, compressed with brotli
 */
export function constructOperatorCode(bundle: Uint8Array, namespace: string): ProgramCode {
  return constructProgramCode({ program: 'operator', name: OPERATOR_NAME, namespace, labels: OPERATOR_LABELS, hashLabel: OPERATOR_CODE_HASH }, bundle);
}
