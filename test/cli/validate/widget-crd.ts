/** A definition of our own with everything that a definition can say, for tests of the checks by definitions. */

const names = { kind: 'Widget', plural: 'widgets', singular: 'widget', listKind: 'WidgetList' };

const schema = {
  type: 'object',
  required: ['spec'],
  properties: {
    spec: {
      'type': 'object',
      'required': ['size'],
      'x-kubernetes-validations': [
        { rule: '!has(self.low) || !has(self.high) || self.low <= self.high', message: 'must not be above high. Lower it', fieldPath: '.low' },
        { rule: 'self.size != 13', messageExpression: '"cannot be " + (self.size == 13 ? "13" : "this") + ". Take another size"', fieldPath: '.size' },
        { rule: 'self.size == oldSelf.size', message: 'cannot change' },
        { rule: '!has(self.secret) || self.?secret.orValue("") != ""', message: 'never judged here' },
      ],
      'properties': {
        size: { type: 'integer', format: 'int32', minimum: 1, maximum: 100, description: 'How large the widget is.\nMore of it.' },
        low: { type: 'integer' },
        high: { type: 'integer' },
        ratio: { type: 'number', minimum: 0, exclusiveMinimum: true, maximum: 1, exclusiveMaximum: true },
        step: { type: 'integer', multipleOf: 5 },
        colour: { type: 'string', enum: ['red', 'green', 'blue'] },
        code: { type: 'string', pattern: '(?i)^[[:alpha:]]{3}$' },
        title: { type: 'string', minLength: 1, maxLength: 10 },
        enabled: { type: 'boolean' },
        secret: { type: 'string' },
        port: { 'x-kubernetes-int-or-string': true, 'anyOf': [{ type: 'integer' }, { type: 'string' }] },
        every: { type: 'string', format: 'duration' },
        since: { type: 'string', format: 'date-time' },
        memory: { type: 'string', 'x-kubernetes-validations': [{ rule: 'isQuantity(self) && quantity(self).isLessThan(quantity("1Gi"))', message: 'must be less than 1Gi. Ask for less' }] },
        tags: { type: 'array', items: { type: 'string' }, maxItems: 3, 'x-kubernetes-list-type': 'set' },
        parts: {
          'type': 'array',
          'minItems': 1,
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
          'items': { type: 'object', required: ['name'], properties: { name: { type: 'string' }, count: { type: 'integer', default: 1 } } },
        },
        limits: { type: 'object', additionalProperties: { type: 'integer' }, maxProperties: 2 },
        free: { 'type': 'object', 'x-kubernetes-preserve-unknown-fields': true },
        source: {
          type: 'object', properties: { file: { type: 'string' }, url: { type: 'string' } }, oneOf: [{ required: ['file'] }, { required: ['url'] }],
        },
        maybe: { type: 'string', nullable: true },
      },
    },
  },
};

/** The definition. */
export const WIDGET_CRD = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.test.trainyard.dev' },
  spec: {
    group: 'test.trainyard.dev',
    scope: 'Namespaced',
    names,
    versions: [
      { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } },
      { name: 'v1alpha1', served: false, storage: false, schema: { openAPIV3Schema: schema } },
    ],
  },
};

/** A widget. */
export function widget(spec: object): object {
  return { apiVersion: 'test.trainyard.dev/v1', kind: 'Widget', metadata: { name: 'w' }, spec: { size: 5, ...spec } };
}
