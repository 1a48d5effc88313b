import fs from 'node:fs';
import path from 'node:path';
import { WIDGET_CRD, widget } from './widget-crd';
import { Definitions } from '../../../src/cli/crd/definitions';
import { describeObject, type ValidationResult } from '../../../src/cli/validate/diagnostic';
import { githubLines, textReport } from '../../../src/cli/validate/output-text';
import { sarifLog } from '../../../src/cli/validate/output-sarif';
import { readSources } from '../../../src/cli/validate/sources';
import { validateSources } from '../../../src/cli/validate/validate-sources';
import { engines } from '../../../src/manifests/engines/registry';
import { OPERATOR_ENGINE } from '../../../src/manifests/engines/operator';
import { temporaryFolder } from '../../local/support/temporary-folder';
import { HUGGING_FACE_TOKEN, WANDB_KEY } from '../../model/secrets/sample-tokens';
import { trainyard } from '../support/command';

const root = temporaryFolder();
const REPOSITORY = path.join(__dirname, '..', '..', '..');
let files = 0;

function write(content: string, name = `file-${++files}.yaml`): string {
  const file = path.join(root, name);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, content);
  return file;
}

const crds = write(JSON.stringify(WIDGET_CRD), 'crds/widget.json');

function validate(places: readonly string[], definitions = Definitions.PACKAGED, engine = OPERATOR_ENGINE, input = ''): ValidationResult {
  return validateSources(readSources(places, () => input), { engine, definitions });
}

const JOB = `apiVersion: ml.collabnix.io/v1alpha1
kind: MLTrainingJob
metadata:
  name: train
spec:
  framework: pytorch
  image: image:1
  replicas: 2
`;

describe('a mistake is told with its place:', () => {
  const place = (text: string) => validate(['-'], Definitions.PACKAGED, OPERATOR_ENGINE, text).diagnostics.map(({ position, path: field }) => [field, position?.line, position?.column]);

  test('the value, where it stands on the line of its field', () => {
    expect(place(JOB.replace('replicas: 2', 'replicas: 0'))).toEqual([['spec.replicas', 8, 13]]);
  });

  test('the field, where its value begins below', () => {
    expect(place(`${JOB}  command:\n    python: train.py\n`)).toEqual([['spec.command', 9, 3]]);
  });

  test('the name of a field that nobody knows', () => {
    expect(place(`${JOB}  resource: { gpu: 1 }\n`)).toEqual([['spec.resource', 9, 3]]);
  });

  test('the nearest field above one that is missing', () => {
    expect(place(`${JOB}  checkpoint:\n    claimName: data\n`)).toEqual([['spec.checkpointPath', 5, 1]]);
  });

  test('an entry of a list by its name', () => {
    expect(place(`${JOB}  env:\n    - name: A\n      value: "1"\n    - name: WORLD_SIZE\n      value: "3"\n`)).toEqual([["spec.env['WORLD_SIZE']", 12, 7]]);
  });

  test('a field in one line with others', () => {
    expect(place(JOB.replace('metadata:\n  name: train', 'metadata: { name: train, labels: { a: 1 } }'))).toEqual([['metadata.labels.a', 3, 39]]);
  });

  test('in a later document, in a list, and behind an alias', () => {
    const list = `apiVersion: v1\nkind: List\nitems:\n  - ${JOB.replace('image: image:1', 'image: &bad "my image"').trimEnd().replace(/\n/g, '\n    ')}\n`;
    expect(place(`# nothing\n---\n${list}`)).toEqual([['spec.image', 12, 19]]);
    expect(place(`${JOB.replace('spec:', 'spec: &spec')}---\n${JOB.replace(/spec:[^]*/, 'spec: { image: "image:1", replicas: 0, framework: jax }')}`))
      .toEqual([['metadata.name', 13, 9], ['spec.replicas', 14, 37]]);
  });

  test('in JSON', () => {
    expect(place(JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'X' } }, undefined, 2))).toEqual([['metadata.name', 5, 13]]);
  });
});

test('all files, folders and the standard input are read, and the mistakes of each are told with its name', () => {
  const folder = path.dirname(write(JOB.replace('2', '0'), 'jobs/a.yaml'));
  write(JOB.replace('train', 'b'), 'jobs/b.yml');
  write('not a manifest', 'jobs/README.md');
  const file = write('apiVersion: v1\nkind: ConfigMap\nmetadata: {}\n');
  const { diagnostics, objects } = validate([folder, file, '-'], Definitions.PACKAGED, OPERATOR_ENGINE, 'a: [\n');
  expect(objects).toBe(3);
  expect(diagnostics.map(({ file: where, path: field, rule }) => [where, rule, field])).toEqual([
    ['-', 'yaml', undefined], [path.join(folder, 'a.yaml'), 'training-job', 'spec.replicas'], [file, 'metadata', 'metadata.name'],
  ]);
});

test('a document that cannot be read does not hide the others', () => {
  const { diagnostics, objects } = validate([write(`${JOB.replace('2', '0')}---\na: [\n---\n${JOB.replace('train', 'other').replace('2', '-1')}`)]);
  expect(objects).toBe(2);
  expect(diagnostics.map(({ rule, position }) => [rule, position?.line])).toEqual([['yaml', 11], ['training-job', 8], ['training-job', 19]]);
});

test('the same object in two files that are given apart is no mistake: they may be for two clusters', () => {
  expect(validate([write(JOB), write(JOB)]).diagnostics).toEqual([]);
  expect(validate([path.dirname(write(JOB, 'twice/a.yaml')), write(JOB, 'twice/b.yaml')]).diagnostics).toMatchObject([{ rule: 'duplicate' }]);
});

describe('what cannot be checked is told, and never taken for right:', () => {
  test('an object without a definition', () => {
    expect(validate([write(JSON.stringify(widget({ size: 'large' })))])).toMatchObject({ diagnostics: [], unchecked: [{ what: 'definition', object: { kind: 'Widget' } }] });
  });

  test('a rule with functions that are not known here', () => {
    const { diagnostics, unchecked } = validate([write(JSON.stringify(widget({ secret: '' })))], Definitions.read([crds]));
    expect(diagnostics).toEqual([]);
    expect(unchecked).toEqual([expect.objectContaining({ what: 'rule', path: 'spec', message: expect.stringContaining('orValue') })]);
  });

  test('rules that rely on what is wrong', () => {
    const { diagnostics, unchecked } = validate([write(JSON.stringify(widget({ low: 3, high: '2' })))], Definitions.read([crds]));
    expect(diagnostics).toMatchObject([{ rule: 'schema', path: 'spec.high' }]);
    expect(unchecked).toMatchObject([{ what: 'rules' }]);
  });
});

test('a NotificationRule is checked by the definition that the notifier brings', () => {
  const rule = (spec: object) => validate(['-'], Definitions.PACKAGED, OPERATOR_ENGINE, JSON.stringify({
    apiVersion: 'ml.collabnix.io/v1alpha1', kind: 'NotificationRule', metadata: { name: 'team' }, spec,
  })).diagnostics.map(({ rule: id, path: field }) => [id, field]);
  const receivers = [{ name: 'kubernetes', kubernetesEvent: {} }];
  expect(rule({ events: ['Failed'], message: '{job}', receivers })).toEqual([]);
  expect(rule({ events: ['Failed'], message: '{jobs}', receivers })).toEqual([['cel', 'spec.message']]);
  expect(rule({ events: ['Failed'], receivers, event: 'Failed' })).toEqual([['unknown-field', 'spec.event']]);
});

test('the pods of a template are checked as those of Kubernetes', () => {
  const template = `${JOB}  template:\n    spec:\n      terminationGracePeriodSecond: 3\n`;
  expect(validate([write(template)])).toMatchObject({
    diagnostics: [{ rule: 'unknown-field', path: 'spec.template.spec.terminationGracePeriodSecond', message: expect.stringContaining("Did you mean 'terminationGracePeriodSeconds'?") }],
    unchecked: [],
  });
});

test.each([
  ['a Deployment', { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'x' }, spec: { selector: {}, template: { spec: { containers: [{ name: 'x', imagePullPolice: 'Always' }] } } } },
    'spec.template.spec.containers[0].imagePullPolice', "Did you mean 'imagePullPolicy'?"],
  ['a RayCluster', { apiVersion: 'ray.io/v1', kind: 'RayCluster', metadata: { name: 'x' }, spec: { headGroupSpec: { rayStartParms: {}, template: { spec: { containers: [{ name: 'x' }] } } } } },
    'spec.headGroupSpec.rayStartParms', "Did you mean 'rayStartParams'?"],
])('%s is checked by the structure that comes with Trainyard', (_, object, field, message) => {
  expect(validate([write(JSON.stringify(object))]).diagnostics).toContainEqual(expect.objectContaining({ rule: 'unknown-field', path: field, message: expect.stringContaining(message) }));
});

test('what another engine cannot do is told, and what the job becomes there is checked by that engine\'s definitions', () => {
  const volcano = engines().find(({ name }) => name === 'volcano')!;
  const stall = write(`${JOB}  runPolicy: { stall: { timeoutSeconds: 60 } }\n`);
  expect(validate([stall], Definitions.PACKAGED, volcano).diagnostics).toMatchObject([{ rule: 'training-job', message: expect.stringContaining('the Trainyard operator') }]);
  const schema = { type: 'object', properties: { spec: { type: 'object', properties: { queue: { type: 'string' } } } } };
  const crd = { kind: 'CustomResourceDefinition', spec: { group: 'batch.volcano.sh', names: { kind: 'Job' }, versions: [{ name: 'v1alpha1', schema: { openAPIV3Schema: schema } }] } };
  const { diagnostics } = validate([write(JOB)], Definitions.read([write(JSON.stringify(crd), 'volcano/crd.json')]), volcano);
  expect(diagnostics).toContainEqual(expect.objectContaining({ rule: 'unknown-field', path: 'Job: spec.tasks', object: expect.objectContaining({ kind: 'MLTrainingJob' }) }));
});

describe('an app', () => {
  const CDK8S = JSON.stringify(path.join(REPOSITORY, 'node_modules/cdk8s'));
  const app = (body: string) => write(`const { App, Chart, ApiObject } = require(${CDK8S});\nconst app = new App();\nconst chart = new Chart(app, 'ml');\n${body}\napp.synth();\n`, `app-${++files}.cjs`);
  const object = (id: string, kind: string, name: string) => `new ApiObject(chart, '${id}', { apiVersion: 'v1', kind: '${kind}', metadata: { name: '${name}' } });`;

  test('is synthesized, and mistakes are told with the path of the construct', () => {
    expect(validate([app(object('Settings', 'ConfigMap', 'A_b'))]).diagnostics)
      .toMatchObject([{ rule: 'metadata', construct: 'ml/Settings', path: 'metadata.name', object: { kind: 'ConfigMap', name: 'A_b' } }]);
  });

  test('is told no construct where cdk8s does not say which of two made an object', () => {
    const [first] = validate([app(object('One', 'ConfigMap', 'A') + object('Two', 'Secret', 'A'))]).diagnostics;
    expect(first.construct).toBeUndefined();
  });

  test('that refuses to synthesize is told by the words of its constructs', () => {
    const validation = (id: string, text: string) => `new ApiObject(chart, '${id}', { apiVersion: 'v1', kind: 'X' }).node.addValidation({ validate: () => [${JSON.stringify(text)}] });`;
    const { diagnostics } = validate([app([
      validation('Job', 'spec.env: {"a: b":1}: must be a list. Change it.'), validation('Other', 'has no peers'), validation('Role', 'metadata.name: is required.'),
      validation('Ours', 'TrainingJob \'digits\': spec.replicas: 0: must be 1.'),
    ].join('\n'))]);
    expect(diagnostics.at(-1)).toMatchObject({ object: { kind: 'TrainingJob', name: 'digits' } });
    expect(diagnostics.map(({ rule, construct, path: field, value, message }) => [rule, construct, field, value, message])).toEqual([
      ['synth', 'ml/Job', 'spec.env', { 'a: b': 1 }, 'must be a list. Change it.'],
      ['synth', 'ml/Other', undefined, undefined, 'has no peers'],
      ['synth', 'ml/Role', 'metadata.name', undefined, 'is required.'],
      ['synth', 'ml/Ours', 'spec.replicas', 0, 'must be 1.'],
    ]);
  });

  test('that throws is told with the line', () => {
    const file = app('throw new Error("two queues");');
    const [diagnostic] = validate([file]).diagnostics;
    expect(diagnostic).toMatchObject({ rule: 'synth', message: 'two queues', position: { line: 4, column: 7 } });
    expect(path.resolve(diagnostic.file)).toBe(file);
  });

  test('that cannot be started is no mistake of a manifest', () => {
    expect(() => validate([write('process.exit(3)', 'exit.cjs')])).toThrow('the app ended with code 3');
  });
});

describe('the command', () => {
  const bad = write(JOB.replace('2', '0'), 'job: 100%, bad.yaml');

  test('says what is wrong, one line each, and exits with 1', async () => {
    const { code, out, err } = await trainyard(['validate', path.basename(bad)], { cwd: root });
    expect(out).toBe('job: 100%, bad.yaml:8:13: MLTrainingJob train: spec.replicas: 0: must be a whole number from 1 to 10000.\n');
    expect(err).toBe('trainyard: 1 object: 1 mistake\n');
    expect(code).toBe(1);
  });

  test('exits with 0 when all is right, and tells what was not checked', async () => {
    const { code, out, err } = await trainyard(['validate', '-', '--engine', 'operator'], { input: `${JOB}  resources: { cpu: "1" }\n---\n${JSON.stringify(widget({}))}` });
    expect({ code, err }).toEqual({ code: 0, err: 'trainyard: 2 objects: valid, not everything was checked (notes)\n' });
    expect(out).toBe('note: fields of these kinds were not checked, because no definition was given (--crds): Widget\n');
  });

  test('finds definitions by the environment', async () => {
    const { code, out } = await trainyard(['validate', '-'], { input: JSON.stringify(widget({ size: 0 })), env: { TRAINYARD_CRDS: [crds, crds].join(path.delimiter) } });
    expect(out).toContain('standard input:1:94: Widget w: spec.size: 0: must be 1 or more.\n');
    expect(code).toBe(1);
  });

  test('speaks to GitHub', async () => {
    const { code, out } = await trainyard(['validate', path.basename(bad), '-o', 'github'], { cwd: root });
    expect(out).toBe('::error file=job%3A 100%25%2C bad.yaml,line=8,col=13,title=trainyard%3A training-job'
      + '::spec.replicas: 0: must be a whole number from 1 to 10000. (MLTrainingJob train)\n');
    expect(code).toBe(1);
  });

  test('writes SARIF', async () => {
    const { out } = await trainyard(['validate', path.basename(bad), '-o', 'sarif'], { cwd: root });
    const { version, runs: [run] } = JSON.parse(out);
    expect(version).toBe('2.1.0');
    expect(run.tool.driver.rules[run.results[0].ruleIndex].id).toBe(run.results[0].ruleId);
    expect(run.results).toEqual([expect.objectContaining({
      ruleId: 'training-job',
      message: { text: 'spec.replicas: 0: must be a whole number from 1 to 10000.' },
      locations: [{
        physicalLocation: { artifactLocation: { uri: 'job%3A%20100%25%2C%20bad.yaml' }, region: { startLine: 8, startColumn: 13 } },
        logicalLocations: [{ fullyQualifiedName: 'MLTrainingJob train spec.replicas' }],
      }],
    })]);
  });

  test('writes JSON', async () => {
    const { out } = await trainyard(['validate', path.basename(bad), '-o', 'json'], { cwd: root });
    expect(JSON.parse(out)).toMatchObject({ valid: false, objects: 1, diagnostics: [{ rule: 'training-job', path: 'spec.replicas', value: 0, position: { line: 8, column: 13 } }] });
  });

  test.each([
    [['nothing-here.yaml'], 'nothing-here.yaml: no such file.'],
    [['-', '--engine', 'oprator'], "Did you mean 'operator'?"],
    [['-', '--crds', 'nowhere'], '--crds nowhere: there is no such file or folder.'],
    [['-', '--crds', bad], 'no CustomResourceDefinition'],
    [['-', '--output', 'xml'], 'Allowed choices are text, json, github, sarif.'],
    [[], "missing required argument 'file'"],
  ])('%j is a wrong command line', async (args, words) => {
    const { code, err } = await trainyard(['validate', ...args], { cwd: root });
    expect(err).toContain(words);
    expect(code).toBe(2);
  });
});

test('objects are described by what there is of them', () => {
  expect([{ kind: 'Job', namespace: 'ml', name: 'a' }, { kind: 'Job' }, { name: 'a' }, {}].map(describeObject)).toEqual(['Job ml/a', 'Job', 'an object a', 'an object']);
});

describe('what may be wrong with accelerators is a warning', () => {
  const warned = JOB.replace('replicas: 2', `replicas: 2
  resources: { gpu: 3 }
  scheduling: { nodeSelector: { cloud.google.com/gke-accelerator: nvidia-h100-80gb } }`);

  test('with its place and its source, and the job stays valid', () => {
    const { diagnostics, warnings } = validate(['-'], Definitions.PACKAGED, OPERATOR_ENGINE, warned);
    expect(diagnostics).toEqual([]);
    expect(warnings).toEqual([expect.objectContaining({
      rule: 'accelerator', path: 'spec.resources.gpu', value: 3, position: { line: 9, column: 21 }, source: expect.stringContaining('github.com/GoogleCloudPlatform/cluster-autoscaler'),
      message: 'a3-highgpu machines have 1, 2, 4 or 8 nvidia-h100-80gb: 1 of 4 would be left over. Use 4.',
    })]);
  });

  test('in every format', () => {
    const result = validate(['-'], Definitions.PACKAGED, OPERATOR_ENGINE, warned);
    expect(textReport(result, (text) => text)).toMatchObject({
      lines: [expect.stringMatching(/^standard input:9:21: MLTrainingJob train: spec\.resources\.gpu: 3: warning: a3-highgpu/)], summary: '1 object: valid, 1 warning',
    });
    expect(githubLines(result)).toEqual([expect.stringMatching(/^::warning line=9,col=21,title=trainyard%3A accelerator::/)]);
    expect(sarifLog(result, '1.0.0')).toMatchObject({ runs: [{ results: [{ ruleId: 'accelerator', level: 'warning' }] }] });
  });

  test('also for GPUs that nobody uses, and for nodes that are newer than the table', () => {
    const warnings = (nodeSelector: object, gpu: number) => validate(['-'], Definitions.PACKAGED, OPERATOR_ENGINE,
      `${JOB}  resources: { gpu: ${gpu} }\n  scheduling: { nodeSelector: ${JSON.stringify(nodeSelector)} }`).warnings.map(({ message }) => message);
    expect(warnings({ 'cloud.google.com/gke-accelerator': 'nvidia-l4' }, 0)).toEqual([expect.stringContaining('no container asks for nvidia.com/gpu')]);
    expect(warnings({ 'cloud.google.com/gke-accelerator': 'nvidia-rubin-r100' }, 8)).toEqual([expect.stringContaining('was not a GPU type on GKE on')]);
    expect(warnings({ 'cloud.google.com/gke-spot': 'true' }, 1)).toEqual([expect.stringContaining('Add a toleration'), expect.stringContaining('each attempt starts at step 0')]);
    expect(warnings({ 'disktype': 'ssd' }, 1)).toEqual([]);
  });
});

describe('objects that nobody would write', () => {
  const check = (object: object) => validate(['-'], Definitions.PACKAGED, OPERATOR_ENGINE, JSON.stringify(object)).diagnostics.map(({ path: field, message }) => `${field}: ${message}`);

  test('of thousands of unknown fields the first twenty are told, and how many others there are', () => {
    const many = Object.fromEntries(Array.from({ length: 3000 }, (_each, index) => [`field${index}`, 1]));
    const found = check({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, ...many });
    expect(found).toHaveLength(20);
    expect(found[19]).toContain('field19: is not a field of a ConfigMap, and neither are 2980 others.');
  });

  test.each<[string, unknown, RegExp]>([
    ['a text', 'x'.repeat(1_000_000), /^metadata: must be /],
    ['a list', [{ name: 'a' }], /^metadata: must be /],
    ['names that are null', { name: null, namespace: null }, /^metadata\.name: is required/],
    ['a name that String cannot make a text of', { name: { toString: 1 } }, /^metadata\.name: must be a string/],
  ])('metadata: %s', (_what, metadata, message) => {
    expect(check({ apiVersion: 'ray.io/v1', kind: 'RayCluster', metadata, spec: { headGroupSpec: { template: { spec: { containers: [{ name: 'ray', image: 'rayproject/ray:2.54.0' }] } } } } }))
      .toContainEqual(expect.stringMatching(message));
  });
});

describe('secrets', () => {
  const check = (text: string) => validate(['-'], Definitions.PACKAGED, OPERATOR_ENGINE, text);

  test('are warnings in a Secret, whose data are decoded', () => {
    const encoded = Buffer.from(HUGGING_FACE_TOKEN).toString('base64');
    const { diagnostics, warnings } = check(`apiVersion: v1\nkind: Secret\nmetadata: { name: hub }\nstringData:\n  a: ${HUGGING_FACE_TOKEN}\ndata:\n  b: ${encoded}\n  c: aGFybWxlc3M=\n`);
    expect(diagnostics).toEqual([]);
    expect(warnings.map(({ rule, path: field, value, position, message }) => [rule, field, value, position?.line, message.split('.')[0]])).toEqual([
      ['secret', 'stringData.a', 'hf_... (37 characters)', 5, 'looks like a Hugging Face token'],
      ['secret', 'data.b', 'hf_... (37 characters)', 7, 'looks like a Hugging Face token'],
    ]);
  });

  test('that an annotation declares to be none are none', () => {
    const metadata = '  annotations: { ml.collabnix.io/not-secret: REVISION }\n';
    const text = `${JOB.replace('  name: train\n', `  name: train\n${metadata}`)}  env: [{ name: REVISION, value: ${HUGGING_FACE_TOKEN} }]\n`;
    expect(check(text).diagnostics).toEqual([]);
    expect(check(text.replace('REVISION }', 'OTHER }')).diagnostics).toHaveLength(1);
  });

  test('are no matter of a status or of a definition', () => {
    expect(check(`${JOB}status: { message: ${HUGGING_FACE_TOKEN} }\n`).diagnostics).toEqual([]);
    const metadata = { ...WIDGET_CRD.metadata, annotations: { example: HUGGING_FACE_TOKEN } };
    expect(check(JSON.stringify({ ...WIDGET_CRD, metadata })).diagnostics).toEqual([]);
  });

  test('are shown by no other mistake, and by no form of output', () => {
    const result = check(`${JOB}  env: [{ name: WANDB_API_KEY, value: ${WANDB_KEY} }, { name: WANDB_API_KEY, value: ${WANDB_KEY} }]\n  args: ${HUGGING_FACE_TOKEN}\n  hyperparameter: { token: ${HUGGING_FACE_TOKEN} }\n`);
    expect(result.diagnostics.length).toBeGreaterThan(3);
    const outputs = [textReport(result, (text) => text).lines.join(), githubLines(result).join(), JSON.stringify(sarifLog(result, '1')), JSON.stringify(result)];
    for (const output of outputs) {
      expect(output).not.toContain(HUGGING_FACE_TOKEN);
      expect(output).not.toContain(WANDB_KEY);
    }
  });
});

test('long texts and many mistakes do not multiply: of each mistake as much is told as a person reads', () => {
  const name = 'n'.repeat(1_000_000);
  const entries = Array.from({ length: 1_000 }, () => `  - { name: 1, ${'v'.repeat(900)}: 2 }`).join('\n');
  const { diagnostics } = validate(['-'], Definitions.PACKAGED, OPERATOR_ENGINE, `${JOB.replace('name: train', `name: ${name}`)}  env:\n${entries}\n`);

  expect(diagnostics.length).toBeGreaterThan(2);
  expect(JSON.stringify(diagnostics).length / diagnostics.length).toBeLessThan(10_000);
  expect(diagnostics.filter(({ object, path: field, message }) => `${object?.name}${field}${message}`.length > 6_000)).toEqual([]);
});

/** A JobSet of one pod. */
const jobSet = (spec: string, mounts = '') => `apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: { name: train }
spec:
${spec}  replicatedJobs:
    - name: worker
      template:
        spec:
          template:
            spec:
              restartPolicy: Never
              containers: [{ name: main, image: "registry.example/train:1"${mounts} }]
`;

// Forms that the samples of these systems have, and that are accepted by a cluster with them.
test.each([
  ['base64 in several lines', 'apiVersion: v1\nkind: Secret\nmetadata: { name: a }\ndata:\n  ca.crt: |\n    LS0tLS1CRUdJ\n    TiBD\n'],
  ['empty annotations', 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  annotations:\n'],
  ['a rule that JobSet names', jobSet('  failurePolicy: { rules: [{ action: FailJobSet }] }\n')],
  ['a volume that JobSet adds', jobSet('  volumeClaimPolicies: [{ templates: [{ metadata: { name: data }, spec: { accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Gi } } } }] }]\n',
    ', volumeMounts: [{ name: data, mountPath: /data }]')],
  ['a version of Kubernetes that is not known here', 'apiVersion: scheduling.k8s.io/v1alpha2\nkind: PodGroup\nmetadata: { name: a }\nspec: {}\n'],
  ['the configuration of a controller', 'apiVersion: config.jobset.x-k8s.io/v1alpha1\nkind: Configuration\nleaderElection: { leaderElect: true }\n'],
])('%s is accepted', (_what, text) => {
  expect(validate(['-'], Definitions.PACKAGED, OPERATOR_ENGINE, text).diagnostics).toEqual([]);
});

test.each(['kustomization.yaml', 'kustomization.yml', 'Kustomization'])('a file of kustomize, %s, needs no apiVersion', (name) => {
  expect(validate([write('resources: [job.yaml]\n', `overlay/${name}`)])).toMatchObject({ diagnostics: [], unchecked: [{ what: 'file', message: expect.stringContaining('kustomize') as string }] });
});
