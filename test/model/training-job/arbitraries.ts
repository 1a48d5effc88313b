/** Random jobs for property tests: valid ones of every framework in both forms, and values of any kind to spoil them with. */
import fc from 'fast-check';
import type { FrameworkName, RoleSpec, TrainingJobSpec } from '../../../src/model/training-job/spec';
import { FRAMEWORK_NAMES } from '../../../src/model/training-job/spec';

const count = fc.oneof({ weight: 4, arbitrary: fc.integer({ min: 1, max: 4 }) }, { weight: 1, arbitrary: fc.integer({ min: 5, max: 60 }) });

/** Which roles a job of each framework may have, and how many of each. */
const ROLES: { readonly [name in FrameworkName]: readonly (readonly RoleChoice[])[] } = {
  pytorch: [[['master', 1], ['worker', 'many']], [['worker', 'many']], [['master', 1]]],
  tensorflow: [
    [['chief', 1], ['worker', 'many'], ['ps', 'many'], ['evaluator', 1]], [['master', 1], ['worker', 'many']], [['worker', 'many'], ['ps', 'many']],
  ],
  mxnet: [[['scheduler', 1], ['server', 'many'], ['worker', 'many']], [['master', 1], ['worker', 'many']]],
  jax: [[['worker', 'many']]],
  xgboost: [[['master', 1], ['worker', 'many']], [['master', 1]]],
  lightgbm: [[['master', 1], ['worker', 'many']], [['master', 1]]],
  mpi: [[['launcher', 1], ['worker', 'many']]],
  horovod: [[['launcher', 1], ['worker', 'many']]],
  deepspeed: [[['launcher', 1], ['worker', 'many']]],
  paddle: [[['worker', 'many']], [['master', 1], ['worker', 'many']]],
  plain: [[['actor', 'many'], ['learner', 'many']], [['master', 'many'], ['worker', 'many']], [['worker', 'many']]],
};

type RoleChoice = readonly [name: string, replicas: 1 | 'many'];

const hyperparameters = fc.dictionary(fc.stringMatching(/^HP_[A-Z]{1,4}$/), fc.string(), { maxKeys: 3 });

/** Names that a job may have, up to the length at which every role of these tests still has room. */
export const jobName = fc.stringMatching(/^[a-z]([-a-z0-9]{0,43}[a-z0-9])?$/);

/** The roles of a job in long form, in any order. */
function roles(framework: FrameworkName): fc.Arbitrary<RoleSpec[]> {
  return fc.constantFrom(...ROLES[framework])
    .chain((choices) => fc.tuple(...choices.map(([name, replicas]) =>
      fc.record({ name: fc.constant(name), replicas: replicas === 1 ? fc.constant(1) : count }))))
    .chain((list) => fc.shuffledSubarray(list, { minLength: list.length, maxLength: list.length }));
}

/** A valid spec. */
export const validSpec: fc.Arbitrary<TrainingJobSpec> = fc.constantFrom(...FRAMEWORK_NAMES).chain((framework) => fc.record({
  framework: fc.constant(framework),
  image: fc.constant('image'),
  form: fc.oneof(count.map((replicas) => ({ replicas })), roles(framework).map((list) => ({ roles: list }))),
  port: fc.option(fc.integer({ min: 1024, max: 65_535 }), { nil: undefined }),
  nprocPerNode: fc.option(fc.oneof(fc.integer({ min: 1, max: 16 }), fc.integer({ min: 1, max: 16 }).map(String)), { nil: undefined }),
  resources: fc.option(fc.record({ gpu: fc.nat(8), cpu: fc.integer({ min: 1, max: 64_000 }).map((milli) => `${milli}m`) }), { nil: undefined }),
  hyperparameters: fc.option(hyperparameters, { nil: undefined }),
  checkpointPath: fc.option(fc.constantFrom('s3://bucket/run', '/checkpoints'), { nil: undefined }),
  env: fc.option(fc.constant([{ name: 'USER_SETTING', value: '1' }]), { nil: undefined }),
}).map(({ form, ...fields }) => ({ ...fields, ...form })));

/** Values that somebody could write by mistake: every type of JSON, words and numbers that mean something elsewhere. */
export const anyValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom<unknown>(null, undefined, '', [], {}, [null], [[]], { name: null }, 0, -1, 1e21, 0.5, true, '1', 'auto', 'worker', 'constructor', NaN),
);

/** Every place in a value, as the keys that lead there; the value itself is the empty list. */
export function placesIn(value: unknown, place: readonly string[] = []): string[][] {
  const below = typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, entry]) => placesIn(entry, [...place, key]))
    : [];
  return [[...place], ...below];
}

/** A copy with another value at one place. */
export function replaceAt(value: unknown, [key, ...rest]: readonly string[], replacement: unknown): unknown {
  if (key === undefined) {
    return replacement;
  }
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as { [key: string]: unknown };
  copy[key] = replaceAt(copy[key], rest, replacement);
  return copy;
}
