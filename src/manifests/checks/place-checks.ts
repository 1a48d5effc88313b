/**
 * Every known problem with valid objects of one place: a program at synth, or the input of `trainyard validate`. The API server does not report
 * these, or reports them one object at a time.
 */
import { AcceleratorsOfPlace } from './accelerators-of-place';
import { StorageOfPlace } from './storage-of-place';
import { checkForeign } from '../../model/checks/foreign-rules';
import { checkJob } from '../../model/checks/job-rules';
import { checkObject, checkObjectSize, checkScope, checkTokens } from '../../model/checks/object-rules';
import { ObjectsOfPlace } from '../../model/checks/reference-rules';
import { CHECK_RULES } from '../../model/checks/rule-list';
import { FindingCollector, type Finding } from '../../model/findings';
import { record } from '../../model/json-parts';
import { ACKNOWLEDGED_ANNOTATION } from '../../model/labels';
import { hasIdentity, type ManifestObject } from '../../model/objects/manifest-object';
import { mayHoldTokens } from '../../model/secrets/recognise';
import type { TrainingJobSpec } from '../../model/training-job/spec';
import { CheckedSeries } from '../../model/training-job/validation/series';

/** Where a rule belongs. */
export type CheckCategory = 'accelerator' | 'storage' | 'mistake' | 'reference' | 'secret';

/** A finding, with the source of its rule. */
export interface PlacedFinding extends Finding {
  readonly category: CheckCategory;
}

/** A training job that follows the rules of the model. */
export interface ValidJob {
  readonly name: string;
  readonly namespace?: string;
  readonly spec: TrainingJobSpec;
}

/** A training job, and what is found in it alone. */
export interface CheckedJob extends ValidJob {
  readonly findings: readonly Finding[];
}

/** Checks a job alone. Best right after the rules of the model, while the job is resolved. */
export function checkedJob({ name, namespace, spec }: ValidJob): CheckedJob {
  return { name, namespace, spec, findings: CHECKED.check(name, spec, () => checkJob(name, spec)) };
}

const CHECKED = new CheckedSeries();

/** An object of a place. */
export interface PlaceObject {
  readonly object: ManifestObject;
  /** The training job that this object is, whichever engine runs it. @default - not a training job, or one with errors */
  readonly job?: CheckedJob;
  /** Whether it was generated from a job that is checked separately, so that its pods are that job's. @default false */
  readonly isOfJob?: boolean;
  /** Whether objects of the kind are known to be cluster-scoped. @default false */
  readonly isClusterScoped?: boolean;
}

/** Checks the objects of one place, one after another. */
export class PlaceChecks {
  private readonly accelerators: AcceleratorsOfPlace;
  private readonly storage: StorageOfPlace;
  private readonly references: ObjectsOfPlace;
  /** The first job of each checkpoint location. */
  private readonly checkpoints = new Map<string, CheckedJob>();
  private readonly restricted: ReadonlySet<unknown>;

  private readonly suspected = new Set<ManifestObject>();

  private readonly all: readonly ManifestObject[];

  public constructor(objects: readonly PlaceObject[]) {
    const all = objects.map(({ object }) => object).filter(hasIdentity);
    this.all = all;
    this.accelerators = new AcceleratorsOfPlace(all);
    this.storage = new StorageOfPlace(all);
    this.references = new ObjectsOfPlace(all);
    this.restricted = new Set(all.filter(isRestrictedNamespace).map(({ metadata }) => metadata?.name));
    for (const { job } of objects) {
      const place = job === undefined ? undefined : checkpointPlace(job);
      if (place !== undefined && !this.checkpoints.has(place)) {
        this.checkpoints.set(place, job!);
      }
    }
  }

  /** What is, or may be, wrong with an object, without the findings that it acknowledges. */
  public check({ object, job, isOfJob = false, isClusterScoped = false }: PlaceObject): PlacedFinding[] {
    if (!hasIdentity(object)) {
      return [];
    }
    const text = JSON.stringify(object);
    const found: PlacedFinding[] = [];
    const add = (category: CheckCategory, findings: readonly Finding[]) => findings.forEach((finding) => found.push({ ...finding, category }));
    if (job !== undefined) {
      add('accelerator', this.accelerators.checkJob(job.name, job.spec));
    } else if (!isOfJob) {
      add('accelerator', this.accelerators.check(object));
    }
    add('storage', this.storage.check(object));
    if (job !== undefined) {
      add('mistake', job.findings);
      add('mistake', this.sharedCheckpoint(job));
      add('mistake', this.podSecurity(job));
    } else if (!isOfJob) {
      add('mistake', checkObject(object));
    }
    if (isClusterScoped) {
      add('mistake', checkScope(object));
    }
    add('mistake', checkForeign(object, this.all));
    add('mistake', checkObjectSize(object, text));
    add('reference', this.references.check(object, text));
    if (mayHoldTokens(text)) {
      this.suspected.add(object);
      add('secret', checkTokens(object));
    } else if (object.kind === 'Secret') {
      add('secret', checkTokens(object));
    }
    const known = acknowledgedOn(object);
    return known.length === 0 ? found : found.filter(({ rule }) => !known.includes(rule));
  }

  /** Whether something in a checked object looks like the beginning of a secret. */
  public isSuspected(object: ManifestObject): boolean {
    return this.suspected.has(object);
  }

  /** A template that asks for a user other than root is assumed to ask for the rest too. */
  private podSecurity({ namespace, spec }: CheckedJob): Finding[] {
    if (namespace === undefined || !this.restricted.has(namespace)) {
      return [];
    }
    const findings = new FindingCollector();
    const isMeant = spec.security?.restricted === true || JSON.stringify([spec.template, spec.roles, spec.helpers]).includes('"runAsNonRoot":true');
    if (!isMeant) {
      findings.error(CHECK_RULES.podSecurity, 'spec.security.restricted', spec.security?.restricted ?? false,
        `must be true, because namespace ${namespace} enforces the restricted Pod Security Standard and rejects the job's pods otherwise. `
          + 'Set security: { restricted: true, runAsUser: UID }, with a non-root user of the image.');
    }
    return findings.findings;
  }

  private sharedCheckpoint(job: CheckedJob): Finding[] {
    const place = checkpointPlace(job);
    const first = place === undefined ? undefined : this.checkpoints.get(place);
    if (first === undefined || first === job || first.name === job.name) {
      return [];
    }
    const findings = new FindingCollector();
    const { checkpoint, checkpointPath } = job.spec;
    const path = checkpoint?.claimName === undefined ? 'spec.checkpointPath' : 'spec.checkpoint.subPath';
    findings.error(CHECK_RULES.checkpointShared, path, checkpoint?.claimName === undefined ? checkpointPath : checkpoint.subPath ?? '',
      `is also the checkpoint location of job ${first.name}${checkpoint?.claimName === undefined ? '' : ` (claim ${checkpoint.claimName})`}: `
        + 'one would resume from the other\'s checkpoints, or delete them. '
        + 'Give each job its own folder, or acknowledge this if one continues where the other ended.');
    return findings.findings;
  }
}

function isRestrictedNamespace({ kind, metadata }: ManifestObject): boolean {
  return kind === 'Namespace' && record(metadata?.labels)['pod-security.kubernetes.io/enforce'] === 'restricted';
}

/** Rule ids that an object's annotation acknowledges. */
function acknowledgedOn({ metadata }: ManifestObject): readonly string[] {
  const value = record(metadata?.annotations)[ACKNOWLEDGED_ANNOTATION];
  return typeof value === 'string' ? value.split(',').map((id) => id.trim()) : [];
}

/** Where a job keeps checkpoints and another one could keep its own. Trials and copies have folders below it. */
function checkpointPlace({ namespace = '', spec: { checkpoint, checkpointPath } }: CheckedJob): string | undefined {
  if (checkpoint?.claimName !== undefined) {
    return JSON.stringify([namespace, checkpoint.claimName, withoutTrailingSlash(checkpoint.subPath ?? '')]);
  }
  return checkpointPath?.includes('://') === true ? withoutTrailingSlash(checkpointPath) : undefined;
}

function withoutTrailingSlash(path: string): string {
  return path.endsWith('/') ? path.slice(0, -1) : path;
}
