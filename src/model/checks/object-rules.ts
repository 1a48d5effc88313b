/** Rules on objects of Kubernetes and of others that the API server refuses, or takes and does something else. */
import { podOfSpec, type CheckedPod } from './checked-pod';
import { checkPod } from './pod-rules';
import { CHECK_RULES } from './rule-list';
import { FindingCollector, type Finding } from '../findings';
import { jsonText, record, type JsonRecord } from '../json-parts';
import { workloadKindOf } from '../kinds/registry';
import { LAST_APPLIED_ANNOTATION } from '../labels';
import type { ManifestObject } from '../objects/manifest-object';
import { keyOf } from '../references/relations';
import { findTokens } from '../secrets/find-tokens';
import { fieldPath } from '../shapes';

/** Kinds whose contents are not pods, whatever they look like. */
const NO_PODS = new Set(['CustomResourceDefinition', 'ConfigMap', 'Secret', 'PodDefault', 'ValidatingAdmissionPolicy']);

/** Deepest place in which a pod is looked for: those of operators' objects are five or six levels deep. */
const DEEPEST = 12;

/** Group whose controllers add volumes and containers of their own to the pods that are written, runtimes too. */
const FILLED_IN = 'serving.kserve.io/';

/** Pairs of fields in which the first is at most the second. */
const RANGES: readonly (readonly [least: string, most: string])[] = [
  ['minReplicas', 'maxReplicas'], ['minReplicaCount', 'maxReplicaCount'], ['minExecutors', 'maxExecutors'],
];

export function checkObject(object: ManifestObject): Finding[] {
  const findings = new FindingCollector();
  const key = keyOf(object);
  if (!NO_PODS.has(jsonText(object.kind))) {
    const allVolumesKnown = !key.startsWith(FILLED_IN) && workloadKindOf(object)?.fillsPods !== true;
    for (const pod of podsIn(object as JsonRecord, '', 0, allVolumesKnown)) {
      findings.addAll(checkPod(pod));
    }
    checkRanges(object.spec, 'spec', 0, findings);
  }
  checkJobPolicy(key, object, findings);
  checkTexts(key, object, findings);
  return findings.findings;
}

/**
 * Checks an object of a kind that lives in no namespace. The API server takes a namespace away, without a word, also for kubectl.
 * @see https://github.com/kubernetes/kubernetes/blob/v1.36.3/staging/src/k8s.io/apiserver/pkg/registry/rest/meta.go (EnsureObjectNamespaceMatchesRequestNamespace)
 */
export function checkScope({ kind, metadata }: ManifestObject): Finding[] {
  const findings = new FindingCollector();
  const namespace = metadata?.namespace;
  if (typeof namespace === 'string') {
    findings.warn(CHECK_RULES.scope, 'metadata.namespace', namespace, `has no effect: a ${jsonText(kind)} is cluster-scoped, and the API server drops its namespace. Remove it.`);
  }
  return findings.findings;
}

/** Pods in an object, recognised by their containers. A StatefulSet and a JobSet make volumes of templates of claims. */
function podsIn(fields: JsonRecord, path: string, depth: number, allVolumesKnown: boolean): CheckedPod[] {
  if (depth > DEEPEST) {
    return [];
  }
  if (Array.isArray(fields.containers) && fields.containers.some((container) => 'image' in record(container))) {
    return [podOfSpec(fields, path, { allVolumesKnown })];
  }
  const known = allVolumesKnown && !Array.isArray(fields.volumeClaimTemplates) && !Array.isArray(fields.volumeClaimPolicies);
  return Object.entries(fields).flatMap(([name, value]) => {
    const at = path === '' ? name : fieldPath(path, name);
    return Array.isArray(value)
      ? value.flatMap((entry, index) => podsIn(record(entry), `${at}[${index}]`, depth + 1, known))
      : podsIn(record(value), at, depth + 1, known);
  });
}

function checkRanges(value: unknown, path: string, depth: number, findings: FindingCollector): void {
  if (depth > DEEPEST || typeof value !== 'object' || value === null) {
    return;
  }
  for (const [least, most] of Array.isArray(value) ? [] : RANGES) {
    const { [least]: from, [most]: to } = record(value);
    // 0 as the most means without a limit in some kinds.
    if (typeof from === 'number' && typeof to === 'number' && to > 0 && from > to) {
      findings.error(CHECK_RULES.range, `${path}.${least}`, from, `is more than ${most}, ${to}. Lower it, or raise ${most}.`);
    }
  }
  for (const [name, inner] of Object.entries(value)) {
    checkRanges(inner, Array.isArray(value) ? `${path}[${name}]` : fieldPath(path, name), depth + 1, findings);
  }
}

function checkJobPolicy(key: string, { spec }: ManifestObject, findings: FindingCollector): void {
  const paths: { readonly [kind: string]: string } = { 'batch/Job': 'spec', 'batch/CronJob': 'spec.jobTemplate.spec' };
  const job = key === 'batch/CronJob' ? record(record(record(spec).jobTemplate).spec) : record(spec);
  const policy = record(record(job.template).spec).restartPolicy;
  if (Object.hasOwn(paths, key) && job.template !== undefined && policy !== 'Never' && policy !== 'OnFailure') {
    findings.error(CHECK_RULES.restartPolicy, `${paths[key]}.template.spec.restartPolicy`, policy, 'must be Never or OnFailure: the pods of a Job terminate.');
  }
}

/** Numbers and booleans that YAML made of what was meant as text. */
function checkTexts(key: string, object: ManifestObject, findings: FindingCollector): void {
  const maps = [
    ...(key === 'ConfigMap' ? [{ map: object.data, path: 'data' }] : []),
    ...(key === 'Secret' ? [{ map: object.stringData, path: 'stringData' }, { map: object.data, path: 'data' }] : []),
  ];
  for (const { map, path } of maps) {
    for (const [name, value] of Object.entries(record(map))) {
      if (typeof value !== 'string') {
        findings.error(CHECK_RULES.textValue, fieldPath(path, name), value, `must be a string: ${typeof value === 'object' ? 'write it as a string' : `write it in quotes: "${jsonText(value)}"`}.`);
      }
    }
  }
}

/** Definitions describe fields and hold no values. */
const NO_VALUES = ['CustomResourceDefinition'];

/** Checks an object: in a Secret, whose purpose it is, a token is a warning, because the program may be the only place that has it. */
export function checkTokens(object: ManifestObject): Finding[] {
  const findings = new FindingCollector();
  const { kind, status: _status, ...fields } = object as ManifestObject & { readonly status?: unknown };
  if (NO_VALUES.includes(jsonText(kind))) {
    return [];
  }
  const found = findTokens(fields, '');
  if (kind !== 'Secret') {
    found.forEach(({ path, value, message }) => findings.error(CHECK_RULES.token, path, value, message));
    return findings.findings;
  }
  for (const { path, value, message } of [...found, ...encodedTokens(object)]) {
    findings.warn(CHECK_RULES.tokenInSecret, path, value, `${message.slice(0, message.indexOf(','))}. Anyone who can read the repository can read a committed Secret: let External Secrets or Secret Manager create it (docs/security/credentials.md), or acknowledge this if the manifest is never committed.`);
  }
  return findings.findings;
}

/** Values of a Secret's `data` are base64. */
function encodedTokens({ metadata, data }: ManifestObject & { readonly data?: unknown }): ReturnType<typeof findTokens> {
  const decoded = Object.entries(record(data)).filter((entry): entry is [string, string] => typeof entry[1] === 'string')
    .map(([name, value]) => [name, Buffer.from(value, 'base64').toString('utf8')] as const);
  return findTokens({ metadata: { annotations: metadata?.annotations }, data: Object.fromEntries(decoded) }, '')
    .filter(({ path }) => decoded.some(([name]) => path === fieldPath('data', name)));
}

/** Kubernetes' limit on all annotations of an object together, in bytes. */
const ANNOTATIONS_MAX_BYTES = 256 * 1024;

/** Option by which Argo CD applies an object on the server. */
const SYNC_OPTIONS = 'argocd.argoproj.io/sync-options';

/** Checks that an object is small enough to be applied in any way. @param json the object as JSON */
export function checkObjectSize(object: ManifestObject, json: string): Finding[] {
  // A character has at most three bytes.
  if (json.length * 3 < ANNOTATIONS_MAX_BYTES / 2) {
    return [];
  }
  // What was read from a cluster has the annotation of its last apply, which the next one replaces.
  const { [LAST_APPLIED_ANNOTATION]: known, ...annotated } = record(object.metadata?.annotations);
  const text = known === undefined ? json : JSON.stringify({ ...object, metadata: { ...object.metadata, annotations: annotated } });
  const annotations = Object.entries(annotated);
  const own = annotations.reduce((sum, [name, value]) => sum + bytesOf(name) + bytesOf(jsonText(value)), 0);
  // kubectl writes the object in one line, with a line break behind it.
  const bytes = bytesOf(text) + 1 + LAST_APPLIED_ANNOTATION.length + own;
  const isAppliedOnServer = annotations.some(([name, value]) => name === SYNC_OPTIONS && jsonText(value).includes('ServerSideApply=true'));
  if (bytes <= ANNOTATIONS_MAX_BYTES || isAppliedOnServer) {
    return [];
  }
  const findings = new FindingCollector();
  findings.error(CHECK_RULES.objectSize, 'metadata.annotations', `${bytes} bytes`,
    `is the total size of all annotations after plain kubectl apply, which stores a copy of the object in one, and the limit is ${ANNOTATIONS_MAX_BYTES}: the API server would reject it. Use kubectl apply --server-side and acknowledge this, or split the object.`);
  return findings.findings;
}

function bytesOf(text: string): number {
  return Buffer.byteLength(text);
}
