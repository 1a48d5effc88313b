/** Schemas of what ends up in pods: variables, commands and templates. */
import { celList, list, listByKey, map, object, openObject, text, type JsonSchema } from './json-schema';
import { RESERVED_POD_LABELS, RESERVED_VOLUME_PREFIX } from '../../labels';
import type { EnvVarSpec, PodTemplateSpec } from '../spec';

/** Schema of an image. */
export function imageSchema(description: string): JsonSchema {
  return text(description, { minLength: 1, maxLength: 1024, pattern: '^\\S+$' });
}

/** Schema of `command` and of `args`. */
export function wordsSchema(description: string): JsonSchema {
  return list(description, text('One word.'), 4096);
}

/** Schema of `env`. */
export function envSchema(description: string): JsonSchema {
  return listByKey(description, 'name', object<EnvVarSpec>('A variable.', {
    name: text('Name of the variable.', { minLength: 1, maxLength: 4096, pattern: '^[\\x20-\\x3c\\x3e-\\x7e]+$' }),
    value: text('Its value. $(NAME) stands for a variable that was set before, $$ for a dollar.'),
    valueFrom: openObject('Where its value comes from: a Kubernetes EnvVarSource, one of fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef.', {}, {
      minProperties: 1, maxProperties: 1,
    }),
  }, {
    required: ['name'],
    rules: [{
      rule: '!(has(self.value) && has(self.valueFrom))',
      message: 'cannot be combined with value. Remove one of the two',
      fieldPath: '.valueFrom',
      reason: 'FieldValueForbidden',
    }],
  }), 1024);
}

/** Schema of PodTemplateSpec. Only what rules and the merge of templates rely on is spelled out; the rest is checked when pods are made. */
export function podTemplateSchema(description: string): JsonSchema {
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
