/** Values for the chart of Loki. @see https://github.com/grafana-community/helm-charts/blob/loki-18.11.0/charts/loki/values.yaml */
import type { ChartValues } from '../types';

/** How Loki stores logs. */
export interface LogStoreSpec {
  /** Kind of the bucket. @default - Loki has a volume of its own */
  readonly bucket?: { readonly kind: 'gcs' | 's3'; readonly name: string; readonly region?: string };
  /** Size of the volume, as Kubernetes writes it. @default 50Gi */
  readonly volumeSize?: string;
  readonly retentionHours: number;
  /** First day of the schema, for a new Loki any day in the past. @default 2026-01-01 */
  readonly schemaFrom?: string;
}

/** Values of the chart `loki` of Grafana's community, as a single process. Its versions 6.55 and 18.11 were rendered with them. */
export function lokiValues({ bucket, volumeSize = '50Gi', retentionHours, schemaFrom = '2026-01-01' }: LogStoreSpec): ChartValues {
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
