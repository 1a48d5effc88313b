/** Where an archive will be once it is uploaded. Known before, because its name is its digest. */
import { constructOciArtifact } from '../../manifests/code/oci-artifact';
import { trimmedEnd } from '../../model/text/trim';

/**
 * The URL of an archive.
 * @param upload as in `CodeArchiveOptions.upload`
 * @throws Error when it is no place that `trainyard push` can upload to
 */
export function uploadUrl(upload: string, archive: { readonly digest: string; readonly size: number }): string {
  const [, scheme, place = '', query = ''] = /^(s3|gs|oci):\/\/([^?]+)(\?.*)?$/.exec(upload) ?? [];
  const path = trimmedEnd(place, '/');
  const [host, ...rest] = path.split('/');
  const fits = scheme !== undefined && /^[!%-~]+$/.test(path) && !host.includes('@') && (scheme === 's3' || query === '')
    && (scheme !== 'oci' || (rest.length > 0 && /^[a-z0-9]+([._/-]+[a-z0-9]+)*$/.test(rest.join('/'))));
  if (!fits) {
    throw new Error(`upload: '${upload}' is not a supported upload location. Use 's3://bucket/prefix', 'gs://bucket/prefix' or 'oci://registry/repository' (lower case, without a tag).`);
  }
  return scheme === 'oci'
    ? `oci://${path}@${constructOciArtifact(archive).digest}`
    : `${scheme}://${path}/${archive.digest.replace(':', '-')}.tar.gz${query}`;
}
