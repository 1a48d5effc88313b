/** Fields of what ends up in pods: compute, variables, commands and templates. */
import { celList, list, map, object, openObject, text, type JsonSchema } from './json-schema';
import * as field from './field';
import { RESERVED_POD_LABELS, RESERVED_VOLUME_PREFIX } from '../../labels';
import { isRecord } from '../../json-parts';
import { QUANTITY_PATTERN } from '../../quantities';
import { TEXT, listOf, mapOf, matching, openRecord, record, required, type Shape } from '../../shapes';

/** `command` or `args`. */
export function command<const N extends field.Notes>(sentence: string, notes: N) {
  return field.list(sentence, field.text('One word.'), { ...notes, maxItems: 4096 });
}

const VARIABLE = field.block('an environment variable', 'A variable.', {
  name: field.text('Name of the variable.', { minLength: 1, maxLength: 4096, pattern: '^[\\x20-\\x3c\\x3e-\\x7e]+$', required: true }),
  value: field.text('Its value. $(NAME) stands for a variable that was set before, $$ for a dollar.'),
  valueFrom: field.custom<{ readonly [source: string]: unknown }>(
    openObject('Where its value comes from: a Kubernetes EnvVarSource, one of fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef.', {}, {
      minProperties: 1, maxProperties: 1,
    }), { shape: matching((value) => isRecord(value) && Object.keys(value).length === 1, 'must be an object with one source, such as secretKeyRef.') }),
}, {
  rules: [{
    rule: '!(has(self.value) && has(self.valueFrom))',
    message: 'cannot be combined with value. Remove one of the two',
    fieldPath: '.valueFrom',
    reason: 'FieldValueForbidden',
  }],
});

export type EnvVarSpec = field.ValueOf<typeof VARIABLE>;

/** `env`. */
export function environment<const N extends field.Notes>(sentence: string, notes: N = {} as N) {
  return field.list(sentence, VARIABLE, { ...notes, key: 'name', maxItems: 1024 });
}

/** Names outside Kubernetes' own domain, in the form DOMAIN/NAME; `validation/roles.ts` has the same rule. */
const EXTENDED_NAME = '^[a-z0-9]([-a-z0-9.]*[a-z0-9])?/[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$';
const KUBERNETES_NAME = '^([^/]*[.])?kubernetes[.]io/';

const quantity = (sentence: string, example: string, notes: field.Notes = {}) => field.text(sentence, {
  ...notes, maxLength: 64, pattern: QUANTITY_PATTERN, says: `must be a quantity such as ${example}.`,
});

const devices = (sentence: string, notes: field.Notes = {}) => field.integer(sentence, {
  ...notes, says: 'must be a whole number of devices, 0 or more; request a share of one with gpuResourceName (MIG) or a shared node.',
});

const RESOURCES = {
  gpu: devices('Number of GPUs of each replica, as limit of gpuResourceName.'),
  gpuResourceName: field.text('Extended resource that gpu counts: nvidia.com/gpu unless it is another vendor\'s or a MIG slice.', {
    maxLength: 317,
    pattern: EXTENDED_NAME,
    rules: [{
      rule: `!self.matches('${KUBERNETES_NAME}')`,
      message: 'must be an extended resource, such as nvidia.com/gpu or amd.com/gpu',
    }],
  }),
  tpu: devices('Number of TPU chips of each replica (google.com/tpu). Not together with gpu.'),
  cpu: quantity('Cores of each replica, such as "4" or "500m", as request and limit.', '"4" or "500m"'),
  memory: quantity('Memory of each replica, such as "16Gi", as request and limit.', '"16Gi"'),
  ephemeralStorage: quantity('Disk of the node for each replica, such as "100Gi", as request and limit.', '"16Gi"'),
  sharedMemory: quantity('Size of /dev/shm, which data loaders share batches through. Counts against memory; "0" leaves the runtime\'s 64 MiB.', '"16Gi"', {
    otherwise: '8 GiB for each whole GPU, at most half of memory; without GPUs the runtime\'s 64 MiB',
  }),
  extended: field.map('Any other extended resource by name, such as rdma/hca: "8", as limit.',
    field.text('A whole number.', { maxLength: 20, pattern: '^[0-9]+$' }), {
      maxProperties: 32,
      rules: [
        {
          rule: `self.all(name, name.matches('${EXTENDED_NAME}') && !name.matches('${KUBERNETES_NAME}'))`,
          message: 'must contain extended resources, DOMAIN/NAME such as rdma/hca; cpu, memory and ephemeralStorage have their own fields',
        },
        { rule: '!(\'google.com/tpu\' in self)', message: 'must not contain google.com/tpu, which has its own field: set tpu' },
      ],
    }),
};

/** Compute of one replica. CPU, memory and ephemeral storage are set as request and as limit. */
export type ResourcesSpec = field.SpecOf<typeof RESOURCES>;

/** `resources`, of a job and of a role. */
export function resources<const N extends field.Notes>(sentence: string, notes: N) {
  return field.block('resources', sentence, RESOURCES, {
    ...notes,
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

/** The part of a Kubernetes pod template that the operator reads; everything else is carried through as it is. */
export interface PodTemplateSpec {
  readonly metadata?: {
    readonly labels?: { readonly [name: string]: string };
    readonly annotations?: { readonly [name: string]: string };
  };
  readonly spec?: { readonly [field: string]: unknown };
}

const NAMED = listOf(openRecord({ name: required(TEXT) }));

/** What is null is absent, as for the API server. Of a text each letter would count as a resource. */
const QUANTITIES = matching((value) => typeof value === 'object' && !Array.isArray(value), 'must be a map of resources to quantities, such as {"cpu": "4"}.');
const CONTAINER_RESOURCES = openRecord({ limits: QUANTITIES, requests: QUANTITIES });
const OPTIONAL_RESOURCES: Shape = (value, path, violations) => value !== null && CONTAINER_RESOURCES(value, path, violations);

/** Only what rules and the merge of templates rely on: the rest is the API server's to check. */
const TEMPLATE = record<keyof PodTemplateSpec>('a pod template', {
  metadata: openRecord({ labels: mapOf(TEXT), annotations: mapOf(TEXT) }),
  spec: openRecord({
    containers: listOf(openRecord({ name: required(TEXT), env: NAMED, resources: OPTIONAL_RESOURCES })),
    initContainers: listOf(openRecord({ name: required(TEXT), resources: OPTIONAL_RESOURCES })),
    volumes: NAMED,
  }),
});

/** A pod template. Only what rules and the merge of templates rely on is spelled out; the rest is checked when pods are made. */
export function podTemplate(sentence: string, notes: field.Notes = {}): field.Field<PodTemplateSpec, false, false> {
  return field.custom<PodTemplateSpec>(templateSchema(sentence), { ...notes, shape: TEMPLATE });
}

function templateSchema(description: string): JsonSchema {
  const containers = (of: string) => list(of, openObject('A container.', {
    name: text('Name of the container.', { minLength: 1, maxLength: 63 }),
  }, { required: ['name'] }), 64);
  return object<PodTemplateSpec>(description, {
    metadata: openObject('Metadata of the pods.', {
      labels: map('Labels of the pods.', text('Value of the label.', { maxLength: 63 }), 64, {
        rules: [{
          rule: `!self.exists(name, name in ${celList(RESERVED_POD_LABELS)})`,
          message: `must not contain ${RESERVED_POD_LABELS.join(', ')}, which the operator sets to find its pods. Remove them`,
          reason: 'FieldValueForbidden',
        }],
      }),
      annotations: map('Annotations of the pods.', text('Value of the annotation.'), 256),
    }),
    spec: openObject('A Kubernetes PodSpec; all fields are optional here. A container named training is merged into the operator\'s.', {
      restartPolicy: { type: 'string', description: 'Never: the operator restarts replicas and counts them, see runPolicy.restartPolicy.', enum: ['Never'] },
      hostname: text('Set by the operator.', { maxLength: 63 }),
      subdomain: text('Set by the operator.', { maxLength: 63 }),
      containers: containers('Containers by name: training, or additional ones.'),
      initContainers: containers('Init containers by name.'),
      volumes: list('Volumes by name.', openObject('A volume.', {
        name: text('Name of the volume.', {
          minLength: 1,
          maxLength: 63,
          rules: [{
            rule: `!self.startsWith('${RESERVED_VOLUME_PREFIX}')`,
            message: `must not start with '${RESERVED_VOLUME_PREFIX}', as the operator's own volumes do. Rename it`,
            reason: 'FieldValueForbidden',
          }],
        }),
      }, { required: ['name'] }), 256),
    }, {
      rules: ['hostname', 'subdomain'].map((field) => ({
        rule: `!has(self.${field})`,
        message: 'is set by the operator: replicas use it to find each other. Remove it',
        fieldPath: `.${field}`,
        reason: 'FieldValueForbidden' as const,
      })),
    }),
  });
}
