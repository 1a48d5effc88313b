/** Kubeflow on GKE as one component: a cluster with pools, storage, a database, identities, and the components of the catalogue that use them. */
import type * as kubernetes from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';
import { DATABASE_PROXY_NAME } from '../../manifests/platform/cloud-sql-proxy';
import { DATABASE_SECRET, KUBEFLOW_NAMESPACE, katibWithDatabase } from '../../manifests/platform/wiring/state';
import { CLOUD_SQL_DEFAULTS } from '../../model/databases/cloud-sql';
import { PRESET_NAMES, presetComponents } from '../../model/catalogue/presets';
import { checkShape, oneOf } from '../../model/shapes';
import type { Violation } from '../../model/violations';
import { checkCharts, deployCharts, type StackCharts } from '../charts/ordered-charts';
import type { ChartDeployment } from '../charts/chart-deployment';
import type { CloudSqlForKubeflowArgs } from '../data/cloud-sql-args';
import { CloudSqlForKubeflow } from '../data/cloud-sql-for-kubeflow';
import { WorkloadIdentityBinding } from '../identity/workload-identity-binding';
import { choosePlatform, type PlatformDeploymentArgs } from '../platform/platform-args';
import { PlatformDeployment } from '../platform/platform-deployment';
import { withPlaceholders } from '../platform/placeholders';
import type { CheckpointBucketArgs } from '../storage/checkpoint-bucket';
import { regionOf } from '../support/context';
import { throwErrors, type Found } from '../support/validated';
import { TrainingStack, type TrainingStackArgs } from '../training/training-stack';

/** The options of the platform that the stack does not set itself. */
export interface KubeflowPlatform extends Omit<PlatformDeploymentArgs, 'environment' | 'artifactStore' | 'database' | 'preset'> {
  /** @default `full` */
  readonly preset?: PlatformDeploymentArgs['preset'];
  /**
   * Secret in the namespace kubeflow with `accesskey` and `secretkey` of an HMAC key. With it, the API server of Pipelines also stores its own files
   * in the bucket.
   * @default - the API server stores them in the cluster
   */
  readonly hmacSecretName?: string;
}

/** Arguments of {@link KubeflowOnGkeStack}. */
export interface KubeflowOnGkeStackArgs extends Omit<TrainingStackArgs, 'platform' | 'charts' | 'queues'> {
  /** Components and authentication. */
  readonly platform: KubeflowPlatform;
  /** The database of Pipelines and Katib. */
  readonly database: Omit<CloudSqlForKubeflowArgs, 'project' | 'region' | 'network' | 'labels'>;
  /** The bucket for the files of pipelines. @default - a bucket without retention */
  readonly artifacts?: Omit<CheckpointBucketArgs, 'project' | 'location' | 'labels'>;
  /** Profile namespaces, whose account `default-editor` can read and write the bucket. @default - none */
  readonly profiles?: readonly string[];
  /** Charts that are applied after the platform. @default - none */
  readonly charts?: StackCharts;
}

/** Name of the bucket in the stack. */
const ARTIFACTS = 'artifacts';

/** Accounts of Pipelines that can read and write the bucket, in addition to those of profiles. */
const PIPELINE_ACCOUNTS = ['ml-pipeline', 'ml-pipeline-ui', 'pipeline-runner'];

/**
 * A cluster with Kubeflow. Pipelines store their files in a bucket. Pipelines and Katib store their state in Cloud SQL, through a proxy that uses
 * Workload Identity.
 */
export class KubeflowOnGkeStack extends pulumi.ComponentResource {
  /** Cluster, pools, buckets and identities. */
  public readonly base: TrainingStack;
  public readonly database: CloudSqlForKubeflow;
  public readonly platform: PlatformDeployment;
  public readonly charts: ReadonlyMap<string, ChartDeployment>;
  /** Provider for the cluster, for additional resources. */
  public readonly provider: kubernetes.Provider;
  /** `gs://NAME` of the bucket for the files of pipelines. */
  public readonly artifacts: pulumi.Output<string>;

  /**
   * @param name name in the program, and the prefix of the names of all parts
   * @param args the options of the parts
   * @param opts Pulumi options
   * @throws InvalidArgsError with all errors of the first part that cannot be created
   */
  public constructor(name: string, args: KubeflowOnGkeStackArgs, opts?: pulumi.ComponentResourceOptions) {
    const { platform: _platform, database, artifacts = {}, profiles = [], charts = {}, ...rest } = args;
    const { project, location, labels } = rest;
    throwErrors({ type: 'KubeflowOnGkeStack', name }, checkAll(args));
    super('trainyard:stacks:KubeflowOnGkeStack', name, {}, opts);
    const child: pulumi.ComponentResourceOptions = { parent: this };
    const accounts = [...PIPELINE_ACCOUNTS.map((account) => ({ namespace: KUBEFLOW_NAMESPACE, account })), ...profiles.map((namespace) => ({ namespace, account: 'default-editor' }))];
    this.base = new TrainingStack(name, {
      ...rest,
      buckets: { ...rest.buckets, [ARTIFACTS]: artifacts },
      identities: {
        ...rest.identities,
        ...Object.fromEntries(accounts.map((each) => [`${each.namespace}-${each.account}`, { ...each, buckets: [ARTIFACTS] }])),
      },
    }, child);
    const { cluster, provider } = this.base;

    // Only the proxy connects with this account; its clients have the password.
    const proxy = new WorkloadIdentityBinding(`${name}-sql-proxy`, { project, namespace: KUBEFLOW_NAMESPACE, account: DATABASE_PROXY_NAME, grants: [] }, child);
    this.database = new CloudSqlForKubeflow(`${name}-kubeflow`, {
      ...database, project, labels,
      region: typeof location === 'string' ? regionOf(location) : pulumi.output(location).apply(regionOf),
      network: cluster.network,
      clients: [proxy.member, ...(database.clients as readonly pulumi.Input<string>[] | undefined) ?? []],
    }, child);

    this.platform = new PlatformDeployment(`${name}-platform`, platformArgs(args, {
      bucket: this.base.buckets.get(ARTIFACTS)!.name,
      instance: this.database.connectionName,
      credentials: {
        username: this.database.credentials.apply(({ username }) => username), password: this.database.credentials.apply(({ password }) => password),
      },
    }), { ...child, provider, dependsOn: [...this.base.pools.values()] });
    this.charts = deployCharts(name, charts, provider, [this.platform], child);
    this.provider = provider;
    this.artifacts = this.base.buckets.get(ARTIFACTS)!.url;
    this.registerOutputs({
      cluster: cluster.name, kubeconfig: cluster.kubeconfig, database: this.database.connectionName, artifacts: this.artifacts,
    });
  }
}

/** The options of the platform that come from other parts. */
interface Wired {
  readonly bucket: pulumi.Input<string>;
  readonly instance: pulumi.Input<string>;
  readonly credentials: { readonly username: pulumi.Input<string>; readonly password: pulumi.Input<string> };
}

function platformArgs({ platform, database }: KubeflowOnGkeStackArgs, { bucket, instance, credentials }: Wired): PlatformDeploymentArgs {
  const { hmacSecretName, components = [], secrets = [], preset = 'full', ...rest } = platform;
  const chosen = components.map((each) => (typeof each === 'string' ? { name: each } : each));
  const katib = database.databases?.katib ?? CLOUD_SQL_DEFAULTS.databases.katib;
  const ownKatib = chosen.find(({ name }) => name === 'katib');
  const wiredKatib = katibWithDatabase(katib as string);
  const names = componentNames(platform);
  return {
    ...rest,
    preset,
    environment: 'gke',
    components: [
      ...chosen.filter(({ name }) => name !== 'katib'),
      ...(names.has('katib') && names.has('pipelines') ? [{ ...wiredKatib, ...ownKatib, patches: [...wiredKatib.patches!, ...ownKatib?.patches ?? []] }] : []),
    ],
    ...(names.has('pipelines') && {
      artifactStore: { kind: 'gcs' as const, bucket, ...(hmacSecretName !== undefined && { hmacSecretName }) },
      database: { kind: 'cloud-sql' as const, instance, privateIp: true },
    }),
    secrets: [...secrets, ...(names.has('pipelines') ? [{ name: DATABASE_SECRET, namespace: KUBEFLOW_NAMESPACE, data: credentials }] : [])],
  };
}

/** Names of the components, including those of the preset. */
function componentNames({ preset = 'full', components = [], without = [], identity, mesh = 'istio' }: KubeflowPlatform): ReadonlySet<string> {
  const ofPreset = presetComponents(preset, { environment: 'gke', identity: identity?.kind ?? 'dex', mesh }).map(({ name }) => name);
  const own = components.map((each) => (typeof each === 'string' ? each : each.name));
  return new Set([...ofPreset, ...own].filter((name) => !without.includes(name)));
}

/** Checks the names of the parts, and the platform with placeholders for names that are not known yet, before anything is created. */
function checkAll(args: KubeflowOnGkeStackArgs): Found[] {
  const { buckets = {}, charts = {}, database } = args;
  const found: Violation[] = buckets[ARTIFACTS] === undefined ? [] : [{
    path: `buckets.${ARTIFACTS}`, value: ARTIFACTS, message: 'is the name of the pipelines bucket. Set its options in artifacts, or choose another name.',
  }];
  if (typeof database?.databases?.katib === 'object') {
    found.push({ path: 'database.databases.katib', value: undefined, message: 'is an output, but must be known: it is in the manifests of Katib.' });
    return found;
  }
  const { charts: platformCharts = {}, secrets = [], ...options } = args.platform;
  const preset = checkShape(oneOf(PRESET_NAMES), options.preset ?? 'full', 'platform.preset');
  if (preset.length > 0) {
    return preset;
  }
  if (!componentNames(args.platform).has('pipelines')) {
    found.push({ path: 'platform', value: options.preset, message: 'has no pipelines, which use the database and the bucket. Add them to components, or create a TrainingStack with this platform.' });
  }
  const { plain, violations } = withPlaceholders<KubeflowPlatform>(options);
  if (violations.length > 0) {
    return [...found, ...checkCharts(charts), ...violations.map((each) => ({ ...each, path: `platform.${each.path}` }))];
  }
  const known = platformArgs({ ...args, platform: { ...plain, secrets } }, {
    bucket: 'placeholder-of-bucket', instance: 'placeholder-of-project:europe-west1:placeholder-of-instance', credentials: { username: '', password: '' },
  });
  const ofPlatform = choosePlatform({ ...known, charts: platformCharts }).found.filter(({ severity }) => severity !== 'warning');
  return [...found, ...checkCharts(charts), ...ofPlatform.map((each) => ({ ...each, path: `platform.${each.path}` }))];
}
