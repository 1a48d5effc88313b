import { stringify } from 'yaml';
import { engineFactory, migrateTexts, type MigrationResult, type MigrationSettings } from '../../../src/cli/migrate/migration';
import { reportLines } from '../../../src/cli/migrate/report';
import { Engine } from '../../../src/constructs/training-job/engines/engine';
import type { EngineDefinition } from '../../../src/manifests/engines/engine';
import { OPERATOR_ENGINE } from '../../../src/manifests/engines/operator';
import { engines } from '../../../src/manifests/engines/registry';
import { pytorchJob } from '../../manifests/migrate/migrating';
import { SAMPLES } from '../../manifests/migrate/samples';
import { HUGGING_FACE_TOKEN } from '../../model/secrets/sample-tokens';
import { objectsOf, runProgram, typeErrors, withoutDefaults, type WrittenObject } from '../program/programs';

const plain = (text: string) => text;

function engineNamed(name: string): EngineDefinition {
  return engines().find((engine) => engine.name === name)!;
}

function migrate(texts: string | { readonly [file: string]: string }, settings: Partial<MigrationSettings> = {}): MigrationResult {
  const files = typeof texts === 'string' ? { 'jobs.yaml': texts } : texts;
  return migrateTexts(Object.entries(files).map(([name, text]) => ({ name, text })), { engine: OPERATOR_ENGINE, form: 'yaml', ...settings });
}

/** Objects of the one output. */
function written(result: MigrationResult): WrittenObject[] {
  expect(result.outputs).toHaveLength(1);
  return objectsOf(result.outputs[0].text);
}

const BROKEN = 'apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: { name: "broken\nspec: [\n';

describe('what is written', () => {
  test('as YAML is the job with its metadata, for the operator', () => {
    const [job] = written(migrate(pytorchJob({ metadata: 'namespace: ml, labels: { team: a }, annotations: { b: c }' })));
    expect(job).toEqual({
      apiVersion: 'ml.collabnix.io/v1alpha1', kind: 'MLTrainingJob', metadata: { name: 'mnist', namespace: 'ml', labels: { team: 'a' }, annotations: { b: 'c' } },
      spec: {
        framework: 'pytorch', image: 'train:1', replicas: 3, command: ['python', 'train.py'], runPolicy: { restartPolicy: 'OnFailure', cleanPodPolicy: 'None' },
      },
    });
  });

  test('as YAML is the objects of any other engine', () => {
    const result = migrate(pytorchJob({ metadata: 'labels: { team: a }', spec: 'runPolicy: { cleanPodPolicy: Running }' }).replaceAll('OnFailure', 'Never'), { engine: engineNamed('jobset') });
    expect(result.failed).toBe(false);
    expect(written(result)).toMatchObject([{ apiVersion: 'jobset.x-k8s.io/v1alpha2', kind: 'JobSet', metadata: { name: 'mnist', labels: { team: 'a', job: 'mnist' } } }]);
    expect(result.report[0].text).toBe('is the JobSet mnist');
  });

  test('as TypeScript is a program that names its engine', () => {
    const [{ name, text }] = migrate(pytorchJob().replaceAll('OnFailure', 'Never'), { engine: engineNamed('jobset'), form: 'typescript' }).outputs;
    expect(name).toBe('jobs.ts');
    expect(text).toBe(`import { App, Chart } from 'cdk8s';
import { Engine, Framework, TrainingJob } from 'trainyard';

const app = new App();
const chart = new Chart(app, 'jobs');

new TrainingJob(chart, 'Mnist', {
  metadata: { name: 'mnist' },
  framework: Framework.pytorch(),
  image: 'train:1',
  replicas: 3,
  command: ['python', 'train.py'],
  engine: Engine.jobSet(),
});

app.synth();
`);
  });

  test('is one output for all files, or one for each', () => {
    const files = { 'a/jobs.yaml': pytorchJob(), 'b/jobs.yml': pytorchJob().replace('name: mnist', 'name: other'), 'standard input': pytorchJob() };
    expect(migrate(files).outputs.map(({ name }) => name)).toEqual(['jobs.yaml']);
    expect(written(migrate(files)).map(({ metadata }) => metadata.name)).toEqual(['mnist', 'other', 'mnist']);
    expect(migrate(files, { perInput: true }).outputs.map(({ name }) => name)).toEqual(['jobs.yaml', 'jobs-2.yaml', 'migrated.yaml']);
  });

  test('has what is not a job too, before the jobs of a program', () => {
    const config = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: settings, creationTimestamp: null }\ndata: { a: "1" }\n';
    expect(written(migrate(`${pytorchJob()}---\n${config}`)).map(({ kind }) => kind)).toEqual(['MLTrainingJob', 'ConfigMap']);
    const [{ text }] = migrate(`${pytorchJob()}---\n${config}`, { form: 'typescript' }).outputs;
    expect(runProgram(text)[0]).toEqual({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data: { a: '1' } });
  });

  test('is read from lists and lists of lists, JSON and anchors', () => {
    const list = { apiVersion: 'v1', kind: 'List', items: [...SAMPLES.JAXJob, { apiVersion: 'kubeflow.org/v1', kind: 'PaddleJobList', items: SAMPLES.PaddleJob }] };
    const json = migrate({ 'list.json': JSON.stringify(list) });
    expect(written(json)).toMatchObject([{ spec: { framework: 'jax' } }, { spec: { framework: 'paddle' } }]);
    expect(json.report.map(({ where }) => where)).toEqual(['list.json, items[0]', 'list.json, items[1], items[0]']);
    const anchors = `${stringify({ kind: 'PyTorchJob', apiVersion: 'kubeflow.org/v1', metadata: { name: 'a' } })}spec:\n  pytorchReplicaSpecs:\n    Master: &m { template: { spec: { containers: [{ name: pytorch, image: i }] } } }\n    Worker: { <<: *m, replicas: 3 }\n`;
    expect(written(migrate(anchors))).toMatchObject([{ spec: { replicas: 4 } }]);
  });

  test('takes a runtime from another file', () => {
    const [job, runtime] = SAMPLES.TrainJob;
    const result = migrate({ 'job.yaml': stringify(job), 'runtime.yaml': stringify(runtime) }, { perInput: true });
    expect(result.outputs.map(({ name }) => name)).toEqual(['job.yaml']);
    expect(result.report.map(({ outcome }) => outcome)).toEqual(['written', 'part']);
  });

  test('has an autoscaler for the operator, and says for others that there is none', () => {
    const elastic = stringify(SAMPLES['PyTorchJob, elastic'][0]);
    expect(written(migrate(elastic)).map(({ kind }) => kind)).toEqual(['HorizontalPodAutoscaler', 'MLTrainingJob']);
    const [{ notes }] = migrate(elastic, { engine: engineNamed('training-operator-v1'), form: 'typescript' }).report;
    expect(notes.at(-1)).toMatchObject({ level: 'lost', path: 'HorizontalPodAutoscaler', message: expect.stringContaining('left out for training-operator v1') });
  });
});

test('a RayJob that is to stay one is carried over, and not put into a second cluster', () => {
  const rayJob = stringify(SAMPLES.RayJob[0]);
  const result = migrate(rayJob, { engine: engineNamed('ray') });
  expect(written(result)).toEqual(SAMPLES.RayJob);
  expect(result).toMatchObject({ failed: false, report: [{ outcome: 'carried', text: expect.stringContaining('starts a Ray cluster itself') }] });
});

test('a RayJob that Trainyard wrote is an error that says what to migrate instead', () => {
  const ours = migrate(pytorchJob(), { engine: engineNamed('ray') }).outputs[0].text;
  const result = migrate(ours);
  expect(result.report.filter(({ outcome }) => outcome === 'error').map(({ text }) => text)).toEqual([expect.stringContaining('Migrate what the RayJob was generated from')]);
});

describe('policies that an engine lacks', () => {
  test('are left out and told, with the engine\'s reason', () => {
    const result = migrate(pytorchJob({ spec: 'runPolicy: { cleanPodPolicy: None, ttlSecondsAfterFinished: 60 }' }), { engine: engineNamed('trainer') });
    expect(result.failed).toBe(false);
    expect(written(result).map(({ kind }) => kind)).toContain('TrainJob');
    const lost = result.report[0].notes.filter(({ level }) => level === 'lost');
    expect(lost.map(({ path, value }) => [path, value])).toEqual([['spec.runPolicy.ttlSecondsAfterFinished', 60], ['spec.runPolicy.cleanPodPolicy', 'None']]);
    expect(lost[0].message).toMatch(/^Kubeflow Trainer .*\. It is left out\.$/);
  });

  test('go as a whole where they need what is lacking', () => {
    const result = migrate(stringify(SAMPLES['PyTorchJob, elastic'][0]), { engine: engineNamed('jobset') });
    expect(result.failed).toBe(false);
    expect(result.report[0].notes).toContainEqual(expect.objectContaining({ level: 'lost', path: 'spec.elastic', value: { minReplicas: 1, maxReplicas: 2 } }));
  });

  test('are not security, nor what the job is made of', () => {
    const restricted = 'apiVersion: ml.collabnix.io/v1alpha1\nkind: MLTrainingJob\nmetadata: { name: a }\nspec: { framework: pytorch, image: i, replicas: 2, security: { restricted: true } }\n';
    expect(migrate(restricted, { engine: engineNamed('training-operator-v1') })).toMatchObject({ failed: true, report: [{ broken: [{ path: 'spec.security.restricted' }] }] });
  });

  test('a Job sets its index itself', () => {
    const result = migrate(stringify(SAMPLES.Job[0]), { engine: engineNamed('job') });
    expect(result.failed).toBe(false);
    expect(result.report[0].notes).toContainEqual(expect.objectContaining({ level: 'changed', path: 'spec.env[\'JOB_COMPLETION_INDEX\']', message: 'is left out: the engine sets it itself.' }));
  });
});

describe('what cannot be written', () => {
  test('is one error each, in the order of the file, and the others are written', () => {
    const result = migrate(`${pytorchJob()}---\n${BROKEN}---\n- a\n---\napiVersion: kubeflow.org/v1\nkind: TFJob\nmetadata: { name: bad }\n---${pytorchJob().replace('name: mnist', 'name: last')}`);
    expect(result.failed).toBe(true);
    expect(written(result).map(({ metadata }) => metadata.name)).toEqual(['mnist', 'last']);
    expect(result.report.map(({ where, outcome }) => `${where}: ${outcome}`)).toEqual([
      'jobs.yaml, document 1: written', 'jobs.yaml, document 2: error', 'jobs.yaml, document 3: error', 'jobs.yaml, document 4: error', 'jobs.yaml, document 5: written',
    ]);
  });

  test('is an empty file', () => {
    expect(migrate({ 'empty.yaml': '# nothing\n' })).toMatchObject({ outputs: [], failed: true, report: [{ where: 'empty.yaml', text: 'contains no object.' }] });
  });

  test('is a job that the engine cannot run, with what is in the way', () => {
    const mpi = stringify(SAMPLES['MPIJob v1'][0]);
    const result = migrate(mpi, { engine: engineNamed('job') });
    expect(result).toMatchObject({ outputs: [], failed: true });
    expect(result.report[0].text).toContain('cannot be written as an object of a plain Job');
    expect(result.report[0].broken.map(({ path }) => path)).toEqual(['spec.framework']);
    // A program can be changed until it is right.
    const program = migrate(mpi, { engine: engineNamed('job'), form: 'typescript' });
    expect(program.failed).toBe(false);
    expect(program.outputs[0].text).toContain('// Not valid yet:\n//   spec.framework: "mpi": a plain Job');
  });

  test('is a program of a job whose fields have the wrong types; its YAML is marked', () => {
    const yaml = 'apiVersion: ml.collabnix.io/v1alpha1\nkind: MLTrainingJob\nmetadata: { name: a }\nspec: { framework: pytorhc, image: i, replicas: 1 }\n';
    expect(migrate(yaml, { form: 'typescript' })).toMatchObject({ outputs: [], failed: true, report: [{ broken: [{ path: 'spec.framework' }] }] });
    expect(migrate(yaml)).toMatchObject({ failed: false });
    expect(migrate(yaml).outputs[0].text).toMatch(/^# Not valid yet:\n# {3}spec.framework: "pytorhc": must be one of .* Did you mean 'pytorch'\?\napiVersion/);
  });

  test('marks a job that breaks a rule, and writes it', () => {
    const long = pytorchJob().replace('name: mnist', `name: ${'m'.repeat(60)}`);
    const result = migrate(long, { form: 'typescript' });
    expect(result.failed).toBe(false);
    expect(result.outputs[0].text).toContain('// Not valid yet:\n//   metadata.name: "mmm');
    expect(() => runProgram(result.outputs[0].text)).toThrow(/is too long/);
  });
});

test('the report says each thing once, what is lost first and in full', () => {
  const lines = reportLines(migrate(`${pytorchJob({ spec: `runPolicy: { cleanPodPolicy: None }\nfrobnicate: ${JSON.stringify('x'.repeat(100))}`, container: 'ports: [{ name: pytorchjob-port, containerPort: 23456 }]' })}---\n${BROKEN}`), plain);
  expect(lines).toEqual([
    'jobs.yaml, document 1: PyTorchJob mnist is the MLTrainingJob mnist',
    `  lost     spec.frobnicate: "${'x'.repeat(100)}": is not a field of PyTorchJob that has an equivalent here, and is left out.`,
    '  differs  spec.pytorchReplicaSpecs.Master.restartPolicy: "OnFailure": restarts all replicas of PyTorch together, because the others cannot continue; there only the failed one restarted.',
    '  differs  spec.runPolicy.backoffLimit: is unlimited by default there, and 6 here, not counting evictions and lost nodes. Set runPolicy.backoffLimit for more.',
    '  changed  spec.pytorchReplicaSpecs.Master.template.spec.containers[0].name, spec.pytorchReplicaSpecs.Worker.template.spec.containers[0].name: "pytorch": the training container is named training here: use kubectl logs and exec with -c training.',
    '',
    'error: jobs.yaml, document 2: line 24 is not valid YAML: Missing closing "quote',
    '',
    '1 job written: 1 lost, 2 differ, 1 changed. 1 could not be migrated.',
  ]);
});

test('every engine has the factory that programs name', () => {
  const factories = engines().map(({ name }) => engineFactory(name));
  for (const [index, factory] of factories.entries()) {
    const create = (Engine as unknown as { readonly [factory: string]: (() => Engine) | undefined })[factory];
    expect(`${factory}: ${create?.call(Engine).name}`).toBe(`${factory}: ${engines()[index].name}`);
  }
});

describe('programs of all kinds', () => {
  const samples = Object.entries(SAMPLES).map(([name, objects]) => {
    const text = objects.map((object) => stringify(object)).join('---\n');
    return { name, yaml: migrate(text), program: migrate(text, { form: 'typescript' }) };
  });

  test('have the right types', () => {
    expect(typeErrors(samples.map(({ program }) => program.outputs[0].text))).toEqual([]);
  });

  test.each(samples)('$name: the program writes what the manifest says', ({ yaml, program }) => {
    // A program of a job that breaks a rule says so at synth.
    expect(yaml.report.flatMap(({ broken }) => broken)).toEqual([]);
    expect(runProgram(program.outputs[0].text).map(withoutDefaults)).toEqual(written(yaml).map(withoutDefaults));
  });
});

describe('a token', () => {
  const job = `apiVersion: batch/v1
kind: Job
metadata: { name: train, annotations: { leak: ${HUGGING_FACE_TOKEN} } }
spec: { template: { spec: { restartPolicy: Never, containers: [{ name: main, image: 'train:1', command: [python, train.py], env: [{ name: HF_TOKEN, value: ${HUGGING_FACE_TOKEN} }] }] } } }
`;

  test('is carried over and told of, without being shown', () => {
    const result = migrate(job);
    expect(result.failed).toBe(false);
    expect(written(result)[0]).toMatchObject({ spec: { env: [{ name: 'HF_TOKEN', value: HUGGING_FACE_TOKEN }] } });
    const lines = reportLines(result, plain);
    expect(lines.slice(1, 3).map((line) => line.slice(0, 100))).toEqual([
      expect.stringMatching(/^ {2}secret {3}metadata\.annotations\.leak: "hf_\.\.\. \(37 characters\)": looks like a Hugging Face token/),
      expect.stringMatching(/^ {2}secret {3}spec\.env\['HF_TOKEN'\]: "hf_\.\.\. \(37 characters\)": looks like a Hugging Face token/),
    ]);
    expect(lines.at(-1)).toContain('2 values look like a secret: replace them.');
    expect(lines.join()).not.toContain(HUGGING_FACE_TOKEN);
  });

  test('in an object that is not a job is told of as well', () => {
    const result = migrate(`apiVersion: v1\nkind: ConfigMap\nmetadata: { name: x }\ndata: { token: ${HUGGING_FACE_TOKEN} }\n`);
    expect(reportLines(result, plain).join()).toContain('secret   data.token: "hf_... (37 characters)"');
    expect(reportLines(result, plain).at(-1)).toContain('1 value looks like a secret: replace it.');
  });

  test('in a field that is lost stays secret in the report', () => {
    const lines = reportLines(migrate(job.replace('spec: { template', `spec: { nobody: { x: ${HUGGING_FACE_TOKEN} }, template`)), plain).join();
    expect(lines).toContain('hf_... (37 characters)');
    expect(lines).not.toContain(HUGGING_FACE_TOKEN);
  });
});
