/** Kinds of training-operator v1 with few fields other than their roles and their run policy. */
import { type Fields, MigrationError } from '../fields';
import type { JobFields, JobReader, RoleDraft } from '../job';
import type { Notes } from '../notes';
import { readV1Job, v1Draft, v1Hosts, type V1Kind } from './v1-job';
import type { FrameworkName } from '../../../model/training-job/spec';

/** The framework of a kind, and its further fields. */
interface Particulars {
  readonly framework: FrameworkName | ((roles: readonly RoleDraft[], notes: Notes) => FrameworkName);
  readonly fields?: (spec: Fields, roles: readonly RoleDraft[], notes: Notes) => JobFields;
}

function reader(definition: V1Kind, { framework, fields }: Particulars): JobReader {
  return {
    read(object, metadata, notes, context) {
      const job = readV1Job(object, definition, metadata, notes, context);
      const own = fields?.(job.spec, job.roles, notes) ?? {};
      const name = typeof framework === 'string' ? framework : framework(job.roles, notes);
      return v1Draft(job, name, v1Hosts(metadata.name, definition), notes, own);
    },
  };
}

/** TFJob: chief or master, workers, parameter servers, evaluator. */
export const TF_JOB_READER = reader({
  kind: 'TFJob', container: 'tensorflow', restartPolicy: 'Never',
  port: { name: 'tfjob-port', number: 2222, isMasterPort: false },
  roles: { Chief: 'chief', Master: 'master', Worker: 'worker', PS: 'ps', Evaluator: 'evaluator' },
}, {
  framework: 'tensorflow',
  fields(spec, roles, notes) {
    const dynamic = spec.flag('enableDynamicWorker');
    if (dynamic) {
      notes.lost(spec.at('enableDynamicWorker'), true,
        'has no equivalent: TF_CONFIG names every replica, and their number is fixed. PyTorch and Horovod can be elastic here.');
    }
    if (roles.some(({ name }) => name === 'master')) {
      notes.changed(`${spec.path}.tfReplicaSpecs.Master`, undefined, 'is the task chief in TF_CONFIG here; TensorFlow has no master since version 2.');
    }
    return spec.oneOf('successPolicy', ['', 'AllWorkers']) === 'AllWorkers' ? { runPolicy: { successPolicy: 'AllWorkers' } } : {};
  },
});

/** XGBoostJob, which upstream also uses for LightGBM. */
export const XGBOOST_JOB_READER = reader({
  kind: 'XGBoostJob', container: 'xgboost', restartPolicy: 'Never',
  port: { name: 'xgboostjob-port', number: 9999, isMasterPort: true },
  roles: { Master: 'master', Worker: 'worker' },
}, {
  framework(roles, notes) {
    const isLightGbm = roles.some(({ image, command = [], args = [], env }) =>
      /lightgbm|lgbm/i.test([image, ...command, ...args, ...env.map(({ name }) => name)].join(' ')));
    if (isLightGbm) {
      notes.changed('spec.xgbReplicaSpecs', undefined,
        'the framework is lightgbm, because of the image, the command or a variable; it has the variables of XGBoostJob and its list of machines.');
    }
    return isLightGbm ? 'lightgbm' : 'xgboost';
  },
});

/** PaddleJob. */
export const PADDLE_JOB_READER = reader({
  kind: 'PaddleJob', container: 'paddle', restartPolicy: 'OnFailure',
  port: { name: 'master', number: 36543, isMasterPort: true },
  roles: { Master: 'master', Worker: 'worker' },
}, {
  framework: 'paddle',
  fields(spec, _roles, notes) {
    notes.lose(spec, 'had no effect: training-operator v1 never read it for PaddleJobs.', 'elasticPolicy');
    return {};
  },
});

/** JAXJob. */
export const JAX_JOB_READER = reader({
  kind: 'JAXJob', container: 'jax', restartPolicy: 'Never',
  port: { name: 'jaxjob-port', number: 6666, isMasterPort: true },
  roles: { Worker: 'worker' },
}, { framework: 'jax' });

/**
 * MXJob of releases before training-operator 1.8.
 * @see https://github.com/kubeflow/trainer/blob/v1.7.0/pkg/apis/kubeflow.org/v1/mxnet_types.go
 */
export const MX_JOB_READER = reader({
  kind: 'MXJob', container: 'mxnet', restartPolicy: 'Never',
  port: { name: 'mxjob-port', number: 9091, isMasterPort: false },
  roles: { Scheduler: 'scheduler', Worker: 'worker', Server: 'server' },
}, {
  framework: 'mxnet',
  fields(spec, roles, notes) {
    const mode = spec.text('jobMode');
    if (mode !== undefined && mode !== 'MXTrain') {
      throw new MigrationError(spec.at('jobMode'), mode, 'is not training: MXTune searched for kernels of TVM. Only MXTrain can be migrated.');
    }
    notes.differs('spec.mxReplicaSpecs', undefined, 'scripts get the DMLC_* variables of the parameter server, but no MX_CONFIG.');
    if (roles.some(({ name }) => name === 'scheduler')) {
      notes.changed('spec.mxReplicaSpecs.Scheduler', undefined, 'the job succeeds when all workers have; there, when the scheduler had.');
    }
    return {};
  },
});
