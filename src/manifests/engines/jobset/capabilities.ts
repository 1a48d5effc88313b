/** What a JobSet can do: a template for each role, and restarts of all of them together. */
import { no, partly, type EngineCapabilities } from '../capabilities';
import { COMMON_FIELDS, GANG_FIELDS, HELPERS_THAT_COUNT, KUEUE_FIELDS, MANAGED_BY_FIELD } from '../indexed/capabilities';

const NO_KEYS = no('does not create the SSH keys for a launcher to reach its workers; set a Secret that has them (sshSecretName)');

const AT_ONCE = no('restarts immediately, without a pause');

const ENDED_WELL = partly('Never, OnFailure, ExitCode', (value) => (value === 'Always' ? 'never restarts successful replicas' : undefined));

/**
 * The answers.
 * @param hasKeys whether there is a Secret with keys for MPI
 */
export function jobSetCapabilities(hasKeys: boolean): EngineCapabilities {
  const mpi = hasKeys ? true : NO_KEYS;
  return {
    frameworks: {
      pytorch: true, tensorflow: true, mxnet: true, jax: true, xgboost: true, lightgbm: true, mpi, horovod: mpi, deepspeed: mpi, paddle: true,
      plain: true,
    },
    fields: {
      ...COMMON_FIELDS,
      ...KUEUE_FIELDS,
      ...GANG_FIELDS,
      'roles[].image': true,
      'roles[].command': true,
      'roles[].args': true,
      'roles[].resources': true,
      'roles[].template': true,
      'roles[].restartPolicy': ENDED_WELL,
      'runPolicy.restartPolicy': ENDED_WELL,
      'runPolicy.exitCodes.recover': true,
      'runPolicy.exitCodes.retry': true,
      'runPolicy.backoff.initialSeconds': AT_ONCE,
      'runPolicy.backoff.maxSeconds': AT_ONCE,
      'runPolicy.backoff.resetAfterSeconds': AT_ONCE,
      'runPolicy.disruptionLimit': partly('0 only', (value) => (value === 0 ? undefined : 'does not count disruptions: it allows them all, or with 0 none')),
      'runPolicy.activeDeadlineSeconds': partly('counted from the last restart', () => undefined),
      'runPolicy.successPolicy': true,
      'managedBy': MANAGED_BY_FIELD,
      'helpers': HELPERS_THAT_COUNT,
    },
  };
}
