/** Random specs from the tables of fields: every field in turn, at its bounds and between them. Rules across fields may be broken. */
import fc from 'fast-check';
import type { Field } from '../../../src/model/training-job/schema/field';
import { FRAMEWORK_NAMES, SPEC } from '../../../src/model/training-job/spec';
import { frameworkContract } from '../../../src/model/frameworks/registry';

/** Texts of forms that cannot be drawn from their expression, by the name of their field. */
const TEXTS: { readonly [field: string]: readonly string[] } = {
  image: ['image', 'registry.example/team/image:1'],
  name: ['worker', 'master', 'launcher', 'chief', 'evaluator', 'USER_SETTING'],
  digest: [`sha256:${'0a'.repeat(32)}`],
  url: ['s3://bucket/key', 'https://host/path', `oci://host/code@sha256:${'0a'.repeat(32)}`, 'oci://host/code:1'],
  mountPath: ['/workspace/code', '/code'],
  cpu: ['4', '500m'],
  memory: ['16Gi', '1Gi'],
  sharedMemory: ['0', '2Gi', '64Gi'],
  ephemeralStorage: ['100Gi'],
  gpuResourceName: ['nvidia.com/gpu', 'amd.com/gpu', 'nvidia.com/mig-1g.5gb'],
  checkpointPath: ['/checkpoints', 's3://bucket/run', 'checkpoints'],
  objective: ['loss', 'val/accuracy'],
  parameter: ['EPOCHS'],
  subPath: ['runs/1', '../other', '/absolute'],
  toCidrs: ['10.8.0.0/16', 'fd00::/8', '10.8.0.0'],
  extended: ['1', '8'],
  hyperparameters: ['0.1', 'adam'],
  managedBy: ['ml.collabnix.io/trainyard-operator', 'kueue.x-k8s.io/multikueue'],
};

/** Names of maps, by the name of their field. */
const KEYS: { readonly [field: string]: readonly string[] } = {
  extended: ['rdma/hca', 'example.com/device'], parameters: ['lr', 'EPOCHS'], hyperparameters: ['LR', 'batchSize'], nodeSelector: ['pool', 'example.com/zone'],
};

/** Values of fields with a schema of their own. */
const OWN: { readonly [field: string]: fc.Arbitrary<unknown> } = {
  nprocPerNode: fc.constantFrom<unknown>(1, 8, '4', 'auto', 'gpu', 'cpu'),
  template: fc.constantFrom<unknown>({}, { spec: { containers: [{ name: 'training' }] } }, { metadata: { labels: { team: 'a' } } }, { spec: { hostname: 'a' } }),
  tolerations: fc.constantFrom<unknown>({ key: 'gpu', operator: 'Exists' }, { key: 'gpu', operator: 'Equal', value: 'yes', effect: 'NoSchedule' }),
  valueFrom: fc.constantFrom<unknown>({ fieldRef: { fieldPath: 'metadata.name' } }),
  values: fc.constantFrom<unknown>(1, 0.5, 'adam'),
};

/** How many fields that may be left out are left out for each one that is given: in most blocks, and in one block of four. */
const LEFT_OUT = { sparse: 3, dense: 0.5 };

/** Values of a field. */
export function valueOf(name: string, field: Field): fc.Arbitrary<unknown> {
  const { schema, fields, entry } = field;
  if (fields !== undefined) {
    const parts = Object.entries(fields).map(([part, inner]) => [part, inner.isRequired, valueOf(part, inner)] as const);
    const block = (leftOut: number) => fc.record(Object.fromEntries(parts.map(([part, isRequired, value]) => [
      part, isRequired ? value : fc.oneof({ weight: leftOut * 2, arbitrary: fc.constant(undefined) }, { weight: 2, arbitrary: value }),
    ])));
    // A rule between two fields far down is met only where the blocks around them are full.
    return fc.oneof({ weight: 3, arbitrary: block(LEFT_OUT.sparse) }, { weight: 1, arbitrary: block(LEFT_OUT.dense) })
      .map((values) => Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)));
  }
  if (schema.enum !== undefined) {
    return fc.constantFrom(...schema.enum);
  }
  switch (schema.type) {
    case 'boolean': return fc.boolean();
    case 'number': return fc.constantFrom(0.1, 1, 10);
    case 'integer': {
      const { minimum = 0, maximum = 2 ** 31 - 1 } = schema;
      return fc.oneof(fc.integer({ min: minimum, max: Math.min(maximum, minimum + 8) }), fc.constantFrom(minimum, maximum));
    }
    case 'array': return fc.array(valueOf(name, entry!), { minLength: schema.minItems ?? 0, maxLength: 3 });
    case 'string': return fc.constantFrom(...TEXTS[name] ?? ['some-name']);
    default: return entry === undefined ? OWN[name] ?? fc.constant({})
      : fc.dictionary(fc.constantFrom(...KEYS[name] ?? ['key']), valueOf(name, entry), { minKeys: schema.minProperties ?? 0, maxKeys: 2 });
  }
}

/** Roles of a framework, so that a good part of the specs is valid. */
const form = fc.constantFrom(...FRAMEWORK_NAMES).chain((framework) => {
  const roles = frameworkContract(framework).roles.map(({ name, singleton = false }) => fc.record({
    name: fc.constant(name), replicas: singleton ? fc.constant(1) : fc.integer({ min: 1, max: 3 }),
  }));
  return fc.oneof(
    { weight: 3, arbitrary: fc.integer({ min: 1, max: 4 }).map((replicas): object => ({ framework, replicas })) },
    { weight: 1, arbitrary: fc.tuple(...roles).map((list): object => ({ framework, roles: list })) },
  );
});

const FEW = 3;

const FIELDS: { readonly [field: string]: Field } = SPEC.fields;

/** Specs with up to three further fields each, so that many keep all rules. */
export const anySpec: fc.Arbitrary<{ readonly [field: string]: unknown }> = fc.tuple(
  form,
  fc.subarray(Object.keys(SPEC.fields).filter((name) => !['framework', 'image', 'replicas', 'roles'].includes(name)), { maxLength: FEW }),
).chain(([base, names]) => fc.record(Object.fromEntries(names.map((name) => [name, valueOf(name, FIELDS[name])])))
  .map((more) => ({ image: 'image', ...base, ...more })));
