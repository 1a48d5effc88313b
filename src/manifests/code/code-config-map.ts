/** The ConfigMaps with a small archive. Their names are derived from its content, so they never change, and jobs with the same files share them. */
import { binaryDataParts, CONFIG_MAP_CONTENT_MAX_BYTES, type BinaryData } from '../config-map-parts';
import type { Manifest } from '../kubernetes';
import { MANAGED_BY_ENGINES, MANAGED_BY_LABEL } from '../../model/labels';
import { CODE_ARCHIVE_KEY } from '../../model/training-job/code';

/** Largest archive in ConfigMaps, in bytes. Larger ones would burden the API server, and belong in a bucket or a registry. */
export const CODE_CONFIG_MAPS_MAX_BYTES = 700 * 1024;

/** One of the ConfigMaps. */
export interface CodeConfigMap extends Manifest {
  readonly immutable: true;
  readonly binaryData: BinaryData;
}

/** Constructs the ConfigMaps of an archive: one if the archive fits, otherwise one for each part. */
export function constructCodeConfigMaps({ digest, content }: { readonly digest: string; readonly content: Uint8Array }): CodeConfigMap[] {
  const name = `trainyard-code-${digest.slice('sha256:'.length).slice(0, 12)}`;
  const isSmall = content.length <= CONFIG_MAP_CONTENT_MAX_BYTES;
  const parts = isSmall ? [{ [CODE_ARCHIVE_KEY]: Buffer.from(content).toString('base64') }] : binaryDataParts(CODE_ARCHIVE_KEY, content);
  return parts.map((binaryData, part) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: isSmall ? name : `${name}-${part}`, labels: { [MANAGED_BY_LABEL]: MANAGED_BY_ENGINES } },
    immutable: true,
    binaryData,
  }));
}
