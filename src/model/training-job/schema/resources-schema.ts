/** Schema of `resources`, of a job and of a role. */
import { integer, map, object, text, type JsonSchema } from './json-schema';
import { QUANTITY_PATTERN } from '../../quantities';
import type { ResourcesSpec } from '../spec';

/** Names outside Kubernetes' own domain, in the form DOMAIN/NAME; the same rule as in `validation-resources.ts`. */
const EXTENDED_NAME = '^[a-z0-9]([-a-z0-9.]*[a-z0-9])?/[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$';
const KUBERNETES_NAME = '^([^/]*[.])?kubernetes[.]io/';

function quantity(description: string): JsonSchema {
  return text(description, { maxLength: 64, pattern: QUANTITY_PATTERN });
}

/** Schema of ResourcesSpec. */
export function resourcesSchema(description: string): JsonSchema {
  return object<ResourcesSpec>(description, {
    gpu: integer('Number of GPUs of each replica, as limit of gpuResourceName.', { minimum: 0 }),
    gpuResourceName: text('Extended resource that gpu counts: nvidia.com/gpu unless it is another vendor\'s or a MIG slice.', {
      maxLength: 317,
      pattern: EXTENDED_NAME,
      rules: [{
        rule: `!self.matches('${KUBERNETES_NAME}')`,
        message: 'must be an extended resource, such as nvidia.com/gpu or amd.com/gpu',
      }],
    }),
    tpu: integer('Number of TPU chips of each replica (google.com/tpu). Not together with gpu.', { minimum: 0 }),
    cpu: quantity('Cores of each replica, such as "4" or "500m", as request and limit.'),
    memory: quantity('Memory of each replica, such as "16Gi", as request and limit.'),
    ephemeralStorage: quantity('Disk of the node for each replica, such as "100Gi", as request and limit.'),
    sharedMemory: quantity('Size of /dev/shm, which data loaders share batches through. Counts against memory. By default 8 GiB for each whole GPU, at most half of memory; '
      + 'without GPUs, and with 0, the runtime\'s 64 MiB.'),
    extended: map('Any other extended resource by name, such as rdma/hca: "8", as limit.',
      text('A whole number.', { maxLength: 20, pattern: '^[0-9]+$' }), 32, {
        rules: [
          {
            rule: `self.all(name, name.matches('${EXTENDED_NAME}') && !name.matches('${KUBERNETES_NAME}'))`,
            message: 'must contain extended resources, DOMAIN/NAME such as rdma/hca; cpu, memory and ephemeralStorage have their own fields',
          },
          { rule: '!(\'google.com/tpu\' in self)', message: 'must not contain google.com/tpu, which has its own field: set tpu' },
        ],
      }),
  }, {
    rules: [
      {
        rule: '!(has(self.gpu) && self.gpu > 0 && has(self.tpu) && self.tpu > 0)',
        message: 'cannot be combined with gpu: no node has both. Remove one of the two',
        fieldPath: '.tpu',
        reason: 'FieldValueForbidden',
      },
      {
        rule: '!has(self.memory) || !has(self.sharedMemory) || !isQuantity(self.memory) || !isQuantity(self.sharedMemory)'
          + ' || quantity(self.sharedMemory).compareTo(quantity(self.memory)) <= 0',
        message: 'counts against memory and cannot be more. Raise memory or lower it',
        fieldPath: '.sharedMemory',
      },
    ],
  });
}
