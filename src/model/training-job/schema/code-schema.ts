/** Schema of `spec.code`. */
import { imageSchema } from './pod-schema';
import { list, object, objectName, text, type JsonSchema } from './json-schema';
import { CODE_CONFIG_MAPS_MAX, CODE_PATH_PATTERN, CODE_URL_PATTERN, DEFAULT_CODE_PATH, DIGEST_PATTERN, type CodeSpec } from '../code';

/** Schema of CodeSpec. */
export function codeSchema(): JsonSchema {
  return object<CodeSpec>('Files of the program that are unpacked in every pod, in addition to the image.', {
    digest: text('SHA-256 of the archive, such as sha256:9f86d0... Other archives are not unpacked.', { maxLength: 71, pattern: DIGEST_PATTERN }),
    configMap: objectName('ConfigMap with the archive under the key code.tar.gz. Give exactly one of configMap, configMaps and url.'),
    configMaps: list('ConfigMaps with the parts of the archive, under the keys code.tar.gz.0, code.tar.gz.1 and so on.',
      objectName('Name of one of them.'), CODE_CONFIG_MAPS_MAX, { minItems: 1 }),
    url: text('Where the archive is: s3://bucket/key, gs://bucket/name, https://host/path or oci://registry/repository@sha256:..., digest of the manifest.', {
      maxLength: 2048,
      pattern: CODE_URL_PATTERN,
      rules: [{
        rule: '!self.startsWith(\'oci://\') || self.matches(\'@sha256:[a-f0-9]{64}$\')',
        message: 'must end with the digest of the manifest, such as oci://registry.example/team/code@sha256:9f86d0..., because tags can be moved',
      }],
    }),
    mountPath: text('Where containers see the files; also the working directory of the training container, unless the job gives one.', {
      maxLength: 4096,
      pattern: CODE_PATH_PATTERN,
      default: DEFAULT_CODE_PATH,
    }),
    secretName: objectName('Secret with the credentials for url. The pod\'s own identity by default.'),
    fetchImage: imageSchema('Image of the init container that unpacks the archive. The training image by default.'),
  }, {
    required: ['digest'],
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
}
