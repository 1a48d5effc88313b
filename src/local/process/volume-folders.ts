/**
 * A pod's volumes as folders of this machine:
 *
 * - `emptyDir` is a new folder of the pod; on `/dev/shm` it is the machine's own shared memory;
 * - a claim is a folder that stays, which all pods and later runs with this claim share;
 * - `hostPath` is that path;
 * - config maps, secrets, tokens of service accounts, the downward API and projections of them are written as files;
 * - other volumes (nfs, csi ...) are folders that stay, with a warning, because the content of the cluster is not available.
 */
import fs from 'node:fs';
import path from 'node:path';
import { fileNameOf, pathBelow, type PathMapping } from './local-path';
import { TokenFile, type IssuedToken, type ObjectData, type ObjectSource } from './object-source';
import { PodConfigError } from './pod-config-error';
import { podField, resourceField, type ResourceFieldRef } from './pod-fields';
import type { Container, Pod, Volume } from '../../manifests/kubernetes';
import { expandReferences } from '../../model/variable-references';

/** Folders for the state of local pods. */
export interface PodFolders {
  /** Folder of the pod, which is removed with it. */
  readonly pod: string;
  /** Folder with a folder for each claim, which stays. */
  readonly claims: string;
}

/** The volumes of a pod. */
export class VolumeFolders {
  private constructor(private readonly folders: ReadonlyMap<string, string>, private readonly tokens: readonly TokenFile[]) {}

  /** Creates the volumes of a pod. @throws PodConfigError when a config map or secret does not exist */
  public static async create(pod: Pod, folders: PodFolders, objects: ObjectSource, warn: (message: string) => void): Promise<VolumeFolders> {
    const made = new Map<string, string>();
    const maker = new VolumeMaker(pod, folders, objects, warn);
    for (const volume of pod.spec?.volumes ?? []) {
      made.set(volume.name, await maker.make(volume));
    }
    return new VolumeFolders(made, maker.tokens);
  }

  /** Stops the renewal of tokens. */
  public close(): void {
    this.tokens.forEach((token) => token.close());
  }

  /**
   * The local folders of a container's mounts. Folders of a `subPath` are created.
   * @param variables of the container, for `subPathExpr`
   */
  public mappings(container: Container, variables: ReadonlyMap<string, string>): PathMapping[] {
    const mappings: PathMapping[] = [];
    for (const mount of container.volumeMounts ?? []) {
      const folder = this.folders.get(mount.name);
      if (folder === undefined) {
        throw new PodConfigError(`container ${container.name}: mounts volume '${mount.name}' at ${mount.mountPath}, but the pod has no such volume.`);
      }
      const below = mount.subPath ?? expandReferences((mount.subPathExpr as string | undefined) ?? '', (name) => variables.get(name));
      const localPath = below === '' ? folder : pathBelow(folder, below, `container ${container.name}: subPath of volume '${mount.name}'`);
      if (!fs.existsSync(localPath)) {
        fs.mkdirSync(localPath, { recursive: true });
      }
      mappings.push({ containerPath: mount.mountPath, localPath });
    }
    return mappings;
  }
}

interface KeyItem {
  readonly key: string;
  readonly path: string;
}

interface ObjectVolume {
  readonly name?: string;
  readonly secretName?: string;
  readonly optional?: boolean;
  readonly items?: readonly KeyItem[];
  readonly defaultMode?: number;
}

function isExecutable({ defaultMode = 0 }: ObjectVolume): boolean {
  return (defaultMode & 0o100) !== 0;
}

interface DownwardVolume {
  readonly items?: readonly {
    readonly path: string;
    readonly fieldRef?: { readonly fieldPath: string };
    readonly resourceFieldRef?: ResourceFieldRef;
  }[];
}

interface ProjectedVolume {
  readonly sources?: readonly {
    readonly configMap?: ObjectVolume;
    readonly secret?: ObjectVolume;
    readonly downwardAPI?: DownwardVolume;
    readonly serviceAccountToken?: TokenSource;
  }[];
}

interface TokenSource {
  readonly audience?: string;
  readonly expirationSeconds?: number;
  readonly path: string;
}

/** Default lifetime of a token, as in Kubernetes. */
const TOKEN_SECONDS = 3600;

/** Creates the volumes of a pod. */
class VolumeMaker {
  /** Files that are renewed while the pod runs. */
  public readonly tokens: TokenFile[] = [];

  public constructor(
    private readonly pod: Pod,
    private readonly folders: PodFolders,
    private readonly objects: ObjectSource,
    private readonly warn: (message: string) => void,
  ) {}

  public async make(volume: Volume): Promise<string> {
    const name = fileNameOf(volume.name, 'the name of a volume');
    const claim = volume.persistentVolumeClaim as { readonly claimName: string } | undefined;
    const ephemeral = volume.ephemeral !== undefined;
    if (claim) {
      return this.folder(path.join(this.folders.claims, fileNameOf(claim.claimName, `claimName of volume '${name}'`)));
    }
    if (volume.hostPath) {
      return (volume.hostPath as { readonly path: string }).path;
    }
    if (volume.emptyDir && this.isSharedMemory(volume)) {
      return '/dev/shm';
    }
    const folder = this.folder(path.join(this.folders.pod, 'volumes', name));
    if (volume.configMap || volume.secret || volume.downwardAPI) {
      await this.project(volume, folder, {
        sources: [{
          configMap: volume.configMap as ObjectVolume | undefined,
          secret: volume.secret as ObjectVolume | undefined,
          downwardAPI: volume.downwardAPI as DownwardVolume | undefined,
        }],
      });
    } else if (volume.projected) {
      await this.project(volume, folder, volume.projected as ProjectedVolume);
    } else if (!volume.emptyDir && !ephemeral) {
      const source = Object.keys(volume).find((field) => field !== 'name') ?? 'unknown';
      const kept = this.folder(path.join(this.folders.claims, `volume-${name}`));
      this.warn(`volume '${volume.name}' (${source}) is the local folder ${kept}; the cluster's contents are not available here`);
      return kept;
    }
    return folder;
  }

  /** Whether the machine's shared memory can be used. */
  private isSharedMemory(volume: Volume): boolean {
    const containers = [...(this.pod.spec?.containers ?? []), ...(this.pod.spec?.initContainers ?? [])];
    return fs.existsSync('/dev/shm')
      && containers.some((container) => container.volumeMounts?.some((mount) => mount.name === volume.name && mount.mountPath === '/dev/shm'));
  }

  private async project(volume: Volume, folder: string, { sources = [] }: ProjectedVolume): Promise<void> {
    for (const source of sources) {
      if (source.configMap) {
        const name = source.configMap.name ?? '';
        this.write(volume, folder, source.configMap, `config map '${name}'`, await this.objects.configMap(name));
      } else if (source.secret) {
        const name = source.secret.secretName ?? source.secret.name ?? '';
        this.write(volume, folder, source.secret, `secret '${name}'`, await this.objects.secret(name));
      } else if (source.serviceAccountToken) {
        await this.token(volume, folder, source.serviceAccountToken);
      } else if (source.downwardAPI) {
        for (const item of source.downwardAPI.items ?? []) {
          this.file(volume, folder, item.path, item.fieldRef
            ? podField(this.pod, item.fieldRef.fieldPath)
            : resourceField(this.pod, item.resourceFieldRef!.containerName ?? '', item.resourceFieldRef!));
        }
      }
    }
  }

  private async token(volume: Volume, folder: string, { audience, expirationSeconds = TOKEN_SECONDS, path: name }: TokenSource): Promise<void> {
    const serviceAccount = (this.pod.spec?.serviceAccountName as string | undefined) ?? 'default';
    const issue = () => this.objects.serviceAccountToken(serviceAccount, audience, expirationSeconds);
    const first = await issue();
    if (first === undefined) {
      this.warn(`volume '${volume.name}': service account tokens are not available here, so it has no file '${name}'`);
      return;
    }
    const file = pathBelow(folder, name, `path of the token in volume '${volume.name}'`);
    this.folder(path.dirname(file));
    let next: IssuedToken | undefined = first;
    this.tokens.push(await TokenFile.create(file, async () => {
      const issued = next ?? await issue();
      next = undefined;
      return issued!;
    }, this.warn));
  }

  private write(volume: Volume, folder: string, source: ObjectVolume, what: string, data: ObjectData | undefined): void {
    if (data === undefined) {
      if (source.optional) {
        return;
      }
      throw new PodConfigError(`volume '${volume.name}': there is no ${what}. Put it in the same file as the job, or mark the volume as optional.`);
    }
    const items = source.items ?? [...data.keys()].map((key): KeyItem => ({ key, path: key }));
    for (const item of items) {
      const content = data.get(item.key);
      if (content === undefined && !source.optional) {
        throw new PodConfigError(`volume '${volume.name}': the ${what} has no key '${item.key}'; it has ${[...data.keys()].join(', ')}.`);
      }
      if (content !== undefined) {
        this.file(volume, folder, item.path, content, isExecutable(source));
      }
    }
  }

  private file(volume: Volume, folder: string, name: string, content: string | Buffer, executable = false): void {
    const file = pathBelow(folder, name, `a path in volume '${volume.name}'`);
    this.folder(path.dirname(file));
    // Only for this user: the content may be secret.
    fs.writeFileSync(file, content, { mode: executable ? 0o700 : 0o600 });
  }

  private folder(folder: string): string {
    fs.mkdirSync(folder, { recursive: true });
    return folder;
  }
}
