import { ApiObject, App, Chart, Lazy } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import type { ResourceProps } from 'cdk8s-plus-28';
import type { Construct } from 'constructs';
import { SearchEngine } from './search-engine';
import { dependOn } from '../credentials/with-credentials';
import { generatedName } from '../rendering/objects';
import { checkProps } from '../props/check-props';
import { PlainApiObject } from '../rendering/plain-api-object';
import { Companions } from '../training-job/engines/job-on-engine';
import type { AutoTuning } from '../training-job/generated/auto-tuning';
import { plainCopy } from '../training-job/plain-copy';
import type { IStorage } from '../training-job/pods/kplus-types';
import type { TuningParameter } from '../training-job/search-space';
import { autoTuning as autoTuningSpec } from '../training-job/to-spec';
import { TrainingJob } from '../training-job/training-job';
import type { TrainingJobProps } from '../training-job/training-job-props';
import { validateForEngine } from '../../manifests/engines/validation';
import { EXPERIMENT_API_VERSION, constructExperiment } from '../../manifests/katib/experiment';
import { trialConditions } from '../../manifests/katib/primary-pod';
import { constructTrialTemplate, placeholderName, type TrialTemplate } from '../../manifests/katib/trial-template';
import { TRIAL_SUFFIX_LENGTH, type KatibSearch, type KatibSettings } from '../../model/katib/spec';
import { validateKatibSearch } from '../../model/katib/validation';
import { GROUP_VERSION, TRAINING_JOB_KIND, TRAINING_JOB_PLURAL } from '../../model/labels';
import { DNS_LABEL_MAX_LENGTH } from '../../model/names';
import { findTokens } from '../../model/secrets/find-tokens';
import type { TrainingJobSpec } from '../../model/training-job/spec';
import { validateTrainingJob } from '../../model/training-job/validation/validation';
import { formatViolation, type Violation } from '../../model/violations';
import { reportAtSynth } from '../rendering/problems';

/** Suffix of trial pods' names, for which generated names leave room. */
const TRIAL_POD_SUFFIX = '-evaluator-9999';

/**
 * A hyperparameter search: runs a training job with one set of values after another, on the Trainyard operator or on Katib.
 *
 * Scripts get the values in the same way on both: in a variable with the parameter's name and in one with the name in upper case, in
 * `TRAINYARD_HYPERPARAMETERS`, and in arguments as `$(NAME)`.
 * @example
 * import { Framework, TuningParameter, TuningScale } from 'trainyard';
 * import { HyperparameterSearch, SearchEngine } from 'trainyard/tuning';
 *
 * new HyperparameterSearch(chart, 'Vision', {
 *   metadata: { name: 'vision', namespace: 'team-a' },
 *   searchEngine: SearchEngine.katib(),
 *   objective: 'val_accuracy',
 *   maxTrials: 30,
 *   parameters: { lr: TuningParameter.float({ min: 0.0001, max: 0.1, scale: TuningScale.LOG }) },
 *   job: { framework: Framework.pytorch(), image: 'registry.example/vision:1', command: ['python', 'train.py'], replicas: 2 },
 * });
 */
export class HyperparameterSearch extends kplus.Resource {
  /** Plural name of the rendered kind, for RBAC rules. */
  public readonly resourceType: string;

  /** What runs the search. */
  public readonly searchEngine: SearchEngine;

  protected readonly apiObject: ApiObject;

  private readonly tuning: AutoTuning;
  private readonly _parameters: { [name: string]: TuningParameter };
  /** The job in a tree of its own, which synth does not write: only its rules, accelerators and spec are used. */
  private readonly job: TrainingJob;
  private readonly labels?: { readonly [name: string]: string };
  private readonly shared?: Companions;

  public constructor(scope: Construct, id: string, props: HyperparameterSearchProps) {
    super(scope, id);
    checkProps(this, 'HyperparameterSearchProps', props);
    const { job, metadata, searchEngine, parameters, ...tuning } = props;
    this.tuning = plainCopy({ ...tuning, parameters: {} });
    this._parameters = { ...parameters };
    this.searchEngine = searchEngine ?? SearchEngine.operator();
    this.labels = metadata?.labels;
    const katib = this.searchEngine._katib;
    this.check(props);

    const { apiVersion, kind, plural } = katib === undefined
      ? { apiVersion: GROUP_VERSION, kind: TRAINING_JOB_KIND, plural: TRAINING_JOB_PLURAL }
      : { apiVersion: EXPERIMENT_API_VERSION, kind: 'Experiment', plural: 'experiments' };
    this.resourceType = plural;
    const name = metadata?.name ?? this.generateName(apiVersion, kind);
    const namespace = metadata?.namespace ?? Chart.of(this).namespace;
    this.job = new TrainingJob(new Chart(new App(), 'search', { namespace }), 'Job', {
      ...job, metadata: { ...job.metadata, name: katib === undefined ? name : placeholderName(name), namespace },
    });
    this.apiObject = new PlainApiObject(this, 'Resource', {
      apiVersion,
      kind,
      metadata: { ...metadata, name, labels: { ...job.metadata?.labels, ...metadata?.labels } },
      spec: Lazy.any({ produce: () => (katib === undefined ? this.searchedSpec() : this.experimentSpec(katib)) }),
    });
    dependOn(this, job.credentials ?? []);
    this.apiObject.addDependency(...job.code?._bind(this, metadata?.namespace) ?? []);
    if (katib !== undefined) {
      this.shared = new Companions(this, this.apiObject, () => (this.problems().length > 0 ? [] : this.template(katib).shared));
      this.shared.update();
    }
    reportAtSynth(this, `HyperparameterSearch '${this.name}'`, () => [...this.problems(), ...this.tokens()]);
  }

  /** The search space by name, as a copy. */
  public get parameters(): { [name: string]: TuningParameter } {
    return { ...this._parameters };
  }

  /**
   * Adds a dimension to the search space.
   * @param name its name; it must be new
   * @param parameter its values
   */
  public addParameter(name: string, parameter: TuningParameter): void {
    if (name in this._parameters) {
      throw new Error(`HyperparameterSearch at '${this.node.path}': cannot add parameter '${name}', because the search already has one with that name. Choose another name.`);
    }
    this._parameters[name] = parameter;
    this.shared?.update();
  }

  /**
   * Sets a variable of the `training` container in all trials. A variable of the same name is replaced.
   * @param name name of the variable
   * @param value its value
   */
  public addEnv(name: string, value: kplus.EnvValue): void {
    this.job.addEnv(name, value);
    this.shared?.update();
  }

  /**
   * Mounts a volume into the `training` container of all trials.
   * @param path absolute path in the container
   * @param storage a volume, a claim or a store
   */
  public addVolumeMount(path: string, storage: IStorage, options: kplus.MountOptions = {}): void {
    this.job.addVolumeMount(path, storage, options);
    this.shared?.update();
  }

  /** Contradictory properties. */
  private check({ job, algorithm }: HyperparameterSearchProps): void {
    const at = `HyperparameterSearch at '${this.node.path}'`;
    if (job.autoTuning !== undefined) {
      throw new Error(`${at}: sets 'job.autoTuning', but the construct itself configures the search. Move its fields to the construct.`);
    }
    if (job.elastic?.metrics?.length) {
      throw new Error(`${at}: sets 'job.elastic.metrics', which create an autoscaler for one job, but trials are separate jobs. Remove the metrics.`);
    }
    if (job.metadata?.name !== undefined || job.metadata?.namespace !== undefined) {
      throw new Error(`${at}: sets 'job.metadata.${job.metadata.name === undefined ? 'namespace' : 'name'}', but trial jobs are named after the search and are in its namespace. `
        + 'Set it in the metadata of the search.');
    }
    if (algorithm !== undefined && this.searchEngine._katib?.algorithm !== undefined) {
      throw new Error(`${at}: sets 'algorithm' (${algorithm.name}) and Katib's own (${this.searchEngine._katib.algorithm.name}). Remove one of the two.`);
    }
  }

  /** The job with its search, as for our operator. */
  private searchedSpec(): TrainingJobSpec {
    return { ...this.job._toSpec(), autoTuning: autoTuningSpec({ ...this.tuning, parameters: this._parameters }) };
  }

  private katibSearch(settings: KatibSettings): KatibSearch {
    const { autoTuning, ...job } = this.searchedSpec();
    return { name: this.name, namespace: this.metadata.namespace, labels: this.labels, job, tuning: autoTuning!, settings };
  }

  private experimentSpec(settings: KatibSettings): object {
    return constructExperiment(this.job.engine._definition, this.katibSearch(settings), this.template(settings)).spec;
  }

  private template(settings: KatibSettings): TrialTemplate {
    return constructTrialTemplate(this.job.engine._definition, this.katibSearch(settings));
  }

  private problems(): string[] {
    const katib = this.searchEngine._katib;
    const engine = this.job.engine._definition;
    if (katib !== undefined && trialConditions(engine) === undefined) {
      return [`engine: ${JSON.stringify(engine.name)}: Katib reads the metrics of one pod of a trial, but ${engine.title} runs the script in pods that it cannot distinguish. `
        + 'Choose another engine, such as Engine.operator().'];
    }
    const own = katib === undefined
      ? validateForEngine(engine, this.name, this.searchedSpec())
      : validateTrainingJob(this.name, this.searchedSpec());
    if (own.length > 0) {
      return own.map(formatViolation);
    }
    // The job's own rules: its engine and its accelerators.
    const ofJob = this.job.node.validate().map((message) => message.replace(/^TrainingJob '[^']*': /, ''));
    return ofJob.length > 0 || katib === undefined ? ofJob : this.katibProblems(katib).map(formatViolation);
  }

  /** Secrets outside of the job, which checks its own values. */
  private tokens(): Violation[] {
    const autoTuning = autoTuningSpec({ ...this.tuning, parameters: this._parameters });
    return findTokens({ metadata: this.metadata.toJson(), spec: { autoTuning } }, '');
  }

  private katibProblems(settings: KatibSettings): readonly Violation[] {
    const search = this.katibSearch(settings);
    const problems = validateKatibSearch(search);
    return problems.length > 0 ? problems : this.template(settings).violations;
  }

  /** The name that the chart gives, or a shorter one if the names of trials, and of an Experiment, would be too long. */
  private generateName(apiVersion: string, kind: string): string {
    return generatedName(this, { apiVersion, kind }, DNS_LABEL_MAX_LENGTH - TRIAL_SUFFIX_LENGTH - TRIAL_POD_SUFFIX.length);
  }
}

/** Properties of a `HyperparameterSearch`. */
export interface HyperparameterSearchProps extends ResourceProps, AutoTuning {
  /** The job to try, without `autoTuning`. Its name and namespace are those of the search. */
  readonly job: TrainingJobProps;
  /** What runs the search. @default SearchEngine.operator() */
  readonly searchEngine?: SearchEngine;
}
