/** Our own jobs. What policies look at in them is in `manifests/policy`: roles, helpers, arrays and searches. */
import type { WorkloadKind } from './workload-kind';
import { API_GROUP, API_VERSION, JOB_LABEL, OPERATOR_NAME, TRAINING_JOB_KIND, TRAINING_JOB_PLURAL } from '../labels';

export const ML_TRAINING_JOB: WorkloadKind = {
  group: API_GROUP, kind: TRAINING_JOB_KIND, plural: TRAINING_JOB_PLURAL, versions: [API_VERSION], shortNames: ['mltj'],
  isJob: true, hasEndingPods: true, suspend: ['spec', 'suspend'], ttl: ['spec', 'runPolicy', 'ttlSecondsAfterFinished'], controller: OPERATOR_NAME,
  podLabels: [JOB_LABEL],
};
