import { ApiObject } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import type { Construct } from 'constructs';
import { PlainApiObject } from '../rendering/plain-api-object';
import type { PipelineFile } from './pipeline-file';
import { PipelineVersion } from './pipeline-version';
import { PIPELINES_API_VERSION, constructPipeline } from '../../manifests/pipelines/pipeline';
import { checkProps, checkTypes } from '../props/check-props';

/**
 * Properties of a `Pipeline`.
 */
export interface PipelineProps extends kplus.ResourceProps {
  /**
   * What people see instead of the name.
   *
   * @default - the name
   */
  readonly displayName?: string;

  /**
   * What the pipeline is for.
   *
   * @default - nothing
   */
  readonly description?: string;
}

/**
 * What a version says of itself.
 */
export interface PipelineVersionOptions {
  /**
   * What people see instead of the name.
   *
   * @default - the name
   */
  readonly displayName?: string;

  /**
   * What is new in the version.
   *
   * @default - nothing
   */
  readonly description?: string;

  /**
   * Where its source is.
   *
   * @default - not told
   */
  readonly codeSourceUrl?: string;
}

/**
 * A pipeline of Kubeflow Pipelines 2 (`pipelines.kubeflow.org/v2beta1`), in an installation that keeps pipelines in Kubernetes.
 */
export class Pipeline extends kplus.Resource {
  /** Plural name of the kind, for RBAC rules. */
  public readonly resourceType: string = 'pipelines';

  protected readonly apiObject: ApiObject;

  public constructor(scope: Construct, id: string, props: PipelineProps = {}) {
    super(scope, id);
    checkProps(this, 'PipelineProps', props);
    const { metadata, displayName, description } = props;
    this.apiObject = new PlainApiObject(this, 'Resource', { apiVersion: PIPELINES_API_VERSION, kind: 'Pipeline', metadata, spec: constructPipeline('', { displayName, description }).spec });
  }

  /**
   * Adds a version. Versions cannot change: a new file is a new version.
   * @param name such as `v2`, in front of which the pipeline's name stands
   * @param file the compiled pipeline
   */
  public addVersion(name: string, file: PipelineFile, options: PipelineVersionOptions = {}): PipelineVersion {
    checkTypes('Pipeline.addVersion', 'PipelineVersionOptions', options);
    return new PipelineVersion(this, name, { ...options, metadata: { name: `${this.name}-${name}`, namespace: this.metadata.namespace }, pipeline: this, file });
  }
}
