/** The ConfigMap that carries a small archive. Its name follows from its content, so it never changes, and jobs with the same files share it. */
import type { Manifest } from '../kubernetes';
import { MANAGED_BY_ENGINES, MANAGED_BY_LABEL } from '../../model/labels';
import { CODE_ARCHIVE_KEY } from '../../model/training-job/code';

/**
 * Most bytes of an archive in a ConfigMap: 700 KiB, which base64 makes 934 KiB. An object may have 1 MiB, and a little more than the archive is in
 * it.
 */
export const CODE_CONFIG_MAP_MAX_BYTES = 700 * 1024;

/** The ConfigMap. */
export interface CodeConfigMap extends Manifest {
  readonly immutable: true;
  readonly binaryData: { readonly [key: string]: string };
}

/** Name of the ConfigMap of an archive. */
export function codeConfigMapName(digest: string): string {
  return `trainyard-code-${digest.slice('sha256:'.length).slice(0, 12)}`;
}

/** Constructs the ConfigMap of an archive. */
export function constructCodeConfigMap(archive: { readonly digest: string; readonly content: Uint8Array }): CodeConfigMap {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: codeConfigMapName(archive.digest), labels: { [MANAGED_BY_LABEL]: MANAGED_BY_ENGINES } },
    immutable: true,
    binaryData: { [CODE_ARCHIVE_KEY]: Buffer.from(archive.content).toString('base64') },
  };
}
