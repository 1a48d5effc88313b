import { gcsArchive } from './gcs';
import { ociArchive } from './oci';
import { s3Archive } from './s3';

/** An archive that a bucket or registry must have. */
export interface WantedArchive {
  readonly url: string;
  /** SHA-256, `sha256:...`. */
  readonly digest: string;
  /** Bytes. */
  readonly size: number;
}

export interface RemoteArchive {
  /** Whether the archive exists. @throws StoreError when it has other content, or the store refuses to answer */
  exists(): Promise<boolean>;
  upload(content: Uint8Array): Promise<void>;
}

/** @param env environment with the credentials */
export function remoteArchive(wanted: WantedArchive, env: NodeJS.ProcessEnv): RemoteArchive {
  const stores = { s3: s3Archive, gs: gcsArchive, oci: ociArchive };
  return stores[wanted.url.split('://')[0] as keyof typeof stores](wanted, env);
}
