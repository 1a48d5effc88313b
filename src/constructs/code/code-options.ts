import type { ISecret } from 'cdk8s-plus-28';

/**
 * What every kind of bundle has in common.
 */
export interface CodeOptions {
  /**
   * Where containers see the files. It is also the working directory of the `training` container, unless the job gives one.
   *
   * @default /workspace/code
   */
  readonly mountPath?: string;

  /**
   * Image of the init container that unpacks the archive. It needs `sh` and `tar` (a ConfigMap's archive; `busybox` will do) or `python3` (any
   * other).
   *
   * @default - the training image
   */
  readonly fetchImage?: string;
}

/**
 * Options of `CodeBundle.fromUrl`.
 */
export interface CodeUrlOptions extends CodeOptions {
  /**
   * Credentials that the archive is fetched with, in the job's namespace. Only the init container sees them. See docs/code-bundles.md for the keys.
   *
   * @default - the pod's own identity, or none for a public archive
   */
  readonly credentials?: ISecret;
}

/**
 * Options of `CodeBundle.fromArchive`.
 */
export interface CodeArchiveOptions extends CodeUrlOptions {
  /**
   * Where `trainyard push` uploads the archive and pods fetch it: `s3://BUCKET/PREFIX`, `gs://BUCKET/PREFIX` or `oci://REGISTRY/REPOSITORY`.
   *
   * @default - ConfigMaps beside the job carry it, which have room for 700 KiB
   */
  readonly upload?: string;
}

/**
 * Options of `CodeBundle.fromDirectory`.
 */
export interface CodeDirectoryOptions extends CodeArchiveOptions {
  /**
   * Patterns of files to leave out, in the language of `.gitignore`. They come after those of all ignore files.
   *
   * @default - none beside the ignore files' and the usual ones
   */
  readonly exclude?: string[];
}
