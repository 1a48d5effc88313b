/** The job of a file or program, and the other objects that it needs. */
import { CliError } from '../../cli-error';
import { withCodeRecords } from '../../code/code-records';
import { pushArchive } from '../../code/push-archive';
import type { LocatedObject } from '../../read-manifests';
import { readManifestFile } from '../../synth-app';
import type { EngineDefinition } from '../../../manifests/engines/engine';
import { validateForEngine } from '../../../manifests/engines/validation';
import { jobKindOf, workloadKindOf } from '../../../model/kinds/registry';
import { TRAINING_JOB_KIND } from '../../../model/labels';
import type { ManifestObject } from '../../../model/objects/manifest-object';
import type { TrainingJobSpec } from '../../../model/training-job/spec';
import { didYouMean } from '../../../model/violations';
import { indentedViolations } from '../../text';

export interface Submission {
  readonly job: ManifestObject;
  /** The other objects, without other jobs. */
  readonly companions: readonly ManifestObject[];
}

/**
 * Reads it. Bundles with `upload` are uploaded first.
 * @param note called with a message for each upload
 * @throws CliError when there is no job, or several
 */
export async function readSubmission(file: string, job: string | undefined, note: (sentence: string) => void): Promise<Submission> {
  const written = readManifestFile(file);
  if (written !== undefined) {
    return choose(file, written, job);
  }
  return withCodeRecords(file, async ({ objects }, records) => {
    const chosen = choose(file, objects, job);
    for (const { url, ...record } of records) {
      // Only the bundles of this job.
      if (url !== undefined && JSON.stringify(chosen.job).includes(JSON.stringify(url))) {
        note(await pushArchive({ ...record, url }, false));
      }
    }
    return chosen;
  });
}

function choose(file: string, located: readonly LocatedObject[], wanted: string | undefined): Submission {
  const shown = file === '-' ? 'Standard input' : file;
  const objects = located.map(({ object }) => object);
  const jobs = objects.filter((object) => jobKindOf(object) !== undefined);
  const names = jobs.map(nameOf);
  const chosen = wanted === undefined ? jobs : jobs.filter((job) => nameOf(job) === wanted);
  if (jobs.length === 0) {
    const services = objects.filter((object) => workloadKindOf(object) !== undefined).map(({ kind, metadata }) => `${kind} ${metadata?.name}`);
    throw new CliError(`${shown} has no job${services.length === 0 ? '' : `, but ${services.join(', ')}. Apply services with kubectl apply or Argo CD`}.`);
  }
  if (chosen.length === 0) {
    throw new CliError(`${shown} has no job '${wanted}'; it has ${names.join(', ')}.${didYouMean(wanted!, names)}`);
  }
  if (chosen.length > 1) {
    throw new CliError(`${shown} has ${chosen.length} jobs${wanted === undefined ? `: ${names.join(', ')}. Choose one with --job NAME.` : ` '${wanted}', of several kinds or namespaces. Leave one.`}`);
  }
  return { job: chosen[0], companions: objects.filter((object) => !jobs.includes(object)) };
}

function nameOf({ metadata }: ManifestObject): string {
  return metadata?.name ?? `${String(metadata?.generateName ?? '')}*`;
}

/** The same job on another engine. @throws CliError when the engine cannot run it */
export function onEngine({ job, companions }: Submission, engine: EngineDefinition, name: string, namespace: string): Submission {
  if (job.kind !== TRAINING_JOB_KIND) {
    throw new CliError(`--engine ${engine.name}: ${job.kind} ${name} already belongs to another engine. Convert it with trainyard migrate.`);
  }
  const spec = job.spec as TrainingJobSpec;
  const violations = validateForEngine(engine, name, spec);
  if (violations.length > 0) {
    throw new CliError(`${name} cannot run on ${engine.title}:\n${indentedViolations(violations)}`);
  }
  const labels = job.metadata?.labels as { readonly [label: string]: string } | undefined;
  const rendered = engine.render({ name, namespace, labels, spec });
  const object = rendered.job as unknown as ManifestObject;
  return {
    job: { ...object, metadata: { ...object.metadata, name, namespace, labels: { ...labels, ...object.metadata?.labels as object } } },
    companions: [...companions, ...rendered.companions as unknown as readonly ManifestObject[]],
  };
}
