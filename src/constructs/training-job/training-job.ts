import { ApiObject, Lazy, Names } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import type { Construct } from 'constructs';
import { addAutoscaler } from './add-autoscaler';
import { capacityProblems, withCapacity, type BoundCapacity } from './capacity-placement';
import type { Checkpoint } from './checkpoints/checkpoint';
import { storeFindings, storeProblems, withStore, type JobOfStore } from './checkpoints/checkpoint-binding';
import { Engine } from './engines/engine';
import { EngineCompanions } from './engines/engine-companions';
import type { Framework } from './framework';
import { ProgramChecks } from '../checks/program-checks';
import type { CredentialUse } from '../credentials/credential-use';
import { PlainApiObject } from '../rendering/plain-api-object';
import { dependOn, namespaceProblems, withCredentials } from '../credentials/with-credentials';
import { JobRun } from '../runs/job-run';
import { JobCapacity } from './job-capacity';
import { acceleratorProblems, hasAccelerators, selectionProblems, withAccelerators, type JobAccelerators } from './job-accelerators';
import { JobOnEngine } from './engines/job-on-engine';
import { plainCopy } from './plain-copy';
import type { TrainingRole } from './pods/role';
import { toTrainingJobSpec } from './to-spec';
import type { TrainingJobProps } from './training-job-props';
import type { GpuComputeClass } from '../gke/node-pools/gpu-compute-class';
import { Workspace, type WorkspaceOptions } from '../workbench/workspace';
import type { EngineJob } from '../../manifests/engines/engine';
import { generatedNameMaxLength } from '../../manifests/engines/generated-name';
import { validateForEngine } from '../../manifests/engines/validation';
import { RUN_LABELS } from '../../model/runs/identity';
import { findTokens } from '../../model/secrets/find-tokens';
import type { FrameworkName, TrainingJobSpec } from '../../model/training-job/spec';
import { formatViolation, type Violation } from '../../model/violations';
import type { IStorage, VolumeMount } from './pods/kplus-types';
import { checkProps, checkTypes } from '../props/check-props';

/**
 * A distributed training run.
 *
 * All rules are checked at synth, and everything that is wrong with any job of the app is reported at once. A job keeps a copy of its properties:
 * what happens to the objects afterwards changes nothing, and the methods of the job do.
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

  /** Where checkpoints go; undefined when the script has no place for them. */
  public readonly checkpoint?: Checkpoint;

  protected readonly apiObject: ApiObject;

  private readonly props: TrainingJobProps;
  private readonly _roles: TrainingRole[];
  private _env: { readonly [name: string]: kplus.EnvValue };
  private readonly _volumeMounts: VolumeMount[] = [];
  private readonly _credentials: CredentialUse[] = [];
  private readonly run: JobRun;
  private readonly companions?: EngineCompanions;
  private readonly bound?: BoundCapacity;
  private readonly onEngine: JobOnEngine;
  private searched?: { readonly job: EngineJob; readonly tokens: readonly Violation[] };

  public constructor(scope: Construct, id: string, props: TrainingJobProps) {
    super(scope, id);
    checkProps(this, 'TrainingJobProps', props);
    props = plainCopy(props);
    if (props.replicas !== undefined && props.roles !== undefined) {
      throw new Error(`TrainingJob at '${this.node.path}': gives both 'replicas' (short form) and 'roles' (long form), which count their own `
        + 'replicas. Remove one of the two.');
    }
    this.props = props;
    this.framework = props.framework;
    this.image = props.image;
    this.replicas = props.replicas;
    this.engine = props.engine ?? Engine.operator();
    this._roles = [...(props.roles ?? [])];
    this._env = { ...props.env };
    this.run = new JobRun(props.run, props.tracker);
    this.onEngine = new JobOnEngine(this.engine._definition, () => ({
      name: this.name, namespace: this.metadata.namespace, labels: this.withRunLabels(props.metadata?.labels), spec: this._toSpec(),
    }), (job) => this.problemsOf(job));
    for (const { path, volume, ...options } of props.volumeMounts ?? []) {
      this.addVolumeMount(path, volume, options);
    }

    const { apiVersion, kind, plural, hasScale } = this.engine._definition.kindOf(this.framework.name as FrameworkName);
    this.resourceType = plural;
    this.apiObject = new PlainApiObject(this, 'Resource', {
      apiVersion,
      kind,
      metadata: {
        ...props.metadata,
        name: props.metadata?.name ?? this.generateName({ apiVersion, kind }),
        ...(this.run.isGiven && { labels: { ...props.metadata?.labels, ...lazyLabels(() => this.run.labels(this.name, this.specWithoutRun())) } }),
      },
      spec: Lazy.any({ produce: () => this.onEngine.objects().job.spec }),
    });
    this.checkpoint = props.checkpoint?._of(this.name);
    this.apiObject.addDependency(...props.code?._bind(this, props.metadata?.namespace) ?? []);
    this.bound = props.capacity?._bind(this, this.name, this.metadata.namespace);
    if (this.bound !== undefined) {
      this.apiObject.addDependency(this.bound.computeClass);
    }
    const binding = this.checkpoint?._binding;
    if (binding !== undefined) {
      this.apiObject.addDependency(binding.store);
      binding.join(() => this.name, () => (this.onEngine.problems().length > 0 ? [] : storeFindings(this.jobOfStore(), binding)));
    }
    if (this.engine._definition.rendersMore) {
      this.companions = new EngineCompanions(this, this.apiObject, () => this.onEngine.tryObjects());
      this.changed();
    }
    if (props.elastic?.metrics?.length) {
      if (!hasScale) {
        throw new Error(`TrainingJob at '${this.node.path}': 'elastic.metrics' creates an autoscaler, but ${this.engine._definition.title}'s ${kind} cannot be `
          + 'scaled by one. Leave the metrics out, or choose another engine.');
      }
      addAutoscaler(this, props.elastic);
    }
    const ofTracker = props.tracker?._credentials;
    [...props.credentials ?? [], ...(ofTracker === undefined ? [] : [ofTracker])].forEach((use) => this.addCredentials(use));
    this.node.addValidation({ validate: () => this.validate() });
    const checks = ProgramChecks.of(this);
    checks.addJob(this, this.apiObject, () => (this.onEngine.problems().length > 0 ? undefined : this.onEngine.job()));
    if (binding !== undefined) {
      checks.addSource(this, () => `TrainingJob '${this.name}'`, () => (this.onEngine.problems().length > 0 ? [] : storeFindings(this.jobOfStore(), binding)));
    }
  }

  /** ComputeClass of the job's capacity, such as for Kueue's flavors; undefined where it says none. */
  public get computeClass(): GpuComputeClass | undefined {
    return this.bound?.computeClass;
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

  /**
   * Adds a role.
   * @param role the role; its name must be new
   */
  public addRole(role: TrainingRole): void {
    checkTypes('TrainingJob.addRole', 'TrainingRole', role);
    if (this.replicas !== undefined) {
      throw new Error(`TrainingJob at '${this.node.path}': cannot add role '${role.name}', because the job sets 'replicas' (short form). `
        + 'Leave replicas out and add every role.');
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
   * @param storage a volume, such as `Volume.fromPersistentVolumeClaim`, or what has one
   */
  public addVolumeMount(path: string, storage: IStorage, options: kplus.MountOptions = {}): void {
    const volume = storage.asVolume();
    const samePath = this._volumeMounts.find((mount) => mount.path === path);
    if (samePath) {
      throw new Error(`TrainingJob at '${this.node.path}': cannot mount volume '${volume.name}' at '${path}', because volume `
        + `'${samePath.volume.name}' is mounted there. Choose another path.`);
    }
    const sameName = this._volumeMounts.find((mount) => mount.volume.name === volume.name && mount.volume !== volume);
    if (sameName) {
      throw new Error(`TrainingJob at '${this.node.path}': cannot mount a second volume named '${volume.name}' at '${path}', because the first, `
        + `at '${sameName.path}', is a different one. Mount the same Volume object twice, or rename one of them.`);
    }
    this._volumeMounts.push({ path, volume, ...options });
    this.changed();
  }

  /**
   * A box to work in that is a replica of the job as it stands: its image, files, volumes, variables, resources and queue, with an editor or SSH
   * instead of the training script. It stops when nobody is connected any more.
   */
  public asWorkspace(options: WorkspaceOptions = {}): Workspace {
    checkTypes('TrainingJob.asWorkspace', 'WorkspaceOptions', options);
    const props = { ...this.props, checkpoint: this.checkpoint?._asOf(this.name), capacity: this.bound && JobCapacity._of(this.bound) };
    const origin = { props, roles: this._roles, env: this._env, volumeMounts: this._volumeMounts, credentials: this._credentials };
    return Workspace._of(this.node.scope!, `${this.node.id}-Workspace`, origin, options, (scope, its) => new TrainingJob(scope, 'Job', its));
  }

  /**
   * The job in the model's terms, from which every engine is rendered.
   * @internal
   */
  public _toSpec(): TrainingJobSpec {
    return this.run.applied(this.name, this.specWithoutRun());
  }

  private specWithoutRun(): TrainingJobSpec {
    const spec = withCapacity(withAccelerators(this.writtenSpec(), this.accelerators()), this.bound);
    return withStore(this.name, spec, this.checkpoint?._binding);
  }

  private withRunLabels(labels: { readonly [name: string]: string } | undefined): { readonly [name: string]: string } | undefined {
    return this.run.isGiven ? { ...labels, ...this.run.labels(this.name, this.specWithoutRun()) } : labels;
  }

  /** The job's accelerators and its roles'. */
  private accelerators(): JobAccelerators {
    const { accelerator: job, helpers = [] } = this.props;
    return { job, roles: this._roles.map(({ accelerator }) => accelerator), helpers: helpers.map(({ accelerator }) => accelerator) };
  }

  /** The job without what its accelerators add. */
  private writtenSpec(): TrainingJobSpec {
    const { runPolicy, scheduling, resources, hyperparameters, port, suspend } = this.props;
    return toTrainingJobSpec({
      framework: this.framework,
      image: this.image,
      replicas: this.replicas,
      roles: this._roles,
      helpers: this.props.helpers ?? [],
      command: this.props.command,
      args: this.props.args,
      code: this.props.code?._toSpec(),
      workingDir: this.props.workingDir,
      env: this._env,
      envFrom: this.props.envFrom ?? [],
      resources,
      hyperparameters: hyperparameters ?? {},
      autoTuning: this.props.autoTuning,
      array: this.props.array,
      checkpoint: this.checkpoint,
      port,
      serviceAccount: this.props.serviceAccount,
      imagePullSecrets: this.props.imagePullSecrets,
      volumeMounts: this._volumeMounts,
      podTemplate: this.props.podTemplate,
      runPolicy,
      scheduling,
      debug: this.props.debug,
      preflight: this.props.preflight,
      init: this.props.init,
      idle: this.props.idle,
      security: this.props.security,
      elastic: this.props.elastic,
      suspend,
    });
  }

  private validate(): string[] {
    const violations = [...this.onEngine.problems(), ...this.tokens()];
    if (violations.length === 0 && this._credentials.length === 0) {
      // Of nearly every job, and cdk8s asks each job of an app again for each of its charts.
      return [];
    }
    return [...violations.map(formatViolation), ...namespaceProblems(this.metadata.namespace, this._credentials)]
      .map((problem) => `TrainingJob '${this.name}': ${problem}`);
  }

  /** Secrets in the job as it is written, looked for once: cdk8s asks twice. Annotations can say that what looks like a secret is none. */
  private tokens(): readonly Violation[] {
    const job = this.onEngine.job();
    if (this.searched?.job !== job) {
      const written = { metadata: { annotations: this.props.metadata?.annotations }, spec: job.spec };
      const suspected = findTokens(written, '').length > 0;
      const { annotations } = suspected ? this.metadata.toJson() as { readonly annotations?: object } : {};
      this.searched = { job, tokens: suspected ? findTokens({ ...written, metadata: { annotations } }, '') : [] };
    }
    return this.searched.tokens;
  }

  /** Accelerators first: what follows from one that is wrong is of no interest. */
  private problemsOf(job: EngineJob): readonly Violation[] {
    const { name, spec } = job;
    const accelerators = this.accelerators();
    const ofAccelerators = hasAccelerators(accelerators) ? acceleratorProblems(this.writtenSpec(), accelerators) : [];
    const wrong = ofAccelerators.length > 0 || this.bound === undefined
      ? ofAccelerators : capacityProblems(withAccelerators(this.writtenSpec(), accelerators), accelerators, this.bound);
    const ofRun = wrong.length === 0 && this.run.isGiven ? this.run.problems(name, this.specWithoutRun()) : wrong;
    if (ofRun.length > 0) {
      return ofRun;
    }
    const { needsNamespace } = this.engine._definition;
    if (needsNamespace !== undefined && job.namespace === undefined) {
      return [{ path: 'metadata.namespace', value: undefined, message: needsNamespace }];
    }
    const problems = validateForEngine(this.engine._definition, name, spec);
    return problems.length > 0 ? problems : [...selectionProblems(name, spec), ...storeProblems(this.jobOfStore(job), this.checkpoint?._binding)];
  }

  private jobOfStore(job: EngineJob = this.onEngine.job()): JobOfStore {
    return { engine: this.engine, job, namespace: this.metadata.namespace };
  }

  /** Each change makes it another job for its engine, and can call for further objects beside it. */
  private changed(): void {
    this.onEngine.changed();
    this.companions?.update();
    ProgramChecks.of(this).changed();
  }

  /** The name that the chart gives, or a shorter one where names of pods would not fit behind it. */
  private generateName({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): string {
    // Charts name ApiObjects, so one has to exist to ask for its name.
    const { name } = new ApiObject(this, 'Resource', { apiVersion, kind });
    this.node.tryRemoveChild('Resource');
    const { array, autoTuning } = this.props;
    const maxLen = generatedNameMaxLength(this.engine._definition, { framework: this.framework.name as FrameworkName, array, autoTuning });
    return name.length <= maxLen ? name : Names.toDnsLabel(this, { maxLen });
  }
}

/** Labels whose values follow from the job as it stands at synth; one that has no value then is left out. */
function lazyLabels(read: () => { readonly [label: string]: string }): { [label: string]: string } {
  return Object.fromEntries(RUN_LABELS.map((label) => [label, Lazy.any({ produce: () => read()[label] }) as string]));
}
