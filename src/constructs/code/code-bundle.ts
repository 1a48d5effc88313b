import { ApiObject, Chart } from 'cdk8s';
import type { IConfigMap, ISecret } from 'cdk8s-plus-28';
import type { Construct } from 'constructs';
import { realpathSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { archiveOfFile, archiveOfFolder, type Archive } from './archive';
import { checkTypes } from '../props/check-props';
import { PlainApiObject } from '../rendering/plain-api-object';
import { constructCodeConfigMaps } from '../../manifests/code/code-config-map';
import { CODE_RECORD_VARIABLE, type CodeRecord } from '../../manifests/code/code-record';
import { constructOciArtifact } from '../../manifests/code/oci-artifact';
import { trimmedEnd } from '../../model/text/trim';
import { DEFAULT_CODE_PATH, type CodeSpec } from '../../model/training-job/code';

/** Where the files of a bundle come from. */
interface CodeSource {
  /** @default - stored already */
  readonly archive?: Archive;
  readonly folder?: string;
  readonly place: Pick<CodeSpec, 'configMap' | 'configMaps' | 'url'>;
}

/**
 * Files of a program that are added to the image in the pods, so that a change of the program needs no new image.
 *
 * Synth packs the files into an archive whose bytes depend only on the files. ConfigMaps contain a small archive; `trainyard push` uploads a larger
 * one. On every engine, an init container checks the archive's digest and unpacks it; `trainyard run` uses the folder directly.
 * @see docs/jobs/code-bundles.md
 */
export class CodeBundle {
  /**
   * The files of a folder, without those that `.gitignore` and `.trainyardignore` leave out.
   * @param directory path; a relative one starts at the current folder
   */
  public static fromDirectory(directory: string, options: CodeDirectoryOptions = {}): CodeBundle {
    checkTypes('CodeBundle.fromDirectory', 'CodeDirectoryOptions', options);
    return naming(`CodeBundle.fromDirectory('${directory}')`, () => {
      const archive = archiveOfFolder(directory, options.exclude ?? [], options.upload === undefined ? 'config-maps' : 'upload');
      return new CodeBundle(archive.digest, { archive, folder: realpathSync(directory), place: placeOf(archive, options) }, options);
    });
  }

  /** An existing `.tar.gz` file. @param file path; a relative one starts at the current folder */
  public static fromArchive(file: string, options: CodeArchiveOptions = {}): CodeBundle {
    checkTypes('CodeBundle.fromArchive', 'CodeArchiveOptions', options);
    return naming(`CodeBundle.fromArchive('${file}')`, () => {
      const archive = archiveOfFile(file, options.upload === undefined ? 'config-maps' : 'upload');
      return new CodeBundle(archive.digest, { archive, place: placeOf(archive, options) }, options);
    });
  }

  /**
   * An existing `.tar.gz` archive in a bucket, on a web server or in a registry.
   * @param url `s3://`, `gs://`, `https://` or `oci://REGISTRY/REPOSITORY@sha256:...`
   * @param digest SHA-256 of the archive: `sha256:...`
   */
  public static fromUrl(url: string, digest: string, options: CodeUrlOptions = {}): CodeBundle {
    checkTypes('CodeBundle.fromUrl', 'CodeUrlOptions', options);
    return new CodeBundle(digest, { place: { url } }, options);
  }

  /**
   * An existing `.tar.gz` archive in a ConfigMap of the job's namespace, under the key `code.tar.gz`.
   * @param digest SHA-256 of the archive: `sha256:...`
   */
  public static fromConfigMap(configMap: IConfigMap, digest: string, options: CodeOptions = {}): CodeBundle {
    checkTypes('CodeBundle.fromConfigMap', 'CodeOptions', options);
    return new CodeBundle(digest, { place: { configMap: configMap.name } }, options);
  }

  /**
   * An existing `.tar.gz` archive in ConfigMaps of the job's namespace, split over the keys `code.tar.gz.0`, `code.tar.gz.1` and so on.
   * @param configMaps at most 16
   * @param digest SHA-256 of the archive: `sha256:...`
   */
  public static fromConfigMaps(configMaps: IConfigMap[], digest: string, options: CodeOptions = {}): CodeBundle {
    checkTypes('CodeBundle.fromConfigMaps', 'CodeOptions', options);
    return new CodeBundle(digest, { place: { configMaps: configMaps.map(({ name }) => name) } }, options);
  }

  /** SHA-256 of the archive. */
  public readonly digest: string;

  /** Where pods download the archive; undefined if it is in ConfigMaps. */
  public readonly url?: string;

  /** Where the files are mounted in containers. */
  public readonly mountPath: string;

  private constructor(digest: string, private readonly source: CodeSource, private readonly options: CodeUrlOptions) {
    this.digest = digest;
    this.url = source.place.url;
    this.mountPath = options.mountPath ?? DEFAULT_CODE_PATH;
  }

  /** The bundle as a spec. @internal */
  public _toSpec(): CodeSpec {
    const { mountPath, fetchImage, credentials } = this.options;
    return {
      digest: this.digest,
      ...this.source.place,
      ...(mountPath !== undefined && { mountPath }),
      ...(credentials !== undefined && { secretName: credentials.name }),
      ...(fetchImage !== undefined && { fetchImage }),
    };
  }

  /**
   * Adds the ConfigMaps to the chart that uses the bundle, once per namespace.
   * @returns objects to apply before the user
   * @internal
   */
  public _bind(scope: Construct, namespace: string | undefined): ApiObject[] {
    const { archive, folder, place } = this.source;
    if (archive === undefined) {
      return [];
    }
    recordBundle(archive, { folder, url: place.url });
    if (place.url !== undefined) {
      return [];
    }
    const chart = Chart.of(scope);
    return constructCodeConfigMaps(archive).map(({ metadata: { name, labels }, ...body }) => {
      const id = `${name}${namespace === undefined ? '' : `-${namespace}`}`;
      return chart.node.tryFindChild(id) as ApiObject | undefined
        ?? new PlainApiObject(chart, id, { ...body, metadata: { name, labels, ...(namespace !== undefined && { namespace }) } });
    });
  }
}

function placeOf(archive: Archive, { upload }: CodeArchiveOptions): CodeSource['place'] {
  if (upload !== undefined) {
    return { url: uploadUrl(upload, { digest: archive.digest, size: archive.content.length }) };
  }
  const [first, ...more] = constructCodeConfigMaps(archive).map(({ metadata: { name } }) => name);
  return more.length === 0 ? { configMap: first } : { configMaps: [first, ...more] };
}

/** Adds the name of the bundle to errors. */
function naming<T>(what: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    throw new Error(`${what}: ${(error as Error).message}`, { cause: error });
  }
}

/** Options that all kinds of bundles share. */
export interface CodeOptions {
  /**
   * Where the files are mounted in containers. It is also the working directory of the `training` container, unless the job sets one.
   * @default /workspace/code
   */
  readonly mountPath?: string;

  /**
   * Image of the init container that unpacks the archive. It needs `sh` and `tar` for an archive in ConfigMaps (`busybox` has both), and `python3`
   * for any other.
   * @default - the training image
   */
  readonly fetchImage?: string;
}

/** Options of `CodeBundle.fromUrl`. */
export interface CodeUrlOptions extends CodeOptions {
  /**
   * Credentials for downloading the archive, in the job's namespace. Only the init container gets them. See docs/jobs/code-bundles.md for the keys.
   * @default - the pod's own identity, or none for a public archive
   */
  readonly credentials?: ISecret;
}

/** Options of `CodeBundle.fromArchive`. */
export interface CodeArchiveOptions extends CodeUrlOptions {
  /**
   * Where `trainyard push` uploads the archive and pods download it: `s3://BUCKET/PREFIX`, `gs://BUCKET/PREFIX` or `oci://REGISTRY/REPOSITORY`.
   * @default - ConfigMaps in the job's chart contain it, up to 700 KiB
   */
  readonly upload?: string;
}

/** Options of `CodeBundle.fromDirectory`. */
export interface CodeDirectoryOptions extends CodeArchiveOptions {
  /**
   * Patterns of files to leave out, in the syntax of `.gitignore`. They are applied after those of all ignore files.
   * @default - only the patterns of ignore files and the built-in ones
   */
  readonly exclude?: string[];
}

/**
 * Records where a bundle comes from, which manifests do not contain, for the command that runs the program. Any other synth writes nothing.
 */
function recordBundle({ digest, content }: Archive, { folder, url }: { readonly folder?: string; readonly url?: string }): void {
  // Manifests do not depend on it: the command that runs the program sets it.
  // eslint-disable-next-line no-restricted-properties
  const records = process.env[CODE_RECORD_VARIABLE];
  if (!records) {
    return;
  }
  const name = path.join(records, digest.slice('sha256:'.length));
  const archive = url === undefined ? undefined : `${name}.tar.gz`;
  if (archive !== undefined) {
    writeFileSync(archive, content);
  }
  const record: CodeRecord = { digest, folder, url, archive, size: content.length };
  // One record for each URL of the archive.
  writeFileSync(`${name}${url === undefined ? '' : `-${Buffer.from(url).toString('base64url').slice(-40)}`}.json`, JSON.stringify(record));
}

/**
 * The URL of an archive after its upload. It is known in advance, because its name is its digest.
 * @param upload as in `CodeArchiveOptions.upload`
 * @throws Error if `trainyard push` cannot upload to this location
 */
function uploadUrl(upload: string, archive: { readonly digest: string; readonly size: number }): string {
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
