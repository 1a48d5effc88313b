/**
 * An archive as an artifact of an OCI registry: one layer, an empty configuration, and a manifest. It depends only on the archive's digest and size,
 * so synth can refer to the manifest's digest before anything is uploaded.
 * @see https://github.com/opencontainers/image-spec/blob/main/manifest.md#guidelines-for-artifact-usage
 */
import { createHash } from 'node:crypto';

/** Media type of the manifest. */
export const OCI_MANIFEST_TYPE = 'application/vnd.oci.image.manifest.v1+json';

/** Media type of the layer. */
const OCI_LAYER_TYPE = 'application/vnd.oci.image.layer.v1.tar+gzip';

const OCI_ARTIFACT_TYPE = 'application/vnd.trainyard.code.v1';

/** Configuration of artifacts without one. */
export const OCI_EMPTY_CONFIG = '{}';

/** A manifest and its digest. */
export interface OciArtifact {
  readonly manifest: string;
  readonly digest: string;
  readonly configDigest: string;
  /** Tag for people. Registries also keep only what has one. */
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

/** A digest in the registries' format. */
export function sha256(content: string | Uint8Array): string {
  return `sha256:${createHash('sha256').update(content).digest('hex')}`;
}
