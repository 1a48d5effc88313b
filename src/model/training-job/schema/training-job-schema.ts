/** Schema of the whole MLTrainingJob. */
import { presenceAtJob, securityRule } from './immutability-rules';
import { object, type JsonSchema } from './json-schema';
import { specSchema } from './spec-schema';
import { DNS_1035_LABEL_PATTERN, JOB_NAME_MAX_LENGTH } from '../../names';
import type { TrainingJobSpec } from '../spec';
import { statusSchema, type TrainingJobStatus } from '../status/status';

/** The object as it is in the API. */
interface TrainingJob {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: object;
  readonly spec: TrainingJobSpec;
  readonly status?: TrainingJobStatus;
}

/** Schema of an MLTrainingJob, for the CRD. */
export function trainingJobSchema(): JsonSchema {
  const { spec, rules } = presenceAtJob(specSchema());
  return object<TrainingJob>('A distributed training job.', {
    apiVersion: { type: 'string', description: 'Version of the schema.' },
    kind: { type: 'string', description: 'MLTrainingJob.' },
    metadata: { type: 'object', properties: { name: { type: 'string' } } },
    spec,
    status: statusSchema(),
  }, {
    required: ['spec'],
    rules: [
      {
        rule: `self.metadata.name.size() <= ${JOB_NAME_MAX_LENGTH}`,
        message: `must have at most ${JOB_NAME_MAX_LENGTH} characters, because the service NAME-master and the pods' host names contain it`,
        fieldPath: '.metadata.name',
      },
      {
        rule: `self.metadata.name.matches('${DNS_1035_LABEL_PATTERN}')`,
        message: 'must be a DNS-1035 label, because Services use it: lower-case letters, digits and \'-\', starting with a letter and ending with a letter or digit',
        fieldPath: '.metadata.name',
      },
      ...rules,
      securityRule(),
    ],
  });
}
