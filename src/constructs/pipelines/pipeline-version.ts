import { ApiObject } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import type { Construct } from 'constructs';
import { PlainApiObject } from '../rendering/plain-api-object';
import type { Pipeline, PipelineVersionOptions } from './pipeline';
import type { PipelineFile } from './pipeline-file';
import { PIPELINES_API_VERSION, constructPipelineVersion } from '../../manifests/pipelines/pipeline';
import { checkProps } from '../props/check-props';

/**
 * Properties of a `PipelineVersion`.
 */
export interface PipelineVersionProps extends kplus.ResourceProps, PipelineVersionOptions {
  /** The pipeline that it is a version of, of the same namespace. */
  readonly pipeline: Pipeline;

  /** The compiled pipeline. */
  readonly file: PipelineFile;
}

/**
 * A version of a pipeline (`pipelines.kubeflow.org/v2beta1`). It cannot change: the webhook refuses other contents under the same name.
 */
export class PipelineVersion extends kplus.Resource {
  /** Plural name of the kind, for RBAC rules. */
  public readonly resourceType: string = 'pipelineversions';

  /** The pipeline that it is a version of. */
  public readonly pipeline: Pipeline;

  /** The compiled pipeline. */
  public readonly file: PipelineFile;

  protected readonly apiObject: ApiObject;

  public constructor(scope: Construct, id: string, props: PipelineVersionProps) {
    super(scope, id);
    checkProps(this, 'PipelineVersionProps', props);
    const { metadata, pipeline, file, displayName, description, codeSourceUrl } = props;
    this.pipeline = pipeline;
    this.file = file;
    const { spec } = constructPipelineVersion('', pipeline.name, file._toSpec(), { displayName, description, codeSourceURL: codeSourceUrl });
    this.apiObject = new PlainApiObject(this, 'Resource', { apiVersion: PIPELINES_API_VERSION, kind: 'PipelineVersion', metadata, spec });
    // The webhook looks for the pipeline.
    this.apiObject.addDependency(ApiObject.of(pipeline));
    this.node.addValidation({
      validate: () => (this.metadata.namespace === pipeline.metadata.namespace ? [] : [
        `PipelineVersion '${this.name}': metadata.namespace: ${JSON.stringify(this.metadata.namespace)}: Pipeline '${pipeline.name}' is in ${JSON.stringify(pipeline.metadata.namespace)}, `
          + 'but a version must be in the same namespace. Use one namespace for both.',
      ]),
    });
  }
}
