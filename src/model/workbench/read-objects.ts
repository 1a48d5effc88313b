/**
 * Notebooks, PodDefaults and Tensorboards of Kubeflow as they are written in manifests, in the model's terms, so that the rules of the constructs
 * hold for them. Values of the wrong type are left to the check of the structure.
 * @see https://github.com/kubeflow/notebooks/tree/notebooks-v1/components
 */
import type { NotebookSpec } from './notebook';
import type { ChangedPod, PodDefaultSpec } from './pod-default';
import { jsonText, record, records, textIn, textsIn, type JsonRecord } from '../json-parts';
import type { ManifestObject } from '../objects/manifest-object';
import type { EnvVarSpec } from '../training-job/spec';
import type { Violation } from '../violations';

const API_GROUP = 'kubeflow.org/';

/** Of what a PodDefault adds, that which the rules compare. */
const COMPARED: readonly string[] = ['env', 'volumes', 'volumeMounts', 'tolerations', 'labels', 'annotations'] satisfies (keyof ChangedPod)[];

/** Fields of a PodDefault that add nothing to pods. */
const ADDS_NOTHING: readonly string[] = ['desc', 'selector', ...COMPARED];

/** A label for a selector that is not looked into: a PodDefault in YAML may be meant for all pods. */
const SOME_LABEL = { 'as-written': '' };

/** A Notebook with the PodDefaults that select its pod. @param objects those of the same place */
export function readNotebook({ metadata, spec }: ManifestObject, objects: readonly ManifestObject[]): NotebookSpec {
  const pod = record(record(record(spec).template).spec);
  const [server = {}, ...others] = records(pod.containers);
  const labels = textsIn(metadata?.labels);
  return {
    name: jsonText(metadata?.name ?? ''), namespace: textIn(metadata?.namespace), type: 'jupyter', image: textIn(server.image) ?? '',
    ...readChanged({ ...pod, ...metadata, env: withoutPrefix(server.env), volumeMounts: server.volumeMounts }),
    envFrom: [], resources: {}, imagePullSecrets: [], stopped: false, podSpec: { containers: others },
    podDefaults: objects.filter((object) => isPodDefault(object) && object.metadata?.namespace === metadata?.namespace && selects(object, labels))
      .map((object) => ({ name: jsonText(object.metadata?.name ?? ''), spec: readPodDefault(object) })),
  };
}

/** Violations of a Notebook, where the manifest has what they are about. */
export function inTermsOfNotebook(violations: readonly Violation[]): Violation[] {
  return violations.map((violation) => ({
    ...violation,
    path: violation.path
      .replace(/^podDefaults\.(env|volumeMounts)$/, 'spec.template.spec.containers[0].$1').replace(/^podDefaults\.(volumes|tolerations)$/, 'spec.template.spec.$1')
      .replace(/^podDefaults\./, 'metadata.'),
  }));
}

/** A PodDefault. A volume that it mounts can be one of the pod's. */
export function readPodDefault({ spec: written }: ManifestObject): PodDefaultSpec {
  const spec = record(written);
  const changed = readChanged(spec);
  const names = changed.volumes.map(({ name }) => name);
  const ofPod = changed.volumeMounts.filter(({ name }) => !names.includes(name)).map(({ name }) => ({ name }));
  const addsMore = Object.entries(spec).some(([field, value]) => !ADDS_NOTHING.includes(field) && !isEmpty(value));
  return {
    ...changed,
    volumes: [...changed.volumes, ...ofPod],
    labels: { ...changed.labels, ...(addsMore && SOME_LABEL) },
    selector: SOME_LABEL, envFrom: [], imagePullSecrets: [],
  };
}

/** Where a Tensorboard reads; undefined for a plain path, which is one of the claim `tb-volume`. */
export function readLogsPath({ spec }: ManifestObject): string | undefined {
  const path = textIn(record(spec).logspath);
  return path?.startsWith('/') ? undefined : path;
}

/** The variable of the controller may be there: it keeps what it finds. */
function withoutPrefix(env: unknown): readonly JsonRecord[] {
  return records(env).filter(({ name }) => name !== 'NB_PREFIX');
}

function readChanged({ env, volumes, volumeMounts, tolerations, labels, annotations }: JsonRecord): ChangedPod {
  return {
    env: records(env) as unknown as readonly EnvVarSpec[], volumes: records(volumes), volumeMounts: records(volumeMounts),
    tolerations: records(tolerations), labels: textsIn(labels), annotations: textsIn(annotations),
  };
}

function isPodDefault({ apiVersion, kind }: ManifestObject): boolean {
  return kind === 'PodDefault' && apiVersion?.startsWith(API_GROUP) === true;
}

/** Whether a PodDefault selects a pod by its labels alone. */
function selects({ spec }: ManifestObject, labels: { readonly [label: string]: string }): boolean {
  const { matchLabels, matchExpressions } = record(record(spec).selector);
  return records(matchExpressions).length === 0 && Object.entries(textsIn(matchLabels)).every(([label, value]) => labels[label] === value);
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0);
}
