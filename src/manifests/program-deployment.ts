/** The Deployment of one of our programs: the operator, the notifier, the dashboard and its recorder. */
import { BUDGET_API_VERSION, oneAtATime } from './job/disruption-budget';
import type { EnvVar, Manifest, ResourceRequirements, Toleration, Volume } from './kubernetes';
import {
  codeMounts, codeVolumes, PROGRAM_CONTAINER_SECURITY, PROGRAM_POD_SECURITY, programCommand, spreadOverNodes, type MountedCode,
} from './node-program';
import { canonicalPodSpec } from './pod/typed-pod';

/** Settings of an installation for each program. */
export interface ProgramInstallation {
  readonly namespace: string;
  readonly image: string;
  /** ConfigMaps with the code. @default - the image contains it */
  readonly code?: MountedCode;
  readonly logLevel: string;
  readonly resources: ResourceRequirements;
  readonly nodeSelector?: { readonly [label: string]: string };
  readonly tolerations?: readonly Toleration[];
  readonly priorityClassName?: string;
}

/** Definition of a program. */
export interface Program {
  /** Name of the Deployment and its service account. */
  readonly name: string;
  readonly labels: { readonly [label: string]: string };
  /** Annotation of the pods with the hash of their code. */
  readonly hashAnnotation: string;
  readonly container: string;
  /** Flags of Node.js. @default - none */
  readonly flags?: readonly string[];
  /** File with the code in the image. @default - the image's entry point */
  readonly file?: string;
  readonly replicas: number;
  /** Whether the old pod ends before the new one starts. @default false - a new one is ready before an old one ends */
  readonly recreate?: boolean;
  /** Whether replicas are spread over nodes if possible. */
  readonly spread: boolean;
  /** Whether the token of the service account is mounted. @default - the service account's setting */
  readonly token?: boolean;
  readonly env: readonly EnvVar[];
  readonly ports: { readonly [name: string]: number };
  /** Name of the port with `/healthz` and `/readyz`. */
  readonly healthPort: string;
  /** Volumes in addition to those of the code, with their mounts. @default - none */
  readonly volumes?: readonly { readonly volume: Volume; readonly mount: object }[];
}

/** Constructs the Deployment. */
export function constructProgramDeployment(installation: ProgramInstallation, program: Program): Manifest & { readonly spec: object } {
  const { namespace, code } = installation;
  const { name, labels, hashAnnotation, replicas, recreate = false } = program;
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace, labels },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      strategy: recreate ? { type: 'Recreate' } : { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      template: {
        metadata: { labels, ...(code && { annotations: { [hashAnnotation]: code.hash } }) },
        spec: canonicalPodSpec(constructPodSpec(installation, program)),
      },
    },
  };
}

function constructPodSpec(installation: ProgramInstallation, program: Program): object {
  const { image, code, resources, nodeSelector, tolerations = [], priorityClassName } = installation;
  const { name, labels, flags = [], file, env, ports, healthPort, volumes = [] } = program;
  const probe = (path: string) => ({ httpGet: { path, port: healthPort } });
  const command = code ? programCommand(flags) : file && ['node', ...flags, file];
  return {
    serviceAccountName: name,
    ...(program.token !== undefined && { automountServiceAccountToken: program.token }),
    ...(priorityClassName !== undefined && { priorityClassName }),
    ...(nodeSelector && { nodeSelector }),
    ...(tolerations.length > 0 && { tolerations }),
    securityContext: PROGRAM_POD_SECURITY,
    ...(program.spread && { topologySpreadConstraints: spreadOverNodes(labels) }),
    containers: [{
      name: program.container,
      image,
      ...(command && { command }),
      env,
      ports: Object.entries(ports).map(([port, containerPort]) => ({ name: port, containerPort })),
      livenessProbe: { ...probe('/healthz'), initialDelaySeconds: 15, periodSeconds: 20 },
      readinessProbe: { ...probe('/readyz'), initialDelaySeconds: 1, periodSeconds: 5 },
      resources,
      securityContext: PROGRAM_CONTAINER_SECURITY,
      volumeMounts: [...codeMounts(code), ...volumes.map(({ mount }) => mount)],
    }],
    volumes: [...codeVolumes(code), ...volumes.map(({ volume }) => volume)],
  };
}

/** The variables with a value. */
export function variables(values: readonly (readonly [name: string, value: string | undefined])[]): EnvVar[] {
  return values.flatMap(([name, value]) => (value === undefined ? [] : [{ name, value }]));
}

/** A variable with a field of the pod's metadata. */
export function podVariable(name: string, field: 'name' | 'namespace'): EnvVar {
  return { name, valueFrom: { fieldRef: { fieldPath: `metadata.${field}` } } };
}

/** Budget that allows draining a node, with at most one replica at a time. */
export function constructProgramDisruptionBudget(
  namespace: string, { name, labels }: Pick<Program, 'name' | 'labels'>,
): Manifest & { readonly spec: object } {
  return { apiVersion: BUDGET_API_VERSION, kind: 'PodDisruptionBudget', metadata: { name, namespace, labels }, spec: oneAtATime(labels) };
}
