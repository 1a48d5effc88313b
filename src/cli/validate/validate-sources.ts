/** Checks objects by everything that is known of their kinds. */
import { AcceleratorsOfPlace } from './accelerator-rules';
import { describeObject, type Diagnostic, type DiagnosedObject, type RuleId, type Unchecked, type ValidationResult } from './diagnostic';
import { checkKind } from './kind-rules';
import { checkMetadata } from './metadata-rules';
import { secretsIn } from './secret-rules';
import type { SourceObject, Sources } from './sources';
import { StorageOfPlace } from './storage-rules';
import { checkTemplates } from './template-rules';
import type { Definitions, KindVersion } from '../crd/definitions';
import { validateObject } from '../crd/validate-object';
import { fieldPosition, writtenAs } from '../manifests/field-position';
import type { ManifestObject } from '../read-manifests';
import type { EngineDefinition } from '../../manifests/engines/engine';
import { validateForEngine } from '../../manifests/engines/validation';
import type { Finding } from '../../model/accelerators/findings';
import { TRAINING_JOB_KIND } from '../../model/labels';
import { shownValue } from '../../model/secrets/recognise';
import type { TrainingJobSpec } from '../../model/training-job/spec';
import { boundedViolation, didYouMean, type Violation } from '../../model/violations';
import { addTo } from '../../model/lists';
import { shortened } from '../../model/text/printable';

/** What to check against. */
export interface ValidationSettings {
  readonly engine: EngineDefinition;
  readonly definitions: Definitions;
}

/** Longest name of an object, as it is shown. */
const NAME_LENGTH = 512;

const TRAINING_JOB_FIELDS = ['apiVersion', 'kind', 'metadata', 'spec', 'status'];

/** Checks everything that was read. */
export function validateSources({ objects, diagnostics }: Sources, settings: ValidationSettings): ValidationResult {
  const found: Diagnostic[] = [...diagnostics];
  const warnings: Diagnostic[] = [];
  const unchecked: Unchecked[] = [];
  const seen = new Map<string, Map<string, SourceObject>>();
  const places = new Map<string, Place>();
  for (const source of objects) {
    // What is given apart may be for different clusters, and so are environments.
    const key = neighbourhood(source);
    const neighbours = seen.get(key) ?? new Map<string, SourceObject>();
    seen.set(key, neighbours);
    const twin = findTwin(source, neighbours);
    if (twin !== undefined) {
      found.push(diagnose(source, 'duplicate', { path: 'metadata.name', value: source.located.object.metadata?.name, message: twinMessage(source, twin) }));
    }
    const place = places.get(key) ?? placeOf(objects.filter((each) => neighbourhood(each) === key));
    places.set(key, place);
    const results = new ObjectCheck(source, settings, place).run();
    addTo(found, results.diagnostics);
    addTo(warnings, results.warnings);
    addTo(unchecked, results.unchecked);
  }
  return { diagnostics: found, warnings, unchecked, objects: objects.length };
}

/** What objects are held against that stand in the same place. */
interface Place {
  readonly stores: StorageOfPlace;
  readonly accelerators: AcceleratorsOfPlace;
}

function neighbourhood({ place, environment = '' }: SourceObject): string {
  return JSON.stringify([place, environment]);
}

function placeOf(objects: readonly SourceObject[]): Place {
  return { stores: new StorageOfPlace(objects), accelerators: new AcceleratorsOfPlace(objects.map(({ located }) => located.object)) };
}

/** Checks one object. */
class ObjectCheck {
  private readonly diagnostics: Diagnostic[] = [];
  private readonly warnings: Diagnostic[] = [];
  private readonly unchecked: Unchecked[] = [];
  private readonly object: ManifestObject;

  public constructor(private readonly source: SourceObject, private readonly settings: ValidationSettings, private readonly neighbours: Place) {
    this.object = source.located.object;
  }

  public run(): Omit<ValidationResult, 'objects'> {
    const { violations, isTrainingJob, definition, namespaced } = checkKind(this.object, this.settings.definitions);
    this.add('kind', violations);
    this.add('metadata', checkMetadata(this.object, { nameIsChecked: isTrainingJob, namespaced }));
    if (isTrainingJob) {
      this.checkTrainingJob();
    } else if (definition !== undefined) {
      this.checkDefinition(definition, this.object, '');
    } else if (violations.length === 0) {
      this.unchecked.push({ what: 'definition', ...this.place(), message: 'only kind and metadata were checked, for want of a definition.' });
    }
    if (!isTrainingJob) {
      this.addFindings('accelerator', this.neighbours.accelerators.check(this.object));
    }
    this.addFindings('storage', this.neighbours.stores.check(this.object));
    const { mistakes, warnings } = secretsIn(this.object);
    this.add('secret', mistakes);
    addTo(this.warnings, warnings.map((violation) => diagnose(this.source, 'secret', violation)));
    return { diagnostics: this.diagnostics, warnings: this.warnings, unchecked: this.unchecked };
  }

  private checkTrainingJob(): void {
    const { metadata, spec } = this.object;
    for (const [name, value] of Object.entries(this.object).filter(([field]) => !TRAINING_JOB_FIELDS.includes(field))) {
      const hint = didYouMean(name, TRAINING_JOB_FIELDS) || ' Move it below spec, or remove it.';
      this.add('unknown-field', [{ path: name, value, message: `is no field of an ${TRAINING_JOB_KIND}.${hint}` }]);
    }
    if (spec === undefined || spec === null) {
      this.add('training-job', [{ path: 'spec', value: spec, message: 'is required: the training job, with framework, image and replicas.' }]);
      return;
    }
    // A missing name is told already; the rules on the spec hold for any.
    const name = typeof metadata?.name === 'string' && metadata.name !== '' ? metadata.name : 'job';
    const violations = validateForEngine(this.settings.engine, name, spec as TrainingJobSpec);
    this.add('training-job', violations);
    if (violations.length === 0) {
      this.addFindings('accelerator', this.neighbours.accelerators.checkJob(name, spec as TrainingJobSpec));
      this.checkTemplates(spec as TrainingJobSpec);
      this.checkRendered(name, spec as TrainingJobSpec);
    }
  }

  private checkTemplates(spec: TrainingJobSpec): void {
    const { findings, unchecked } = checkTemplates(spec, this.settings.definitions);
    findings.forEach((finding) => this.add(finding.rule, [finding]));
    addTo(this.unchecked, unchecked.map((path) => ({
      what: 'template' as const, ...this.place(), path, message: 'fields of pods were not checked; they are with a definition of JobSet, PyTorchJob, LeaderWorkerSet or RayCluster (--crds).',
    })));
  }

  /** What another engine's job becomes keeps that engine's definitions: a slip in a pod template comes to light here. */
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
    const { findings, unchecked, rulesLeftOut } = validateObject(definition, object);
    for (const { rule, path, value, message } of findings) {
      this.add(rule, [{ path: `${prefix}${path}`, value, message }]);
    }
    for (const { path, rule, why } of unchecked) {
      this.unchecked.push({ what: 'rule', ...this.place(), path: path || undefined, message: `a rule was not checked, because ${why}: ${rule}` });
    }
    if (rulesLeftOut) {
      this.unchecked.push({ what: 'rules', ...this.place(), message: 'the rules of the definition were not checked yet: they rely on what is wrong above.' });
    }
  }

  private add(rule: RuleId, violations: readonly Violation[]): void {
    addTo(this.diagnostics, violations.map((violation) => diagnose(this.source, rule, violation)));
  }

  private addFindings(rule: RuleId, findings: readonly Finding[]): void {
    for (const finding of findings) {
      (finding.severity === 'error' ? this.diagnostics : this.warnings).push({ ...diagnose(this.source, rule, finding), source: finding.source });
    }
  }

  private place(): Pick<Unchecked, 'file' | 'object'> {
    return { file: this.source.file, object: identityOf(this.object) };
  }
}

function diagnose(source: SourceObject, rule: RuleId, { path, value, message }: Violation): Diagnostic {
  const { located, file, hasText, construct } = source;
  const shown = boundedViolation({ path, value, message });
  const written = hasText && (typeof value === 'boolean' || typeof value === 'number') ? writtenAs(located.source, located.base, path) : undefined;
  return {
    rule,
    file,
    position: hasText ? fieldPosition(located.source, located.base, path, message.startsWith('is no field')) : undefined,
    construct,
    object: identityOf(located.object),
    path: path === '' ? undefined : shown.path,
    value: shownValue(shown.path, shown.value),
    message: written === undefined ? shown.message : asWritten(shown.message, String(value), written),
  };
}

/** YAML makes true of yes, and 8 of 010: what stands in the file is the text that was meant. */
function asWritten(message: string, value: string, written: string): string {
  return written === value || Number(written) === Number(value) ? message
    : `${message.replace(`in quotes: "${value}"`, `in quotes: "${written}"`)} (Without quotes, kubectl reads ${written} as ${value}.)`;
}

/** Who it is, in as much text as a name may have. */
function identityOf({ apiVersion, kind, metadata }: ManifestObject): DiagnosedObject {
  const text = (value: unknown) => (typeof value === 'string' ? shortened(value, NAME_LENGTH) : undefined);
  return { apiVersion: text(apiVersion), kind: text(kind), namespace: text(metadata?.namespace), name: text(metadata?.name) };
}

/** An object that was given before under the same name. */
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
  return `is taken: ${describeObject(identityOf(source.located.object))} is already in ${twin.file}${line}, and the last one that is applied would win. Rename or remove one.`;
}
