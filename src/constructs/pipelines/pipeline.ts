import { ApiObject, Yaml } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import type { Construct } from 'constructs';
import { existsSync } from 'node:fs';
import { checkProps, checkTypes } from '../props/check-props';
import { PlainApiObject } from '../rendering/plain-api-object';
import { reportAtSynth } from '../rendering/problems';
import { PIPELINES_API_VERSION, constructPipeline, constructPipelineVersion } from '../../manifests/pipelines/pipeline';
import { pipelineFileSpec, validatePipelineFile, type PipelineFileSpec } from '../../model/pipelines/pipeline-file';
import { formatViolation } from '../../model/violations';

/** Properties of a `Pipeline`. */
export interface PipelineProps extends kplus.ResourceProps {
  /** Name that users see. @default - the name */
  readonly displayName?: string;
  /** Purpose of the pipeline. @default - none */
  readonly description?: string;
}

/** Description of a version. */
export interface PipelineVersionOptions {
  /** Name that users see. @default - the name */
  readonly displayName?: string;
  /** Changes in the version. @default - none */
  readonly description?: string;
  /** URL of its source. @default - none */
  readonly codeSourceUrl?: string;
}

/**
 * A pipeline of Kubeflow Pipelines 2 (`pipelines.kubeflow.org/v2beta1`), in an installation that stores pipelines in Kubernetes.
 * @example
 * import { Pipeline, PipelineFile } from 'trainyard/pipelines';
 *
 * const pipeline = new Pipeline(chart, 'Nightly', {
 *   metadata: { name: 'nightly-training' },
 *   displayName: 'Nightly training',
 * });
 * pipeline.addVersion('v1', PipelineFile.fromFile('examples/pipelines/pipeline.yaml'));
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
   * @param name such as `v2`; the object's name starts with the pipeline's
   * @param file the compiled pipeline
   */
  public addVersion(name: string, file: PipelineFile, options: PipelineVersionOptions = {}): PipelineVersion {
    checkTypes('Pipeline.addVersion', 'PipelineVersionOptions', options);
    return new PipelineVersion(this, name, { ...options, metadata: { name: `${this.name}-${name}`, namespace: this.metadata.namespace }, pipeline: this, file });
  }
}

/** A YAML file that `kfp` 2 compiled from a pipeline. */
export class PipelineFile {
  /** Reads and checks a file. @param file its path, from the working directory */
  public static fromFile(file: string): PipelineFile {
    if (!existsSync(file)) {
      throw new Error(`PipelineFile.fromFile: there is no file '${file}'. Compile the pipeline first: kfp dsl compile --py pipeline.py --output ${file}`);
    }
    const documents = Yaml.load(file);
    const violations = validatePipelineFile(documents);
    if (violations.length > 0) {
      throw new Error(`PipelineFile '${file}':\n${violations.map((violation) => `  ${formatViolation(violation)}`).join('\n')}`);
    }
    return new PipelineFile(pipelineFileSpec(documents));
  }

  /** The pipeline's own name. */
  public readonly name: string;

  /** Names of its parameters. */
  public readonly parameters: string[];

  private constructor(private readonly spec: PipelineFileSpec) {
    this.name = spec.name;
    this.parameters = Object.keys(spec.inputs);
  }

  /** @internal */
  public _toSpec(): PipelineFileSpec {
    return this.spec;
  }
}

/** Properties of a `PipelineVersion`. */
export interface PipelineVersionProps extends kplus.ResourceProps, PipelineVersionOptions {
  /** Its pipeline, in the same namespace. */
  readonly pipeline: Pipeline;
  /** The compiled pipeline. */
  readonly file: PipelineFile;
}

/**
 * A version of a pipeline (`pipelines.kubeflow.org/v2beta1`). It cannot change: the webhook rejects other contents with the same name.
 * @example
 * import { Pipeline, PipelineFile } from 'trainyard/pipelines';
 *
 * const pipeline = new Pipeline(chart, 'Nightly', { metadata: { name: 'nightly-training' } });
 * const version = pipeline.addVersion('v1', PipelineFile.fromFile('examples/pipelines/pipeline.yaml'), { description: 'First one.' });
 */
export class PipelineVersion extends kplus.Resource {
  /** Plural name of the kind, for RBAC rules. */
  public readonly resourceType: string = 'pipelineversions';

  /** Its pipeline. */
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
    // The webhook checks that the pipeline exists.
    this.apiObject.addDependency(ApiObject.of(pipeline));
    reportAtSynth(this, `PipelineVersion '${this.name}'`, () => (this.metadata.namespace === pipeline.metadata.namespace ? [] : [
      `metadata.namespace: ${JSON.stringify(this.metadata.namespace)}: Pipeline '${pipeline.name}' is in ${JSON.stringify(pipeline.metadata.namespace)}, `
        + 'but a version must be in the same namespace. Use one namespace for both.',
    ]));
  }
}
