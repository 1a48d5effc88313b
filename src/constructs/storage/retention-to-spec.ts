/** A retention in the model's terms. */
import type { CheckpointRetention } from './retention';
import type { RetentionSpec } from '../../model/storage/store';

const DAILY = '17 3 * * *';
const TEN_MINUTES = 600;

/** In the model's terms. */
export function retentionSpec(retention: CheckpointRetention): RetentionSpec {
  const { schedule = DAILY, maxAge, settle, deadline, serviceAccount, ...same } = retention;
  return {
    ...same,
    schedule,
    maxAgeSeconds: maxAge?.toSeconds(),
    settleSeconds: settle?.toSeconds() ?? TEN_MINUTES,
    deadlineSeconds: deadline?.toSeconds(),
    serviceAccountName: serviceAccount?.name,
  };
}
