/** What the pipelines of a program do, in plain data. */
import type { PromotionMode } from '../../model/environments/settings';

/** Settings file that commands look for. */
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
  /** Whether the program is in Python: its packages, and the command `trainyard`, are in a virtual environment. @default false */
  readonly isPython?: boolean;
  readonly lint: string;
  readonly test: string;
  readonly synth: string;
  /** When drift is looked for, as five fields of cron. */
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

/** A file that is written. */
export interface PipelineFile {
  /** Path in the repository. */
  readonly path: string;
  /** Lines of comment above it. */
  readonly comment: readonly string[];
  readonly content: PipelineDocument;
}
