import { ApiObject, Lazy } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import type { Construct } from 'constructs';
import { PlainApiObject } from '../rendering/plain-api-object';
import { ApplicationBuilder, nameWithin } from './application-builder';
import type { SparkApplicationProps } from './application-props';
import { constructSparkApplicationSpec } from '../../manifests/spark/application';
import { SPARK_API_VERSION } from '../../model/spark/settings';
import { validateSparkApplication } from '../../model/spark/validation';
import { dependOn, namespaceProblems } from '../credentials/with-credentials';
import type { IStorage } from '../training-job/pods/kplus-types';
import { checkProps } from '../props/check-props';
import { reportAtSynth, type Problem } from '../rendering/problems';

/** Longest generated name: the suffix of the UI's Service has seven characters. */
const NAME_MAX_LENGTH = 56;

/**
 * A Spark program that runs once, on the Spark operator.
 *
 * Synth checks all rules: those of the operator's webhook, of `spark-submit`, and of Spark itself.
 * @see https://www.kubeflow.org/docs/components/spark-operator/
 * @example
 * import { Size } from 'cdk8s';
 * import { Accelerator } from 'trainyard';
 * import { SparkApplication, SparkProgram } from 'trainyard/spark';
 *
 * new SparkApplication(chart, 'Embeddings', {
 *   metadata: { name: 'embeddings', namespace: 'ml' },
 *   image: 'registry.example/spark-gpu:4.0.1',
 *   program: SparkProgram.python('local:///opt/app/embed.py'),
 *   executor: { instances: 4, cores: 2, memory: Size.gibibytes(24), accelerator: Accelerator.NVIDIA_L4.count(2), gpusPerTask: 1 },
 * });
 */
export class SparkApplication extends kplus.Resource {
  /** Plural name of the rendered kind, for RBAC rules. */
  public readonly resourceType: string = 'sparkapplications';

  /** Service account of the driver. */
  public readonly serviceAccount: kplus.IServiceAccount;

  protected readonly apiObject: ApiObject;

  private readonly builder: ApplicationBuilder;

  public constructor(scope: Construct, id: string, props: SparkApplicationProps) {
    super(scope, id);
    checkProps(this, 'SparkApplicationProps', props);
    this.builder = new ApplicationBuilder(this, 'SparkApplication', props);
    this.serviceAccount = this.builder.serviceAccount;
    this.apiObject = new PlainApiObject(this, 'Resource', {
      apiVersion: SPARK_API_VERSION,
      kind: 'SparkApplication',
      metadata: { ...props.metadata, name: nameWithin(this, NAME_MAX_LENGTH, props.metadata?.name) },
      spec: Lazy.any({ produce: () => constructSparkApplicationSpec(this.builder.toSpec()) }),
    });
    this.builder.addMonitoring(this.name);
    dependOn(this, this.builder.credentials);
    reportAtSynth(this, `SparkApplication '${this.name}'`, () => this.problems());
  }

  /** Name of the Service of the driver's UI. */
  public get uiServiceName(): string {
    return `${this.name}-ui-svc`;
  }

  /**
   * Sets a variable of driver and executors. A variable of the same name is replaced.
   * @param name name of the variable
   * @param value its value
   */
  public addEnv(name: string, value: kplus.EnvValue): void {
    this.builder.addEnv(name, value);
  }

  /**
   * Mounts a volume into driver and executors.
   * @param path absolute path in the containers
   * @param storage a volume, a claim or a store
   */
  public addVolumeMount(path: string, storage: IStorage, options: kplus.MountOptions = {}): void {
    this.builder.addVolumeMount(path, storage, options);
  }

  private problems(): Problem[] {
    const accelerators = this.builder.acceleratorProblems();
    const problems = accelerators.length > 0 ? accelerators : validateSparkApplication(this.name, this.builder.toSpec());
    return [...problems, ...namespaceProblems(this.metadata.namespace, this.builder.credentials)];
  }
}
