/** Why a service is not ready: the model is not loaded, a running pod is not ready, or an object in between reports a problem. */
import type { Cause, DiagnosisRule } from '../diagnosis';
import { configFix } from './startup';
import { describe, eventsOf, groupedBy, livePods, podName } from '../facts';
import type { JobSnapshot } from '../snapshot';
import { count } from '../../../text';
import { record, textIn } from '../../../../model/json-parts';
import { explainedKindOf } from '../../../../model/kinds/registry';

/** Whether it is a service, which runs until it is deleted. */
export function serves({ job }: JobSnapshot): boolean {
  const kind = explainedKindOf(job);
  return kind !== undefined && kind.isJob !== true && kind.hasEndingPods !== true;
}

/**
 * KServe's names for the failures of a model.
 * @see https://github.com/kserve/kserve/blob/v0.20.0/pkg/apis/serving/v1beta1/inference_service_status.go
 */
const MODEL_FAILURES: { readonly [reason: string]: readonly [what: string, fix: string] } = {
  NoSupportingRuntime: [
    'No serving runtime supports the format of the model.',
    'Correct spec.predictor.model.modelFormat, or install a runtime for it: kubectl get clusterservingruntimes,servingruntimes shows those that exist.',
  ],
  RuntimeNotRecognized: [
    'The serving runtime that it names does not exist.',
    'Correct spec.predictor.model.runtime, or create the runtime: kubectl get clusterservingruntimes,servingruntimes shows those that exist.',
  ],
  RuntimeDisabled: ['The serving runtime that it names is disabled.', 'Name another one in spec.predictor.model.runtime, or set disabled to false in that runtime.'],
  InvalidPredictorSpec: ['KServe does not accept the spec of the predictor.', 'Fix what the message names.'],
  ModelLoadFailed: [
    'The model cannot be loaded.',
    'Check the address of the model (storageUri), and that the Secret of spec.predictor.serviceAccountName may read it.',
  ],
  RuntimeUnhealthy: ['The server of the model does not start.', 'See the log of its pods, and the memory and devices that the model needs.'],
};

/** The failure of a model that the status names. */
export const modelFailure: DiagnosisRule = ({ job }) => {
  const { lastFailureInfo, transitionStatus } = record(record(job.status).modelStatus);
  const { reason, message, location, exitCode } = record(lastFailureInfo);
  const id = textIn(reason);
  if (id === undefined || transitionStatus === 'UpToDate') {
    return [];
  }
  const [what, fix] = Object.hasOwn(MODEL_FAILURES, id) ? MODEL_FAILURES[id] : ['KServe reports a failure of the model.', 'Fix what the message names.'];
  const where = textIn(location);
  return [{
    id, what, fix,
    evidence: [textIn(message) ?? '', ...(where === undefined || where === '' ? [] : [`Where: ${where}${exitCode === undefined ? '' : `, exit code ${String(exitCode)}`}`])].filter((line) => line !== ''),
  }];
};

/** Pods whose containers run, one of which is not ready: its probe fails. */
export const unready: DiagnosisRule = (snapshot) => {
  const pods = serves(snapshot) ? livePods(snapshot).filter(({ status }) => status?.phase === 'Running') : [];
  const found = pods.flatMap((pod) => {
    const words = eventsOf(snapshot, pod).find(({ reason }) => reason === 'Unhealthy')?.message;
    const containers = (pod.status?.containerStatuses ?? []).filter(({ ready, state }) => ready === false && state?.running !== undefined);
    return containers.map(({ name }) => ({ pod, name, words }));
  });
  return groupedBy(found, ({ name }) => name).map((group): Cause => ({
    id: 'NotReady',
    what: `The container ${group[0].name} of ${group.length === 1 ? podName(group[0].pod) : count(group.length, 'pod')} runs and is not ready.`,
    evidence: group.flatMap(({ words }) => words ?? []).slice(0, 1),
    fix: `It may still be loading. Otherwise see its log, kubectl logs ${podName(group[0].pod)} -c ${group[0].name}, and its readiness probe.`,
  }));
};

/** Used when no other rule finds a cause: the condition or warning event of the object closest to the pods. */
export const reported: DiagnosisRule = (snapshot) => {
  const objects = serves(snapshot) ? [...snapshot.owned].reverse().concat(snapshot.job) : [];
  const [first] = objects.flatMap((object) => {
    const { reason, type, message } = (object.status?.conditions ?? []).find((condition) => condition.status === 'False' && condition.message) ?? {};
    const event = eventsOf(snapshot, object).find((candidate) => candidate.type === 'Warning');
    const words = [message, event?.message].filter((text): text is string => text !== undefined && text !== '');
    return words.length === 0 ? [] : [{ object, id: [reason, event?.reason, type].find((name) => name !== undefined && name !== '')!, words }];
  });
  return first === undefined ? [] : [{
    id: first.id, what: `${describe(first.object)} is not ready.`, evidence: [...new Set(first.words)],
    fix: `${configFix(first.words.join(' '))} The controller retries automatically.`,
  }];
};
