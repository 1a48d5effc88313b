/**
 * The environment that Ray prepares on each node before a program runs there. Add packages that do not change to the image instead, because each node
 * installs them.
 * @see https://docs.ray.io/en/latest/ray-core/handling-dependencies.html
 */
export interface RayRuntimeEnv {
  /**
   * Working directory of the program: the URL of an archive (`gs://bucket/app.zip`); for a RayJob also a path in the image.
   * @default - the image's
   */
  readonly workingDir?: string;

  /** Additional Python modules, in the same form. @default - none */
  readonly pyModules?: string[];

  /** Packages that pip installs, such as `torch==2.8.0`. Not together with `uv` and `conda`. @default - none */
  readonly pip?: string[];

  /** Packages that uv installs. @default - none */
  readonly uv?: string[];

  /** Name of a conda environment in the image. @default - none */
  readonly conda?: string;

  /** Environment variables. They are part of the manifest: use `credentials` for tokens. @default - none */
  readonly envVars?: { readonly [name: string]: string };

  /** Additional fields, as in Ray, such as `config` or `excludes`. @default - none */
  readonly more?: { readonly [field: string]: unknown };
}
