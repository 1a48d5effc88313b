/** Programs compile, and give back the jobs that they were written for. */
import fc from 'fast-check';
import { writeProgram, type ProgramJob } from '../../../src/cli/program/program';
import { ruleIds } from '../../../src/model/rules';
import { GROUP_PORT } from '../../../src/model/training-job/replicas/role-specs';
import type { TrainingJobSpec } from '../../../src/model/training-job/spec';
import { runProgram, typeErrors } from './programs';
import { richSpec } from './specs';
import { validSpec } from '../../model/training-job/arbitraries';

const JOBS_PER_PROGRAM = 25;

/** What means the same: a number of processes as text, and a claim that cdk8s-plus says of that it is not read-only, which is the default. */
function comparable(spec: TrainingJobSpec): unknown {
  const { nprocPerNode, ...rest } = JSON.parse(JSON.stringify(spec)) as TrainingJobSpec;
  const volumes = (rest.template?.spec?.volumes ?? []) as { persistentVolumeClaim?: { readOnly?: boolean } }[];
  volumes.filter(({ persistentVolumeClaim }) => persistentVolumeClaim?.readOnly === false)
    .forEach((volume) => delete volume.persistentVolumeClaim!.readOnly);
  // The construct writes out what the definition would set in items of lists.
  const roles = rest.roles?.map((role) => ({ replicas: 1, ...role }));
  const helpers = rest.helpers?.map((helper) => ({ replicas: 1, port: GROUP_PORT, onFailure: 'Restart', ...helper }));
  return { ...rest, ...(roles && { roles }), ...(helpers && { helpers }), ...(nprocPerNode !== undefined && { nprocPerNode: /^[0-9]+$/.test(String(nprocPerNode)) ? Number(nprocPerNode) : nprocPerNode }) };
}

function acknowledgeAll(): string {
  return ruleIds().map((id) => `require('trainyard').Warnings.of(app).acknowledge('${id}');`).join('');
}

function jobsOf(specs: readonly TrainingJobSpec[]): ProgramJob[] {
  return specs.map((spec, index) => ({ name: `job-${index}`, spec }));
}

const samples = [...fc.sample(richSpec, { numRuns: 150, seed: 5 }), ...fc.sample(validSpec, { numRuns: 50, seed: 5 })];
const programs = Array.from({ length: Math.ceil(samples.length / JOBS_PER_PROGRAM) }, (_, index) => {
  const specs = samples.slice(index * JOBS_PER_PROGRAM, (index + 1) * JOBS_PER_PROGRAM);
  return { specs, text: writeProgram({ chart: 'jobs', jobs: jobsOf(specs) }) };
});

test('programs of random jobs have the right types', () => {
  expect(typeErrors(programs.map(({ text }) => text))).toEqual([]);
});

test('what has no typed form imports nothing', () => {
  const tolerations = [{ key: 'spot', operator: 'Exists', effect: 'NoSchedule' }, { operator: 'Exists' }];
  const text = writeProgram({ chart: 'jobs', jobs: jobsOf([{ framework: 'jax', image: 'i', replicas: 1, scheduling: { tolerations } }]) });
  expect(text).toContain('JsonPatch.add');
  expect(text).not.toContain('TolerationEffect');
});

test('a program gives back the specs that it was written for', () => {
  for (const { specs, text } of programs) {
    // What is valid and goes wrong when it runs is not the point here.
    const written = runProgram(text.replace('app.synth();', `${acknowledgeAll()}app.synth();`)).filter(({ kind }) => kind === 'MLTrainingJob');
    expect(written.map(({ metadata }) => metadata.name)).toEqual(specs.map((_spec, index) => `job-${index}`));
    written.forEach(({ spec }, index) => expect(comparable(spec as TrainingJobSpec)).toEqual(comparable(specs[index])));
  }
});
