/** Databases: Cloud SQL for Kubeflow, AlloyDB, and the connection of their network. */
import * as pulumi from '@pulumi/pulumi';
import {
  AlloyDb, CloudSqlForKubeflow, PrivateServiceAccess, type AlloyDbArgs, type CloudSqlForKubeflowArgs, type PrivateServiceAccessArgs,
} from '../../src/stacks';
import { isSecret, late, settled, startRecording, unknown, valueOf } from './support/mocks';

const SQL = 'gcp:sql/databaseInstance:DatabaseInstance';
const GRANT = 'gcp:projects/iAMMember:IAMMember';
const MEMBER = 'serviceAccount:proxy@ml-test.iam.gserviceaccount.com';
const KEY = 'projects/ml-test/locations/europe-west4/keyRings/ml/cryptoKeys/sql';
const password = () => pulumi.secret('made-up');
const mysql = (more: Partial<CloudSqlForKubeflowArgs> = {}): CloudSqlForKubeflowArgs => ({ project: 'ml-test', region: 'europe-west4', network: 'train', password: password(), ...more });
const alloy = (more: Partial<AlloyDbArgs> = {}): AlloyDbArgs => ({ project: 'ml-test', region: 'europe-west4', network: 'train', password: password(), ...more });

afterEach(() => jest.restoreAllMocks());

describe('PrivateServiceAccess', () => {
  test('a range of the VPC is given to Google\'s services', async () => {
    const recorder = await startRecording();
    const access = new PrivateServiceAccess('services', { project: 'ml-test', network: late('train') });
    await settled();
    expect(recorder.sorted().filter(({ type }) => type.startsWith('gcp:')).map(({ type, inputs }) => ({ type, ...inputs }))).toMatchSnapshot();
    expect(await valueOf(access.network)).toBe('projects/ml-test/global/networks/train');
  });

  test('a self link is the same network', async () => {
    await startRecording();
    const access = new PrivateServiceAccess('services', { network: 'https://www.googleapis.com/compute/v1/projects/host/global/networks/shared' });
    expect(await valueOf(access.network)).toBe('projects/host/global/networks/shared');
  });

  test.each<[string, Partial<Record<keyof PrivateServiceAccessArgs, unknown>>, string]>([
    ['network', { network: undefined }, 'network: is required: the VPC of the cluster'],
    ['size', { prefixLength: 28 }, 'prefixLength: 28: is not from 8 to 24.'],
    ['address', { address: '10.96.1.0' }, 'address: "10.96.1.0": is not the first address of a /16.'],
    ['policy', { deletionPolicy: 'KEEP' }, 'deletionPolicy: "KEEP": must be one of ABANDON, DELETE.'],
  ])('a wrong %s is refused before anything is registered', async (_what, args, message) => {
    const recorder = await startRecording();
    expect(() => new PrivateServiceAccess('services', { network: 'train', ...args } as PrivateServiceAccessArgs)).toThrow(message);
    expect(recorder.resources).toEqual([]);
  });
});

describe('CloudSqlForKubeflow', () => {
  test('an instance is private, has a second server, backups, and the databases of Pipelines and Katib', async () => {
    const recorder = await startRecording();
    const database = new CloudSqlForKubeflow('kfp', mysql());
    await settled();
    expect(recorder.one(SQL).inputs).toMatchSnapshot();
    expect(recorder.graph()).toMatchSnapshot();
    expect(recorder.of('gcp:sql/database:Database').map(({ inputs }) => `${inputs.name} ${inputs.charset}`)).toEqual(['cachedb utf8mb4', 'katib utf8mb4', 'metadb utf8mb4', 'mlpipeline utf8mb4']);
    expect(recorder.edges.get(`${SQL} kfp`)!.ignoreChanges).toEqual(['settings.diskSize']);
    expect(await valueOf(database.pipelinesConfig)).toEqual({
      dbType: 'mysql', mysqlHost: '10.96.0.3', mysqlPort: '3306', dbHost: '10.96.0.3', dbPort: '3306', pipelineDb: 'mlpipeline', mlmdDb: 'metadb', cacheDb: 'cachedb',
    });
    expect(await valueOf(database.katibVariables)).toEqual({ KATIB_MYSQL_DB_HOST: '10.96.0.3', KATIB_MYSQL_DB_PORT: '3306', KATIB_MYSQL_DB_DATABASE: 'katib' });
    expect(await valueOf(database.connectionName)).toBe('ml-test:europe-west4:kfp-made');
  });

  test('the password is a secret wherever it goes', async () => {
    const recorder = await startRecording();
    const database = new CloudSqlForKubeflow('kfp', mysql({ password: late('made-up') }));
    await settled();
    const user = recorder.one('gcp:sql/user:User');
    expect(user.inputs).toMatchObject({ name: 'kubeflow', instance: 'kfp-made' });
    expect(user.inputs.password).toEqual(expect.objectContaining({ value: 'made-up' }));
    expect(await isSecret(database.credentials)).toBe(true);
    expect(await valueOf(database.credentials)).toEqual({ username: 'kubeflow', password: 'made-up' });
  });

  test('all options arrive where they belong', async () => {
    const recorder = await startRecording();
    new CloudSqlForKubeflow('kfp', mysql({
      connectNetwork: false, network: 'projects/host/global/networks/shared', version: 'MYSQL_8_0_40', tier: 'db-perf-optimized-N-4', edition: 'ENTERPRISE_PLUS', diskGiB: 100, diskLimitGiB: 500,
      highAvailability: false, backups: { retained: 30, logDays: 20, startTime: '01:30' }, flags: { max_connections: '500' }, databases: { pipelines: late('kfp'), katib: undefined },
      extraDatabases: ['registry'], user: 'platform', sslMode: 'ENCRYPTED_ONLY', maintenance: { day: 7, hour: late(4) }, kmsKey: KEY, deletionProtection: false, labels: { team: late('vision') },
    }));
    await settled();
    expect(recorder.one(SQL).inputs).toMatchSnapshot();
    expect(recorder.of('gcp:sql/database:Database').map(({ name, inputs }) => `${name} ${inputs.name}`)).toEqual(['kfp-cache cachedb', 'kfp-katib katib', 'kfp-metadata metadb', 'kfp-pipelines kfp', 'kfp-registry registry']);
    expect(recorder.one('gcp:kms/cryptoKeyIAMMember:CryptoKeyIAMMember').inputs).toEqual({ cryptoKeyId: KEY, role: 'roles/cloudkms.cryptoKeyEncrypterDecrypter', member: 'serviceAccount:sqladmin-agent' });
    expect(recorder.of('gcp:servicenetworking/connection:Connection')).toEqual([]);
  });

  test('accounts log in by IAM and clients connect, to this instance only', async () => {
    const recorder = await startRecording();
    new CloudSqlForKubeflow('kfp', mysql({ iamUsers: [late('serviceAccount:trainer@ml-test.iam.gserviceaccount.com'), 'group:ml@example.com'], clients: [MEMBER] }));
    await settled();
    expect(recorder.one(SQL).inputs.settings.databaseFlags).toEqual([{ name: 'cloudsql_iam_authentication', value: 'on' }]);
    expect(recorder.of('gcp:sql/user:User').map(({ inputs }) => [inputs.name, inputs.type])).toEqual([
      ['trainer@ml-test.iam.gserviceaccount.com', 'CLOUD_IAM_SERVICE_ACCOUNT'], ['ml@example.com', 'CLOUD_IAM_GROUP'], ['kubeflow', undefined],
    ]);
    expect(recorder.of(GRANT).map(({ inputs }) => `${inputs.role} ${inputs.member}`).sort()).toEqual([
      'roles/cloudsql.client group:ml@example.com', `roles/cloudsql.client ${MEMBER}`, 'roles/cloudsql.client serviceAccount:trainer@ml-test.iam.gserviceaccount.com',
      'roles/cloudsql.instanceUser group:ml@example.com', 'roles/cloudsql.instanceUser serviceAccount:trainer@ml-test.iam.gserviceaccount.com',
    ]);
    expect(new Set(recorder.of(GRANT).map(({ inputs }) => inputs.condition.expression))).toEqual(new Set([
      "resource.name == 'projects/ml-test/instances/kfp-made' && resource.type == 'sqladmin.googleapis.com/Instance'",
    ]));
  });

  test('two databases of one VPC share its connection, and come after it', async () => {
    const recorder = await startRecording();
    const network = new PrivateServiceAccess('services', { project: 'ml-test', network: 'train' });
    new CloudSqlForKubeflow('kfp', mysql({ network }));
    new AlloyDb('features', alloy({ network }));
    await settled();
    expect(recorder.of('gcp:servicenetworking/connection:Connection')).toHaveLength(1);
    expect(recorder.edges.get(`${SQL} kfp`)!.dependencies).toContain('services');
    expect(recorder.edges.get('gcp:alloydb/cluster:Cluster features')!.dependencies).toContain('services');
  });

  test.each<[string, Partial<Record<keyof CloudSqlForKubeflowArgs, unknown>>, string]>([
    ['region', { region: 'europe-west4-a' }, 'region: "europe-west4-a": must be a region, such as europe-west4.'],
    ['network', { network: undefined }, 'network: is required: the VPC of the cluster, such as cluster.network.'],
    ['password', { password: undefined }, "password: is required: a secret, such as config.requireSecret('databasePassword')."],
    ['project', { project: undefined }, 'project: is not known.'],
    ['engine', { version: 'POSTGRES_17' }, 'version: "POSTGRES_17": is not MySQL'],
    ['machine', { tier: 'n1-standard-2' }, "Did you mean 'db-n1-standard-2'?"],
    ['edition', { edition: 'ENTERPRISE_PLUS' }, 'tier: "db-custom-2-7680": belongs to the edition ENTERPRISE.'],
    ['backups', { backups: { enabled: false } }, 'highAvailability: true: needs backups'],
    ['start of backups', { backups: { startTime: '3:00' } }, 'backups.startTime: "3:00": must be a time such as 03:00.'],
    ['name of a database', { databases: { katib: 'mysql' } }, "databases.katib: \"mysql\": is one of MySQL's own databases."],
    ['use of a database', { databases: { pipeline: 'kfp' } }, "databases.pipeline: \"kfp\": is not a field of the databases. Did you mean 'pipelines'?"],
    ['user', { user: 'root' }, 'user: "root": is an existing user.'],
    ['login', { iamUsers: ['domain:example.com'] }, 'iamUsers[0]: "domain:example.com": must be serviceAccount:EMAIL'],
    ['list of logins', { iamUsers: late([MEMBER]) }, 'iamUsers: is an output, but must be a list whose members can be outputs.'],
    ['client who logs in too', { iamUsers: [MEMBER], clients: [MEMBER] }, 'is one of the iamUsers, which can already connect.'],
    ['day', { maintenance: { day: 8, hour: 3 } }, 'maintenance.day: 8: must be a whole number from 1 to 7.'],
    ['known field beside an output', { databases: { katib: late('katib') }, diskGiB: 5 }, 'diskGiB: 5'],
  ])('a wrong %s is refused before anything is registered', async (_what, args, message) => {
    const recorder = await startRecording();
    expect(() => new CloudSqlForKubeflow('kfp', { ...mysql(), ...args } as CloudSqlForKubeflowArgs)).toThrow(message);
    expect(recorder.resources).toEqual([]);
  });

  test('a password that stands in the program is told', async () => {
    await startRecording();
    const warn = jest.spyOn(pulumi.log, 'warn').mockResolvedValue();
    new CloudSqlForKubeflow('kfp', mysql({ password: 'made-up' }));
    expect(warn.mock.calls.map(([text]) => text)).toEqual([expect.stringContaining('password: is in the program as plain text.')]);
    await settled();
  });

  test('in a preview the unknown is left out and the known is shown', async () => {
    const recorder = await startRecording({ preview: true });
    const database = new CloudSqlForKubeflow('kfp', mysql({ network: unknown(), tier: unknown(), password: unknown() }));
    await settled();
    const { settings, ...inputs } = recorder.one(SQL).inputs;
    expect(inputs).toMatchObject({ region: 'europe-west4', databaseVersion: 'MYSQL_8_0' });
    expect(pulumi.isUnknown(settings.tier) || settings.tier === undefined).toBe(true);
    expect(settings).toMatchObject({ availabilityType: 'REGIONAL', diskSize: 20 });
    expect(await (database.host as unknown as { readonly isKnown: Promise<boolean> }).isKnown).toBe(false);
  });
});

describe('AlloyDb', () => {
  test('a cluster has a primary instance, continuous backups and daily ones', async () => {
    const recorder = await startRecording();
    const database = new AlloyDb('features', alloy());
    await settled();
    expect(recorder.one('gcp:alloydb/cluster:Cluster').inputs).toMatchSnapshot();
    expect(recorder.one('gcp:alloydb/instance:Instance').inputs).toMatchSnapshot();
    expect(recorder.graph()).toMatchSnapshot();
    expect(await valueOf(database.host)).toBe('10.96.1.2');
    expect(await isSecret(database.credentials)).toBe(true);
  });

  test('pools that read come after the primary instance, with its machines or their own', async () => {
    const recorder = await startRecording();
    const database = new AlloyDb('features', alloy({ cpus: 8, readPools: { reports: { nodes: late(2) }, small: { nodes: 1, machineType: 'c4a-highmem-4-lssd' } }, flags: { 'max_connections': '1000' } }));
    await settled();
    const pools = recorder.of('gcp:alloydb/instance:Instance').filter(({ inputs }) => inputs.instanceType === 'READ_POOL');
    expect(pools.map(({ inputs }) => [inputs.instanceId, inputs.machineConfig, inputs.readPoolConfig.nodeCount, inputs.availabilityType])).toEqual([
      ['features-reports', { cpuCount: 8 }, 2, 'REGIONAL'], ['features-small', { cpuCount: 4, machineType: 'c4a-highmem-4-lssd' }, 1, 'ZONAL'],
    ]);
    expect(pools[0].inputs.databaseFlags).toEqual({ max_connections: '1000' });
    expect(recorder.edges.get('gcp:alloydb/instance:Instance features-reports')!.dependencies).toContain('features-primary');
    expect([...database.readHosts.keys()]).toEqual(['reports', 'small']);
  });

  test('all options arrive where they belong', async () => {
    const recorder = await startRecording();
    new AlloyDb('features', alloy({
      clusterId: 'store', version: 'POSTGRES_16', cpus: 4, machineType: 'n2-highmem-4', highAvailability: false, recoveryDays: 7, backupDays: 60, user: 'owner', connectNetwork: false,
      iamUsers: [late('serviceAccount:trainer@ml-test.iam.gserviceaccount.com')], clients: [MEMBER], requireConnectors: true, sslMode: 'ALLOW_UNENCRYPTED_AND_ENCRYPTED', kmsKey: KEY, deletionProtection: false,
    }));
    await settled();
    expect(recorder.sorted().filter(({ type }) => type.startsWith('gcp:alloydb')).map(({ type, inputs }) => ({ type, ...inputs }))).toMatchSnapshot();
    expect(recorder.of(GRANT).map(({ inputs }) => `${inputs.role} ${inputs.member}`).sort()).toEqual([
      `roles/alloydb.client ${MEMBER}`, 'roles/alloydb.client serviceAccount:trainer@ml-test.iam.gserviceaccount.com',
      'roles/alloydb.databaseUser serviceAccount:trainer@ml-test.iam.gserviceaccount.com',
      `roles/serviceusage.serviceUsageConsumer ${MEMBER}`, 'roles/serviceusage.serviceUsageConsumer serviceAccount:trainer@ml-test.iam.gserviceaccount.com',
    ]);
  });

  test.each<[string, Partial<Record<keyof AlloyDbArgs, unknown>>, string]>([
    ['id', { clusterId: 'Features' }, 'clusterId: "Features": must have 1 to 40 lower-case letters'],
    ['version', { version: '17' }, 'version: "17": must be a version such as POSTGRES_17.'],
    ['number of cores', { cpus: 4, machineType: 'n2-highmem-8' }, 'cpus: 4: is not what n2-highmem-8 has: 8.'],
    ['pool', { readPools: { reports: { nodes: 1, highAvailability: true } } }, 'readPools.reports.highAvailability: true: needs at least two nodes'],
    ['pool without nodes', { readPools: { reports: {} } }, 'readPools.reports.nodes: is required: the number of nodes.'],
    ['name of a pool', { readPools: { Reports: { nodes: 1 } } }, 'readPools: "Reports": is not a valid pool name'],
    ['login', { iamUsers: ['group:ml@example.com'] }, 'iamUsers[0]: "group:ml@example.com": must be serviceAccount:EMAIL or user:EMAIL'],
    ['password', { password: undefined }, 'password: is required'],
  ])('a wrong %s is refused before anything is registered', async (_what, args, message) => {
    const recorder = await startRecording();
    expect(() => new AlloyDb('features', { ...alloy(), ...args } as AlloyDbArgs)).toThrow(message);
    expect(recorder.resources).toEqual([]);
  });

  test('in a preview the unknown is left out and the known is shown', async () => {
    const recorder = await startRecording({ preview: true });
    new AlloyDb('features', alloy({ network: unknown(), recoveryDays: unknown() }));
    await settled();
    expect(recorder.one('gcp:alloydb/cluster:Cluster').inputs).toMatchObject({ location: 'europe-west4', databaseVersion: 'POSTGRES_17', deletionProtection: true });
    expect(recorder.one('gcp:alloydb/instance:Instance').inputs).toMatchObject({ instanceType: 'PRIMARY', availabilityType: 'REGIONAL', machineConfig: { cpuCount: 4 } });
  });
});
