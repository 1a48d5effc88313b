/** What the pipelines of a program do, as plain data. */
import type { PromotionMode } from '../../model/environments/settings';

/** Settings file that commands read by default. */
export const SETTINGS_FILE = 'environments.yaml';

/** An environment that something is promoted to. */
export interface PromotionTarget {
  readonly name: string;
  readonly from: string;
  readonly mode: PromotionMode;
}

/** The steps of a program's pipelines. */
export interface PipelineSpec {
  /** cdk8s app, or its folder. */
  readonly app: string;
  /** Folder of committed manifests. */
  readonly manifests: string;
  /** Branch that is delivered. */
  readonly branch: string;
  /** Version of Node. */
  readonly node: string;
  /** Whether the program is in Python: then its packages and the command `trainyard` are in a virtual environment. @default false */
  readonly isPython?: boolean;
  readonly lint: string;
  readonly test: string;
  readonly synth: string;
  /** Schedule of the drift check, as five fields of cron. */
  readonly schedule: string;
  /** Settings file and targets, where environments are promoted. */
  readonly promotion?: { readonly file: string; readonly targets: readonly PromotionTarget[] };
}

/** Folder of a Python program's virtual environment. */
export const VIRTUAL_ENVIRONMENT = '.venv';

/** Plain YAML or JSON. */
export interface PipelineDocument {
  readonly [field: string]: unknown;
}

/** A generated file. */
export interface PipelineFile {
  /** Path in the repository. */
  readonly path: string;
  /** Comment lines at its top. */
  readonly comment: readonly string[];
  readonly content: PipelineDocument;
}
