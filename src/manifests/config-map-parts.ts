/**
 * Splits content over ConfigMaps. The API server accepts objects of 1 MiB, but `kubectl apply` copies the whole object into an annotation, and the
 * annotations of an object have at most 256 KiB.
 */
import type { Volume } from './kubernetes';

/** Most bytes of content in one ConfigMap: 180 KiB, which are 240 KiB in base64. The rest of 256 KiB is for the object's other fields. */
export const CONFIG_MAP_CONTENT_MAX_BYTES = 180 * 1024;

/** `binaryData` of one ConfigMap. */
export interface BinaryData {
  readonly [key: string]: string;
}

/** Splits content into the `binaryData` of ConfigMaps, with the keys `KEY.0`, `KEY.1` and so on, in the order of the content. */
export function binaryDataParts(key: string, content: Uint8Array): BinaryData[] {
  const size = CONFIG_MAP_CONTENT_MAX_BYTES;
  const count = Math.max(1, Math.ceil(content.length / size));
  return Array.from({ length: count }, (_, part) => ({
    [`${key}.${part}`]: Buffer.from(content.subarray(part * size, (part + 1) * size)).toString('base64'),
  }));
}

/** A volume that shows the files of all these ConfigMaps in one folder. */
export function configMapsVolume(name: string, configMaps: readonly string[]): Volume {
  return { name, projected: { sources: configMaps.map((configMap) => ({ configMap: { name: configMap } })) } };
}
