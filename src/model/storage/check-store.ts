/** Rules on a store as a whole. */
import { checkBackend, isZonal } from './check-backends';
import { checkRetention } from './retention';
import { claimGiB, filestoreTier } from './sizes';
import { BACKEND_TITLES, accessModeOf, hasClaim, isProvisioned, type StoreSpec } from './store';
import { STORE_RULES } from './store-rule-list';
import { FindingCollector, either, type Finding } from '../findings';

/** Classes that Google's documents name. Nobody read them from a cluster. */
const GKE_CLASSES: readonly string[] = ['standard-rwx', 'premium-rwx', 'enterprise-rwx', 'enterprise-multishare-rwx', 'zonal-rwx'];

/** Checks a store. */
export function checkStore(spec: StoreSpec): Finding[] {
  const findings = new FindingCollector();
  checkSize(spec, findings);
  checkAccess(spec, findings);
  checkClass(spec, findings);
  checkZones(spec, findings);
  for (const [field, value] of Object.entries({ user: spec.user, group: spec.group })) {
    if (value !== undefined && (!Number.isInteger(value) || value < 0)) {
      findings.error(STORE_RULES.owner, field, value, 'must be a whole number from 0.');
    }
  }
  if (spec.pricePerGiBMonth !== undefined && !(spec.pricePerGiBMonth > 0)) {
    findings.error(STORE_RULES.price, 'pricePerGibibyteMonth', spec.pricePerGiBMonth, 'must be above 0. Leave it out where it is not known.');
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
    findings.error(STORE_RULES.existing, 'size', sizeGiB, backend.kind === 'multiTier' ? 'is of a claim, and tiers have none. Set ramDisk.' : `is of a claim that is made, and ${BACKEND_TITLES[backend.kind]} makes none. Remove it.`);
  } else if (sizeGiB === undefined && hasClaim(spec) && backend.kind !== 'claim' && claimGiB(spec) === undefined && !isUnknownTier(spec)) {
    findings.error(STORE_RULES.size, 'size', undefined, `is required: ${BACKEND_TITLES[backend.kind]} has no least size to take. Such as Size.tebibytes(1).`);
  }
}

/** A tier that nobody knows is told by itself. */
function isUnknownTier({ backend }: StoreSpec): boolean {
  return backend.kind === 'filestore' && filestoreTier(backend.tier) === undefined;
}

function checkAccess(spec: StoreSpec, findings: FindingCollector): void {
  const mode = accessModeOf(spec);
  const { kind } = spec.backend;
  // Hyperdisk ML has a rule of its own.
  if (kind !== 'hyperdiskMl' && (mode === 'ReadWriteOnce' || mode === 'ReadWriteOncePod')) {
    findings.error(STORE_RULES.accessMode, 'accessMode', mode, 'keeps the store to one node, and replicas are on many. Use ReadWriteMany, or ReadOnlyMany for what is only read.');
  }
  if (kind === 'multiTier' && mode !== 'ReadWriteMany') {
    findings.error(STORE_RULES.accessMode, 'accessMode', mode, 'is of a claim, and tiers have none. Remove it.');
  }
}

function checkClass(spec: StoreSpec, findings: FindingCollector): void {
  const { storageClassName, backend } = spec;
  if (storageClassName === undefined || (backend.kind === 'gcsFuse' && backend.inline)) {
    return;
  }
  if (!isProvisioned(spec)) {
    if (backend.kind !== 'azureFiles') {
      findings.error(STORE_RULES.existing, 'storageClassName', storageClassName, 'makes volumes, and what the store is on is there. Remove it.');
    }
    return;
  }
  if (GKE_CLASSES.includes(storageClassName)) {
    findings.warn(STORE_RULES.managedClass, 'storageClassName', storageClassName, 'is a class that GKE is said to make; whether your release has it was not read. It uses the network default.');
    if (backend.kind === 'filestore' && (backend.network ?? 'default') !== 'default') {
      findings.error(STORE_RULES.managedClass, 'storageClassName', storageClassName, `uses the network default, and the store is to be on '${backend.network}'. Leave it out, for a class of the store's own.`);
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
    findings.error(STORE_RULES.zones, 'zones', zones, `are not chosen: ${isRegional ? 'the tier is regional' : `no volume of ${BACKEND_TITLES[backend.kind]} is made in a zone here`}. Remove them.`);
  } else if (zones.length === 0 || zones.some((zone) => !/-[a-z]$/.test(zone))) {
    findings.error(STORE_RULES.zones, 'zones', zones, `must be zones, such as ${either(['us-central1-a', 'europe-west4-b'])}.`);
  }
  if (spec.storageClassName !== undefined) {
    findings.error(STORE_RULES.zones, 'zones', zones, `are of a class of the store's own, and '${spec.storageClassName}' is there. Remove one of the two.`);
  }
}
