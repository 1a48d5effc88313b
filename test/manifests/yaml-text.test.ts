import fc from 'fast-check';
import { parse } from 'yaml';
import { yamlText } from '../../src/manifests/yaml-text';

/** What some reader takes for something else than a text. */
const WORDS = ['yes', 'No', 'null', '1e3', 'e0', 'E12', '0x1f', '1:30', 'a: b', 'a:', '- a', '#', 'on', '~', ''];

const { value } = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 4 }, fc.string({ unit: 'grapheme' }), fc.constantFrom(...WORDS), fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(), fc.constant(null), fc.array(tie('value')),
    fc.dictionary(fc.oneof(fc.string().filter((name) => name !== '__proto__'), fc.constantFrom(...WORDS)), tie('value'))),
}));

/** What JSON has no sign for. */
const plain = (written: unknown): unknown => JSON.parse(JSON.stringify(written));

test.each(['1.1', '1.2'] as const)('what is written is what a reader of YAML %s reads', (version) => {
  fc.assert(fc.property(value, (written) => {
    expect(parse(yamlText(written), { version })).toEqual(plain(written));
  }));
});

test('blocks are readable', () => {
  expect(yamlText({
    import_path: 'app.main:deployment', route_prefix: '/', runtime_env: { working_dir: 'https://example.org/app.zip', pip: ['torch==2.8.0', 'numpy'], env_vars: { DEBUG: '1' } },
    deployments: [{ name: 'Model', num_replicas: 2, user_config: {} }, { name: 'yes', args: [] }], nothing: undefined,
  })).toBe(`import_path: app.main:deployment
route_prefix: "/"
runtime_env:
  working_dir: https://example.org/app.zip
  pip:
    - "torch==2.8.0"
    - numpy
  env_vars:
    DEBUG: "1"
deployments:
  - name: Model
    num_replicas: 2
    user_config: {}
  - name: "yes"
    args: []
`);
});
