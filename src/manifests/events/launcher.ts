/** The launcher in the cluster: its files, its pod, and what it may do. */
import { createHash } from 'node:crypto';
import type { EnvVar, PodSpec } from '../kubernetes';
import { joinedPython } from '../../programs/joined-python';
import { programText } from '../../programs/program-text';

/** Image with Python only. */
const LAUNCHER_IMAGE = 'docker.io/library/python:3.13.9-alpine3.22';

/** Folder of the launcher's files. */
const FOLDER = '/opt/launcher';

/** A user without rights in the image. */
const NOBODY = 65534;

/** The launcher's command. */
export type LauncherKind = 'pubsub' | 'sqs' | 'kafka' | 'knative' | 'schedule';

/** How the launcher is used: it takes messages from a queue, is a server to which Knative sends CloudEvents, or starts a scheduled job. */
const PROGRAMS: { readonly [kind in LauncherKind]: () => string } = {
  pubsub: () => joinedPython(programText('cloud/google.py'), programText('events/messages.py'), programText('events/pubsub.py')),
  sqs: () => joinedPython(programText('cloud/aws.py'), programText('events/messages.py'), programText('events/sqs.py')),
  kafka: () => joinedPython(programText('events/messages.py'), programText('events/kafka_messages.py')),
  knative: () => programText('events/server.py'),
  schedule: () => programText('events/schedule.py'),
};

/**
 * Files of the launcher's ConfigMap. `launcher.py` fills a template of the job and creates it through the Kubernetes API. A job's name is
 * derived from what it is started for, so that a repeated message or time finds the existing job. It uses only Python's standard library.
 */
export function launcherFiles(kind: LauncherKind, template: object): { readonly [name: string]: string } {
  return { 'launcher.py': programText('events/launcher.py'), 'main.py': PROGRAMS[kind](), 'launch.json': JSON.stringify(template) };
}

/** Hash of the files for a pod template, so that a server restarts when they change. */
export function filesDigest(files: { readonly [name: string]: string }): string {
  const hash = createHash('sha256');
  Object.keys(files).sort().forEach((name) => hash.update(name).update('\0').update(files[name]).update('\0'));
  return hash.digest('hex').slice(0, 16);
}

/** What differs between launchers. */
export interface LauncherPod {
  readonly configMapName: string;
  readonly serviceAccountName: string;
  readonly image?: string;
  readonly env?: readonly EnvVar[];
  readonly imagePullSecrets?: readonly string[];
  readonly nodeSelector?: { readonly [label: string]: string };
  readonly tolerations?: readonly object[];
  /** Port of a server, which is probed. */
  readonly port?: number;
}

/** Pod of a launcher: it follows the restricted Pod Security Standard. */
export function launcherPod({ port, ...pod }: LauncherPod, restartPolicy: 'Never' | 'Always'): PodSpec {
  return {
    serviceAccountName: pod.serviceAccountName,
    restartPolicy,
    securityContext: { runAsNonRoot: true, runAsUser: NOBODY, runAsGroup: NOBODY, fsGroup: NOBODY, seccompProfile: { type: 'RuntimeDefault' } },
    ...(pod.imagePullSecrets?.length && { imagePullSecrets: pod.imagePullSecrets.map((name) => ({ name })) }),
    ...(pod.nodeSelector && { nodeSelector: { ...pod.nodeSelector } }),
    ...(pod.tolerations?.length && { tolerations: [...pod.tolerations] as PodSpec['tolerations'] }),
    containers: [{
      name: 'launcher',
      image: pod.image ?? LAUNCHER_IMAGE,
      command: ['python3', '-B', '-u', `${FOLDER}/main.py`],
      ...(pod.env?.length && { env: [...pod.env] }),
      ...(port !== undefined && {
        ports: [{ name: 'http', containerPort: port, protocol: 'TCP' as const }],
        readinessProbe: { httpGet: { path: '/healthz', port: 'http' } },
        livenessProbe: { httpGet: { path: '/healthz', port: 'http' }, periodSeconds: 30, timeoutSeconds: 5 },
      }),
      resources: { requests: { cpu: '50m', memory: '64Mi' }, limits: { memory: '128Mi' } },
      terminationMessagePolicy: 'FallbackToLogsOnError',
      securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
      volumeMounts: [{ name: 'launcher', mountPath: FOLDER, readOnly: true }],
    }],
    volumes: [{ name: 'launcher', configMap: { name: pod.configMapName } }],
  };
}

/** Binding of the launcher's account to its Role. */
export function launcherBinding(name: string, account: { readonly name: string; readonly namespace: string }): object {
  return {
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name },
    subjects: [{ kind: 'ServiceAccount', name: account.name, namespace: account.namespace }],
  };
}
