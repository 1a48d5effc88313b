import { ApiObject, Chart } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import type { Construct } from 'constructs';
import { generatedName } from '../rendering/objects';
import { PlainApiObject, addManifests } from '../rendering/plain-api-object';
import type { PipelineVersion } from './pipeline';
import { constructBoundRole } from '../../manifests/bound-role';
import { RUN_RULES, constructRecurringRun } from '../../manifests/pipelines/pipeline';
import { RECURRING_RUN_NAME_MAX_LENGTH, validateRecurringRun } from '../../model/pipelines/recurring-run';
import { checkProps } from '../props/check-props';
import { reportAtSynth } from '../rendering/problems';

const NO_NAMESPACE = 'metadata.namespace: is required: a binding needs the namespace of its account. Set it on the chart or the construct, or give a launcher.';

/** Properties of a `RecurringRun`. */
export interface RecurringRunProps extends kplus.ResourceProps {
  /** Pipeline version to run. */
  readonly version: PipelineVersion;

  /** Schedule in cron syntax: five fields, or a name such as `@daily`. */
  readonly schedule: string;

  /** Time zone of the schedule, such as `Europe/Berlin`. @default - the cluster's, usually UTC */
  readonly timeZone?: string;

  /**
   * Values of the pipeline's parameters: strings, numbers, booleans, lists and objects, as the pipeline declares them.
   * @default - the pipeline's defaults
   */
  readonly parameters?: { readonly [name: string]: unknown };

  /** Experiment of the runs. It is created if it does not exist. @default 'Default' */
  readonly experiment?: string;

  /** Service account of the runs' pods. @default - the installation's */
  readonly serviceAccount?: kplus.IServiceAccount;

  /** Where artifacts are stored. @default - the pipeline's, else the installation's */
  readonly pipelineRoot?: string;

  /** Address of Kubeflow Pipelines. @default 'http://ml-pipeline.kubeflow.svc:8888' */
  readonly endpoint?: string;

  /** Image with Python 3.8 or later. Only the standard library is used. @default 'python:3.13-slim' */
  readonly image?: string;

  /**
   * Service account that starts the runs. Kubeflow Pipelines for several users checks its permissions. In a profile of Kubeflow, `default-editor`
   * has them.
   * @default - a new one, which may start runs in the namespace and do nothing else
   */
  readonly launcher?: kplus.IServiceAccount;

  /** Whether to start no runs. @default false */
  readonly suspend?: boolean;
}

/**
 * Runs of a pipeline version on a schedule: a CronJob that creates runs in Kubeflow Pipelines.
 *
 * A `ScheduledWorkflow` of Kubeflow Pipelines refers to pipeline, version and experiment by ids, which exist only after they are applied. This
 * construct refers to them by name.
 * @example
 * import { Pipeline, PipelineFile, RecurringRun } from 'trainyard/pipelines';
 *
 * const pipeline = new Pipeline(chart, 'Nightly', { metadata: { name: 'nightly-training', namespace: 'team-a' } });
 * new RecurringRun(chart, 'EveryNight', {
 *   metadata: { namespace: 'team-a' },
 *   version: pipeline.addVersion('v1', PipelineFile.fromFile('examples/pipelines/pipeline.yaml')),
 *   schedule: '0 2 * * *',
 *   timeZone: 'Europe/Berlin',
 *   parameters: { table: 'clicks', epochs: 5 },
 * });
 */
export class RecurringRun extends kplus.Resource {
  /** Plural name of the kind, for RBAC rules. */
  public readonly resourceType: string = 'cronjobs';

  /** Pipeline version to run. */
  public readonly version: PipelineVersion;

  protected readonly apiObject: ApiObject;

  private readonly parameters: { [name: string]: unknown };

  public constructor(scope: Construct, id: string, props: RecurringRunProps) {
    super(scope, id);
    checkProps(this, 'RecurringRunProps', props);
    const { version, schedule, timeZone, metadata, suspend, pipelineRoot, launcher, serviceAccount } = props;
    const { endpoint = 'http://ml-pipeline.kubeflow.svc:8888', experiment = 'Default', image = 'python:3.13-slim' } = props;
    this.version = version;
    this.parameters = { ...props.parameters };
    const name = metadata?.name ?? generatedName(this, { apiVersion: 'batch/v1', kind: 'CronJob' }, RECURRING_RUN_NAME_MAX_LENGTH);
    const namespace = metadata?.namespace ?? Chart.of(this).namespace;
    const { apiVersion, kind, spec } = constructRecurringRun({
      name, schedule, timeZone, suspend, concurrencyPolicy: 'Forbid', image, serviceAccountName: (launcher ?? this.createLauncher(namespace)).name,
      run: {
        endpoint, namespace, name, pipeline: version.pipeline.name, version: version.name,
        experiment, parameters: this.parameters, pipelineRoot, serviceAccount: serviceAccount?.name,
      },
    });
    this.apiObject = new PlainApiObject(this, 'Resource', { apiVersion, kind, metadata: { ...metadata, name }, spec });
    this.apiObject.addDependency(ApiObject.of(version));
    reportAtSynth(this, `RecurringRun '${this.name}'`, () => [
      ...(namespace === undefined && launcher === undefined ? [NO_NAMESPACE] : []),
      ...validateRecurringRun({ name, schedule, timeZone, endpoint, parameters: this.parameters, inputs: version.file._toSpec().inputs }),
    ]);
  }

  private createLauncher(namespace: string | undefined): kplus.IServiceAccount {
    const account = new kplus.ServiceAccount(this, 'Launcher', { metadata: { ...(namespace !== undefined && { namespace }) } });
    const { name } = account;
    addManifests(this, constructBoundRole('Role', { name, namespace }, RUN_RULES, { name, namespace }));
    return account;
  }
}
