/** Our own jobs. What policies look at in them is in `manifests/policy`: roles, helpers, arrays and searches. */
import { conditionIn, standingByPhase, type Standing } from './standing';
import type { WorkloadKind } from './workload-kind';
import { numberIn, record, records, textIn, type JsonRecord } from '../json-parts';
import { API_GROUP, API_VERSION, JOB_LABEL, OPERATOR_NAME, REPLICA_INDEX_LABEL, ROLE_LABEL, TRAINING_JOB_KIND, TRAINING_JOB_PLURAL } from '../labels';
import type { Phase } from '../training-job/status/status';
import { programText } from '../../programs/program-text';

const STATES: { readonly [phase in Phase]: Standing['state'] } = {
  Pending: 'Waiting', Running: 'Running', Restarting: 'Restarting', Suspended: 'Suspended', Completed: 'Succeeded', Failed: 'Failed',
};

/** The operator suspends what waits in a queue, and the user what `spec.suspend` says. */
function standing(object: JsonRecord): Standing {
  const { phase, ready } = record(object.status);
  const { reason, message } = conditionIn(object, phase === 'Completed' ? 'Succeeded' : textIn(phase) ?? '') ?? {};
  const found = standingByPhase(object, phase, STATES, { ready: textIn(ready), reason: textIn(reason), message: textIn(message) });
  return found.state === 'Waiting' && record(object.spec).suspend === true ? { ...found, state: 'Suspended' } : found;
}

export const ML_TRAINING_JOB: WorkloadKind = {
  group: API_GROUP, kind: TRAINING_JOB_KIND, plural: TRAINING_JOB_PLURAL, versions: [API_VERSION], shortNames: ['mltj'],
  isJob: true, hasEndingPods: true, suspend: ['spec', 'suspend'], ttl: ['spec', 'runPolicy', 'ttlSecondsAfterFinished'], controller: OPERATOR_NAME,
  podLabels: [JOB_LABEL], roleLabel: ROLE_LABEL, indexLabel: REPLICA_INDEX_LABEL, standing, cost: 'MLTrainingJob', migrated: 'MLTrainingJob',
  scales: ({ roles, replicas }) => (roles === undefined ? [{ field: ['replicas'], replicas: numberIn(replicas) ?? 1 }]
    : records(roles).map((role, index) => ({ role: textIn(role.name), field: ['roles', index, 'replicas'], replicas: numberIn(role.replicas) ?? 1 }))),
  // Our operator waits in the queue for it, and a retry does not begin suspended.
  argoCd: {
    health: programText('argo-cd/health/training-job.lua'),
    finished: "status.phase == 'Completed' or status.phase == 'Failed'",
    failed: "status.phase == 'Failed'",
    // An elastic job is scaled by its autoscaler or user.
    written: ['.spec | select(.elastic != null) | .replicas'],
  },
};
