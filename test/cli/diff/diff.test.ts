import fs from 'node:fs';
import path from 'node:path';
import { Testing } from 'cdk8s';
import fc from 'fast-check';
import { Accelerator } from '../../../src';
import { Capacity, GkeClusterReference, GpuNodePool, NodeCount, type ConfigConnectorNodePoolProps } from '../../../src/constructs/gke';
import { changesBetween, compareSets, withMaskedSecrets, withoutNoise, type FieldChange } from '../../../src/cli/diff/comparison';
import { comparisonLines, comparisonSummary } from '../../../src/cli/diff/output';
import type { ManifestObject } from '../../../src/model/objects/manifest-object';
import { painter } from '../../../src/local/output/colours';
import { computingMs, LITTLE_MS } from '../../support/cpu-time';
import { temporaryFolder } from '../../local/support/temporary-folder';
import { trainyard } from '../support/command';

const REPOSITORY = path.join(__dirname, '..', '..', '..');
const root = temporaryFolder();
const plain = painter(false);

const shown = (changes: readonly FieldChange[]) => changes.map((change) => [change.kind, change.path]);
const object = (kind: string, name: string, more: object = {}): ManifestObject => ({ apiVersion: 'v1', kind, metadata: { name }, ...more });
const lines = (before: readonly ManifestObject[], after: readonly ManifestObject[], full = false) => (
  comparisonLines(compareSets(before, after), full, plain));

describe('fields are compared', () => {
  test.each<readonly [string, unknown, unknown, readonly (readonly [string, string])[]]>([
    ['added, removed, changed', { a: 1, b: 2, c: 3 }, { a: 1, b: 4, d: 5 }, [['changed', 'b'], ['removed', 'c'], ['added', 'd']]],
    ['deep below', { a: { b: { c: 1 } } }, { a: { b: { c: 2 } } }, [['changed', 'a.b.c']]],
    ['names that are no words', { a: { 'x/y': 1 } }, { a: { 'x/y': 2 } }, [['changed', 'a[\'x/y\']']]],
    ['entries of a list by name, whatever their order', { env: [{ name: 'A', value: '1' }, { name: 'B', value: '2' }] }, { env: [{ name: 'B', value: '3' }, { name: 'A', value: '1' }] },
      [['changed', 'env[\'B\'].value']]],
    ['a list in another order only', [{ name: 'A' }, { name: 'B' }], [{ name: 'B' }, { name: 'A' }], [['changed', ' (order)']]],
    ['entries that came and went', [{ name: 'A' }], [{ name: 'B' }], [['removed', '[\'A\']'], ['added', '[\'B\']']]],
    ['words of a command together', { command: ['a', 'b'] }, { command: ['a', 'c'] }, [['changed', 'command']]],
    ['objects without names by their place', [{ verbs: ['get'] }, { verbs: ['list'] }], [{ verbs: ['get'] }, { verbs: ['watch'] }], [['changed', '[1].verbs']]],
    ['another type', { a: [] }, { a: {} }, [['changed', 'a']]],
    ['nothing', { a: [1, { b: null }] }, { a: [1, { b: null }] }, []],
  ])('%s', (_what, before, after, expected) => {
    expect(shown(changesBetween(before, after))).toEqual(expected);
  });

  test('what is equal has no changes, and what is not has some, both ways', () => {
    fc.assert(fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
      expect(changesBetween(one, one)).toEqual([]);
      const isSame = JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
      expect([changesBetween(one, other).length === 0, changesBetween(other, one).length === 0]).toEqual([isSame, isSame]);
    }));
  });
});

/** Keys in one order, and -0 as 0, as they are compared. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(sorted);
  }
  return typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, entry]) => [key, sorted(entry)])) : value === 0 ? 0 : value;
}

test('the server\'s bookkeeping, status and notes of tools are no differences', () => {
  const live = {
    ...object('ConfigMap', 'x', { data: { a: '1' }, status: { ok: true } }),
    metadata: {
      name: 'x', uid: 'u', resourceVersion: '7', generation: 3, creationTimestamp: 't', managedFields: [{}], annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{}' },
    },
  };
  expect(withoutNoise(live)).toEqual(object('ConfigMap', 'x', { data: { a: '1' } }));
  expect(compareSets([live], [object('ConfigMap', 'x', { data: { a: '1' } })]).changes).toEqual([]);
});

test.each([
  ['of another version', { apiVersion: 'v2', kind: 'Secret', data: { k: 'c2VjcmV0' } }],
  ['of another group', { apiVersion: 'example.com/v1', kind: 'Secret', stringData: { k: 'secret' } }],
  ['that has stringData under another kind', { apiVersion: 'example.com/v1', kind: 'SecretClaim', stringData: { k: 'secret' } }],
])('a Secret %s is masked too', (_what, fields) => {
  expect(JSON.stringify(withMaskedSecrets({ ...fields, metadata: { name: 's' } }))).toContain('"data":{"k":"(masked)"}');
});

test('values of Secrets are never shown, also not in JSON, and it is told whether they differ', () => {
  const before = object('Secret', 's', { data: { same: 'YQ==', other: 'b2xk', gone: 'Z29uZQ==' } });
  const after = object('Secret', 's', { stringData: { same: 'a', other: 'new', fresh: 'fresh' } });
  const comparison = compareSets([before, object('Secret', 'old', { data: { k: 'c2VjcmV0' } })], [after, object('Secret', 'added', { stringData: { k: 'secret' } })]);
  const text = comparisonLines(comparison, true, plain).join('\n');
  expect(text).toContain('~ Secret s\n~   data.other: (masked, another value)\n-   data.gone: "(masked)"'.replace('"(masked)"', '(masked)'));
  expect(text).toContain('+   data.fresh: (masked)');
  expect(text).not.toContain('data.same');
  for (const secret of ['b2xk', 'bmV3', 'new', 'ZnJlc2g=', 'c2VjcmV0', 'secret', 'Z29uZQ==']) {
    expect(text + JSON.stringify(comparison)).not.toContain(secret);
  }
  expect(withMaskedSecrets(object('ConfigMap', 'c', { data: { a: '1' } }))).toEqual(object('ConfigMap', 'c', { data: { a: '1' } }));
});

describe('differences are written', () => {
  test('object by object, those that are gone last', () => {
    expect(lines(
      [object('ConfigMap', 'a', { data: { x: '1' } }), object('ConfigMap', 'old')], [object('ConfigMap', 'new'), object('ConfigMap', 'a', { data: { x: '2', y: 'z' } })],
    )).toEqual(['+ ConfigMap new', '', '~ ConfigMap a', '~   data.x: "1" -> "2"', '+   data.y: "z"', '', '- ConfigMap old']);
  });

  test('whole, when asked for', () => {
    expect(lines([], [object('ConfigMap', 'new', { data: { x: '1' } })], true).join('\n').split('\n')).toEqual([
      '+ ConfigMap new', '+   apiVersion: v1', '+   kind: ConfigMap', '+   metadata:', '+     name: new', '+   data:', '+     x: "1"',
    ]);
  });

  test('texts of several lines by line, with a little around them', () => {
    const text = (middle: string) => `${['a', 'b', 'c', 'd', middle, 'e', 'f', 'g'].join('\n')}\n`;
    expect(lines([object('ConfigMap', 'a', { data: { x: text('old') } })], [object('ConfigMap', 'a', { data: { x: text('new') } })]).slice(1)).toEqual([
      '~   data.x:', '      | ...'.replace('| ...', '| ...'), '      | c', '      | d', '-     | old', '+     | new', '      | e', '      | f', '      | ...',
    ]);
  });

  test('long values from where they differ', () => {
    const [, line] = lines([object('ConfigMap', 'a', { data: { x: `${'s'.repeat(300)}1${'t'.repeat(300)}` } })], [object('ConfigMap', 'a', { data: { x: `${'s'.repeat(300)}2${'t'.repeat(300)}` } })]);
    expect(line).toMatch(/^~ {3}data\.x: \.\.\.s+1t+\.\.\. -> \.\.\.s+2t+\.\.\.$/);
    expect(line.length).toBeLessThan(260);
  });

  test('a key of any length in one short line', () => {
    const [, line] = lines([object('ConfigMap', 'a', { data: {} })], [object('ConfigMap', 'a', { data: { [`a${'\r'.repeat(100_000)}b`]: 'x' } })]);
    expect(line).toMatch(/^\+ {3}data\['a.*b'\]: "x"$/s);
    expect(line.length).toBeLessThan(1_100);
  });

  test('with a summary', () => {
    expect(comparisonSummary(compareSets([object('A', 'a'), object('A', 'b'), object('A', 'same')], [object('A', 'a', { x: 1 }), object('A', 'c'), object('A', 'same')])))
      .toBe('1 to add, 1 to change, 1 to remove, 1 the same');
    expect(comparisonSummary(compareSets([], []))).toBe('nothing to compare');
  });
});

describe('a change of a node pool that cannot be made to it', () => {
  const pool = (props: Partial<ConfigConnectorNodePoolProps>) => {
    const chart = Testing.chart();
    new GpuNodePool(chart, 'Pool', {
      name: 'h100', cluster: GkeClusterReference.named('ml', { location: 'us-central1' }), accelerator: Accelerator.NVIDIA_H100_80GB.onMachine('a3-highgpu-8g'), ...props,
    });
    return Testing.synth(chart) as ManifestObject[];
  };

  test('is told, with the fix', () => {
    expect(lines(pool({ size: NodeCount.total(0, 4) }), pool({ size: NodeCount.total(0, 8), capacity: [Capacity.SPOT] })).slice(-1)).toEqual([
      "!   pool 'h100' and all of its nodes are replaced when capacity.spot (false -> true) change. With blueGreen: true the new pool is created first. "
      + 'Without it Config Connector refuses the change until the object is deleted.',
    ]);
  });

  test('is told of a change that somebody made by hand', () => {
    const [object] = pool({});
    const { nodeConfig, ...rest } = object.spec as { readonly nodeConfig: object };
    const [change] = compareSets([object], [{ ...object, spec: { ...rest, nodeConfig: { ...nodeConfig, machineType: 'a3-edgegpu-8g' } } }]).changes;
    expect(change).toMatchObject({ replaced: [expect.stringContaining('machineType ("a3-highgpu-8g" -> "a3-edgegpu-8g")')] });
  });

  test('is a new pool beside the old one with blueGreen', () => {
    const changes = compareSets(pool({ blueGreen: true }), pool({ blueGreen: true, capacity: [Capacity.SPOT] })).changes;
    expect(changes.map(({ kind }) => kind)).toEqual(['added', 'removed']);
  });

  test('and one that can be is not', () => {
    const [change] = compareSets(pool({ size: NodeCount.total(0, 4) }), pool({ size: NodeCount.total(0, 8), labels: { team: 'a' } })).changes;
    expect(change).toMatchObject({ kind: 'changed' });
    expect(change).not.toHaveProperty('replaced');
    expect(compareSets([object('ContainerNodePool', 'x', { spec: { nodeConfig: { spot: true } } })], [object('ContainerNodePool', 'x', { spec: {} })]).changes[0]).not.toHaveProperty('replaced');
  });
});

test('an object of another version of its group is the same object', () => {
  const changes = compareSets([{ apiVersion: 'batch/v1beta1', kind: 'CronJob', metadata: { name: 'x' } }], [{ apiVersion: 'batch/v1', kind: 'CronJob', metadata: { name: 'x' } }]).changes;
  expect(changes).toMatchObject([{ kind: 'changed', fields: [{ path: 'apiVersion' }] }]);
});

describe('the command', () => {
  const app = path.join(root, 'project', 'main.cjs');
  const program = (data: string, more = '') => `
    const { App, Chart, ApiObject } = require(${JSON.stringify(path.join(REPOSITORY, 'node_modules/cdk8s'))});
    const app = new App();
    const chart = new Chart(app, 'ml');
    new ApiObject(chart, 'Settings', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data: { level: '${data}' } });
    ${more}
    app.synth();`;

  beforeAll(() => {
    fs.mkdirSync(path.dirname(app), { recursive: true });
    fs.mkdirSync(path.join(path.dirname(app), 'dist'));
    fs.writeFileSync(path.join(path.dirname(app), 'dist', 'ml.k8s.yaml'), 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\ndata:\n  level: info\n');
  });

  test('finds nothing, and exits with 0', async () => {
    fs.writeFileSync(app, program('info'));
    expect(await trainyard(['diff', app])).toEqual({ code: 0, out: '', err: 'trainyard: 1 the same\n' });
  });

  test('finds differences to the last synth, and exits with 1', async () => {
    fs.writeFileSync(app, program('debug', 'new ApiObject(chart, \'More\', { apiVersion: \'v1\', kind: \'ConfigMap\', metadata: { name: \'more\' } });'));
    const { code, out, err } = await trainyard(['diff', app]);
    expect(out).toBe('~ ConfigMap settings\n~   data.level: "info" -> "debug"\n\n+ ConfigMap more\n');
    expect({ code, err }).toEqual({ code: 1, err: 'trainyard: 1 to add, 1 to change\n' });
  });

  test('is coloured where colours are asked for', async () => {
    const { out } = await trainyard(['diff', app], { env: { FORCE_COLOR: '1', NO_COLOR: undefined } });
    expect(out).toContain('\u001b[32m+ ConfigMap more\u001b[0m');
  });

  test('reads another folder, and writes JSON', async () => {
    const other = path.join(root, 'other.yaml');
    fs.writeFileSync(other, 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: settings }\ndata: { level: warn }\n');
    fs.writeFileSync(app, program('info'));
    const { code, out } = await trainyard(['diff', app, '--against', other, '--output', 'json']);
    expect(JSON.parse(out)).toEqual({ changes: [{ kind: 'changed', title: 'ConfigMap settings', fields: [{ kind: 'changed', path: 'data.level', before: 'warn', after: 'info' }] }], same: 0 });
    expect(code).toBe(1);
  });

  test('finds the folder that a project names', async () => {
    const folder = path.join(root, 'named');
    fs.mkdirSync(path.join(folder, 'manifests'), { recursive: true });
    fs.writeFileSync(path.join(folder, 'cdk8s.yaml'), `app: node ${app}\noutput: manifests\n`);
    fs.writeFileSync(path.join(folder, 'manifests', 'a.yaml'), 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: gone }\n');
    expect((await trainyard(['diff', folder])).out).toBe('+ ConfigMap settings\n\n- ConfigMap gone\n');
  });

  test.each([
    [() => [path.join(root, 'nothing.ts')], 'no such file'],
    [() => [app, '--against', path.join(root, 'nowhere')], 'No earlier output of'],
    [() => [app, '--live', '--kubeconfig', path.join(root, 'nowhere')], 'nowhere'],
  ])('exits with 2 when it cannot be found out', async (args, words) => {
    const { code, err } = await trainyard(['diff', ...args()], { cwd: root });
    expect(err).toContain(words);
    expect(code).toBe(2);
  });
});

describe('manifests that somebody wrote to do harm', () => {
  const many = (value: string) => Array.from({ length: 10_000 }, (_, i) => ({ name: `V${i}`, value }));

  test('keys that every object has are fields as any other', () => {
    const before = object('A', 'a', { spec: {} });
    const after = object('A', 'a', { spec: JSON.parse('{"constructor": 1, "__proto__": 2, "toString": {"a": 3}}') as object });
    expect(lines([before], [after])).toEqual(['~ A a', '+   spec.constructor: 1', '+   spec.__proto__: 2', '+   spec.toString: {"a":3}']);
    expect(lines([after], [before])).toEqual(['~ A a', '-   spec.constructor: 1', '-   spec.__proto__: 2', '-   spec.toString: {"a":3}']);
  });

  test('many entries are found by their names in no time, and the first of a name counts', () => {
    expect(changesBetween([{ name: 'A', value: 1 }, { name: 'A', value: 2 }], [{ name: 'A', value: 3 }])).toEqual([{ kind: 'changed', path: '[\'A\'].value', before: 1, after: 3 }]);
    expect(computingMs(() => expect(changesBetween(many('x'), many('y'))).toHaveLength(10_000))).toBeLessThan(LITTLE_MS);
  });

  test.each([['a line', 5_000], ['', 1_000_000]])('texts of many other lines are not compared line by line (%s, %d times)', (line, count) => {
    const text = (word: string) => object('A', 'a', { data: Array.from({ length: count }, (_, i) => `${line} ${word}${i % 7}`.trim()).join('\n') });
    expect(computingMs(() => expect(lines([text('x')], [text('y')]).at(-1)).toMatch(/^~ {3}data: a text of \d+ lines -> a text of \d+ lines, too different/))).toBeLessThan(LITTLE_MS);
  });
});

test.each([
  ['apiVersion: 1\nkind: A\nmetadata: { name: a }', 'apiVersion: 1: must be a string. Put it in quotes.'], ['apiVersion: v1\nkind: A\nmetadata: { name: 1 }', 'metadata.name: 1: must be a string'],
  ['apiVersion: v1\nkind:\nmetadata: { name: a }', 'kind: null: must be a string. Write one, or leave the field out.'], ['apiVersion: v1\nkind: A\nmetadata: { name: }', 'metadata.name: null: must be a string'],
  ['apiVersion: v1\nkind: A\nmetadata: { name: a, namespace: {} }', 'metadata.namespace: {}: must be a string'], ['apiVersion: v1\nkind: A\nmetadata: [a]', 'metadata: ["a"]: must be an object with a name.'],
])('an object whose names are no texts is told as that, on either side: %j', async (text, message) => {
  const [good, bad] = ['good.yaml', 'bad.yaml'].map((name) => path.join(root, name));
  fs.writeFileSync(good, 'apiVersion: v1\nkind: A\nmetadata: { name: a }\n');
  fs.writeFileSync(bad, `${text}\n`);
  for (const args of [['diff', bad, '--against', good], ['diff', good, '--against', bad], ['graph', bad], ['cost', bad], ['env', bad]]) {
    const { code, err } = await trainyard(args);
    expect([args[0], code, err]).toEqual([args[0], 2, expect.stringContaining(message)]);
  }
});
