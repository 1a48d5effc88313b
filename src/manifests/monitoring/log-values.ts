/**
 * Values for the charts of Fluent Bit and Loki: logs of the pods that Trainyard's systems create, with the labels that identify them.
 * @see https://docs.fluentbit.io/manual/pipeline/outputs/loki
 * @see https://grafana.com/docs/loki/latest/setup/install/helm/reference/
 */
import { HOOK_LABEL, JOB_LABEL, REPLICA_INDEX_LABEL, ROLE_LABEL } from '../../model/labels';

/** Where logs are sent. */
export interface LogDestination {
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
  /** Tenant of a Loki that has several. */
  readonly tenant?: string;
}

/** An Elasticsearch of Elastic's operator. */
export interface ElasticDestination {
  readonly host: string;
  readonly port: number;
  /** Secret with the password of the user `elastic`, under that key. */
  readonly passwordSecret: string;
  /** Secret with the authority of its certificate, under `ca.crt`. */
  readonly authoritySecret: string;
}

/** Which logs, and their destination: one of the two. */
export interface LogCollectionSpec {
  /** Namespaces whose logs are collected. @default - all */
  readonly namespaces?: readonly string[];
  /** A Loki. */
  readonly destination?: LogDestination;
  readonly elastic?: ElasticDestination;
}

/** Pod labels by the stream label of Loki that they become. Pods with none of the first labels of each system are left out. */
const STREAM_LABELS: { readonly [stream: string]: string } = {
  job_name: JOB_LABEL,
  role: ROLE_LABEL,
  ray_cluster: 'ray.io/cluster',
  ray_node_type: 'ray.io/node-type',
  spark_application: 'sparkoperator.k8s.io/app-name',
  spark_role: 'spark-role',
  inference_service: 'serving.kserve.io/inferenceservice',
};

/** A pod with one of these is ours: of training, the operator, Ray, Spark or KServe. */
const MARKS = [REPLICA_INDEX_LABEL, HOOK_LABEL, 'ray.io/cluster', 'spark-role', 'serving.kserve.io/inferenceservice'];

/** Values of the chart `fluent-bit` of Fluent. */
export function constructFluentBitValues({ namespaces, destination, elastic }: LogCollectionSpec): object {
  const paths = namespaces?.map((namespace) => `/var/log/containers/*_${namespace}_*.log`) ?? ['/var/log/containers/*.log'];
  return {
    ...(elastic && elasticAccess(elastic)),
    config: {
      inputs: section('INPUT', [
        ['Name', 'tail'], ['Tag', 'kube.*'], ['Path', paths.join(',')], ['multiline.parser', 'docker, cri'],
        ['DB', '/var/log/trainyard-fluent-bit.db'], ['Mem_Buf_Limit', '16MB'], ['Skip_Long_Lines', 'On'],
      ]),
      filters: [
        section('FILTER', [['Name', 'kubernetes'], ['Match', 'kube.*'], ['Merge_Log', 'Off'], ['Labels', 'On'], ['Annotations', 'Off']]),
        section('FILTER', [['Name', 'grep'], ['Match', 'kube.*'], ['Logical_Op', 'or'], ...MARKS.map((mark): [string, string] => ['Regex', `${label(mark)} .+`])]),
      ].join('\n'),
      outputs: elastic === undefined ? lokiOutput(destination!) : elasticOutput(elastic),
    },
  };
}

function label(name: string): string {
  return `$kubernetes['labels']['${name}']`;
}

function lokiOutput({ host, port, tls, tenant }: LogDestination): string {
  const field = (name: string) => `$kubernetes['${name}']`;
  const streams = [
    'collector=fluent-bit', `namespace=${field('namespace_name')}`, `pod=${field('pod_name')}`, `container=${field('container_name')}`,
    ...Object.entries(STREAM_LABELS).map(([stream, name]) => `${stream}=${label(name)}`),
  ];
  return section('OUTPUT', [
    ['Name', 'loki'], ['Match', 'kube.*'], ['Host', host], ['Port', String(port)], ['Tls', tls ? 'On' : 'Off'],
    ...(tenant === undefined ? [] : [['Tenant_ID', tenant] as [string, string]]),
    ['Labels', streams.join(', ')], ['Remove_Keys', 'kubernetes, stream, time, _p'], ['Drop_Single_Key', 'raw'], ['Line_Format', 'json'], ['Retry_Limit', '10'],
  ]);
}

/** Dots in names of labels would be paths of fields. @see https://docs.fluentbit.io/manual/pipeline/outputs/elasticsearch */
function elasticOutput({ host, port }: ElasticDestination): string {
  return section('OUTPUT', [
    ['Name', 'es'], ['Match', 'kube.*'], ['Host', host], ['Port', String(port)], ['Tls', 'On'], ['tls.ca_file', `${AUTHORITY_FOLDER}/ca.crt`],
    ['HTTP_User', 'elastic'], ['HTTP_Passwd', `\${${ELASTIC_PASSWORD}}`], ['Logstash_Format', 'On'], ['Logstash_Prefix', 'kube'], ['Suppress_Type_Name', 'On'],
    ['Replace_Dots', 'On'], ['Retry_Limit', '10'],
  ]);
}

/** The variable and the folder by which Fluent Bit reads the Secrets. */
const ELASTIC_PASSWORD = 'ELASTIC_PASSWORD';
const AUTHORITY_FOLDER = '/fluent-bit/elastic';

function elasticAccess({ passwordSecret, authoritySecret }: ElasticDestination): object {
  return {
    env: [{ name: ELASTIC_PASSWORD, valueFrom: { secretKeyRef: { name: passwordSecret, key: 'elastic' } } }],
    extraVolumes: [{ name: 'elastic-authority', secret: { secretName: authoritySecret } }],
    extraVolumeMounts: [{ name: 'elastic-authority', mountPath: AUTHORITY_FOLDER, readOnly: true }],
  };
}

/** How Loki stores logs. */
export interface LogStoreSpec {
  /** Kind of the bucket. @default - Loki has a volume of its own */
  readonly bucket?: { readonly kind: 'gcs' | 's3'; readonly name: string; readonly region?: string };
  /** Size of the volume, as Kubernetes writes it. */
  readonly volumeSize: string;
  readonly retentionHours: number;
  /** First day of the schema, `2026-01-01`: for a new Loki, any day in the past. */
  readonly schemaFrom: string;
}

/** Values of the chart `loki` of Grafana, version 6, as a single process. */
export function constructLokiValues({ bucket, volumeSize, retentionHours, schemaFrom }: LogStoreSpec): object {
  const store = bucket?.kind ?? 'filesystem';
  return {
    deploymentMode: 'SingleBinary',
    loki: {
      auth_enabled: false,
      commonConfig: { replication_factor: 1 },
      storage: {
        type: store,
        ...(bucket !== undefined && { bucketNames: { chunks: bucket.name, ruler: bucket.name, admin: bucket.name } }),
        ...(bucket?.region !== undefined && { s3: { region: bucket.region } }),
      },
      schemaConfig: { configs: [{ from: schemaFrom, store: 'tsdb', object_store: store, schema: 'v13', index: { prefix: 'loki_index_', period: '24h' } }] },
      limits_config: { retention_period: `${retentionHours}h`, allow_structured_metadata: true },
      compactor: { retention_enabled: true, delete_request_store: store },
    },
    singleBinary: { replicas: 1, persistence: { enabled: true, size: volumeSize } },
    // The chart's other deployment modes, which are on by default.
    ...Object.fromEntries(['read', 'write', 'backend'].map((part) => [part, { replicas: 0 }])),
    chunksCache: { enabled: false },
    resultsCache: { enabled: false },
    lokiCanary: { enabled: false },
    test: { enabled: false },
  };
}

/** A section of Fluent Bit's classic configuration. */
function section(name: string, entries: readonly (readonly [key: string, value: string])[]): string {
  return `[${name}]\n${entries.map(([key, value]) => `    ${key} ${value}\n`).join('')}`;
}
