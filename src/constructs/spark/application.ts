import { ApiObject } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import type { Construct } from 'constructs';
import { ApplicationBuilder } from './application-builder';
import type { SparkApplicationProps } from './application-props';
import { constructSparkApplicationSpec } from '../../manifests/spark/application';
import { validateSparkApplication } from '../../model/spark/validation';
import type { IStorage } from '../training-job/pods/kplus-types';
import { checkProps } from '../props/check-props';

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
    const toSpec = () => this.builder.toSpec();
    this.apiObject = this.builder.addObject(
      NAME_MAX_LENGTH, () => constructSparkApplicationSpec(toSpec()), (name) => validateSparkApplication(name, toSpec()),
    );
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
}
