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
  /** @default - it exists already */
  readonly archive?: Archive;
  readonly folder?: string;
  readonly place: Pick<CodeSpec, 'configMap' | 'configMaps' | 'url'>;
}

/**
 * Files of a program that come into the pods in addition to the image, so that a change of the program needs no new image.
 *
 * At synth the files are packed into an archive whose bytes follow from the files alone. A small archive is carried by ConfigMaps; a larger one is
 * uploaded by `trainyard push`. On every engine an init container checks the archive's digest and unpacks it; `trainyard run` uses the folder in
 * place.
 * @see docs/code-bundles.md
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

  /** A `.tar.gz` file that exists. @param file path; a relative one starts at the current folder */
  public static fromArchive(file: string, options: CodeArchiveOptions = {}): CodeBundle {
    checkTypes('CodeBundle.fromArchive', 'CodeArchiveOptions', options);
    return naming(`CodeBundle.fromArchive('${file}')`, () => {
      const archive = archiveOfFile(file, options.upload === undefined ? 'config-maps' : 'upload');
      return new CodeBundle(archive.digest, { archive, place: placeOf(archive, options) }, options);
    });
  }

  /**
   * A `.tar.gz` archive that is in a bucket, on a web server or in a registry already.
   * @param url `s3://`, `gs://`, `https://` or `oci://REGISTRY/REPOSITORY@sha256:...`
   * @param digest SHA-256 of the archive: `sha256:...`
   */
  public static fromUrl(url: string, digest: string, options: CodeUrlOptions = {}): CodeBundle {
    checkTypes('CodeBundle.fromUrl', 'CodeUrlOptions', options);
    return new CodeBundle(digest, { place: { url } }, options);
  }

  /**
   * A `.tar.gz` archive that is in a ConfigMap of the job's namespace already, under the key `code.tar.gz`.
   * @param digest SHA-256 of the archive: `sha256:...`
   */
  public static fromConfigMap(configMap: IConfigMap, digest: string, options: CodeOptions = {}): CodeBundle {
    checkTypes('CodeBundle.fromConfigMap', 'CodeOptions', options);
    return new CodeBundle(digest, { place: { configMap: configMap.name } }, options);
  }

  /**
   * A `.tar.gz` archive that is in ConfigMaps of the job's namespace already, split under the keys `code.tar.gz.0`, `code.tar.gz.1` and so on.
   * @param configMaps at most 16
   * @param digest SHA-256 of the archive: `sha256:...`
   */
  public static fromConfigMaps(configMaps: IConfigMap[], digest: string, options: CodeOptions = {}): CodeBundle {
    checkTypes('CodeBundle.fromConfigMaps', 'CodeOptions', options);
    return new CodeBundle(digest, { place: { configMaps: configMaps.map(({ name }) => name) } }, options);
  }

  /** SHA-256 of the archive. */
  public readonly digest: string;

  /** Where pods fetch the archive; undefined when ConfigMaps carry it. */
  public readonly url?: string;

  /** Where containers see the files. */
  public readonly mountPath: string;

  private constructor(digest: string, private readonly source: CodeSource, private readonly options: CodeUrlOptions) {
    this.digest = digest;
    this.url = source.place.url;
    this.mountPath = options.mountPath ?? DEFAULT_CODE_PATH;
  }

  /** The bundle in the model's terms. @internal */
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
   * Adds the ConfigMaps to the chart of whoever uses the bundle, once for a namespace.
   * @returns what has to be applied before
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

/** Errors say which bundle they speak of. */
function naming<T>(what: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    throw new Error(`${what}: ${(error as Error).message}`, { cause: error });
  }
}

/** What every kind of bundle has in common. */
export interface CodeOptions {
  /**
   * Where containers see the files. It is also the working directory of the `training` container, unless the job gives one.
   * @default /workspace/code
   */
  readonly mountPath?: string;

  /**
   * Image of the init container that unpacks the archive. It needs `sh` and `tar` (a ConfigMap's archive; `busybox` will do) or `python3` (any
   * other).
   * @default - the training image
   */
  readonly fetchImage?: string;
}

/** Options of `CodeBundle.fromUrl`. */
export interface CodeUrlOptions extends CodeOptions {
  /**
   * Credentials that the archive is fetched with, in the job's namespace. Only the init container sees them. See docs/code-bundles.md for the keys.
   * @default - the pod's own identity, or none for a public archive
   */
  readonly credentials?: ISecret;
}

/** Options of `CodeBundle.fromArchive`. */
export interface CodeArchiveOptions extends CodeUrlOptions {
  /**
   * Where `trainyard push` uploads the archive and pods fetch it: `s3://BUCKET/PREFIX`, `gs://BUCKET/PREFIX` or `oci://REGISTRY/REPOSITORY`.
   * @default - ConfigMaps next to the job contain it, up to 700 KiB
   */
  readonly upload?: string;
}

/** Options of `CodeBundle.fromDirectory`. */
export interface CodeDirectoryOptions extends CodeArchiveOptions {
  /**
   * Patterns of files to leave out, in the language of `.gitignore`. They come after those of all ignore files.
   * @default - none in addition to the ignore files' and the usual ones
   */
  readonly exclude?: string[];
}

/**
 * Leaves a file with what manifests do not say.
 *
 * Tells the command that runs the program, if there is one, where a bundle comes from. Any other synth writes nothing.
 */
function recordBundle({ digest, content }: Archive, { folder, url }: { readonly folder?: string; readonly url?: string }): void {
  // Nothing of the manifests depends on it: a command that runs the program asks for what they do not hold.
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
  // One for each place that the archive has to be in.
  writeFileSync(`${name}${url === undefined ? '' : `-${Buffer.from(url).toString('base64url').slice(-40)}`}.json`, JSON.stringify(record));
}

/**
 * The URL of an archive.
 *
 * Where an archive will be once it is uploaded. Known before, because its name is its digest.
 * @param upload as in `CodeArchiveOptions.upload`
 * @throws Error when it is no place that `trainyard push` can upload to
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
