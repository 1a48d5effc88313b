/**
 * Checks a whole program when cdk8s validates it: warnings of its constructs, and its objects against each other. Errors are reported with those of
 * all constructs; each warning is written to standard error once, or is an error with `TRAINYARD_STRICT`.
 */
import { appendFileSync } from 'node:fs';
import { ApiObject } from 'cdk8s';
import { Node, type IConstruct } from 'constructs';
import { PlaceChecks, checkedJob, type PlaceObject, type ValidJob } from '../../manifests/checks/place-checks';
import { STRICT_VARIABLE, WARNING_RECORD_VARIABLE, isStrict, type RecordedWarning } from '../../manifests/checks/warning-record';
import { CHECK_RULES } from '../../model/checks/rule-list';
import type { Finding } from '../../model/findings';
import { addTo } from '../../model/lists';
import { ACKNOWLEDGED_ANNOTATION } from '../../model/labels';
import type { ManifestObject } from '../../model/objects/manifest-object';
import { formatViolation } from '../../model/violations';

/** A finding about a program. */
export interface ProgramFinding {
  readonly construct: IConstruct;
  /** `TrainingJob 'NAME'`. */
  readonly subject: string;
  readonly finding: Finding;
  /** Affected objects. */
  readonly objects: readonly ApiObject[];
}

/** A construct with findings of its own. */
interface Source {
  readonly construct: IConstruct;
  readonly subject: () => string;
  readonly findings: () => readonly Finding[];
}

/** A training job, and the object that it is rendered to. */
interface Job {
  readonly construct: IConstruct;
  readonly resource: ApiObject;
  readonly job: () => ValidJob | undefined;
  /** Whether nothing in its object looks like the beginning of a secret. @default - unknown */
  holdsNoTokens?: boolean;
}

const PROGRAMS = new WeakMap<IConstruct, ProgramChecks>();

/** See the top of this file. One for each tree of constructs. */
export class ProgramChecks {
  /** The checks of the program that a construct is in. */
  public static of(construct: IConstruct): ProgramChecks {
    const root = construct.node.root;
    const known = PROGRAMS.get(root);
    if (known !== undefined) {
      return known;
    }
    const checks = new ProgramChecks(root);
    PROGRAMS.set(root, checks);
    return checks;
  }

  private readonly sources: Source[] = [];
  private readonly jobs = new Map<IConstruct, Job>();
  private readonly acknowledged = new Map<IConstruct, Set<string>>();
  private readonly shown = new Set<string>();
  private cached?: { readonly findings: readonly ProgramFinding[]; readonly constructs: number };

  private constructor(private readonly root: IConstruct) {
    root.node.addValidation({ validate: () => this.validate() });
  }

  /** Adds a construct's findings. Only warnings are shown: the construct's own validation reports its errors. */
  public addSource(construct: IConstruct, subject: () => string, findings: () => readonly Finding[]): void {
    this.sources.push({ construct, subject, findings });
  }

  /** Adds a training job. @param job returns undefined while it has errors */
  public addJob(construct: IConstruct, resource: ApiObject, job: () => ValidJob | undefined): void {
    this.jobs.set(construct, { construct, resource, job });
  }

  /** Accepts the findings of a rule for a construct and everything below it. */
  public acknowledge(scope: IConstruct, id: string): void {
    this.acknowledged.set(scope, (this.acknowledged.get(scope) ?? new Set()).add(id));
    this.changed();
  }

  /** Call this when the program has changed. */
  public changed(): void {
    this.cached = undefined;
  }

  /** Findings that are not acknowledged. cdk8s validates many times in one synth: they are cached until it returns, or a construct is added. */
  public findings(): readonly ProgramFinding[] {
    if (this.cached !== undefined && this.cached.constructs === countOf(this.root)) {
      return this.cached.findings;
    }
    const constructs = this.root.node.findAll();
    const findings = this.look(constructs);
    this.cached = { findings, constructs: constructs.length };
    queueMicrotask(() => this.changed());
    return findings;
  }

  /** Whether the object of a job was searched, and nothing in it looks like the start of a secret. */
  public holdsNoTokens(construct: IConstruct): boolean {
    return this.cached !== undefined && this.jobs.get(construct)?.holdsNoTokens === true;
  }

  private validate(): string[] {
    const found = this.findings();
    // eslint-disable-next-line no-restricted-properties -- a switch for users who run synth; it does not change manifests
    const strict = isStrict(process.env[STRICT_VARIABLE]);
    const errors = found.filter(({ finding: { severity } }) => severity === 'error' || strict);
    if (errors.length > 0) {
      this.throwErrors(errors);
    }
    found.filter((one) => !errors.includes(one)).forEach((warning) => this.show(warning));
    return [];
  }

  /** Throws the errors in the format of cdk8s, which would name the root as the construct. Errors of the constructs themselves come first. */
  private throwErrors(errors: readonly ProgramFinding[]): void {
    const others = this.root.node.findAll().filter((construct) => construct !== this.root);
    if (others.every((construct) => construct.node.validate().length === 0)) {
      const lines = errors.map((error) => `[${error.construct.node.path}] ${lineOf(error)}`);
      throw new Error(`Validation failed with the following errors:\n  ${lines.join('\n  ')}`);
    }
  }

  private show(warning: ProgramFinding): void {
    const { construct, subject, finding } = warning;
    const line = `trainyard: warning: [${construct.node.path}] ${lineOf(warning)}\n`;
    if (this.shown.has(line)) {
      return;
    }
    this.shown.add(line);
    // eslint-disable-next-line no-restricted-properties -- set by the command that runs the program; without it, warnings go to standard error
    const record = process.env[WARNING_RECORD_VARIABLE];
    if (record !== undefined && record !== '') {
      appendFileSync(record, `${JSON.stringify({ construct: construct.node.path, subject, finding } satisfies RecordedWarning)}\n`);
    // eslint-disable-next-line no-restricted-properties -- tests read warnings with Warnings.of(...).list
    } else if (process.env.JEST_WORKER_ID === undefined) {
      process.stderr.write(line);
    }
  }

  private look(constructs: readonly IConstruct[]): ProgramFinding[] {
    const found = [...this.ofSources(), ...this.ofObjects(constructs.filter((construct) => ApiObject.isApiObject(construct)))];
    return found.filter((one) => {
      const isKnown = one.construct.node.scopes.some((scope) => this.acknowledged.get(scope)?.has(one.finding.rule));
      if (isKnown) {
        one.objects.forEach((object) => annotate(object, one.finding.rule));
      }
      return !isKnown;
    });
  }

  private ofSources(): ProgramFinding[] {
    return this.sources.flatMap(({ construct, subject, findings }) => findings().filter(({ severity }) => severity === 'warning')
      .map((finding) => ({ construct, subject: subject(), finding, objects: [] })));
  }

  private ofObjects(apiObjects: readonly ApiObject[]): ProgramFinding[] {
    const objects: RenderedObject[] = [];
    for (const apiObject of apiObjects) {
      const manifest = rendered(apiObject);
      if (manifest !== undefined) {
        const job = this.jobOf(apiObject);
        objects.push({ apiObject, job, placed: placedObject(apiObject, manifest, job) });
      }
    }
    const checks = new PlaceChecks(objects.map(({ placed }) => placed));
    const found: ProgramFinding[] = [];
    for (const { apiObject, job, placed } of objects) {
      for (const finding of checks.check(placed)) {
        const subject = job === undefined ? `${apiObject.kind} '${apiObject.name}'` : `TrainingJob '${placed.job?.name ?? apiObject.name}'`;
        found.push({ construct: job?.construct ?? ownerOf(apiObject), subject, finding, objects: [apiObject] });
      }
      if (job?.resource === apiObject) {
        job.holdsNoTokens = !checks.isSuspected(placed.object);
      }
    }
    addTo(found, duplicates(objects));
    return found;
  }

  /** The outermost job that contains an object. */
  private jobOf(apiObject: ApiObject): Job | undefined {
    let job: Job | undefined;
    for (let scope: IConstruct | undefined = apiObject; scope !== undefined; scope = scope.node.scope) {
      job = this.jobs.get(scope) ?? job;
    }
    return job;
  }
}

/** An object as synth will write it. */
interface RenderedObject {
  readonly apiObject: ApiObject;
  readonly job?: Job;
  readonly placed: PlaceObject;
}

/** Number of constructs in a tree. */
function countOf(construct: IConstruct): number {
  let count = 1;
  for (const child of construct.node.children) {
    count += countOf(child);
  }
  return count;
}

/** `TrainingJob 'NAME': PATH: VALUE: MESSAGE [ID]`. */
export function lineOf({ subject, finding }: ProgramFinding): string {
  return `${subject}: ${formatViolation(finding)} [${finding.rule}]`;
}

function placedObject(apiObject: ApiObject, object: ManifestObject, job: Job | undefined): PlaceObject {
  const valid = job?.resource === apiObject ? job.job() : undefined;
  return { object, job: valid && checkedJob(valid), isOfJob: job !== undefined };
}

/** The object as synth will write it; undefined if it cannot be rendered, which synth reports. */
function rendered(apiObject: ApiObject & { _lookAtJson?(): object }): ManifestObject | undefined {
  try {
    return (apiObject._lookAtJson?.() ?? apiObject.toJson()) as ManifestObject;
  } catch {
    return undefined;
  }
}

/** The construct that users associate with an object. */
function ownerOf(apiObject: ApiObject): IConstruct {
  const scope = apiObject.node.scope;
  return scope !== undefined && ['Resource', 'Default'].includes(apiObject.node.id) ? scope : apiObject;
}

/** Different objects with the same kind and name: the last one that is applied wins. Identical ones are harmless. */
function duplicates(objects: readonly RenderedObject[]): ProgramFinding[] {
  const seen = new Map<string, RenderedObject>();
  const found: ProgramFinding[] = [];
  for (const one of objects) {
    const { apiObject, placed: { object } } = one;
    // No part of the key contains a space.
    const key = `${apiObject.apiGroup} ${apiObject.kind} ${object.metadata?.namespace ?? ''} ${apiObject.name}`;
    const first = seen.get(key);
    if (first === undefined) {
      seen.set(key, one);
    } else if (JSON.stringify(first.placed.object) !== JSON.stringify(object)) {
      found.push({
        construct: ownerOf(apiObject),
        subject: `${apiObject.kind} '${apiObject.name}'`,
        finding: {
          severity: 'error', rule: CHECK_RULES.duplicate.id, path: 'metadata.name', value: apiObject.name,
          message: `is taken by '${Node.of(first.apiObject).path}': the last one that is applied would win. Rename or remove one.`,
        },
        objects: [apiObject],
      });
    }
  }
  return found;
}

/** Annotates the object with the acknowledged finding, so that `trainyard validate` accepts it in the manifest too. */
function annotate(object: ApiObject, id: string): void {
  const known = object.metadata.toJson() as { readonly annotations?: { readonly [name: string]: string } } | undefined;
  const ids = new Set((known?.annotations?.[ACKNOWLEDGED_ANNOTATION] ?? '').split(',').filter((one) => one !== ''));
  if (!ids.has(id)) {
    object.metadata.addAnnotation(ACKNOWLEDGED_ANNOTATION, [...ids, id].sort().join(','));
  }
}
