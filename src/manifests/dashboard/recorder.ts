/** The recorder of the dashboard's history: its identity, Deployment, volume and NetworkPolicy. */
import {
  DASHBOARD_CODE_HASH, DASHBOARD_HEALTH_PORT, DASHBOARD_LABELS, DASHBOARD_PROGRAM, DASHBOARD_VARIABLES, DATABASE_FOLDER, HISTORY_FOLDER,
  RECORDER_LABELS, RECORDER_NAME, RECORDER_PORT, RECORDER_VARIABLES,
} from './settings';
import { API_GROUP } from '../../model/labels';
import type { HistorySpec } from '../../model/dashboard/history';
import { constructBoundRole } from '../bound-role';
import type { Manifest } from '../kubernetes';
import type { PolicyRule } from '../operator-rbac';
import { constructProgramDeployment, variables, type ProgramInstallation } from '../program-deployment';

type WithSpec = Manifest & { readonly spec: object };

/** Settings of the recorder's installation. */
export interface RecorderInstallation extends HistorySpec, ProgramInstallation {}

/** All objects, by the ids of their constructs. */
export function constructRecorder(installation: RecorderInstallation): { readonly [id: string]: Manifest } {
  const { namespace, store } = installation;
  const metadata = { name: RECORDER_NAME, namespace, labels: RECORDER_LABELS };
  const [role, binding] = constructBoundRole('ClusterRole', { name: RECORDER_NAME, labels: RECORDER_LABELS }, RECORDER_RULES, metadata);
  return {
    RecorderServiceAccount: { apiVersion: 'v1', kind: 'ServiceAccount', metadata, automountServiceAccountToken: false } as Manifest,
    RecorderRole: role,
    RecorderRoleBinding: binding,
    ...(store.kind === 'sqlite' && { RecorderVolume: constructClaim(namespace, store) }),
    Recorder: constructDeployment(installation),
    RecorderService: {
      apiVersion: 'v1', kind: 'Service', metadata,
      // A recorder that cannot write is not ready, but its records can still be read.
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

/** It reads what a job's page shows. */
const RECORDER_RULES: readonly PolicyRule[] = [
  { apiGroups: [API_GROUP], resources: ['mltrainingjobs'], verbs: ['get', 'list', 'watch'] },
  { apiGroups: [''], resources: ['pods', 'events'], verbs: ['list'] },
  { apiGroups: [''], resources: ['pods/log'], verbs: ['get'] },
];

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
  const { namespace, store, logLevel, days, jobs, mebibytes } = installation;
  const names = RECORDER_VARIABLES;
  const values = {
    [DASHBOARD_VARIABLES.program]: 'recorder', [DASHBOARD_VARIABLES.logLevel]: logLevel, [DASHBOARD_VARIABLES.port]: String(RECORDER_PORT),
    [DASHBOARD_VARIABLES.healthPort]: String(DASHBOARD_HEALTH_PORT), [names.namespace]: namespace,
    [names.days]: String(days), [names.jobs]: String(jobs), [names.mebibytes]: String(mebibytes),
    ...(store.kind === 'sqlite' ? { [names.folder]: HISTORY_FOLDER } : { [names.database]: DATABASE_FOLDER }),
  };
  const [volume, mount] = store.kind === 'sqlite'
    ? [{ name: 'history', persistentVolumeClaim: { claimName: RECORDER_NAME } }, { name: 'history', mountPath: HISTORY_FOLDER }]
    : [{ name: 'database', secret: { secretName: store.secretName } }, { name: 'database', mountPath: DATABASE_FOLDER, readOnly: true }];
  return constructProgramDeployment(installation, {
    name: RECORDER_NAME,
    labels: RECORDER_LABELS,
    hashAnnotation: DASHBOARD_CODE_HASH,
    container: 'recorder',
    file: DASHBOARD_PROGRAM,
    replicas: store.kind === 'sqlite' ? 1 : store.replicas,
    // Only one process at a time may open the file.
    recreate: store.kind === 'sqlite',
    spread: true,
    token: true,
    env: variables(Object.entries(values)),
    ports: { http: RECORDER_PORT, health: DASHBOARD_HEALTH_PORT },
    healthPort: 'health',
    volumes: [{ volume, mount }],
  });
}
