/** Checks objects against all rules for their kinds. */
import { diagnose, identityOf } from './diagnose';
import { describeObject, type Diagnostic, type RuleId, type Unchecked, type ValidationResult } from './diagnostic';
import { checkKind } from './kind-rules';
import { checkMetadata } from './metadata-rules';
import type { SourceObject, Sources } from './sources';
import { checkTemplates } from './template-rules';
import { withWebhookDefaults } from './webhook-defaults';
import type { Definitions, KindVersion } from '../crd/definitions';
import { validateObject } from '../crd/validate-object';
import { grouped } from '../text';
import { fieldPosition } from '../manifests/field-position';
import type { ManifestObject } from '../../model/objects/manifest-object';
import { PlaceChecks, checkedJob, type PlaceObject, type PlacedFinding } from '../../manifests/checks/place-checks';
import { CHECK_RULES } from '../../model/checks/rule-list';
import type { EngineDefinition } from '../../manifests/engines/engine';
import { validateForEngine } from '../../manifests/engines/validation';
import { GROUP_VERSION, TRAINING_JOB_KIND } from '../../model/labels';
import type { TrainingJobSpec } from '../../model/training-job/spec';
import { didYouMean, type Violation } from '../../model/violations';
import { addTo, entryFor } from '../../model/lists';

/** What to check against. */
export interface ValidationSettings {
  readonly engine: EngineDefinition;
  readonly definitions: Definitions;
}

const TRAINING_JOB_FIELDS = ['apiVersion', 'kind', 'metadata', 'spec', 'status'];

/** Checks everything that was read. */
export function validateSources({ objects, diagnostics, warnings: ofConstructs }: Sources, settings: ValidationSettings): ValidationResult {
  const found: Diagnostic[] = [...diagnostics];
  const warnings: Diagnostic[] = [...ofConstructs];
  const warned = new Set(ofConstructs.map(({ file, construct, id }) => JSON.stringify([file, construct, id])));
  const unchecked: Unchecked[] = [];
  const seen = new Map<string, Map<string, SourceObject>>();
  const places = placesOf(objects, settings.engine);
  for (const source of objects) {
    const key = neighbourhood(source);
    const twin = findTwin(source, entryFor(seen, key, () => new Map<string, SourceObject>()));
    if (twin !== undefined) {
      found.push(diagnose(source, 'duplicate', { path: 'metadata.name', value: source.located.object.metadata?.name, message: twinMessage(source, twin) }));
    }
    const results = new ObjectCheck(source, settings, places.get(key)!).run();
    addTo(found, results.diagnostics);
    // The checks find again in objects what their construct has already warned about.
    addTo(warnings, results.warnings.filter((warning) => !isWarned(warning, source, warned)));
    addTo(unchecked, results.unchecked);
  }
  return { diagnostics: found, warnings, unchecked, objects: objects.length };
}

/** Whether the construct of an object, or one around it, has given the same warning. */
function isWarned({ id }: Diagnostic, { file, construct }: SourceObject, warned: ReadonlySet<string>): boolean {
  if (construct === undefined || id === undefined) {
    return false;
  }
  const steps = construct.split('/');
  return steps.some((_step, index) => warned.has(JSON.stringify([file, steps.slice(0, index + 1).join('/'), id])));
}

/** Places by {@link neighbourhood}: separate arguments can be for different clusters, and so can environments. */
function placesOf(objects: readonly SourceObject[], engine: EngineDefinition): ReadonlyMap<string, Place> {
  return new Map([...grouped(objects, neighbourhood)].map(([key, together]) => [key, new Place(together, engine)]));
}

/** The objects of a place, which are checked against each other. */
class Place {
  private readonly objects = new Map<SourceObject, JudgedObject>();
  private readonly checks: PlaceChecks;

  public constructor(sources: readonly SourceObject[], engine: EngineDefinition) {
    sources.forEach((source) => this.objects.set(source, judged(source.located.object, engine)));
    this.checks = new PlaceChecks([...this.objects.values()]);
  }

  /** Violations of the model's and the engine's rules by a training job. */
  public violations(source: SourceObject): readonly Violation[] {
    return this.objects.get(source)!.violations;
  }

  /** @param isClusterScoped whether the kind is known to be cluster-scoped */
  public check(source: SourceObject, isClusterScoped: boolean): PlacedFinding[] {
    return this.checks.check({ ...this.objects.get(source)!, isClusterScoped });
  }
}

/** An object with its violations as a training job. */
interface JudgedObject extends PlaceObject {
  readonly violations: readonly Violation[];
}

function judged(object: ManifestObject, engine: EngineDefinition): JudgedObject {
  const { apiVersion, kind, metadata, spec } = object;
  if (apiVersion !== GROUP_VERSION || kind !== TRAINING_JOB_KIND) {
    return { object, violations: [] };
  }
  if (spec === undefined || spec === null) {
    return { object, isOfJob: true, violations: [] };
  }
  const job = { name: jobName(metadata), namespace: metadata?.namespace, spec: spec as TrainingJobSpec };
  const violations = validateForEngine(engine, job.name, job.spec);
  return { object, isOfJob: true, violations, job: violations.length === 0 ? checkedJob(job) : undefined };
}

/** Another rule reports a missing name. The rules on the spec apply to any name. */
function jobName(metadata: ManifestObject['metadata']): string {
  return typeof metadata?.name === 'string' && metadata.name !== '' ? metadata.name : 'job';
}

function neighbourhood({ place, environment = '' }: SourceObject): string {
  return JSON.stringify([place, environment]);
}

class ObjectCheck {
  private readonly diagnostics: Diagnostic[] = [];
  private readonly warnings: Diagnostic[] = [];
  private readonly unchecked: Unchecked[] = [];
  private readonly object: ManifestObject;

  public constructor(private readonly source: SourceObject, private readonly settings: ValidationSettings, private readonly neighbours: Place) {
    this.object = source.located.object;
  }

  public run(): Omit<ValidationResult, 'objects'> {
    const { violations, isTrainingJob, definition, namespaced, reader } = checkKind(this.source.file, this.object, this.settings.definitions);
    if (reader !== undefined) {
      this.unchecked.push({ what: 'file', ...this.place(), message: `this is configuration of ${reader}, not an object of a cluster, and was not checked.` });
      return { diagnostics: [], warnings: [], unchecked: this.unchecked };
    }
    this.add('kind', violations);
    this.add('metadata', checkMetadata(this.object, { nameIsChecked: isTrainingJob, namespaced }));
    if (isTrainingJob) {
      this.checkTrainingJob();
    } else if (definition !== undefined) {
      this.checkDefinition(definition, this.object, '');
    } else if (violations.length === 0) {
      this.unchecked.push({ what: 'definition', ...this.place(), message: 'only kind and metadata were checked, because there is no definition of it.' });
    }
    // Rules rely on the types of the structure.
    const isSound = !this.diagnostics.some(({ rule }) => rule === 'schema' || rule === 'kind');
    this.addFindings(this.neighbours.check(this.source, namespaced === false).filter(({ rule }) => isSound || rule !== CHECK_RULES.foreign.id));
    return { diagnostics: this.diagnostics, warnings: this.warnings, unchecked: this.unchecked };
  }

  private checkTrainingJob(): void {
    const { metadata, spec, ...others } = this.object;
    for (const [name, value] of Object.entries(others).filter(([field]) => !TRAINING_JOB_FIELDS.includes(field))) {
      const hint = didYouMean(name, TRAINING_JOB_FIELDS) || ' Move it below spec, or remove it.';
      this.add('unknown-field', [{ path: name, value, message: `is not a field of an MLTrainingJob.${hint}` }]);
    }
    if (spec === undefined || spec === null) {
      this.add('training-job', [{ path: 'spec', value: spec, message: 'is required: the training job, with framework, image and replicas.' }]);
      return;
    }
    const violations = this.neighbours.violations(this.source);
    this.add('training-job', violations);
    if (violations.length === 0) {
      checkTemplates(spec as TrainingJobSpec, this.settings.definitions).forEach((finding) => this.add(finding.rule, [finding]));
      this.checkRendered(jobName(metadata), spec as TrainingJobSpec);
    }
  }

  /** The objects of another engine must match its definitions. This finds mistakes in pod templates. */
  private checkRendered(name: string, spec: TrainingJobSpec): void {
    const { engine, definitions } = this.settings;
    const { job, companions } = engine.render({ name, namespace: this.object.metadata?.namespace, spec });
    for (const rendered of [job, ...companions] as unknown as ManifestObject[]) {
      const lookup = definitions.lookup(rendered.apiVersion!, rendered.kind!);
      if ('found' in lookup && rendered.kind !== TRAINING_JOB_KIND) {
        this.checkDefinition(lookup.found, JSON.parse(JSON.stringify(rendered)) as ManifestObject, `${rendered.kind}: `);
      }
    }
  }

  private checkDefinition(definition: KindVersion, object: ManifestObject, prefix: string): void {
    const { findings, unchecked, rulesLeftOut } = validateObject(definition, withWebhookDefaults(object));
    for (const { rule, path, value, message } of findings) {
      this.add(rule, [{ path: `${prefix}${path}`, value, message }]);
    }
    for (const { path, rule, why } of unchecked) {
      this.unchecked.push({ what: 'rule', ...this.place(), path: path || undefined, message: `a rule was not checked, because ${why}: ${rule}` });
    }
    if (rulesLeftOut) {
      this.unchecked.push({ what: 'rules', ...this.place(), message: 'the rules of the definition were not checked yet: fix the mistakes above first.' });
    }
  }

  private add(rule: RuleId, violations: readonly Violation[]): void {
    addTo(this.diagnostics, violations.map((violation) => diagnose(this.source, rule, violation)));
  }

  private addFindings(findings: readonly PlacedFinding[]): void {
    for (const finding of findings) {
      (finding.severity === 'error' ? this.diagnostics : this.warnings).push({
        ...diagnose(this.source, finding.category, finding), id: finding.rule, ...(finding.source !== undefined && { source: finding.source }),
      });
    }
  }

  private place(): Pick<Unchecked, 'file' | 'object'> {
    return { file: this.source.file, object: identityOf(this.object) };
  }
}

/** An earlier object with the same name. */
function findTwin(source: SourceObject, seen: Map<string, SourceObject>): SourceObject | undefined {
  const { apiVersion, kind, metadata } = source.located.object;
  if (typeof kind !== 'string' || typeof metadata?.name !== 'string') {
    return undefined;
  }
  const key = JSON.stringify([typeof apiVersion === 'string' ? apiVersion.split('/').slice(0, -1) : [], kind, metadata.namespace, metadata.name]);
  const twin = seen.get(key);
  seen.set(key, twin ?? source);
  return twin;
}

function twinMessage(source: SourceObject, twin: SourceObject): string {
  const line = twin.hasText ? `, line ${fieldPosition(twin.located.source, twin.located.base, 'metadata.name').line}` : '';
  return `is taken: ${describeObject(identityOf(source.located.object))} is already in ${twin.file}${line}, and the last one applied would win. Rename or remove one.`;
}
