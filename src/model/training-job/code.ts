/** `spec.code`: a program's files that come into the pods in addition to the image, and what follows from them. */
import * as field from './schema/field';

/** Where files are unpacked, unless the job says otherwise. */
export const DEFAULT_CODE_PATH = '/workspace/code';

/** Name of the init container that unpacks them. */
export const CODE_CONTAINER = 'trainyard-code';

/** Most ConfigMaps that an archive is split over. */
export const CODE_CONFIG_MAPS_MAX = 16;

/** Key of the archive in its ConfigMap; followed by the part's number where it is split. */
export const CODE_ARCHIVE_KEY = 'code.tar.gz';

/** Ways to fetch an archive. */
const CODE_SCHEMES = ['s3', 'gs', 'https', 'oci'] as const;

/** Form of its URL: printable, and nothing that Kubernetes would take for a reference to a variable. */
const CODE_URL_PATTERN = `^(${CODE_SCHEMES.join('|')})://[!%-~]+$`;

const CODE_PATH_PATTERN = '^/[^:]+$';

/** A digest as registries write it. */
const DIGEST_PATTERN = '^sha256:[a-f0-9]{64}$';

/** `spec.code`. */
export const CODE = field.block('code', 'Files of the program that are unpacked in every pod, in addition to the image.', {
  digest: field.text('SHA-256 of the archive, such as sha256:9f86d0... Other archives are not unpacked.', {
    maxLength: 71,
    pattern: DIGEST_PATTERN,
    required: 'the SHA-256 of the archive, such as "sha256:9f86d0...".',
    says: 'must be a SHA-256 such as "sha256:9f86d0...", with 64 hexadecimal digits in lower case.',
  }),
  configMap: field.objectName('ConfigMap with the archive under the key code.tar.gz. Give exactly one of configMap, configMaps and url.'),
  configMaps: field.list('ConfigMaps with the parts of the archive, under the keys code.tar.gz.0, code.tar.gz.1 and so on.',
    field.objectName('Name of one of them.'), { minItems: 1, maxItems: CODE_CONFIG_MAPS_MAX }),
  url: field.text('Where the archive is: s3://bucket/key, gs://bucket/name, https://host/path or oci://registry/repository@sha256:..., digest of the manifest. '
    + 'The address of another S3 server than Amazon\'s is part of it: s3://bucket/key?region=us-east-1&endpoint=https://minio.example.', {
    maxLength: 2048,
    pattern: CODE_URL_PATTERN,
    says: `must be a URL without spaces and '$' that starts with ${CODE_SCHEMES.map((scheme) => `${scheme}://`).join(', ')}.`,
    rules: [{
      rule: '!self.startsWith(\'oci://\') || self.matches(\'@sha256:[a-f0-9]{64}$\')',
      message: 'must end with the digest of the manifest, such as oci://registry.example/team/code@sha256:9f86d0..., because tags can be moved',
    }],
  }),
  mountPath: field.text('Where containers see the files; also the working directory of the training container, unless the job gives one.', {
    maxLength: 4096, pattern: CODE_PATH_PATTERN, default: DEFAULT_CODE_PATH, says: 'must be an absolute path other than "/", without ":".',
  }),
  secretName: field.objectName('Secret with the credentials for url.', { otherwise: 'the pod\'s own identity' }),
  fetchImage: field.image('Image of the init container that unpacks the archive.', { otherwise: 'the training image' }),
}, {
  fixed: true,
  rules: [
    {
      rule: '[has(self.configMap), has(self.configMaps), has(self.url)].exists_one(given, given)',
      message: 'needs exactly one source: set configMap, configMaps or url',
    },
    {
      rule: '!has(self.secretName) || has(self.url)',
      message: 'holds credentials for a url, and a ConfigMap needs none. Remove it',
      fieldPath: '.secretName',
    },
  ],
});

export type CodeSpec = field.ValueOf<typeof CODE>;

/** Where a job's files are unpacked; undefined when it brings none. */
export function codePath({ code }: { readonly code?: CodeSpec }): string | undefined {
  return code && (code.mountPath ?? DEFAULT_CODE_PATH);
}

/** Working directory of the `training` container: files that the job brings are there to be run from. */
export function workingDirOf(spec: { readonly workingDir?: string; readonly code?: CodeSpec }): string | undefined {
  return spec.workingDir ?? codePath(spec);
}
