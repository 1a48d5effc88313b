/** The dashboard of a cluster: its settings, and the rules on them. */
import { isDns1123Label, isSubdomain } from '../names';
import { isCidr } from '../training-job/validation/security';
import { ViolationCollector, type Violation } from '../violations';

/** Who users are is said by a token that they bring. */
export interface TokenAuthSpec {
  readonly kind: 'token';
  /** Secret with the key that seals sessions. @default - a key for as long as the process lives */
  readonly sessionKeySecret?: string;
  readonly sessionSeconds: number;
}

/** Who users are is said by a header of a proxy in front. */
export interface HeaderAuthSpec {
  readonly kind: 'headers';
  readonly userHeader: string;
  /** What the value begins with, which is not part of the name. */
  readonly headerPrefix?: string;
  /** What the cluster puts in front of names. */
  readonly userPrefix?: string;
  readonly groupsHeader?: string;
  /** What the cluster puts in front of groups. */
  readonly groupPrefix?: string;
  /** Users that may come. @default - all */
  readonly users?: readonly string[];
  /** Groups that are passed on. @default - all */
  readonly groups?: readonly string[];
  readonly proxyNamespaces: readonly string[];
  /** Labels of its pods. @default - all pods of those namespaces */
  readonly proxyLabels?: { readonly [label: string]: string };
  readonly proxyAddresses: readonly string[];
}

export interface DashboardSpec {
  readonly namespace: string;
  readonly replicas: number;
  readonly path: string;
  readonly hosts: readonly string[];
  readonly ingressHost?: string;
  readonly gatewayHost?: string;
  readonly frameOrigins: readonly string[];
  readonly firstNamespace?: string;
  readonly networkPolicy: boolean;
  readonly auth: TokenAuthSpec | HeaderAuthSpec;
}

const HOST = /^[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?$/;
const HOST_MAX_LENGTH = 253;
const PATH = /^\/(?:[\w.~-]+\/)*$/;
const ORIGIN = /^https:\/\/[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?(?::\d{1,5})?$/;
const HEADER = /^[A-Za-z0-9-]+$/;

/** Headers that say something else, or that a browser may set. */
const OTHER_HEADERS = ['authorization', 'cookie', 'host', 'origin', 'user-agent', 'referer', 'accept'];

/** Longest session, in seconds: 30 days. */
const MAX_SESSION = 30 * 24 * 3600;

export function validateDashboard(spec: DashboardSpec): Violation[] {
  const violations = new ViolationCollector();
  const { replicas, path, auth } = spec;
  violations.whole('replicas', replicas, 1);
  checkNamespace(violations, 'namespace', spec.namespace);
  checkNamespace(violations, 'firstNamespace', spec.firstNamespace);
  violations.form('path', path, PATH, "must begin and end with '/', and have only letters, digits and . _ ~ - between. Write one such as /trainyard/.");
  const hosts: [string, string | undefined][] = [
    ['ingress.host', spec.ingressHost], ['gateway.host', spec.gatewayHost], ...spec.hosts.map((host, index): [string, string] => [`hosts[${index}]`, host]),
  ];
  for (const [field, host] of hosts) {
    if (host !== undefined && (!HOST.test(host) || host.length > HOST_MAX_LENGTH)) {
      violations.add(field, host, 'is not a host name. Write it in lower case, without scheme, port and path, such as trainyard.example.com.');
    }
  }
  spec.frameOrigins.forEach((origin, index) => {
    violations.form(`embed.origins[${index}]`, origin, ORIGIN, 'is not an origin. Write scheme and host in lower case, such as https://kubeflow.example.com, without a path.');
  });
  if (auth.kind === 'token') {
    checkTokens(violations, auth, replicas);
  } else {
    checkHeaders(violations, auth, spec.networkPolicy);
  }
  return violations.violations;
}

function checkNamespace(violations: ViolationCollector, field: string, namespace: string | undefined): void {
  if (namespace !== undefined && !isDns1123Label(namespace)) {
    violations.add(field, namespace, "is not a valid namespace name: at most 63 lower-case letters, digits and '-', starting and ending with a letter or digit.");
  }
}

/** Records that a text is not the name of a Secret; a missing one is right. */
export function checkSecretName(violations: ViolationCollector, field: string, name: string | undefined): void {
  if (name !== undefined && !isSubdomain(name)) {
    violations.add(field, name, "is not the name of a Secret: lower-case letters, digits, '-' and '.'.");
  }
}

function checkTokens(violations: ViolationCollector, { sessionKeySecret, sessionSeconds }: TokenAuthSpec, replicas: number): void {
  if (sessionKeySecret === undefined && replicas > 1) {
    violations.add('replicas', replicas, 'needs a session key that the replicas share: a cookie of one must be valid for the others. Set sessionKeySecretName of '
      + 'DashboardAuth.token, and create the Secret: kubectl create secret generic NAME --from-literal=key="$(openssl rand -base64 32)"');
  }
  checkSecretName(violations, 'auth.sessionKeySecretName', sessionKeySecret);
  violations.whole('auth.sessionDuration', sessionSeconds, 60, MAX_SESSION, ', in seconds: 1 minute to 30 days.');
}

function checkHeaders(violations: ViolationCollector, auth: HeaderAuthSpec, networkPolicy: boolean): void {
  const { userHeader, groupsHeader, groups, groupPrefix, proxyNamespaces, proxyAddresses, proxyLabels } = auth;
  for (const [field, header] of [['auth.userHeader', userHeader], ['auth.groupsHeader', groupsHeader]] as const) {
    if (header !== undefined && (!HEADER.test(header) || OTHER_HEADERS.includes(header.toLowerCase()) || header.toLowerCase().startsWith('impersonate-'))) {
      violations.add(field, header, 'is not a header with which a proxy names users. Write one such as X-Auth-Request-Email.');
    }
  }
  for (const [field, prefix] of [['auth.userPrefix', auth.userPrefix], ['auth.groupPrefix', groupPrefix]] as const) {
    if (prefix?.toLowerCase().startsWith('system:')) {
      violations.add(field, prefix, "would make names of a proxy into Kubernetes' own. Write the prefix of your identity provider, such as oidc:.");
    }
  }
  if (groupsHeader === undefined && (groups !== undefined || groupPrefix !== undefined)) {
    violations.add('auth.groupsHeader', undefined, 'is missing: groups and groupPrefix apply to the groups of a header. Set it, or remove them.');
  }
  for (const [field, names] of [['auth.users', auth.users], ['auth.groups', groups]] as const) {
    if (names?.length === 0) {
      violations.add(field, names, 'allows nobody. Name at least one, or leave it out to allow all.');
    }
    const own = names?.find((name) => name.toLowerCase().startsWith('system:'));
    if (own !== undefined) {
      violations.add(field, own, "is one of Kubernetes' own names, which begin with system:. They cannot come through a proxy. Remove it.");
    }
  }
  if (proxyNamespaces.length === 0 && proxyAddresses.length === 0) {
    violations.add('auth.proxyNamespaces', proxyNamespaces, 'names no proxy: anyone who can connect to the dashboard can write the header. Name the namespace of the proxy or of '
      + 'the gateway, or its addresses with proxyAddresses.');
  }
  proxyNamespaces.forEach((namespace, index) => checkNamespace(violations, `auth.proxyNamespaces[${index}]`, namespace));
  if (proxyLabels !== undefined && proxyNamespaces.length === 0) {
    violations.add('auth.proxyLabels', proxyLabels, 'are of pods in proxyNamespaces, of which there are none. Name the namespace too.');
  }
  proxyAddresses.forEach((address, index) => {
    if (!isCidr(address)) {
      violations.add(`auth.proxyAddresses[${index}]`, address, 'is not an address range. Write one such as 10.8.0.0/16, or 10.8.0.7/32 for one address.');
    }
    if (address.endsWith('/0')) {
      violations.add(`auth.proxyAddresses[${index}]`, address, 'is the whole internet, and anyone could write the header. Write the addresses of the proxy.');
    }
  });
  if (!networkPolicy) {
    violations.add('networkPolicy', false, 'would let every pod of the cluster write the header with the user. Remove it: users by header need the NetworkPolicy.');
  }
}
