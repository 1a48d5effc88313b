/** Which checkpoints are deleted: rules on what is kept. The program that deletes is `programs/storage/cleanup.py`. */
import { isReadOnly, type RetentionSpec, type StoreSpec } from './store';
import { STORE_RULES } from './store-rule-list';
import type { FindingCollector } from '../findings';
import { validateSchedule } from '../schedules';
import { problemOfExpression } from '../text/expressions';

/** Checks the retention of a store. */
export function checkRetention(spec: StoreSpec, retention: RetentionSpec, path: string, findings: FindingCollector): void {
  const { keepLast, maxAgeSeconds, settleSeconds, pattern, serviceAccountName } = retention;
  const { backend, user } = spec;
  if (keepLast === undefined && maxAgeSeconds === undefined) {
    findings.error(STORE_RULES.retention, path, undefined, 'deletes nothing. Set keepLast or maxAge.');
  }
  if (keepLast !== undefined && (!Number.isInteger(keepLast) || keepLast < 1)) {
    findings.error(STORE_RULES.retention, `${path}.keepLast`, keepLast, 'must be a whole number from 1: the newest checkpoint is always kept.');
  }
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
  // Python's groups are called otherwise; the rest of what people write here is the same.
  const problem = problemOfExpression(pattern.replaceAll('(?P<', '(?<'));
  if (problem !== undefined) {
    findings.error(STORE_RULES.retentionPattern, path, pattern, `is not a regular expression: ${problem}.`);
  }
}
