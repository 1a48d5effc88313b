/** Pipelines and their versions as objects of Kubernetes, for installations that keep pipelines there (`kubernetes` as the pipeline store). */
import type { Manifest } from '../kubernetes';
import { plainObject } from '../plain-object';
import type { PipelineFileSpec } from '../../model/pipelines/pipeline-file';

/** `apiVersion` of Pipelines and PipelineVersions. */
export const PIPELINES_API_VERSION = 'pipelines.kubeflow.org/v2beta1';

/** What people read. */
export interface PipelineText {
  readonly displayName?: string;
  readonly description?: string;
}

/** A Pipeline. */
export function constructPipeline(name: string, text: PipelineText): Manifest & { readonly spec: object } {
  return plainObject({ apiVersion: PIPELINES_API_VERSION, kind: 'Pipeline', metadata: { name }, spec: { ...text } });
}

/** A PipelineVersion. */
export function constructPipelineVersion(
  name: string, pipelineName: string, { pipelineSpec, platformSpec }: PipelineFileSpec, text: PipelineText & { readonly codeSourceURL?: string },
): Manifest & { readonly spec: object } {
  return plainObject({ apiVersion: PIPELINES_API_VERSION, kind: 'PipelineVersion', metadata: { name }, spec: { ...text, pipelineName, pipelineSpec, platformSpec } });
}
