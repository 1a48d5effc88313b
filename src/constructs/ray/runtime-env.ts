/**
 * The environment that Ray makes on each node before a program runs there. What does not change is better in the image: each node installs packages
 * anew.
 * @see https://docs.ray.io/en/latest/ray-core/handling-dependencies.html
 */
export interface RayRuntimeEnv {
  /**
   * Folder that the program runs in: the URL of an archive (`gs://bucket/app.zip`); for a RayJob also a path in the image.
   * @default - the image's
   */
  readonly workingDir?: string;

  /** Further modules of Python, in the same form. @default - none */
  readonly pyModules?: string[];

  /** Packages that pip installs, such as `torch==2.8.0`. Not together with `uv` and `conda`. @default - none */
  readonly pip?: string[];

  /** Packages that uv installs. @default - none */
  readonly uv?: string[];

  /** Name of an environment of conda in the image. @default - none */
  readonly conda?: string;

  /** Variables. They are in the manifest: use `credentials` for tokens. @default - none */
  readonly envVars?: { readonly [name: string]: string };

  /** Further fields, as Ray spells them, such as `config` or `excludes`. @default - none */
  readonly more?: { readonly [field: string]: unknown };
}
