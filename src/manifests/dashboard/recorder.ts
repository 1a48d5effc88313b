/** The recorder of the dashboard's history: its identity, its Deployment, its volume, and who may connect to it. */
import {
  DASHBOARD_CODE_HASH, DASHBOARD_HEALTH_PORT, DASHBOARD_LABELS, DASHBOARD_PROGRAM, DASHBOARD_VARIABLES, DATABASE_FOLDER, HISTORY_FOLDER,
  RECORDER_LABELS,
  RECORDER_NAME, RECORDER_PORT, RECORDER_VARIABLES,
} from './settings';
import { API_GROUP } from '../../model/labels';
import type { HistorySpec } from '../../model/dashboard/history';
import type { Manifest, ResourceRequirements, Toleration } from '../kubernetes';
import {
  codeMounts, codeVolumes, PROGRAM_CONTAINER_SECURITY, PROGRAM_POD_SECURITY, programCommand, spreadOverNodes, type MountedCode,
} from '../node-program';
import { canonicalPodSpec } from '../pod/typed-pod';

type WithSpec = Manifest & { readonly spec: object };

/** What the recorder is installed with. */
export interface RecorderInstallation extends HistorySpec {
  readonly namespace: string;
  readonly image: string;
  /** ConfigMaps with the code, which is the dashboard's. @default - the image holds it */
  readonly code?: MountedCode;
  readonly logLevel: string;
  readonly resources: ResourceRequirements;
  readonly nodeSelector?: { readonly [label: string]: string };
  readonly tolerations?: readonly Toleration[];
  readonly priorityClassName?: string;
}

const RBAC_GROUP = 'rbac.authorization.k8s.io';

/** All objects, by the ids of their constructs. */
export function constructRecorder(installation: RecorderInstallation): { readonly [id: string]: Manifest } {
  const { namespace, store } = installation;
  const metadata = { name: RECORDER_NAME, namespace, labels: RECORDER_LABELS };
  const [role, binding] = constructRoles(namespace);
  return {
    RecorderServiceAccount: { apiVersion: 'v1', kind: 'ServiceAccount', metadata, automountServiceAccountToken: false } as Manifest,
    RecorderRole: role,
    RecorderRoleBinding: binding,
    ...(store.kind === 'sqlite' && { RecorderVolume: constructClaim(namespace, store) }),
    Recorder: constructDeployment(installation),
    RecorderService: {
      apiVersion: 'v1', kind: 'Service', metadata,
      // What is recorded can be read while nothing can be written, which the readiness says.
      spec: { selector: RECORDER_LABELS, publishNotReadyAddresses: true, ports: [{ name: 'http', port: RECORDER_PORT, targetPort: 'http', appProtocol: 'http' }] },
    } as WithSpec,
    RecorderNetworkPolicy: {
      apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', metadata,
      spec: {
        podSelector: { matchLabels: RECORDER_LABELS }, policyTypes: ['Ingress'],
        ingress: [{ from: [{ podSelector: { matchLabels: DASHBOARD_LABELS } }], ports: [{ port: RECORDER_PORT, protocol: 'TCP' }] }],
      },
    } as WithSpec,
  };
}

/** It reads what a job's page shows, and writes nothing. */
function constructRoles(namespace: string): readonly Manifest[] {
  const metadata = { name: RECORDER_NAME, labels: RECORDER_LABELS };
  return [
    {
      apiVersion: `${RBAC_GROUP}/v1`, kind: 'ClusterRole', metadata,
      rules: [
        { apiGroups: [API_GROUP], resources: ['mltrainingjobs'], verbs: ['get', 'list', 'watch'] },
        { apiGroups: [''], resources: ['pods', 'events'], verbs: ['list'] },
        { apiGroups: [''], resources: ['pods/log'], verbs: ['get'] },
      ],
    } as Manifest,
    {
      apiVersion: `${RBAC_GROUP}/v1`, kind: 'ClusterRoleBinding', metadata,
      roleRef: { apiGroup: RBAC_GROUP, kind: 'ClusterRole', name: metadata.name }, subjects: [{ kind: 'ServiceAccount', name: RECORDER_NAME, namespace }],
    } as Manifest,
  ];
}

function constructClaim(namespace: string, { mebibytes, storageClassName }: HistorySpec['store'] & { readonly kind: 'sqlite' }): WithSpec {
  return {
    apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: RECORDER_NAME, namespace, labels: RECORDER_LABELS },
    spec: {
      accessModes: ['ReadWriteOnce'], ...(storageClassName !== undefined && { storageClassName }),
      resources: { requests: { storage: `${mebibytes}Mi` } },
    },
  };
}

function constructDeployment(installation: RecorderInstallation): WithSpec {
  const { namespace, image, code, store, logLevel, resources, nodeSelector, tolerations, priorityClassName } = installation;
  const { days, jobs, mebibytes } = installation;
  const probe = (path: string) => ({ httpGet: { path, port: 'health' } });
  const names = RECORDER_VARIABLES;
  const variables = {
    [DASHBOARD_VARIABLES.program]: 'recorder', [DASHBOARD_VARIABLES.logLevel]: logLevel, [DASHBOARD_VARIABLES.port]: String(RECORDER_PORT),
    [DASHBOARD_VARIABLES.healthPort]: String(DASHBOARD_HEALTH_PORT), [names.namespace]: namespace,
    [names.days]: String(days), [names.jobs]: String(jobs), [names.mebibytes]: String(mebibytes),
    ...(store.kind === 'sqlite' ? { [names.folder]: HISTORY_FOLDER } : { [names.database]: DATABASE_FOLDER }),
  };
  const [volume, mount] = store.kind === 'sqlite'
    ? [{ name: 'history', persistentVolumeClaim: { claimName: RECORDER_NAME } }, { name: 'history', mountPath: HISTORY_FOLDER }]
    : [{ name: 'database', secret: { secretName: store.secretName } }, { name: 'database', mountPath: DATABASE_FOLDER, readOnly: true }];
  return {
    apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: RECORDER_NAME, namespace, labels: RECORDER_LABELS },
    spec: {
      replicas: store.kind === 'sqlite' ? 1 : store.replicas,
      selector: { matchLabels: RECORDER_LABELS },
      // One process at a time has the file open.
      strategy: store.kind === 'sqlite' ? { type: 'Recreate' } : { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      template: {
        metadata: { labels: RECORDER_LABELS, ...(code && { annotations: { [DASHBOARD_CODE_HASH]: code.hash } }) },
        spec: canonicalPodSpec({
          serviceAccountName: RECORDER_NAME,
          automountServiceAccountToken: true,
          ...(priorityClassName !== undefined && { priorityClassName }),
          ...(nodeSelector && { nodeSelector }),
          ...(tolerations && tolerations.length > 0 && { tolerations }),
          securityContext: PROGRAM_POD_SECURITY,
          topologySpreadConstraints: spreadOverNodes(RECORDER_LABELS),
          containers: [{
            name: 'recorder', image,
            command: code ? programCommand([]) : ['node', DASHBOARD_PROGRAM],
            env: Object.entries(variables).map(([name, value]) => ({ name, value })),
            ports: [{ name: 'http', containerPort: RECORDER_PORT }, { name: 'health', containerPort: DASHBOARD_HEALTH_PORT }],
            livenessProbe: { ...probe('/healthz'), initialDelaySeconds: 15, periodSeconds: 20 },
            readinessProbe: { ...probe('/readyz'), initialDelaySeconds: 1, periodSeconds: 5 },
            resources, securityContext: PROGRAM_CONTAINER_SECURITY, volumeMounts: [...codeMounts(code), mount],
          }],
          volumes: [...codeVolumes(code), volume],
        }),
      },
    },
  };
}
