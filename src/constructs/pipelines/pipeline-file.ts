import { existsSync } from 'node:fs';
import { Yaml } from 'cdk8s';
import { pipelineFileSpec, validatePipelineFile, type PipelineFileSpec } from '../../model/pipelines/pipeline-file';
import { formatViolation } from '../../model/violations';

/**
 * A pipeline as `kfp` 2 compiles it into a YAML file.
 */
export class PipelineFile {
  /**
   * Reads and checks a file.
   * @param file its path, from the working directory
   */
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

  /**
   * What it says.
   * @internal
   */
  public _toSpec(): PipelineFileSpec {
    return this.spec;
  }
}
