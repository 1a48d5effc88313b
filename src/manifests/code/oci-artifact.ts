/**
 * An archive as an artifact of an OCI registry: one layer, an empty configuration, and a manifest. All of it follows from the archive's digest and
 * size, so that synth can name the manifest's digest before anything is uploaded.
 * @see https://github.com/opencontainers/image-spec/blob/main/manifest.md#guidelines-for-artifact-usage
 */
import { createHash } from 'node:crypto';

/** Media type of the manifest. */
export const OCI_MANIFEST_TYPE = 'application/vnd.oci.image.manifest.v1+json';

/** Media type of the layer. */
const OCI_LAYER_TYPE = 'application/vnd.oci.image.layer.v1.tar+gzip';

const OCI_ARTIFACT_TYPE = 'application/vnd.trainyard.code.v1';

/** Configuration of artifacts that have none. */
export const OCI_EMPTY_CONFIG = '{}';

/** A manifest as its bytes, and their digest. */
export interface OciArtifact {
  readonly manifest: string;
  readonly digest: string;
  readonly configDigest: string;
  /** Tag by which people find it; registries keep what has one. */
  readonly tag: string;
}

/** The manifest of an archive. */
export function constructOciArtifact(archive: { readonly digest: string; readonly size: number }): OciArtifact {
  const configDigest = sha256(OCI_EMPTY_CONFIG);
  const manifest = JSON.stringify({
    schemaVersion: 2,
    mediaType: OCI_MANIFEST_TYPE,
    artifactType: OCI_ARTIFACT_TYPE,
    config: { mediaType: 'application/vnd.oci.empty.v1+json', digest: configDigest, size: OCI_EMPTY_CONFIG.length, data: 'e30=' },
    layers: [{ mediaType: OCI_LAYER_TYPE, digest: archive.digest, size: archive.size }],
  });
  return { manifest, digest: sha256(manifest), configDigest, tag: `code-${archive.digest.slice('sha256:'.length).slice(0, 12)}` };
}

/** A digest as registries write it. */
export function sha256(content: string | Uint8Array): string {
  return `sha256:${createHash('sha256').update(content).digest('hex')}`;
}
