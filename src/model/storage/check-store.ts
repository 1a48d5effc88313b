/** Rules on a store as a whole. */
import { checkBackend, isZonal } from './check-backends';
import { STORE_RULES } from './rule-list';
import { claimGiB, filestoreTier } from './sizes';
import { BACKEND_TITLES, accessModeOf, hasClaim, isProvisioned, isReadOnly, type RetentionSpec, type StoreSpec } from './store';
import { FindingCollector, either, type Finding } from '../findings';
import { validateSchedule } from '../schedules';
import { problemOfExpression } from '../text/expressions';

/** Classes that Google's documents name. Nobody read them from a cluster. */
const GKE_CLASSES: readonly string[] = ['standard-rwx', 'premium-rwx', 'enterprise-rwx', 'enterprise-multishare-rwx', 'zonal-rwx'];

export function checkStore(spec: StoreSpec): Finding[] {
  const findings = new FindingCollector();
  checkSize(spec, findings);
  checkAccess(spec, findings);
  checkClass(spec, findings);
  checkZones(spec, findings);
  for (const [field, value] of Object.entries({ user: spec.user, group: spec.group })) {
    findings.whole(STORE_RULES.owner, field, value, 0);
  }
  if (spec.pricePerGiBMonth !== undefined && !(spec.pricePerGiBMonth > 0)) {
    findings.error(STORE_RULES.price, 'pricePerGibibyteMonth', spec.pricePerGiBMonth, 'must be above 0. Leave it out if it is not known.');
  }
  checkBackend(spec, 'backend', findings);
  if (spec.retention !== undefined) {
    checkRetention(spec, spec.retention, 'retention', findings);
  }
  return findings.findings;
}

function checkSize(spec: StoreSpec, findings: FindingCollector): void {
  const { sizeGiB, backend } = spec;
  if (sizeGiB !== undefined && !(sizeGiB > 0)) {
    findings.error(STORE_RULES.positiveSize, 'size', sizeGiB, 'must be above 0.');
  } else if (sizeGiB !== undefined && !(hasClaim(spec) && backend.kind !== 'claim')) {
    findings.error(STORE_RULES.existing, 'size', sizeGiB, backend.kind === 'multiTier' ? 'applies to a claim, and tiers have none. Set ramDisk.' : `applies to a new claim, and ${BACKEND_TITLES[backend.kind]} creates none. Remove it.`);
  } else if (sizeGiB === undefined && hasClaim(spec) && backend.kind !== 'claim' && claimGiB(spec) === undefined && !isUnknownTier(spec)) {
    findings.error(STORE_RULES.size, 'size', undefined, `is required: ${BACKEND_TITLES[backend.kind]} has no minimum size to default to. Example: Size.tebibytes(1).`);
  }
}

/** An unknown tier is reported separately. */
function isUnknownTier({ backend }: StoreSpec): boolean {
  return backend.kind === 'filestore' && filestoreTier(backend.tier) === undefined;
}

function checkAccess(spec: StoreSpec, findings: FindingCollector): void {
  const mode = accessModeOf(spec);
  const { kind } = spec.backend;
  // Hyperdisk ML has a rule of its own.
  if (kind !== 'hyperdiskMl' && (mode === 'ReadWriteOnce' || mode === 'ReadWriteOncePod')) {
    findings.error(STORE_RULES.accessMode, 'accessMode', mode, 'limits the store to one node, but replicas run on many. Use ReadWriteMany, or ReadOnlyMany for read-only data.');
  }
  if (kind === 'multiTier' && mode !== 'ReadWriteMany') {
    findings.error(STORE_RULES.accessMode, 'accessMode', mode, 'applies to a claim, and tiers have none. Remove it.');
  }
}

function checkClass(spec: StoreSpec, findings: FindingCollector): void {
  const { storageClassName, backend } = spec;
  if (storageClassName === undefined || (backend.kind === 'gcsFuse' && backend.inline)) {
    return;
  }
  if (!isProvisioned(spec)) {
    if (backend.kind !== 'azureFiles') {
      findings.error(STORE_RULES.existing, 'storageClassName', storageClassName, 'creates volumes, but the store is on an existing one. Remove it.');
    }
    return;
  }
  if (GKE_CLASSES.includes(storageClassName)) {
    findings.warn(STORE_RULES.managedClass, 'storageClassName', storageClassName, 'is a class that GKE is documented to create; whether your release has it is not verified. It uses the network default.');
    if (backend.kind === 'filestore' && (backend.network ?? 'default') !== 'default') {
      findings.error(STORE_RULES.managedClass, 'storageClassName', storageClassName, `uses the network default, but the store is on '${backend.network}'. Leave it out to get a class for this store.`);
    }
  }
}

function checkZones(spec: StoreSpec, findings: FindingCollector): void {
  const { zones, backend } = spec;
  if (zones === undefined) {
    return;
  }
  const isRegional = backend.kind === 'filestore' && filestoreTier(backend.tier)?.scope === 'region';
  if (!isZonal(spec) || isRegional) {
    findings.error(STORE_RULES.zones, 'zones', zones, `are not chosen: ${isRegional ? 'the tier is regional' : `${BACKEND_TITLES[backend.kind]} creates no zonal volume here`}. Remove them.`);
  } else if (zones.length === 0 || zones.some((zone) => !/-[a-z]$/.test(zone))) {
    findings.error(STORE_RULES.zones, 'zones', zones, `must be zones, such as ${either(['us-central1-a', 'europe-west4-b'])}.`);
  }
  if (spec.storageClassName !== undefined) {
    findings.error(STORE_RULES.zones, 'zones', zones, `apply to a new class, but '${spec.storageClassName}' is an existing one. Remove one of the two.`);
  }
}

/**
 * Checks the retention of a store.
 *
 * Which checkpoints are deleted: rules on what is kept. The program that deletes is `programs/storage/cleanup.py`.
 */
function checkRetention(spec: StoreSpec, retention: RetentionSpec, path: string, findings: FindingCollector): void {
  const { keepLast, maxAgeSeconds, settleSeconds, pattern, serviceAccountName } = retention;
  const { backend, user } = spec;
  if (keepLast === undefined && maxAgeSeconds === undefined) {
    findings.error(STORE_RULES.retention, path, undefined, 'deletes nothing. Set keepLast or maxAge.');
  }
  findings.whole(STORE_RULES.retention, `${path}.keepLast`, keepLast, 1, Infinity, ': the newest checkpoint is always kept.');
  if (maxAgeSeconds !== undefined && !(maxAgeSeconds > 0)) {
    findings.error(STORE_RULES.retention, `${path}.maxAge`, maxAgeSeconds, 'must be above 0.');
  }
  if (!(settleSeconds >= 60)) {
    findings.error(STORE_RULES.retention, `${path}.settle`, settleSeconds, 'must be at least one minute: a job that has just written a checkpoint has not reported it yet.');
  }
  for (const { path: where, value, message } of validateSchedule(retention, `${path}.schedule`)) {
    findings.error(STORE_RULES.retention, where, value, message);
  }
  if (pattern !== undefined) {
    checkPattern(pattern, `${path}.pattern`, findings);
  }
  if (isReadOnly(spec)) {
    findings.error(STORE_RULES.retentionReadOnly, path, spec.accessMode, 'deletes data, but the store is read-only. Remove one of the two.');
  }
  if (backend.kind === 'multiTier') {
    findings.error(STORE_RULES.retentionTiers, path, undefined, `is not supported with tiers, whose replicator manages their files. Set a lifecycle rule on gs://${backend.bucket} instead.`);
  }
  if (backend.kind === 'gcsFuse' && serviceAccountName === undefined) {
    findings.warn(STORE_RULES.retentionIdentity, `${path}.serviceAccount`, undefined, `is not set: the cleanup acts as the namespace's default service account, which needs access to the bucket ${backend.bucket}.`);
  }
  if (backend.kind !== 'gcsFuse' && user === undefined) {
    findings.warn(STORE_RULES.retentionUser, 'user', undefined, 'is not set: the cleanup runs as user 65534, which cannot delete from folders that the jobs\' pods create as root. Set user, and security.runAsUser of the jobs.');
  } else if (user === 0) {
    findings.warn(STORE_RULES.retentionUser, 'user', user, 'lets the cleanup run as root, which namespaces with the restricted Pod Security Standard reject.');
  }
}

function checkPattern(pattern: string, path: string, findings: FindingCollector): void {
  if (!pattern.includes('(?P<step>')) {
    findings.error(STORE_RULES.retentionPattern, path, pattern, 'must have a group named step, in Python syntax, such as run-(?P<step>[0-9]+).');
    return;
  }
  // Python's groups have another syntax; the rest of what people write here is the same.
  const problem = problemOfExpression(pattern.replaceAll('(?P<', '(?<'));
  if (problem !== undefined) {
    findings.error(STORE_RULES.retentionPattern, path, pattern, `is not a regular expression: ${problem}.`);
  }
}
