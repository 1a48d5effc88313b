/**
 * What the shared options of a platform have to be. Components, their order and their versions are the catalogue's to judge.
 * @see https://github.com/kubeflow/community-distribution (common/dex, common/oauth2-proxy: the published defaults)
 * @see https://cloud.google.com/iap/docs/signed-headers-howto (audience)
 * @see https://cloud.google.com/sql/docs/mysql/sql-proxy (name of an instance)
 */
import { gatesOfIntegrations, KUEUE_INTEGRATIONS, writesKueueConfiguration } from './kueue-integrations';
import { dexIssuer, needsPublicIssuer } from './dex';
import type { ArtifactStoreSpec, DatabaseSpec, DomainSpec, PlatformComponentSpec, PlatformSpec } from './spec';
import { tryComponent } from '../catalogue/catalogue';
import { isRecord } from '../json-parts';
import { ViolationCollector, didYouMean, type Violation } from '../violations';

const HOST = /^(?=.{1,253}$)([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/;
const LOCAL_HOST = /^([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?\.)*localhost$/;
const BUCKET = /^[a-z0-9][-a-z0-9._]{1,61}[a-z0-9]$/;
const OBJECT_NAME = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;
const AUDIENCE = /^\/projects\/\d+\/global\/backendServices\/\d+$/;
const INSTANCE = /^([a-z][-a-z0-9.:]*[a-z0-9]):([a-z]+-[a-z]+\d+):([a-z][-a-z0-9]{0,97})$/;
const GOOGLE_ACCOUNT = /^[a-z][-a-z0-9]{4,28}[a-z0-9]@[-a-z0-9.]+\.iam\.gserviceaccount\.com$/;
const ENDPOINT = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?:\d{1,5}$/;
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Options that a program gave itself: a default is not a mistake of the user. */
export type GivenOptions = ReadonlySet<'artifactStore' | 'database' | 'identity' | 'domain'>;

/** Everything that is wrong with the shared options. @param given which of them the program wrote */
export function validatePlatform(spec: PlatformSpec, given: GivenOptions): Violation[] {
  const violations = new ViolationCollector();
  const names = new Set(spec.components.map(({ name }) => name));
  const unused = (option: 'artifactStore' | 'database' | 'identity' | 'domain', users: readonly string[]) => {
    if (given.has(option) && !users.some((name) => names.has(name))) {
      violations.add(option, undefined, `is not used by any component of this platform. Add ${users.map((name) => `'${name}'`).join(' or ')}, or remove the option.`);
    }
  };
  unused('artifactStore', ['pipelines', 'mlflow']);
  unused('database', ['pipelines']);
  unused('identity', ['dex', 'oauth2-proxy', 'iap']);
  unused('domain', ['kubeflow-gateway']);
  checkStore(spec.artifactStore, violations);
  checkDatabase(spec.database, violations);
  if (names.has('dex') || names.has('iap')) {
    checkIdentity(spec, violations);
  }
  if (spec.domain !== undefined) {
    checkDomain(spec.domain, spec, violations);
  }
  spec.components.forEach((component) => checkOverrides(component, violations));
  checkAutoscaler(spec, violations);
  checkKueue(spec, violations);
  return violations.violations;
}

/** Secret with the keys of the store that Pipelines includes. */
const STORE_SECRET = 'mlpipeline-minio-artifact';

function checkStore(store: ArtifactStoreSpec, violations: ViolationCollector): void {
  if (store.kind === 'in-cluster') {
    return;
  }
  violations.form('artifactStore.bucket', store.bucket, BUCKET, 'must be a bucket name: 3 to 63 lower-case letters, digits, dashes and dots, without gs:// or s3://.');
  violations.form('artifactStore.prefix', store.prefix, /^[^/\s]([^\s]*[^/\s])?$/, 'must be a path within the bucket, without a leading or trailing slash.');
  if (store.kind === 's3' && !/^[a-z]{2}(-[a-z]+)+-\d$/.test(store.region)) {
    violations.add('artifactStore.region', store.region, 'must be a region, such as eu-central-1.');
  }
  if (store.kind !== 'gcs' && store.secretName === STORE_SECRET) {
    violations.add('artifactStore.secretName', store.secretName, 'is the Secret of the store in the cluster, and Kubeflow overwrites it in each profile. Name another Secret.');
  }
  if (store.kind === 'minio' && !ENDPOINT.test(store.endpoint)) {
    violations.add('artifactStore.endpoint', store.endpoint, 'must be HOST:PORT, without http://: TLS is a separate option.');
  }
}

function checkDatabase(database: DatabaseSpec, violations: ViolationCollector): void {
  if (database.kind === 'mysql') {
    violations.form('database.host', database.host, /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/, 'must be a host name or an address, without a port.');
    violations.whole('database.port', database.port, 1, 65_535);
  }
  if (database.kind === 'cloud-sql') {
    violations.form('database.instance', database.instance, INSTANCE, 'must be the connection name of an instance, PROJECT:REGION:INSTANCE.');
    violations.form('database.googleServiceAccount', database.googleServiceAccount, GOOGLE_ACCOUNT,
      'must be the e-mail of a service account, NAME@PROJECT.iam.gserviceaccount.com.');
  }
}

function checkIdentity(spec: PlatformSpec, violations: ViolationCollector): void {
  const { identity, environment, domain } = spec;
  if (identity.kind === 'iap') {
    violations.form('identity.audience', identity.audience, AUDIENCE, 'must be /projects/NUMBER/global/backendServices/ID, as IAP shows it under "Get JWT audience code".');
    if (domain === undefined) {
      violations.add('domain', undefined, 'is required with IAP: IAP protects a load balancer, which has a host name and a certificate.');
    }
    return;
  }
  const reachable = environment !== 'kind';
  if (reachable && identity.connectors.length === 0) {
    violations.add('identity.connectors', [], 'is empty, and Dex would have a single user with Kubeflow\'s public default password. Add a connector; the default user is kept only on kind.');
  }
  if (reachable && identity.secretName === undefined) {
    violations.add('identity.secretName', undefined, 'is required except on kind: Kubeflow\'s default signing secret is public, so anyone could log in as any user. Name a Secret with client-id, '
      + 'client-secret and cookie-secret, in the namespaces auth and oauth2-proxy.');
  }
  if (domain === undefined && needsPublicIssuer(spec)) {
    violations.add('domain', undefined, 'is required with connectors that redirect to a provider: browsers come back to https://HOST/dex/callback.');
  }
  const ids = identity.connectors.map(({ id }) => id);
  identity.connectors.forEach(({ id, type, config, secrets }, index) => {
    const path = `identity.connectors[${index}]`;
    if (!OBJECT_NAME.test(id)) {
      violations.add(`${path}.id`, id, 'must be lower-case letters, digits and dashes: it is a part of URLs.');
    } else if (ids.indexOf(id) < index) {
      violations.add(`${path}.id`, id, 'is also the id of an earlier connector. Use a unique id.');
    }
    if (type === '') {
      violations.add(`${path}.type`, type, 'must be one of Dex\'s connectors, such as oidc, google or github.');
    }
    const callback = `${dexIssuer(spec)}/callback`;
    if (domain !== undefined && config.redirectURI !== undefined && config.redirectURI !== callback) {
      violations.add(`${path}.config.redirectURI`, config.redirectURI, `must be ${callback}, or Dex rejects every sign-in.`);
    }
    const used = expandedIn(config);
    for (const variable of Object.keys(secrets)) {
      if (!VARIABLE.test(variable)) {
        violations.add(`${path}.secrets`, variable, 'must be the name of a variable.');
      } else if (!used.includes(variable)) {
        violations.add(`${path}.secrets`, variable, `is not used: no value of config is $${variable}.`);
      }
    }
    const unknown = used.find((variable) => !Object.hasOwn(secrets, variable));
    if (unknown !== undefined) {
      violations.add(`${path}.config`, `$${unknown}`, 'is expanded by Dex as a variable, and is not one of secrets. Put the whole value into a Secret, and add it to secrets.');
    }
  });
}

/** Names of the variables that Dex puts into texts of a connector's settings, in Go's manner: `$NAME`, `${NAME}`, or `$` and one sign. */
function expandedIn(value: unknown): string[] {
  if (typeof value === 'string') {
    return [...value.matchAll(/\$(?:\{([^{}$]*)\}|([*#$@!?\-0-9]|[A-Za-z_][A-Za-z0-9_]*))/g)].map(([, braced, name]) => braced ?? name);
  }
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(expandedIn) : [];
}

function checkDomain({ host, tls }: DomainSpec, { identity, environment, components }: PlatformSpec, violations: ViolationCollector): void {
  if (!HOST.test(host) && !(environment === 'kind' && LOCAL_HOST.test(host))) {
    violations.add('domain.host', host, 'must be a host name, such as ml.example.com, without a scheme or a path.');
  }
  if (tls.kind === 'certificate-map' && identity.kind !== 'iap') {
    violations.add('domain.tls', tls.name, 'a certificate map belongs to Google\'s load balancer, which this platform has only with IAP. Use an issuer or a Secret.');
  }
  if (identity.kind === 'iap' && tls.kind !== 'certificate-map') {
    violations.add('domain.tls', tls.kind, 'must be a certificate map: with IAP the load balancer terminates TLS.');
  }
  if (tls.kind === 'none' && environment !== 'kind') {
    violations.add('domain.tls', 'none', 'is for kind: elsewhere passwords and cookies would be sent in plain text. Use a cert-manager issuer or a Secret.');
  }
  if (tls.kind === 'issuer' && !components.some(({ name }) => name === 'cert-manager')) {
    violations.add('domain.tls', tls.name, 'needs cert-manager. Add \'cert-manager\'.');
  }
}

/** Without any of these values its chart makes no Deployment. GKE's own is not installed. */
function checkAutoscaler({ components, environment }: PlatformSpec, violations: ViolationCollector): void {
  const autoscaler = components.find(({ name }) => name === 'cluster-autoscaler');
  const values = { ...autoscaler?.values?.['cluster-autoscaler'], ...autoscaler?.rawValues?.['cluster-autoscaler'] };
  const groups = [values.autoDiscovery, values.autoscalingGroups, values.autoscalingGroupsnamePrefix];
  if (autoscaler !== undefined && environment !== 'gke' && groups.every((value) => value === undefined)) {
    violations.add('components.cluster-autoscaler', undefined, 'has no node groups, and its chart would install nothing. Set clusterName (PlatformComponent.clusterAutoscaler), or autoscalingGroups in values.');
  }
}

/** Kueue does not start with a configuration that breaks one of these. @see https://github.com/kubernetes-sigs/kueue/blob/v0.19.2/pkg/config/validation.go */
function checkKueue(spec: PlatformSpec, violations: ViolationCollector): void {
  const { kueue: settings = {}, values, rawValues } = spec.components.find(({ name }) => name === 'kueue') ?? {};
  const { frameworks = KUEUE_INTEGRATIONS, featureGates = {} } = settings;
  const needed = gatesOfIntegrations(frameworks);
  const { controllerManager } = { ...values?.kueue, ...rawValues?.kueue };
  const hasGates = writesKueueConfiguration(spec, settings) && Object.keys({ ...needed, ...featureGates }).length > 0;
  if (hasGates && isRecord(controllerManager) && controllerManager.featureGates !== undefined) {
    violations.add('components.kueue.values', 'controllerManager.featureGates', 'sets feature gates in addition to those in Kueue\'s configuration, and Kueue does not start '
      + 'with both. Use PlatformComponent.kueue({ featureGates }).');
  }
  for (const [gate, framework] of Object.entries(needed).filter(([name]) => featureGates[name] === false)) {
    violations.add(`components.kueue.featureGates.${gate}`, false, `must be true for ${framework}, or Kueue does not start. Remove it, or list frameworks without ${framework}.`);
  }
  frameworks.forEach((framework, index, all) => {
    const path = `components.kueue.frameworks[${index}]`;
    if (!KUEUE_INTEGRATIONS.includes(framework)) {
      violations.add(path, framework, `must be an integration of Kueue, or Kueue does not start: ${KUEUE_INTEGRATIONS.join(', ')}.${didYouMean(framework, KUEUE_INTEGRATIONS)}`);
    } else if (all.indexOf(framework) < index) {
      violations.add(path, framework, 'is listed twice, and Kueue does not start then. List it once.');
    }
  });
}

/** Values go to parts that are charts, patches to parts that are kustomizations. */
function checkOverrides({ name, values = {}, rawValues = {}, patches = [] }: PlatformComponentSpec, violations: ViolationCollector): void {
  const parts = tryComponent(name)?.parts;
  if (parts === undefined) {
    return;
  }
  const charts = parts.filter(({ source }) => source.kind === 'helm').map((part) => part.name);
  for (const part of new Set([...Object.keys(values), ...Object.keys(rawValues)])) {
    if (charts.length === 0) {
      violations.add(`components.${name}.values`, part, 'are Helm chart values, and this component consists of kustomizations. Use patches.');
    } else if (!charts.includes(part)) {
      violations.add(`components.${name}.values`, part, `is not one of its charts: ${charts.join(', ')}.${didYouMean(part, charts)}`);
    }
  }
  const folders = parts.filter(({ source }) => source.kind === 'git').map((part) => part.name);
  patches.forEach(({ part }, index) => {
    const path = `components.${name}.patches[${index}]`;
    if (folders.length === 0) {
      violations.add(path, part, 'is for kustomizations, and this component consists of Helm charts. Use values.');
    } else if (part === undefined ? folders.length > 1 : !folders.includes(part)) {
      const guess = part === undefined ? '' : didYouMean(part, folders);
      violations.add(`${path}.part`, part, `must be one of ${folders.join(', ')}: each is a separate kustomization.${guess}`);
    }
  });
}
