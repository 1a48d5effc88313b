/** Rules on objects of Kubernetes and of others that the API server refuses, or takes and does something else. */
import { podOfSpec, type CheckedPod } from './checked-pod';
import { checkPod } from './pod-rules';
import { CHECK_RULES } from './rule-list';
import { FindingCollector, type Finding } from '../findings';
import { jsonText, record, type JsonRecord } from '../json-parts';
import { workloadKindOf } from '../kinds/registry';
import type { ManifestObject } from '../objects/manifest-object';
import { keyOf } from '../references/relations';
import { fieldPath } from '../shapes';

/** Kinds whose contents are no pods, whatever they look like. */
const NO_PODS = new Set(['CustomResourceDefinition', 'ConfigMap', 'Secret', 'PodDefault', 'ValidatingAdmissionPolicy']);

/** Deepest place in which a pod is looked for: those of operators' objects are five or six levels deep. */
const DEEPEST = 12;

/** Group whose controllers add volumes and containers of their own to the pods that are written, runtimes too. */
const FILLED_IN = 'serving.kserve.io/';

/** Pairs of fields in which the first is at most the second. */
const RANGES: readonly (readonly [least: string, most: string])[] = [
  ['minReplicas', 'maxReplicas'], ['minReplicaCount', 'maxReplicaCount'], ['minExecutors', 'maxExecutors'],
];

/** Checks an object by itself. */
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
