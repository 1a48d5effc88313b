/**
 * Values for the chart of Fluent Bit: logs of the pods that Trainyard's systems create, with the labels that identify them.
 * @see https://docs.fluentbit.io/manual/pipeline/outputs/loki
 */
import { WORKLOAD_KINDS } from '../../model/kinds/registry';
import { LLM_NAME_LABEL, llmLabels } from '../../model/kinds/serving';
import { JOB_LABEL, MANAGED_BY_ENGINES, MANAGED_BY_LABEL, MANAGED_BY_OPERATOR, ROLE_LABEL } from '../../model/labels';

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

/** Pod labels with the names of workloads, by the stream label of Loki that they become. Kinds of one system share them. */
const OF_WORKLOADS: ReadonlyMap<string, string> = new Map(
  WORKLOAD_KINDS.flatMap(({ logStream, podLabels, logLabel = podLabels?.[0] }): [string, string][] => (
    logStream === undefined ? [] : [[logStream, logLabel!]])),
);

/** The same, and labels with other facts about pods. */
const STREAM_LABELS: readonly (readonly [stream: string, label: string])[] = [
  ['job_name', JOB_LABEL], ['role', ROLE_LABEL], ['ray_node_type', 'ray.io/node-type'], ['spark_role', 'spark-role'], ['app', LLM_NAME_LABEL], ...OF_WORKLOADS,
];

/** A pod with one of these labels belongs to a job of any engine, to Ray, Spark or KServe. The others are left out. */
const MARKS: readonly (readonly [label: string, pattern: string])[] = [
  [MANAGED_BY_LABEL, `^(${MANAGED_BY_OPERATOR}|${MANAGED_BY_ENGINES})$`], ['spark-role', '.+'],
  ...Object.entries(llmLabels()).map(([label, value]) => [label, `^${value}$`] as const), ...[...OF_WORKLOADS.values()].map((label) => [label, '.+'] as const),
];

/** Values of the chart `fluent-bit` of Fluent. */
export function constructFluentBitValues({ namespaces, destination, elastic }: LogCollectionSpec): object {
  const paths = namespaces?.map((namespace) => `/var/log/containers/*_${namespace}_*.log`) ?? ['/var/log/containers/*.log'];
  return {
    ...(elastic && elasticAccess(elastic)),
    config: {
      inputs: section('INPUT', [
        ['Name', 'tail'], ['Tag', 'kube.*'], ['Path', paths.join(',')], ['multiline.parser', 'docker, cri'],
        // Pods often start on a new node before Fluent Bit does, and a pod that fails at once may be deleted soon.
        ['Read_From_Head', 'On'], ['Refresh_Interval', '5'],
        ['DB', '/var/log/trainyard-fluent-bit.db'], ['Mem_Buf_Limit', '16MB'], ['Skip_Long_Lines', 'On'],
      ]),
      filters: [
        section('FILTER', [['Name', 'kubernetes'], ['Match', 'kube.*'], ['Merge_Log', 'Off'], ['Labels', 'On'], ['Annotations', 'Off']]),
        section('FILTER', [['Name', 'grep'], ['Match', 'kube.*'], ['Logical_Op', 'or'], ...MARKS.map(([mark, pattern]): [string, string] => ['Regex', `${label(mark)} ${pattern}`])]),
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
    ...STREAM_LABELS.map(([stream, name]) => `${stream}=${label(name)}`),
  ];
  return section('OUTPUT', [
    ['Name', 'loki'], ['Match', 'kube.*'], ['Host', host], ['Port', String(port)], ['Tls', tls ? 'On' : 'Off'],
    ...(tenant === undefined ? [] : [['Tenant_ID', tenant] as [string, string]]),
    ['Labels', streams.join(', ')], ['Remove_Keys', 'kubernetes, stream, time, _p'], ['Drop_Single_Key', 'raw'], ['Line_Format', 'json'],
    // Fluent Bit drops what Loki answers with 400, and stops reading files while Loki is away.
    ['Retry_Limit', 'no_limits'],
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

/** A section of Fluent Bit's classic configuration. */
function section(name: string, entries: readonly (readonly [key: string, value: string])[]): string {
  return `[${name}]\n${entries.map(([key, value]) => `    ${key} ${value}\n`).join('')}`;
}
