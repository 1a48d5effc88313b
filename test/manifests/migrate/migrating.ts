/** Short ways to migrate YAML and to look at what came of it. */
import { parseAllDocuments } from 'yaml';
import type { JsonObject } from '../../../src/manifests/migrate/fields';
import type { MigratedJob, MigrationOptions } from '../../../src/manifests/migrate/job';
import { migrateObjects, type Migrated } from '../../../src/manifests/migrate/migrate';
import type { MigrationNote, NoteLevel } from '../../../src/manifests/migrate/notes';
import { validateTrainingJob } from '../../../src/model/training-job/validation/validation';

/** Objects of a YAML text. */
export function objectsOf(yaml: string): JsonObject[] {
  return parseAllDocuments(yaml).map((document) => document.toJS() as JsonObject | null).filter((object) => object !== null);
}

/** What becomes of every object of a text. */
export function migrate(yaml: string, options: MigrationOptions = {}): Migrated[] {
  return migrateObjects(objectsOf(yaml), options);
}

/** The one job of a text. It has to be valid: a test on a job that could never run shows nothing. */
export function migrated(yaml: string, options: MigrationOptions = {}): MigratedJob {
  const job = migratedUnchecked(yaml, options);
  expect(validateTrainingJob(job.name, job.spec)).toEqual([]);
  return job;
}

/** The one job of a text, valid or not. */
export function migratedUnchecked(yaml: string, options: MigrationOptions = {}): MigratedJob {
  const results = migrate(yaml, options);
  const errors = results.flatMap((result) => (result.outcome === 'error' ? [result.error] : []));
  expect(errors).toEqual([]);
  const jobs = results.flatMap((result) => (result.outcome === 'job' ? [result.job] : []));
  expect(jobs).toHaveLength(1);
  return jobs[0];
}

/** The one error of a text. */
export function errorOf(yaml: string, options: MigrationOptions = {}): string {
  const errors = migrate(yaml, options).flatMap((result) => (result.outcome === 'error' ? [result.error] : []));
  expect(errors).toHaveLength(1);
  return errors[0];
}

/** Notes as `level path`, in order. */
export function notesOf({ notes }: MigratedJob): string[] {
  return notes.map(({ level, path }) => `${level} ${path}`);
}

/** The one note of a level at a path. */
export function noteAt({ notes }: MigratedJob, level: NoteLevel, path: string): MigrationNote {
  const found = notes.filter((note) => note.level === level && note.path === path);
  if (found.length !== 1) {
    throw new Error(`${found.length} notes '${level} ${path}' among:\n${notes.map((note) => `${note.level} ${note.path}`).join('\n')}`);
  }
  return found[0];
}

/** A PyTorchJob of one master and some workers that run the same container. */
export function pytorchJob(fields: {
  readonly container?: string; readonly pod?: string; readonly spec?: string; readonly metadata?: string; readonly workers?: number;
} = {}): string {
  const { container = '', pod = '', spec = '', metadata = '', workers = 2 } = fields;
  const replica = (type: string, replicas: number) => `
    ${type}:
      replicas: ${replicas}
      restartPolicy: OnFailure
      template:
        spec: { containers: [{ name: pytorch, image: train:1, command: [python, train.py]${container && `, ${container}`} }]${pod && `, ${pod}`} }`;
  return `
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: { name: mnist${metadata && `, ${metadata}`} }
spec:
${spec.split('\n').map((line) => `  ${line}`).join('\n')}
  pytorchReplicaSpecs:${replica('Master', 1)}${workers > 0 ? replica('Worker', workers) : ''}
`;
}
