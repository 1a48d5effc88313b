/** Archives in buckets and registries. */
import { gcsArchive } from './gcs';
import { ociArchive } from './oci';
import type { RemoteArchive, WantedArchive } from './remote-archive';
import { s3Archive } from './s3';

/** @param env environment with the credentials */
export function remoteArchive(wanted: WantedArchive, env: NodeJS.ProcessEnv): RemoteArchive {
  const stores = { s3: s3Archive, gs: gcsArchive, oci: ociArchive };
  return stores[wanted.url.split('://')[0] as keyof typeof stores](wanted, env);
}
