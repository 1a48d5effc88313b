/** An archive of a bundle in a bucket or a registry, as `trainyard push` sees it. */
import { gcsArchive } from './gcs';
import { ociArchive } from './oci';
import { s3Archive } from './s3';

/** What is to be there. */
export interface WantedArchive {
  readonly url: string;
  /** SHA-256, `sha256:...`. */
  readonly digest: string;
  /** Bytes. */
  readonly size: number;
}

export interface RemoteArchive {
  /** Whether the archive is there. @throws StoreError when something else is there, or the store does not say */
  isThere(): Promise<boolean>;
  upload(content: Uint8Array): Promise<void>;
}

/** The place that a URL names. @param env the user's environment, with the credentials */
export function remoteArchive(wanted: WantedArchive, env: NodeJS.ProcessEnv): RemoteArchive {
  const stores = { s3: s3Archive, gs: gcsArchive, oci: ociArchive };
  return stores[wanted.url.split('://')[0] as keyof typeof stores](wanted, env);
}
