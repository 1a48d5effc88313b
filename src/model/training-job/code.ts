/** `spec.code`: a program's files that come into the pods beside the image, and what follows from them. */

/** `spec.code`. */
export interface CodeSpec {
  /** SHA-256 of the archive: `sha256:` and 64 hexadecimal digits. What does not have it is not unpacked. */
  readonly digest: string;

  /** ConfigMap in the job's namespace with the archive, under the key `code.tar.gz`. Give exactly one of `configMap`, `configMaps` and `url`. */
  readonly configMap?: string;

  /** ConfigMaps in the job's namespace that together hold the archive: split, under the keys `code.tar.gz.0`, `code.tar.gz.1` and so on. */
  readonly configMaps?: readonly string[];

  /**
   * Where the archive is: `s3://`, `gs://`, `https://`, or `oci://REGISTRY/REPOSITORY@sha256:...` with the digest of the manifest. The address of an
   * S3 server other than Amazon's is part of it: `s3://bucket/key?region=us-east-1&endpoint=https://minio.example`.
   */
  readonly url?: string;

  /** Where containers see the files; also the working directory of `training`, unless the job gives one. @default /workspace/code */
  readonly mountPath?: string;

  /** Secret with the credentials for `url`. @default - none: the pod's own identity, or a public archive */
  readonly secretName?: string;

  /** Image of the init container that unpacks the archive. @default - the training image */
  readonly fetchImage?: string;
}

/** Where files are unpacked, unless the job says otherwise. */
export const DEFAULT_CODE_PATH = '/workspace/code';

/** Name of the init container that unpacks them. */
export const CODE_CONTAINER = 'trainyard-code';

/** Most ConfigMaps that an archive is split over. */
export const CODE_CONFIG_MAPS_MAX = 16;

/** Key of the archive in its ConfigMap; followed by the part's number where it is split. */
export const CODE_ARCHIVE_KEY = 'code.tar.gz';

/** Ways to fetch an archive. */
export const CODE_SCHEMES = ['s3', 'gs', 'https', 'oci'] as const;

/** Form of {@link CodeSpec.url}: printable, and nothing that Kubernetes would take for a reference to a variable. */
export const CODE_URL_PATTERN = `^(${CODE_SCHEMES.join('|')})://[!%-~]+$`;

/** Form of {@link CodeSpec.mountPath}. */
export const CODE_PATH_PATTERN = '^/[^:]+$';

/** A digest as registries write it. */
export const DIGEST_PATTERN = '^sha256:[a-f0-9]{64}$';

/** Where a job's files are unpacked; undefined when it brings none. */
export function codePath({ code }: { readonly code?: CodeSpec }): string | undefined {
  return code && (code.mountPath ?? DEFAULT_CODE_PATH);
}

/** Working directory of the `training` container: files that the job brings are there to be run from. */
export function workingDirOf(spec: { readonly workingDir?: string; readonly code?: CodeSpec }): string | undefined {
  return spec.workingDir ?? codePath(spec);
}
