import { ApiObject, Lazy } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import type { Construct } from 'constructs';
import type { IComputeClass } from './capacity';
import type { Checkpoint } from './checkpoints/checkpoint';
import { Engine } from './engines/engine';
import type { Framework } from './framework';
import { ProgramChecks } from '../checks/program-checks';
import type { CredentialUse } from '../credentials/credential-use';
import { generatedName } from '../rendering/objects';
import { PlainApiObject } from '../rendering/plain-api-object';
import { dependOn, namespaceProblems, withCredentials } from '../credentials/with-credentials';
import { Companions, JobOnEngine } from './engines/job-on-engine';
import { partsOf } from './parts';
import type { JobOrigin, JobPart } from './parts/part';
import { plainCopy } from './plain-copy';
import type { TrainingRole } from './pods/role';
import { toTrainingJobSpec } from './to-spec';
import type { TrainingJobProps } from './training-job-props';
import type { EngineJob } from '../../manifests/engines/engine';
import { generatedNameMaxLength } from '../../manifests/engines/generated-name';
import { validateForEngine } from '../../manifests/engines/validation';
import { errorsOf, type Finding } from '../../model/findings';
import { findTokens } from '../../model/secrets/find-tokens';
import type { FrameworkName, TrainingJobSpec } from '../../model/training-job/spec';
import { formatViolation, type Violation } from '../../model/violations';
import type { IStorage, VolumeMount } from './pods/kplus-types';
import { checkProps, checkTypes } from '../props/check-props';

/**
 * A distributed training job.
 *
 * Synth checks all rules and reports the mistakes of all jobs of the app together. A job keeps a copy of its properties: later changes to those
 * objects have no effect. Use the methods of the job instead.
 * @example
 * import { Framework, Gpu, RestartPolicy, TrainingJob } from 'trainyard';
 *
 * new TrainingJob(chart, 'Resnet', {
 *   metadata: { name: 'resnet' },
 *   framework: Framework.pytorch(),
 *   image: 'registry.example/train:1',
 *   command: ['torchrun', 'train.py'],
 *   replicas: 2,
 *   resources: { gpu: Gpu.nvidia(8) },
 *   runPolicy: { restartPolicy: RestartPolicy.ON_FAILURE, backoffLimit: 3 },
 * });
 */
export class TrainingJob extends kplus.Resource {
  /** Plural name of the rendered kind, for RBAC rules. */
  public readonly resourceType: string;

  /** Framework of the training script. */
  public readonly framework: Framework;

  /** Image of the `training` container. */
  public readonly image: string;

  /** Number of replicas in the short form; undefined when the job has roles. */
  public readonly replicas?: number;

  /** What runs the job. */
  public readonly engine: Engine;

  /** Where checkpoints are saved; undefined if the job sets no `CHECKPOINT_PATH`. */
  public readonly checkpoint?: Checkpoint;

  protected readonly apiObject: ApiObject;

  private readonly props: TrainingJobProps;
  private readonly _roles: TrainingRole[];
  private _env: { readonly [name: string]: kplus.EnvValue };
  private readonly _volumeMounts: VolumeMount[] = [];
  private readonly _credentials: CredentialUse[] = [];
  private readonly parts: readonly JobPart[];
  private readonly companions?: Companions;
  private readonly onEngine: JobOnEngine;
  private readonly checks = ProgramChecks.of(this);
  /** The spec as written, then after each part; cached until the job changes. */
  private stages?: readonly TrainingJobSpec[];
  private searched?: { readonly job: EngineJob; readonly tokens: readonly Violation[] };

  public constructor(scope: Construct, id: string, props: TrainingJobProps) {
    super(scope, id);
    checkProps(this, 'TrainingJobProps', props);
    props = plainCopy(props);
    if (props.replicas !== undefined && props.roles !== undefined) {
      throw new Error(`TrainingJob at '${this.node.path}': sets both 'replicas' (short form) and 'roles' (long form), which have their own `
        + 'replicas. Remove one of the two.');
    }
    this.props = props;
    this.framework = props.framework;
    this.image = props.image;
    this.replicas = props.replicas;
    this.engine = props.engine ?? Engine.operator();
    this._roles = [...(props.roles ?? [])];
    this._env = { ...props.env };
    const { apiVersion, kind, plural, hasScale } = this.engine._definition.kindOf(this.framework.name as FrameworkName);
    const context = {
      construct: this,
      props,
      engine: this.engine,
      name: () => this.name,
      namespace: () => this.metadata.namespace,
      roles: () => this._roles,
      object: () => ({ apiVersion, kind, hasScale }),
    };
    this.parts = partsOf(context);
    this.onEngine = new JobOnEngine(this.engine._definition, () => ({
      name: this.name, namespace: this.metadata.namespace, labels: this.withPartLabels(props.metadata?.labels), spec: this._toSpec(),
    }), (job) => this.problemsOf(job));
    for (const { path, volume, ...options } of props.volumeMounts ?? []) {
      this.addVolumeMount(path, volume, options);
    }

    this.resourceType = plural;
    this.apiObject = new PlainApiObject(this, 'Resource', {
      apiVersion,
      kind,
      metadata: {
        ...props.metadata,
        name: props.metadata?.name ?? this.generateName({ apiVersion, kind }),
        ...(this.hasPartLabels() && { labels: { ...props.metadata?.labels, ...this.lazyLabels() } }),
      },
      spec: Lazy.any({ produce: () => this.onEngine.objects().job.spec }),
    });
    this.checkpoint = props.checkpoint?._of(this.name);
    for (const part of this.parts) {
      this.apiObject.addDependency(...part.bind?.() ?? []);
      part.join?.(() => this.findingsOf(part));
    }
    if (this.engine._definition.rendersMore) {
      this.companions = new Companions(this, this.apiObject, () => this.onEngine.tryObjects()?.companions ?? []);
      this.changed();
    }
    props.credentials?.forEach((use) => this.addCredentials(use));
    this.parts.forEach(({ credentials }) => credentials && this.addCredentials(credentials));
    this.node.addValidation({ validate: () => this.validate() });
    this.checks.addJob(this, this.apiObject, () => (this.onEngine.problems().length > 0 ? undefined : this.onEngine.job()));
    for (const part of this.parts) {
      if (part.join !== undefined) {
        this.checks.addSource(this, () => `TrainingJob '${this.name}'`, () => this.findingsOf(part));
      }
    }
  }

  /** ComputeClass of the job's capacity, for example for Kueue's flavors; undefined without `capacity`. */
  public get computeClass(): IComputeClass | undefined {
    return this.parts.find(({ computeClass }) => computeClass !== undefined)?.computeClass?.();
  }

  /** The roles of the long form, as a copy; empty in the short form. */
  public get roles(): TrainingRole[] {
    return [...this._roles];
  }

  /** The job's environment, as a copy, without the framework's variables. */
  public get env(): { [name: string]: kplus.EnvValue } {
    return { ...this._env };
  }

  /** The mounts of the `training` container, as a copy. */
  public get volumeMounts(): VolumeMount[] {
    return [...this._volumeMounts];
  }

  /** Adds a role. @param role the role; its name must be new */
  public addRole(role: TrainingRole): void {
    checkTypes('TrainingJob.addRole', 'TrainingRole', role);
    if (this.replicas !== undefined) {
      throw new Error(`TrainingJob at '${this.node.path}': cannot add role '${role.name}', because the job sets 'replicas' (short form). `
        + 'Remove replicas and add every role.');
    }
    this._roles.push(plainCopy(role));
    this.changed();
  }

  /**
   * Sets a variable of the `training` container on all roles. A variable of the same name is replaced.
   * @param name name of the variable
   * @param value its value
   */
  public addEnv(name: string, value: kplus.EnvValue): void {
    this._env = { ...this._env, [name]: value };
    this.changed();
  }

  /**
   * Gives tokens and keys to the `training` container of all roles.
   * @param use variables or files, such as `Credentials.secret(hub).asEnvironment({ HF_TOKEN: 'token' })`
   */
  public addCredentials(use: CredentialUse): void {
    const { env } = withCredentials(`TrainingJob at '${this.node.path}'`, { env: this._env, volumeMounts: this._volumeMounts }, [use]);
    this._env = env;
    for (const { path, volume, ...options } of use.mounts) {
      this.addVolumeMount(path, volume, options);
    }
    this._credentials.push(use);
    dependOn(this, [use]);
    this.changed();
  }

  /**
   * Mounts a volume into the `training` container of every replica.
   * @param path absolute path in the container
   * @param storage a volume, such as `Volume.fromPersistentVolumeClaim`, a claim or a store
   */
  public addVolumeMount(path: string, storage: IStorage, options: kplus.MountOptions = {}): void {
    const volume = storage.asVolume();
    const samePath = this._volumeMounts.find((mount) => mount.path === path);
    if (samePath) {
      throw new Error(`TrainingJob at '${this.node.path}': cannot mount volume '${volume.name}' at '${path}', because volume `
        + `'${samePath.volume.name}' is already mounted there. Choose another path.`);
    }
    const sameName = this._volumeMounts.find((mount) => mount.volume.name === volume.name && mount.volume !== volume);
    if (sameName) {
      throw new Error(`TrainingJob at '${this.node.path}': cannot mount a second volume named '${volume.name}' at '${path}', because the first, `
        + `at '${sameName.path}', is a different one. Mount the same Volume object twice, or rename one of them.`);
    }
    this._volumeMounts.push({ path, volume, ...options });
    this.changed();
  }

  /** The job's properties, with those that its parts share, and what was added since. @internal */
  public get _origin(): JobOrigin {
    const props: TrainingJobProps = Object.assign({}, this.props, ...this.parts.map((part) => part.shared?.() ?? {}));
    return { props, roles: this._roles, env: this._env, volumeMounts: this._volumeMounts, credentials: this._credentials };
  }

  /** The job as a spec, which every engine renders. @internal */
  public _toSpec(): TrainingJobSpec {
    return this.specBefore(undefined);
  }

  /** The spec after the parts before `end`. @param end undefined for all parts */
  private specBefore(end: JobPart | undefined): TrainingJobSpec {
    if (this.stages === undefined) {
      const stages = [this.writtenSpec()];
      this.parts.forEach((part, index) => stages.push(part.apply?.(stages[index]) ?? stages[index]));
      this.stages = stages;
    }
    return this.stages[end === undefined ? this.parts.length : this.parts.indexOf(end)];
  }

  private hasPartLabels(): boolean {
    return this.parts.some(({ labels }) => labels !== undefined);
  }

  private withPartLabels(labels: { readonly [label: string]: string } | undefined): { readonly [label: string]: string } | undefined {
    return this.hasPartLabels() ? Object.assign({}, labels, ...this.parts.map((part) => part.labels?.values(this.specBefore(part)))) : labels;
  }

  /** Labels whose values are computed at synth; those without a value are left out. */
  private lazyLabels(): { [label: string]: string } {
    return Object.fromEntries(this.parts.flatMap((part) => (part.labels?.names ?? []).map((name) => (
      [name, Lazy.any({ produce: () => part.labels?.values(this.specBefore(part))[name] }) as string]))));
  }

  /** A part's findings; none while the job violates other rules. */
  private findingsOf(part: JobPart): readonly Finding[] {
    return this.onEngine.problems().length > 0 ? [] : part.findings?.(this.onEngine.job()) ?? [];
  }

  /** The job without what its parts add. */
  private writtenSpec(): TrainingJobSpec {
    return toTrainingJobSpec(this.props, { roles: this._roles, env: this._env, checkpoint: this.checkpoint, volumeMounts: this._volumeMounts });
  }

  private validate(): string[] {
    const problems = this.onEngine.problems();
    const tokens = this.tokens();
    if (problems.length === 0 && tokens.length === 0 && this._credentials.length === 0) {
      // A shortcut for nearly all jobs, because cdk8s validates each job of an app again for each chart.
      return [];
    }
    return [...[...problems, ...tokens].map(formatViolation), ...namespaceProblems(this.metadata.namespace, this._credentials)]
      .map((problem) => `TrainingJob '${this.name}': ${problem}`);
  }

  /** Secrets in the job's values, searched once although cdk8s validates twice. Annotations can mark a value as not secret. */
  private tokens(): readonly Violation[] {
    // If the object has the spec itself, the checks of the program have searched it already.
    if (!this.engine._definition.rendersMore && this.checks.holdsNoTokens(this)) {
      return [];
    }
    const job = this.onEngine.job();
    if (this.searched?.job !== job) {
      const written = { metadata: { annotations: this.props.metadata?.annotations }, spec: job.spec };
      const suspected = findTokens(written, '').length > 0;
      const { annotations } = suspected ? this.metadata.toJson() as { readonly annotations?: object } : {};
      this.searched = { job, tokens: suspected ? findTokens({ ...written, metadata: { annotations } }, '') : [] };
    }
    return this.searched.tokens;
  }

  /** Only the violations of the first part that has any, because those of later parts may follow from them. */
  private problemsOf(job: EngineJob): readonly Violation[] {
    for (const part of this.parts) {
      const wrong = part.problems?.(this.specBefore(part)) ?? [];
      if (wrong.length > 0) {
        return wrong;
      }
    }
    const { needsNamespace } = this.engine._definition;
    if (needsNamespace !== undefined && job.namespace === undefined) {
      return [{ path: 'metadata.namespace', value: undefined, message: needsNamespace }];
    }
    const problems = validateForEngine(this.engine._definition, job.name, job.spec);
    return problems.length > 0 ? problems : this.parts.flatMap((part) => errorsOf([...part.findings?.(job) ?? []]));
  }

  /** Clears what was computed from the job, and adds the objects that its engine needs now. */
  private changed(): void {
    this.stages = undefined;
    this.onEngine.changed();
    if (this.companions !== undefined) {
      const { labels = {}, annotations = {} } = this.onEngine.tryObjects()?.job.metadata ?? {};
      Object.entries(labels).forEach(([name, value]) => this.metadata.addLabel(name, value));
      Object.entries(annotations).forEach(([name, value]) => this.metadata.addAnnotation(name, value));
      this.companions.update();
    }
    this.checks.changed();
  }

  /** The name that the chart gives, or a shorter one if the names of pods would be too long. */
  private generateName(object: { readonly apiVersion: string; readonly kind: string }): string {
    const { array, autoTuning } = this.props;
    const job = { framework: this.framework.name as FrameworkName, array, autoTuning };
    return generatedName(this, object, generatedNameMaxLength(this.engine._definition, job));
  }
}
