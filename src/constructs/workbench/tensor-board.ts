import { ApiObject } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import type { Construct } from 'constructs';
import { generatedName } from '../rendering/objects';
import { PlainApiObject } from '../rendering/plain-api-object';
import type { PodDefault } from './pod-default';
import { TENSOR_BOARD_API_VERSION, constructTensorBoard } from '../../manifests/workbench/kubeflow-objects';
import { TENSOR_BOARD_NAME_MAX_LENGTH, validateTensorBoard } from '../../model/workbench/tensor-board';
import { formatViolation } from '../../model/violations';
import type { TrainingJob } from '../training-job/training-job';
import { trimmedEnd } from '../../model/text/trim';
import { checkProps } from '../props/check-props';
import { reportAtSynth } from '../rendering/problems';

/** Location of TensorBoard's files. */
export class TensorBoardLogs {
  /** A folder of a claim in the same namespace. @param path folder in the claim */
  public static claim(claim: kplus.IPersistentVolumeClaim, path: string = ''): TensorBoardLogs {
    return new TensorBoardLogs(`pvc://${claim.name}/${path.replace(/^\/+/, '')}`);
  }

  /** A URI: `gs://BUCKET/FOLDER` (with the Secret `user-gcp-sa` in the namespace), `s3://BUCKET/FOLDER` or `pvc://CLAIM/FOLDER`. */
  public static uri(uri: string): TensorBoardLogs {
    return new TensorBoardLogs(uri);
  }

  /**
   * The files at a job's checkpoint path.
   * @param job job with a checkpoint on a claim in the same namespace, or at such a URI
   * @param path folder below the checkpoint path
   */
  public static ofJob(job: TrainingJob, path: string = ''): TensorBoardLogs {
    const { checkpoint } = job;
    if (checkpoint === undefined) {
      throw new Error(`TensorBoardLogs.ofJob: TrainingJob '${job.node.path}' has no checkpoint, so it writes no files to show. Add one, or set the location with uri.`);
    }
    const top = checkpoint.claimName === undefined ? checkpoint.location : `pvc://${[checkpoint.claimName, checkpoint.folder].filter((part) => part !== undefined && part !== '').join('/')}`;
    return new TensorBoardLogs([trimmedEnd(top, '/'), path.replace(/^\/+/, '')].filter((part) => part !== '').join('/'), job);
  }

  /** The location as a URI. */
  public readonly location: string;

  /** @internal */
  public readonly _job?: TrainingJob;

  private constructor(location: string, job?: TrainingJob) {
    this.location = location;
    this._job = job;
  }
}

/** Properties of a `TensorBoard`. */
export interface TensorBoardProps extends kplus.ResourceProps {
  /** Location of the files. */
  readonly logs: TensorBoardLogs;
  /** Settings that the webhook adds to the pod, such as credentials for a bucket. @default - none */
  readonly podDefaults?: PodDefault[];
}

/**
 * A TensorBoard of Kubeflow 26.03 (`tensorboard.kubeflow.org/v1alpha1`).
 * @example
 * import { TensorBoard, TensorBoardLogs } from 'trainyard/workbench';
 *
 * new TensorBoard(chart, 'Runs', { metadata: { name: 'runs' }, logs: TensorBoardLogs.uri('gs://runs') });
 */
export class TensorBoard extends kplus.Resource {
  /** Plural name of the kind, for RBAC rules. */
  public readonly resourceType: string = 'tensorboards';

  /** Location of the files. */
  public readonly logs: TensorBoardLogs;

  protected readonly apiObject: ApiObject;

  public constructor(scope: Construct, id: string, props: TensorBoardProps) {
    super(scope, id);
    checkProps(this, 'TensorBoardProps', props);
    this.logs = props.logs;
    const name = props.metadata?.name ?? generatedName(this, { apiVersion: TENSOR_BOARD_API_VERSION, kind: 'Tensorboard' }, TENSOR_BOARD_NAME_MAX_LENGTH);
    const { metadata: _metadata, ...object } = constructTensorBoard(name, props.logs.location);
    this.apiObject = new PlainApiObject(this, 'Resource', { ...object, metadata: { ...props.metadata, name } });
    (props.podDefaults ?? []).forEach((podDefault) => this.addPodDefault(podDefault));
    reportAtSynth(this, `TensorBoard '${this.name}'`, () => this.problems());
  }

  /** Adds settings for the pod. @param podDefault settings in the same namespace */
  public addPodDefault(podDefault: PodDefault): void {
    Object.entries(podDefault.selector).forEach(([name, value]) => this.metadata.addLabel(name, value));
    this.node.addDependency(podDefault);
  }

  private problems(): string[] {
    const { location, _job: job } = this.logs;
    const problems = validateTensorBoard(this.name, location).map(formatViolation);
    return job === undefined || !location.startsWith('pvc://') || job.metadata.namespace === this.metadata.namespace ? problems : [
      ...problems, `metadata.namespace: ${JSON.stringify(this.metadata.namespace)}: the claim '${location}' is in the namespace of the job, '${job.metadata.namespace}', but pods can only mount claims `
        + 'in their own. Use the job\'s namespace, or keep the files in a bucket.',
    ];
  }
}
