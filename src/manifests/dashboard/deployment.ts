/** The dashboard's Deployment, its identity and its price table. */
import { createHash } from 'node:crypto';
import {
  DASHBOARD_CODE_HASH, DASHBOARD_HEALTH_PORT, DASHBOARD_KEY_FOLDER, DASHBOARD_LABELS, DASHBOARD_NAME, DASHBOARD_PORT, DASHBOARD_PROGRAM,
  DASHBOARD_VARIABLES, PRICES_FOLDER, RECORDER_NAME, RECORDER_PORT, RECORDER_TOKEN_FOLDER,
} from './settings';
import type { DashboardSpec, HeaderAuthSpec } from '../../model/dashboard/dashboard';
import type { PriceTable } from '../../model/cost/prices';
import { constructBoundRole } from '../bound-role';
import type { ConfigMap, EnvVar, Manifest, Volume } from '../kubernetes';
import { constructProgramCode, type ProgramCode } from '../node-program';
import { OPERATOR_NODE_FLAGS } from '../operator/settings';
import { constructProgramDeployment, variables, type Program, type ProgramInstallation } from '../program-deployment';

/** Folder where clients search for the certificates of the API server and for a token. */
const ACCOUNT_FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount';

/** Seconds for which a token of the dashboard is valid; the kubelet replaces it earlier. */
const TOKEN_SECONDS = 3600;

const PRICES_FILE = 'prices.json';

/** Settings of the dashboard's installation. */
export interface DashboardInstallation extends DashboardSpec, ProgramInstallation {
  readonly allowChanges: boolean;
  readonly clusterName?: string;
  /** Whether pages with the dashboard's own origin may show it in a frame. */
  readonly frameSelf: boolean;
  /** Whether there is a recorder. */
  readonly hasHistory: boolean;
  /** ConfigMap with the price table. @default - the page Cost shows hours */
  readonly pricesConfigMap?: string;
}

/** ConfigMaps of the code. @param bundle the dashboard as one ES module, compressed with brotli */
export function constructDashboardCode(bundle: Uint8Array, namespace: string): ProgramCode {
  return constructProgramCode({ program: 'dashboard', name: DASHBOARD_NAME, namespace, labels: DASHBOARD_LABELS, hashLabel: DASHBOARD_CODE_HASH }, bundle);
}

/** ConfigMap of the price table. Its name contains a hash, so pods are replaced when prices change. */
export function constructDashboardPrices(namespace: string, prices: PriceTable): ConfigMap {
  const text = JSON.stringify(prices);
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 12);
  return {
    apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `${DASHBOARD_NAME}-prices-${hash}`, namespace, labels: DASHBOARD_LABELS }, immutable: true,
    data: { [PRICES_FILE]: text },
  };
}

export function constructDashboardDeployment(installation: DashboardInstallation): Manifest & { readonly spec: object } {
  return constructProgramDeployment(installation, {
    name: DASHBOARD_NAME,
    labels: DASHBOARD_LABELS,
    hashAnnotation: DASHBOARD_CODE_HASH,
    container: 'dashboard',
    flags: OPERATOR_NODE_FLAGS,
    file: DASHBOARD_PROGRAM,
    replicas: installation.replicas,
    spread: true,
    // Mounted explicitly below, because the dashboard has no token of its own if users bring theirs.
    token: false,
    env: constructEnvironment(installation),
    ports: { http: DASHBOARD_PORT, health: DASHBOARD_HEALTH_PORT },
    healthPort: 'health',
    volumes: constructVolumes(installation),
  });
}

function constructVolumes({ auth, hasHistory, pricesConfigMap }: DashboardInstallation): NonNullable<Program['volumes']> {
  const serviceAccountToken = { path: 'token', audience: RECORDER_NAME, expirationSeconds: TOKEN_SECONDS };
  const sessionKey = auth.kind === 'token' ? auth.sessionKeySecret : undefined;
  const volumes: readonly (readonly [Volume | undefined, mountPath: string])[] = [
    [accountVolume(auth.kind === 'headers'), ACCOUNT_FOLDER],
    [hasHistory ? { name: 'recorder-token', projected: { sources: [{ serviceAccountToken }] } } : undefined, RECORDER_TOKEN_FOLDER],
    [pricesConfigMap === undefined ? undefined : { name: 'prices', configMap: { name: pricesConfigMap } }, PRICES_FOLDER],
    [sessionKey === undefined ? undefined : { name: 'session-key', secret: { secretName: sessionKey } }, DASHBOARD_KEY_FOLDER],
  ];
  return volumes.flatMap(([volume, mountPath]) => (
    volume === undefined ? [] : [{ volume, mount: { name: volume.name, mountPath, readOnly: true } }]));
}

/** Certificates of the API server, which every namespace has, and a token if the dashboard impersonates users. */
function accountVolume(hasToken: boolean): Volume {
  return {
    name: 'account',
    projected: {
      sources: [
        { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
        ...(hasToken ? [{ serviceAccountToken: { path: 'token', expirationSeconds: TOKEN_SECONDS } }] : []),
      ],
    },
  };
}

function constructEnvironment(installation: DashboardInstallation): EnvVar[] {
  const { auth, path, hosts, ingressHost, gatewayHost, allowChanges, frameSelf, frameOrigins, firstNamespace, clusterName, logLevel } = installation;
  const names = DASHBOARD_VARIABLES;
  const allowed = [...new Set([ingressHost, gatewayHost, ...hosts].filter((host) => host !== undefined))];
  const frames = [...(frameSelf ? ["'self'"] : []), ...frameOrigins];
  return variables([
    [names.logLevel, logLevel],
    [names.port, String(DASHBOARD_PORT)],
    [names.healthPort, String(DASHBOARD_HEALTH_PORT)],
    [names.auth, auth.kind],
    [names.hosts, allowed.length > 0 ? allowed.join(',') : undefined],
    [names.path, path],
    [names.allowChanges, allowChanges ? 'true' : undefined],
    [names.frameAncestors, frames.length > 0 ? frames.join(' ') : undefined],
    [names.namespace, firstNamespace],
    [names.cluster, clusterName],
    [names.recorder, installation.hasHistory ? `http://${RECORDER_NAME}.${installation.namespace}.svc:${RECORDER_PORT}` : undefined],
    [names.prices, installation.pricesConfigMap === undefined ? undefined : `${PRICES_FOLDER}/${PRICES_FILE}`],
    ...(auth.kind === 'token' ? [
      [names.sessionSeconds, String(auth.sessionSeconds)],
      [names.keyFolder, auth.sessionKeySecret === undefined ? undefined : DASHBOARD_KEY_FOLDER],
    ] as const : [
      [names.userHeader, auth.userHeader],
      [names.headerPrefix, auth.headerPrefix],
      [names.userPrefix, auth.userPrefix],
      [names.groupsHeader, auth.groupsHeader],
      [names.groupPrefix, auth.groupPrefix],
    ] as const),
  ]);
}

/** Identity of the dashboard's pods. */
export function constructDashboardServiceAccount(namespace: string): Manifest & { readonly automountServiceAccountToken: boolean } {
  return {
    apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: DASHBOARD_NAME, namespace, labels: DASHBOARD_LABELS }, automountServiceAccountToken: false,
  };
}

/**
 * Permissions of the dashboard: it may impersonate the users of headers, but has no permissions with tokens of users. Without `users` or `groups`, no
 * rule can keep it from impersonating administrators.
 */
export function constructDashboardRoles(namespace: string, auth: HeaderAuthSpec) {
  const { users, userPrefix = '', groupsHeader, groups, groupPrefix = '' } = auth;
  const rule = (resource: string, prefix: string, names: readonly string[] | undefined) => ({
    apiGroups: [''], resources: [resource], verbs: ['impersonate'], ...(names && { resourceNames: names.map((name) => `${prefix}${name}`) }),
  });
  const rules = [rule('users', userPrefix, users), ...(groupsHeader === undefined ? [] : [rule('groups', groupPrefix, groups)])];
  const metadata = { name: `${DASHBOARD_NAME}-impersonation`, labels: DASHBOARD_LABELS };
  return constructBoundRole('ClusterRole', metadata, rules, { name: DASHBOARD_NAME, namespace });
}
