import { realpathSync } from 'node:fs';
import { ApiObject, Chart } from 'cdk8s';
import type { IConfigMap } from 'cdk8s-plus-28';
import type { Construct } from 'constructs';
import { archiveOfFile, archiveOfFolder, type Archive } from './archive';
import type { CodeArchiveOptions, CodeDirectoryOptions, CodeOptions, CodeUrlOptions } from './code-options';
import { recordBundle } from './record-bundle';
import { uploadUrl } from './upload-url';
import { constructCodeConfigMap } from '../../manifests/code/code-config-map';
import { DEFAULT_CODE_PATH, type CodeSpec } from '../../model/training-job/code';

/** Where the files of a bundle come from. */
interface CodeSource {
  /** @default - somebody else has seen to it that it is there */
  readonly archive?: Archive;
  readonly folder?: string;
  readonly configMap?: string;
  readonly url?: string;
}

/**
 * Files of a program that come into the pods beside the image, so that a change of the program needs no new image.
 *
 * At synth the files are packed into an archive whose bytes follow from the files alone. A small archive is carried as a ConfigMap; a larger one is
 * uploaded by `trainyard push`. On every engine an init container checks the archive's digest and unpacks it; `trainyard run` uses the folder in
 * place.
 *
 * @see docs/code-bundles.md
 */
export class CodeBundle {
  /**
   * The files of a folder, without those that `.gitignore` and `.trainyardignore` leave out.
   * @param directory path; a relative one starts at the current folder
   */
  public static fromDirectory(directory: string, options: CodeDirectoryOptions = {}): CodeBundle {
    return naming(`CodeBundle.fromDirectory('${directory}')`, () => {
      const archive = archiveOfFolder(directory, options.exclude ?? [], options.upload === undefined ? 'config-map' : 'upload');
      return new CodeBundle(archive.digest, { archive, folder: realpathSync(directory), ...place(archive, options) }, options);
    });
  }

  /**
   * A `.tar.gz` file that exists.
   * @param file path; a relative one starts at the current folder
   */
  public static fromArchive(file: string, options: CodeArchiveOptions = {}): CodeBundle {
    return naming(`CodeBundle.fromArchive('${file}')`, () => {
      const archive = archiveOfFile(file, options.upload === undefined ? 'config-map' : 'upload');
      return new CodeBundle(archive.digest, { archive, ...place(archive, options) }, options);
    });
  }

  /**
   * A `.tar.gz` archive that is in a bucket, on a web server or in a registry already.
   * @param url `s3://`, `gs://`, `https://` or `oci://REGISTRY/REPOSITORY@sha256:...`
   * @param digest SHA-256 of the archive: `sha256:...`
   */
  public static fromUrl(url: string, digest: string, options: CodeUrlOptions = {}): CodeBundle {
    return new CodeBundle(digest, { url }, options);
  }

  /**
   * A `.tar.gz` archive that is in a ConfigMap of the job's namespace already, under the key `code.tar.gz`.
   * @param digest SHA-256 of the archive: `sha256:...`
   */
  public static fromConfigMap(configMap: IConfigMap, digest: string, options: CodeOptions = {}): CodeBundle {
    return new CodeBundle(digest, { configMap: configMap.name }, options);
  }

  /** SHA-256 of the archive. */
  public readonly digest: string;

  /** Where pods fetch the archive; undefined when a ConfigMap carries it. */
  public readonly url?: string;

  /** Where containers see the files. */
  public readonly mountPath: string;

  private constructor(digest: string, private readonly source: CodeSource, private readonly options: CodeUrlOptions) {
    this.digest = digest;
    this.url = source.url;
    this.mountPath = options.mountPath ?? DEFAULT_CODE_PATH;
  }

  /**
   * The bundle in the model's terms.
   * @internal
   */
  public _toSpec(): CodeSpec {
    const { configMap, url } = this.source;
    const { mountPath, fetchImage, credentials } = this.options;
    return {
      digest: this.digest,
      ...(configMap !== undefined && { configMap }),
      ...(url !== undefined && { url }),
      ...(mountPath !== undefined && { mountPath }),
      ...(credentials !== undefined && { secretName: credentials.name }),
      ...(fetchImage !== undefined && { fetchImage }),
    };
  }

  /**
   * Adds the ConfigMap to the chart of whoever uses the bundle, once for a namespace.
   * @returns what has to be applied before; undefined when there is nothing
   * @internal
   */
  public _bind(scope: Construct, namespace: string | undefined): ApiObject | undefined {
    const { archive, folder, url, configMap } = this.source;
    if (archive === undefined) {
      return undefined;
    }
    recordBundle(archive, { folder, url });
    if (configMap === undefined) {
      return undefined;
    }
    const chart = Chart.of(scope);
    const { metadata, ...body } = constructCodeConfigMap(archive);
    const id = `${metadata.name}${namespace === undefined ? '' : `-${namespace}`}`;
    const { name, labels } = metadata;
    return chart.node.tryFindChild(id) as ApiObject | undefined
      ?? new ApiObject(chart, id, { ...body, metadata: { name, labels, ...(namespace !== undefined && { namespace }) } });
  }
}

function place(archive: Archive, { upload }: CodeArchiveOptions): Pick<CodeSource, 'url' | 'configMap'> {
  return upload === undefined
    ? { configMap: constructCodeConfigMap(archive).metadata.name }
    : { url: uploadUrl(upload, { digest: archive.digest, size: archive.content.length }) };
}

/** Errors say which bundle they speak of. */
function naming<T>(what: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    throw new Error(`${what}: ${(error as Error).message}`, { cause: error });
  }
}
