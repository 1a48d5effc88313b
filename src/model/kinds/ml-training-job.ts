/** Our own jobs. What policies look at in them is in `manifests/policy`: roles, helpers, arrays and searches. */
import type { WorkloadKind } from './workload-kind';
import { API_GROUP, API_VERSION, JOB_LABEL, OPERATOR_NAME, TRAINING_JOB_KIND, TRAINING_JOB_PLURAL } from '../labels';
import { programText } from '../../programs/program-text';

export const ML_TRAINING_JOB: WorkloadKind = {
  group: API_GROUP, kind: TRAINING_JOB_KIND, plural: TRAINING_JOB_PLURAL, versions: [API_VERSION], shortNames: ['mltj'],
  isJob: true, hasEndingPods: true, suspend: ['spec', 'suspend'], ttl: ['spec', 'runPolicy', 'ttlSecondsAfterFinished'], controller: OPERATOR_NAME,
  podLabels: [JOB_LABEL], cost: 'MLTrainingJob', migrated: 'MLTrainingJob',
  // Our operator waits in the queue for it, and a retry does not begin suspended.
  argoCd: {
    health: programText('argo-cd/health/training-job.lua'),
    finished: "status.phase == 'Completed' or status.phase == 'Failed'",
    failed: "status.phase == 'Failed'",
    // An elastic job is scaled by whoever scales it.
    written: ['.spec | select(.elastic != null) | .replicas'],
  },
};
