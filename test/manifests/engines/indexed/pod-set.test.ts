import fc from 'fast-check';
import type { IndexVariable } from '../../../../src/manifests/engines/indexed/indexed-text';
import { constructPodSet, type PodSetOptions } from '../../../../src/manifests/engines/indexed/pod-set';
import type { Container, EnvVar, Pod, PodSpec } from '../../../../src/manifests/kubernetes';
import { environmentInside, PRINT_ENVIRONMENT } from './support/container-view';
import { computingMs, LITTLE_MS } from '../../../support/cpu-time';

const INDEX: IndexVariable = { name: 'INDEX', plus: 0, fieldPath: 'metadata.labels[\'index\']' };
const RANK: IndexVariable = { name: 'GLOBAL', plus: 3, fieldPath: 'metadata.labels[\'global\']' };

function podWith(env: readonly EnvVar[], over: Partial<Container> = {}): PodSpec {
  return { containers: [{ name: 'training', image: 'image', command: [...PRINT_ENVIRONMENT], env: [...env], ...over }] };
}

function setOf(pods: readonly PodSpec[], indexes: PodSetOptions['indexes'] = [INDEX]) {
  return constructPodSet({ count: pods.length, podAt: (index) => pods[index], indexes });
}

function podAt(spec: PodSpec, index: number): Pod {
  return { metadata: { labels: { index: String(index), global: String(index + 3), team: 'vision' } }, spec };
}

const inside = async (spec: PodSpec, index: number) => environmentInside(podAt(spec, index), spec.containers[0]);

/** Environments by the rules of `values`: a variable that gives undefined is not there. */
function environments(count: number, values: { readonly [name: string]: (index: number) => string | undefined }): PodSpec[] {
  return Array.from({ length: count }, (_, index) => podWith(Object.entries(values).flatMap(([name, value]) => {
    const text = value(index);
    return text === undefined ? [] : [{ name, value: text }];
  })));
}

describe('a template of pods', () => {
  test('says once what is the same in all', () => {
    const { spec, problems, shells } = setOf(environments(3, { PORT: () => '29500' }));
    expect({ problems, shells }).toEqual({ problems: [], shells: [] });
    expect(spec).toEqual(podWith([{ name: 'PORT', value: '29500' }]));
  });

  test('says by the index what counts up with it, and declares the index before', () => {
    const { spec, shells } = setOf(environments(3, { PORT: () => '1', RANK: String, HOST: (index) => `w-${index}.net` }));
    expect(shells).toEqual([]);
    expect(spec.containers[0].env).toEqual([
      { name: 'INDEX', valueFrom: { fieldRef: { fieldPath: 'metadata.labels[\'index\']' } } },
      { name: 'PORT', value: '1' }, { name: 'RANK', value: '$(INDEX)' }, { name: 'HOST', value: 'w-$(INDEX).net' },
    ]);
  });

  test('says by another number of the pod what counts up from elsewhere', () => {
    const { spec, shells } = setOf(environments(3, { RANK: (index) => String(index + 3) }), [INDEX, RANK]);
    expect(shells).toEqual([]);
    expect(spec.containers[0].env).toEqual([
      { name: 'GLOBAL', valueFrom: { fieldRef: { fieldPath: 'metadata.labels[\'global\']' } } }, { name: 'RANK', value: '$(GLOBAL)' },
    ]);
  });

  test('has a shell in front of the command for a number that no pod has', async () => {
    const { spec, problems, shells } = setOf(environments(3, { RANK: (index) => String(index + 1), PORT: () => '1' }));
    expect({ problems, shells }).toEqual({ problems: [], shells: ['training'] });
    expect(spec.containers[0].command).toEqual(['/bin/sh', '-c', 'export RANK="$$((INDEX + 1))"\nexec "$@"\n', 'trainyard', 'env', '-0']);
    expect(await inside(spec, 2)).toEqual({ INDEX: '2', RANK: '3', PORT: '1' });
  });

  test('tells kinds of replicas apart in that shell', async () => {
    const options = { count: 4, firsts: new Set([0, 1]), indexes: [INDEX] as const };
    const pods = environments(4, { ROLE: (index) => (index === 0 ? 'master' : 'worker'), NUMBER: (index) => String(Math.max(0, index - 1)) });
    const { spec } = constructPodSet({ ...options, podAt: (index) => pods[index] });
    expect(spec.containers[0].command![2]).toBe([
      'if [ "$INDEX" -lt 1 ]; then', '  export ROLE=\'master\'', '  export NUMBER=\'0\'',
      'else', '  export ROLE=\'worker\'', '  export NUMBER="$$((INDEX - 1))"', 'fi', 'exec "$@"', '',
    ].join('\n'));
    expect(await Promise.all([0, 1, 3].map(async (index) => inside(spec, index)))).toEqual([
      { INDEX: '0', ROLE: 'master', NUMBER: '0' }, { INDEX: '1', ROLE: 'worker', NUMBER: '0' }, { INDEX: '3', ROLE: 'worker', NUMBER: '2' },
    ]);
  });

  test('takes away again what only some replicas have from their pod', async () => {
    const own = { name: 'TEAM', valueFrom: { fieldRef: { fieldPath: 'metadata.labels[\'team\']' } } };
    const { spec, problems } = setOf([podWith([own, { name: 'A', value: 'of $(TEAM)' }]), podWith([{ name: 'A', value: 'of others' }])]);
    expect(problems).toEqual([]);
    expect(await inside(spec, 0)).toEqual({ INDEX: '0', TEAM: 'vision', A: 'of vision' });
    expect(await inside(spec, 1)).toEqual({ INDEX: '1', A: 'of others' });
  });

  test('reads the value of another variable and never pastes it into the script', async () => {
    const secret = { name: 'SECRET', value: '\'; echo "$HOME" `id` $(id) $$((1)); \'' };
    const { spec } = setOf([podWith([secret, { name: 'A', value: '0 $(SECRET)' }]), podWith([secret, { name: 'A', value: 'x $(SECRET)' }])]);
    expect((await inside(spec, 1)).A).toBe('x \'; echo "$HOME" `id` $(id) $((1)); \'');
  });

  test('has variables in an order that is right in every pod, though no pod may tell all of it', async () => {
    const [name, greeting] = [{ name: 'WHO', value: 'crew' }, { name: 'GREETING', value: 'hello' }];
    const pods = [podWith([name]), podWith([greeting]), podWith([name, { ...greeting, value: 'hello $(WHO)' }])];
    const { spec, problems } = setOf(pods);
    expect(problems).toEqual([]);
    expect(await Promise.all(pods.map(async (_, index) => inside(spec, index)))).toEqual([
      { INDEX: '0', WHO: 'crew' }, { INDEX: '1', GREETING: 'hello' }, { INDEX: '2', WHO: 'crew', GREETING: 'hello crew' },
    ]);
  });

  test('has a variable behind those that it refers to, though these come in another order in another pod', async () => {
    const [a, b, c] = ['A', 'B', 'C'].map((name) => ({ name, value: `of ${name}` }));
    const { spec, problems } = setOf([podWith([c]), podWith([a, b, { ...c, value: '$(A) and $(B)' }]), podWith([b, a])]);
    expect(problems).toEqual([]);
    expect(await inside(spec, 1)).toEqual({ INDEX: '1', A: 'of A', B: 'of B', C: 'of A and of B' });
  });

  test('gives every pod the variables that it would have alone, whatever these are', async () => {
    const text = fc.array(fc.oneof(
      fc.constantFrom('$(A)', '$(B)', '$(C)', '$(NONE)', '$$(A)', '$', '$$', '\'', '"', '\\', '`id`', '\n', ' ', '*', 'ä', '-n', '!'),
      fc.string().map((chars) => chars.replaceAll('\0', '')), fc.nat(20).map(String),
    ), { maxLength: 5 }).map((pieces) => pieces.join(''));
    const field = { valueFrom: { fieldRef: { fieldPath: 'metadata.labels[\'team\']' } } };
    const rule = fc.oneof(
      text.map((same) => () => same),
      fc.nat(30).map((plus) => (index: number) => `host-${index + plus}`),
      fc.array(fc.option(text, { nil: undefined }), { minLength: 5, maxLength: 5 }).map((table) => (index: number) => table[index]),
      fc.nat(4).map((last) => (index: number) => (index <= last ? field : undefined)),
    );
    await fc.assert(fc.asyncProperty(fc.integer({ min: 1, max: 5 }), fc.array(rule, { minLength: 1, maxLength: 4 }), async (count, rules) => {
      const pods = Array.from({ length: count }, (_, index) => podWith(rules.flatMap((value, number): EnvVar[] => {
        const given = value(index);
        const name = 'ABCD'[number];
        return given === undefined ? [] : [typeof given === 'string' ? { name, value: given } : { name, ...given }];
      })));
      const { spec, problems } = setOf(pods);
      fc.pre(problems.length === 0);
      for (const [index, pod] of pods.entries()) {
        const { INDEX: shown, ...seen } = await inside(spec, index);
        expect([undefined, String(index)]).toContain(shown);
        expect(seen).toEqual(await inside(pod, index));
      }
    }), { numRuns: 150 });
  });
});

describe('pods that cannot come from one template', () => {
  const differing = { RANK: (index: number) => String(index + 1), ROLE: (index: number) => `r${index * 7}` };

  test.each([
    ['image of the container training', podWith([], { image: 'other' })],
    ['resources of the container training', podWith([], { resources: { limits: { cpu: '1' } } })],
    ['container logs', { containers: [...podWith([]).containers, { name: 'logs' }] }],
    ['nodeSelector of the pod', { ...podWith([]), nodeSelector: { a: 'b' } }],
  ])('are told that they differ in: %s', (what, other) => {
    expect(setOf([podWith([]), podWith([]), other, other]).problems).toEqual([{ kind: 'difference', what, index: 2 }]);
  });

  test('are told of a variable that is filled from different places', () => {
    const from = (key: string): EnvVar => ({ name: 'TOKEN', valueFrom: { secretKeyRef: { name: 's', key } } });
    const expected = [{ kind: 'difference', what: 'variable TOKEN of the container training', index: 1 }];
    expect(setOf([podWith([from('a')]), podWith([from('b')])]).problems).toEqual(expected);
    expect(setOf([podWith([from('a')]), podWith([{ name: 'TOKEN', value: 'a' }])]).problems).toEqual(expected);
  });

  test('are told of variables that refer to each other and come in another order in another pod', () => {
    const [a, b, c] = ['A', 'B', 'C'].map((name) => ({ name, value: `of ${name}` }));
    expect(setOf([podWith([a, b, c]), podWith([c, a, b])]).problems).toEqual([]);
    expect(setOf([podWith([a, b, c]), podWith([a, b, c]), podWith([c, a, { ...b, value: 'with $(C)' }])]).problems)
      .toContainEqual({ kind: 'difference', what: 'order of the variables A, B, C of the container training', index: 2 });
  });

  test('need a command for a shell to stand in front of', () => {
    const pods = environments(3, differing).map((pod) => podWith(pod.containers[0].env!, { command: undefined }));
    expect(setOf(pods).problems).toEqual([{ kind: 'no-command', container: 'training', variables: ['RANK', 'ROLE'] }]);
  });

  test.each([
    ['args', { args: ['--rank=$(RANK)'] }],
    ['volumeMounts', { volumeMounts: [{ name: 'v', mountPath: '/v', subPathExpr: 'r-$(RANK)' }] }],
  ])('cannot be read by Kubernetes in: %s', (field, over) => {
    const pods = environments(3, differing).map((pod) => podWith(pod.containers[0].env!, over));
    expect(setOf(pods).problems).toEqual([{ kind: 'referenced', container: 'training', variable: 'RANK', field }]);
  });

  test('cannot be read by another variable that Kubernetes writes', () => {
    expect(setOf(environments(3, { ...differing, NAME: () => 'run-$(RANK)' })).problems)
      .toEqual([{ kind: 'referenced', container: 'training', variable: 'RANK', field: 'env[\'NAME\']' }]);
    expect(setOf(environments(3, { ...differing, NAME: () => 'run-$$(RANK)' })).problems).toEqual([]);
  });

  test('lose no variable whose name a shell does not keep', () => {
    expect(setOf(environments(3, { ...differing, 'learning.rate': () => '1' })).problems)
      .toEqual([{ kind: 'no-shell-name', container: 'training', variable: 'learning.rate', variables: ['RANK', 'ROLE'] }]);
    expect(setOf(environments(3, { 'learning.rate': () => '1' })).problems).toEqual([]);
  });

  test('may not call a variable of theirs like the index', () => {
    expect(setOf(environments(2, { INDEX: () => '1' })).problems).toEqual([{ kind: 'taken', container: 'training', variable: 'INDEX' }]);
  });

  test('have a script that Linux can start', () => {
    const { problems } = setOf(environments(3, { CLUSTER: (index) => `${'x'.repeat(50_000)}${index * 7}` }));
    expect(problems).toEqual([{ kind: 'too-long', bytes: expect.any(Number), variables: ['CLUSTER'] }]);
    expect(setOf(environments(2, { CLUSTER: (index) => `${'x'.repeat(50_000)}${index * 7}` })).problems).toEqual([]);
  });
});

test('many variables in one order are folded in no time', () => {
  const names = Array.from({ length: 5_000 }, (_, i) => [`V${i}`, () => 'x'] as const);
  expect(computingMs(() => setOf(environments(2, Object.fromEntries(names))))).toBeLessThan(LITTLE_MS);
});
