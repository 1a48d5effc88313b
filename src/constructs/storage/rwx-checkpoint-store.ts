import { Chart, Names, type ApiObjectProps } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import { Construct } from 'constructs';
import type { CheckpointRetention, RwxCheckpointStoreProps, StorePodOptions, StorePodParts } from './store-props';
import { bindingOf, type JoinedJob } from './store-binding';
import { ProgramChecks } from '../checks/program-checks';
import { errorLines, warningLines } from '../gke/node-pools/pool-choices';
import { checkProps, checkTypes } from '../props/check-props';
import { PlainApiObject } from '../rendering/plain-api-object';
import { clusterObject } from '../rendering/objects';
import { Checkpoint, type MountedCheckpointOptions } from '../training-job/checkpoints/checkpoint';
import type { Manifest } from '../../manifests/kubernetes';
import { cleanupName, constructCleanup } from '../../manifests/storage/cleanup-job';
import { DRIVERS } from '../../manifests/storage/drivers';
import { constructStoreObjects } from '../../manifests/storage/store-objects';
import { constructStorePod, inlineAttributes } from '../../manifests/storage/store-pods';
import { checkStore } from '../../model/storage/check-store';
import { storeHints } from '../../model/storage/hints';
import { MULTI_TIER_DRIVER } from '../../model/storage/multi-tier';
import { accessModeOf, hasClaim, isReadOnly, type AccessMode, type RetentionSpec, type StoreSpec } from '../../model/storage/store';

/** Default mount path of stores. */
const DEFAULT_PATH = '/checkpoints';

/** Leaves room for a namespace as prefix, and for the suffix `-cleanup`. */
const GENERATED_NAME_MAX_LENGTH = 44;

/**
 * A checkpoint store that many pods share: the storage class, volume and claim of its backend, the settings of its pods, a folder for each job, and a
 * cleanup.
 * @see docs/platform/storage.md
 * @example
 * import { Duration } from 'cdk8s';
 * import { RwxBackend, RwxCheckpointStore } from 'trainyard';
 *
 * const store = new RwxCheckpointStore(chart, 'Checkpoints', {
 *   metadata: { name: 'checkpoints' },
 *   backend: RwxBackend.nfs('nfs.example', '/exports/checkpoints'),
 *   user: 1000,
 * });
 * store.addRetention({ keepLast: 3, maxAge: Duration.days(30) });
 */
export class RwxCheckpointStore extends Construct implements kplus.IStorage {
  /** Name of the claim, or of the store if it has no claim. */
  public readonly name: string;

  /** The claim; undefined for inline buckets and tiers, which have none. */
  public readonly claim?: kplus.IPersistentVolumeClaim;

  /** Access mode of the volume. */
  public readonly accessMode: kplus.PersistentVolumeAccessMode;

  private spec: StoreSpec;
  private volume?: kplus.Volume;
  private readonly jobs: JoinedJob[] = [];
  private readonly metadata: RwxCheckpointStoreProps['metadata'];

  public constructor(scope: Construct, id: string, props: RwxCheckpointStoreProps) {
    super(scope, id);
    checkProps(this, 'RwxCheckpointStoreProps', props);
    const backend = props.backend._toSpec();
    this.metadata = props.metadata;
    this.name = backend.kind === 'claim' ? backend.claimName : props.metadata?.name ?? Names.toDnsLabel(this, { maxLen: GENERATED_NAME_MAX_LENGTH });
    this.spec = {
      name: this.name,
      namespace: props.metadata?.namespace ?? Chart.of(this).namespace,
      backend,
      sizeGiB: props.size === undefined ? undefined : props.size.toMebibytes() / 1024,
      accessMode: props.accessMode as AccessMode | undefined,
      storageClassName: props.storageClassName,
      zones: props.zones && [...props.zones],
      mountOptions: props.mountOptions && [...props.mountOptions],
      user: props.user,
      group: props.group,
      deleteWithClaim: props.deleteWithClaim,
      pricePerGiBMonth: props.pricePerGibibyteMonth,
    };
    // The enum has the same names as Kubernetes.
    this.accessMode = accessModeOf(this.spec) as kplus.PersistentVolumeAccessMode;
    this.claim = hasClaim(this.spec) ? kplus.PersistentVolumeClaim.fromClaimName(this, 'Existing', this.name) : undefined;
    this.addObjects();
    if (props.retention !== undefined) {
      this.addRetention(props.retention);
    }
    this.node.addValidation({ validate: () => errorLines('RwxCheckpointStore', this.name, checkStore(this.spec)) });
    ProgramChecks.of(this).addSource(this, () => `RwxCheckpointStore '${this.name}'`, () => checkStore(this.spec));
  }

  /** Sentences on its kind, speed and price. They are in an annotation of the claim too. */
  public get hints(): string[] {
    return storeHints(this.spec);
  }

  /** Combinations that may not work or are unconfirmed, also with the jobs that use it. Never errors. */
  public get warnings(): string[] {
    return [
      ...warningLines(checkStore(this.spec)),
      ...this.jobs.flatMap(({ name, findings }) => warningLines(findings()).map((line) => `TrainingJob '${name()}': ${line}`)),
    ];
  }

  /** Annotations of pods that use it: for a bucket, `gke-gcsfuse/volumes` and the settings of its sidecar. */
  public get podAnnotations(): { [name: string]: string } {
    return { ...constructStorePod(this.spec, 'store').annotations };
  }

  /** The checkpoint location of a job, in a folder of its own: `checkpoint: store.forJob()`. */
  public forJob(options: MountedCheckpointOptions = {}): Checkpoint {
    checkTypes('RwxCheckpointStore.forJob', 'MountedCheckpointOptions', options);
    const { path = DEFAULT_PATH, folder, ...same } = options;
    const binding = bindingOf({ store: this, spec: () => this.spec, path, folder, join: (job) => this.jobs.push(job) });
    return Checkpoint._inStore(path, same, binding, this.claim?.name);
  }

  /** Pod options for other constructs: `new RayCluster(chart, 'Ray', { ...store.forPods(), ... })`. */
  public forPods(options: StorePodOptions = {}): StorePodParts {
    checkTypes('RwxCheckpointStore.forPods', 'StorePodOptions', options);
    const { path = DEFAULT_PATH, folder, readOnly } = options;
    if (this.spec.backend.kind === 'multiTier') {
      throw new Error(`RwxCheckpointStore at '${this.node.path}': tiers derive the rank of a RAM disk from the JobSet of a pod, but these pods do not belong to one. `
        + 'Use forJob() with a TrainingJob on Engine.jobSet() or Engine.trainer(), or another backend.');
    }
    const { furtherVolumes } = constructStorePod(this.spec, 'store');
    const mount = { ...(folder !== undefined && { subPath: folder }), ...((readOnly || isReadOnly(this.spec)) && { readOnly: true }) };
    return {
      env: { CHECKPOINT_PATH: kplus.EnvValue.fromValue(path) },
      volumeMounts: [{ path, volume: this.asVolume(), ...mount }],
      podAnnotations: this.podAnnotations,
      podSpec: furtherVolumes.length > 0 ? { volumes: [...furtherVolumes] } : {},
    };
  }

  /**
   * The store as a volume, for `addVolumeMount` and for pods of cdk8s-plus. Pods with a bucket also need `podAnnotations`.
   */
  public asVolume(): kplus.Volume {
    return this.volume ??= this.createVolume();
  }

  /** Adds a cleanup of old checkpoints. @param retention which checkpoints to keep */
  public addRetention(retention: CheckpointRetention): void {
    checkTypes('RwxCheckpointStore.addRetention', 'CheckpointRetention', retention);
    if (this.spec.retention !== undefined) {
      throw new Error(`RwxCheckpointStore at '${this.node.path}': already has a retention. Set all options in one call.`);
    }
    const spec = retentionSpec(retention);
    this.spec = { ...this.spec, retention: spec };
    this.addCleanup(spec);
  }

  private createVolume(): kplus.Volume {
    const name = Names.toDnsLabel(this, { maxLen: 63 });
    const readOnly = isReadOnly(this.spec) ? true : undefined;
    if (this.claim !== undefined) {
      return kplus.Volume.fromPersistentVolumeClaim(this, 'Volume', this.claim, { name, readOnly });
    }
    const isBucket = this.spec.backend.kind === 'gcsFuse';
    return kplus.Volume.fromCsi(this, 'Volume', isBucket ? DRIVERS.gcsFuse : MULTI_TIER_DRIVER, {
      name, readOnly, attributes: isBucket ? inlineAttributes(this.spec) : undefined,
    });
  }

  private addObjects(): void {
    const { storageClass, persistentVolume, claim, checkpointConfiguration } = constructStoreObjects(this.spec);
    const ofCluster = (id: string, manifest: Manifest | undefined) => (
      manifest && clusterObject(this, id, this.withMetadata(manifest) as ApiObjectProps & { readonly spec: unknown }));
    const before = [ofCluster('StorageClass', storageClass), ofCluster('PersistentVolume', persistentVolume)].filter((object) => object !== undefined);
    ofCluster('CheckpointConfiguration', checkpointConfiguration);
    if (claim !== undefined) {
      new PlainApiObject(this, 'Resource', this.withMetadata(claim)).addDependency(...before);
    }
  }

  private addCleanup(retention: RetentionSpec): void {
    const { program, cronJob } = constructCleanup(this.spec, retention);
    const files = new PlainApiObject(this, 'CleanupProgram', this.withMetadata(program));
    const job = new PlainApiObject(this, 'Cleanup', this.withMetadata(cronJob));
    job.addDependency(files);
    const claim = this.node.tryFindChild('Resource');
    if (claim !== undefined) {
      job.addDependency(claim);
    }
  }

  /** Name of the cleanup's CronJob; undefined without retention. */
  public get cleanupName(): string | undefined {
    return this.spec.retention === undefined ? undefined : cleanupName(this.name);
  }

  /** Adds the user's labels and annotations; ours win. */
  private withMetadata(manifest: Manifest): Manifest & ApiObjectProps {
    const { labels, annotations } = this.metadata ?? {};
    const own = manifest.metadata;
    return {
      ...manifest,
      metadata: {
        name: own.name,
        ...(own.namespace !== undefined && { namespace: own.namespace }),
        ...(labels !== undefined && { labels: { ...labels } }),
        ...((annotations !== undefined || own.annotations !== undefined) && { annotations: { ...annotations, ...own.annotations } }),
      },
    } as Manifest & ApiObjectProps;
  }
}

const DAILY = '17 3 * * *';
const TEN_MINUTES = 600;

/** A retention as a spec. */
function retentionSpec(retention: CheckpointRetention): RetentionSpec {
  const { schedule = DAILY, maxAge, settle, deadline, serviceAccount, ...same } = retention;
  return {
    ...same,
    schedule,
    maxAgeSeconds: maxAge?.toSeconds(),
    settleSeconds: settle?.toSeconds() ?? TEN_MINUTES,
    deadlineSeconds: deadline?.toSeconds(),
    serviceAccountName: serviceAccount?.name,
  };
}
