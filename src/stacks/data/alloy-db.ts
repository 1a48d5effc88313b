/** AlloyDB: PostgreSQL for features, vectors and state that are too large for one server. */
import * as alloydb from '@pulumi/gcp/alloydb';
import * as projects from '@pulumi/gcp/projects';
import * as pulumi from '@pulumi/pulumi';
import { checkDatabase } from './database-args';
import { ALLOYDB_ARG_RULES, type AlloyDbArgs, type AlloyDbReadPoolArgs } from './alloy-db-args';
import { ALLOYDB_DEFAULTS, ALLOYDB_IAM_FLAG, alloyDbUserName } from '../../model/databases/alloydb';
import { DAY_SECONDS } from '../../model/messaging/pub-sub';
import { connectedNetwork } from '../network/private-service-access';
import { keyForService } from '../support/access';
import { commonLabels, configuredProject } from '../support/context';
import { throwErrors, validated } from '../support/validated';

const EVERY_DAY = ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY'];

/** Roles of those who connect through the proxy or a connector. @see https://cloud.google.com/alloydb/docs/auth-proxy/connect */
const CLIENT_ROLES = ['roles/alloydb.client', 'roles/serviceusage.serviceUsageConsumer'];

/**
 * An AlloyDB cluster with a primary instance, read pools, continuous and daily backups, and permission to connect for the given members.
 * @see https://cloud.google.com/alloydb/docs/overview
 */
export class AlloyDb extends pulumi.ComponentResource {
  public readonly cluster: alloydb.Cluster;
  public readonly primary: alloydb.Instance;
  /** Private address for reads and writes. */
  public readonly host: pulumi.Output<string>;
  /** Private addresses of the read pools, by name. */
  public readonly readHosts: ReadonlyMap<string, pulumi.Output<string>>;
  /** `projects/PROJECT/locations/REGION/clusters/CLUSTER/instances/INSTANCE`, for the AlloyDB Auth Proxy. */
  public readonly instanceUri: pulumi.Output<string>;
  /** User and password, as a secret. */
  public readonly credentials: pulumi.Output<{ readonly username: string; readonly password: string }>;

  /**
   * @param name name in the program
   * @param args the options of the cluster
   * @param opts Pulumi options
   * @throws InvalidArgsError with all errors
   */
  public constructor(name: string, args: AlloyDbArgs, opts?: pulumi.ComponentResourceOptions) {
    const subject = { type: 'AlloyDb', name };
    const checked = validated<AlloyDbArgs>(subject, { ...args, clusterId: args.clusterId ?? name }, ALLOYDB_ARG_RULES);
    throwErrors(subject, checkDatabase(args));
    super('trainyard:stacks:AlloyDb', name, {}, opts);
    const child: pulumi.CustomResourceOptions = { parent: this };
    const project = checked.project ?? configuredProject();
    const labels = commonLabels(checked.labels);
    const iamUsers = (checked.iamUsers ?? []) as readonly pulumi.Input<string>[];
    const username = checked.user ?? ALLOYDB_DEFAULTS.user;
    const kmsKeyName = keyForService(name, checked.kmsKey, 'alloydb.googleapis.com', project, child);
    const encryptionConfig = kmsKeyName === undefined ? undefined : { kmsKeyName };

    this.cluster = new alloydb.Cluster(name, {
      project,
      location: checked.region,
      clusterId: checked.clusterId!,
      databaseVersion: checked.version ?? ALLOYDB_DEFAULTS.version,
      networkConfig: { network: connectedNetwork(name, checked.network, checked.connectNetwork ?? true, project, child) },
      initialUser: { user: username, password: pulumi.secret(checked.password) },
      continuousBackupConfig: { enabled: true, recoveryWindowDays: checked.recoveryDays ?? ALLOYDB_DEFAULTS.recoveryDays, encryptionConfig },
      automatedBackupPolicy: {
        enabled: true,
        location: checked.region,
        backupWindow: '3600s',
        weeklySchedule: { daysOfWeeks: EVERY_DAY, startTimes: [{ hours: 3, minutes: 0, seconds: 0, nanos: 0 }] },
        timeBasedRetention: { retentionPeriod: pulumi.output(checked.backupDays ?? ALLOYDB_DEFAULTS.backupDays).apply((days) => `${days * DAY_SECONDS}s`) },
        encryptionConfig,
        labels,
      },
      encryptionConfig,
      deletionProtection: checked.deletionProtection ?? true,
      labels,
    }, { ...child, additionalSecretOutputs: ['initialUser'] });

    const flags = pulumi.output(checked.flags ?? {}).apply((own) => ({
      ...own as { [name: string]: string }, ...(iamUsers.length > 0 && { [ALLOYDB_IAM_FLAG]: 'on' }),
    }));
    const instance = (each: string, type: string, machine: Pick<AlloyDbReadPoolArgs, 'cpus' | 'machineType'>, more: Partial<alloydb.InstanceArgs>, after: alloydb.Instance[]) => (
      new alloydb.Instance(`${name}-${each}`, {
        cluster: this.cluster.name,
        instanceId: pulumi.interpolate`${checked.clusterId}-${each}`,
        instanceType: type,
        machineConfig: machineInputs(machine),
        databaseFlags: flags,
        clientConnectionConfig: { requireConnectors: checked.requireConnectors ?? false, sslConfig: { sslMode: checked.sslMode ?? 'ENCRYPTED_ONLY' } },
        queryInsightsConfig: { queryStringLength: 1024, recordApplicationTags: true, recordClientAddress: true },
        labels,
        ...more,
      }, { ...child, dependsOn: after })
    );
    const { cpus, machineType } = checked;
    this.primary = instance('primary', 'PRIMARY', { cpus, machineType }, { availabilityType: availability(checked.highAvailability ?? true) }, []);
    this.host = this.primary.ipAddress;
    this.instanceUri = this.primary.name;
    this.readHosts = new Map(Object.entries(checked.readPools ?? {}).map(([each, pool]) => {
      const isOwnMachine = pool.cpus !== undefined || pool.machineType !== undefined;
      const created = instance(each, 'READ_POOL', isOwnMachine ? pool : { cpus, machineType }, {
        readPoolConfig: { nodeCount: pool.nodes },
        availabilityType: availability(pool.highAvailability ?? pulumi.output(pool.nodes).apply((nodes) => nodes > 1)),
      }, [this.primary]);
      return [each, created.ipAddress];
    }));
    this.grantAll(name, iamUsers, (checked.clients ?? []) as readonly pulumi.Input<string>[], project);
    this.credentials = pulumi.secret(pulumi.all([username, checked.password]).apply(([user, password]) => ({ username: user, password })));
    this.registerOutputs({ host: this.host, instanceUri: this.instanceUri, credentials: this.credentials });
  }

  /** Creates PostgreSQL users for the IAM accounts, and grants them and the clients permission to connect. */
  private grantAll(
    name: string, iamUsers: readonly pulumi.Input<string>[], clients: readonly pulumi.Input<string>[], project: pulumi.Input<string> | undefined,
  ): void {
    const child: pulumi.CustomResourceOptions = { parent: this };
    const grant = (each: string, role: string, member: pulumi.Input<string>) => (
      new projects.IAMMember(`${name}-${each}-${role.slice('roles/'.length)}`, { project: project!, role, member }, child)
    );
    iamUsers.forEach((member, index) => {
      // The instance stores the users.
      new alloydb.User(`${name}-iam-${index}`, {
        cluster: this.cluster.name, userId: pulumi.output(member).apply(alloyDbUserName), userType: 'ALLOYDB_IAM_USER', databaseRoles: ['alloydbiamuser'],
      }, { ...child, dependsOn: [this.primary] });
      [...CLIENT_ROLES, 'roles/alloydb.databaseUser'].forEach((role) => grant(`iam-${index}`, role, member));
    });
    clients.forEach((member, index) => CLIENT_ROLES.forEach((role) => grant(`client-${index}`, role, member)));
  }
}

function machineInputs({ cpus, machineType }: Pick<AlloyDbReadPoolArgs, 'cpus' | 'machineType'>): alloydb.InstanceArgs['machineConfig'] {
  return pulumi.all([cpus, machineType]).apply(([count, type]) => ({
    cpuCount: count ?? Number(/-(\d+)(?:-lssd)?$/.exec(type ?? '')?.[1] ?? ALLOYDB_DEFAULTS.cpus), ...(type !== undefined && { machineType: type }),
  }));
}

function availability(isHigh: pulumi.Input<boolean>): pulumi.Output<string> {
  return pulumi.output(isHigh).apply((high) => (high ? 'REGIONAL' : 'ZONAL'));
}
