/**
 * The life of fake nodes and pods, told to KWOK as stages. A pod that was bound to a node becomes Running and Ready at once; it stays so, unless it
 * carries {@link RUN_FOR_ANNOTATION}: then its containers end after that time with the exit code of {@link EXIT_CODE_ANNOTATION}. A deleted pod
 * goes at once.
 *
 * @see https://kwok.sigs.k8s.io/docs/user/stages-configuration/
 */
import fs from 'node:fs';
import path from 'node:path';
import { programText } from '../../programs/program-text';

/** Set by tests on a pod: how long its containers run, as a Go duration such as `500ms` or `2s`. */
export const RUN_FOR_ANNOTATION = 'fake.trainyard.dev/run-for';
/** Set by tests on a pod with {@link RUN_FOR_ANNOTATION}: the exit code of its containers; without it 0. */
export const EXIT_CODE_ANNOTATION = 'fake.trainyard.dev/exit-code';

/** Writes the stages of nodes and pods into a file for KWOK. */
export function writeStages(folder: string): string {
  const file = path.join(folder, 'kwok-stages.yaml');
  const stages = [
    stage('node-ready', 'Node', [expression('.status.conditions.[] | select( .type == "Ready" ) | .status', 'NotIn', 'True')], { statusTemplate: programText('kwok/node-ready.yaml.tmpl') }),
    stage('pod-run', 'Pod', [
      expression('.metadata.deletionTimestamp', 'DoesNotExist'),
      expression('.status.phase', 'In', 'Pending'),
    ], { statusTemplate: programText('kwok/pod-running.yaml.tmpl') }),
    stage('pod-end', 'Pod', [
      expression('.metadata.deletionTimestamp', 'DoesNotExist'),
      expression('.status.phase', 'In', 'Running'),
      expression(annotation(RUN_FOR_ANNOTATION), 'Exists'),
    ], { statusTemplate: programText('kwok/pod-ended.yaml.tmpl') }, { durationFrom: { expressionFrom: annotation(RUN_FOR_ANNOTATION) } }),
    // KWOK deletes by name alone. A pod that it deletes changes once more before it is gone, to a grace period of 0; a second deletion for that
    // change would hit the pod's replacement, where somebody makes it quickly.
    stage('pod-remove', 'Pod', [
      expression('.metadata.deletionTimestamp', 'Exists'),
      expression('.metadata.deletionGracePeriodSeconds | tostring', 'NotIn', '0'),
    ], { finalizers: { empty: true }, delete: true }),
  ];
  // One JSON document per stage: JSON is YAML.
  fs.writeFileSync(file, stages.map((object) => JSON.stringify(object, null, 2)).join('\n---\n'));
  return file;
}

function annotation(name: string): string {
  return `.metadata.annotations["${name}"]`;
}

function expression(key: string, operator: string, ...values: string[]) {
  return values.length > 0 ? { key, operator, values } : { key, operator };
}

function stage(name: string, kind: string, matchExpressions: unknown[], next: unknown, delay?: unknown) {
  return {
    apiVersion: 'kwok.x-k8s.io/v1alpha1',
    kind: 'Stage',
    metadata: { name },
    spec: { resourceRef: { apiGroup: 'v1', kind }, selector: { matchExpressions }, ...delay ? { delay } : {}, next },
  };
}
