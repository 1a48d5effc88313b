import type { Duration, Size } from 'cdk8s';
import { constructFluentBitValues } from '../../manifests/monitoring/log-values';
import { lokiValues } from '../../model/catalogue/components/loki-values';
import { withoutTokens } from '../../model/secrets/recognise';

/** Options of `LogCollection.fluentBitValues`. */
export interface FluentBitOptions {
  /** URL of Loki, such as `http://loki-gateway.logging`. */
  readonly lokiUrl: string;
  /** Tenant, for a Loki with several tenants. @default - none */
  readonly tenant?: string;
  /** Namespaces whose logs are collected. @default - all */
  readonly namespaces?: string[];
}

/** Bucket for Loki's log lines. Its pod accesses it with workload identity. */
export interface LokiBucket {
  /** Kind of the bucket. */
  readonly kind: LokiBucketKind;
  /** Name of the bucket. */
  readonly name: string;
  /** Region of the bucket, for S3. @default - the environment's */
  readonly region?: string;
}

/** Kinds of buckets that Loki supports. */
export enum LokiBucketKind {
  /** Google Cloud Storage. */
  GCS = 'gcs',
  /** Amazon S3, and stores with its API. */
  S3 = 's3',
}

/** Options of `LogCollection.lokiValues`. */
export interface LokiOptions {
  /** How long log lines are kept: whole hours, 24 or more. */
  readonly retention: Duration;
  /** Bucket for the log lines. @default - only the volume */
  readonly bucket?: LokiBucket;
  /** Size of Loki's volume. @default Size.gibibytes(50) */
  readonly volumeSize?: Size;
  /** First day of the schema, `YYYY-MM-DD`. Do not change it after log lines are stored. @default 2026-01-01 */
  readonly schemaFrom?: string;
}

/**
 * Values of charts that collect the logs of training, Ray, Spark and model servers, for cdk8s' `Helm` or for values files.
 */
export class LogCollection {
  /**
   * Values of the chart `fluent-bit` (fluent/helm-charts): it reads the logs of these systems' pods on every node and sends them to
   * Loki, with the names of job, role, Ray cluster, Spark application and InferenceService as labels.
   */
  // The chart defines the structure of its values.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  public static fluentBitValues(options: FluentBitOptions): { [name: string]: any } {
    const { lokiUrl, tenant, namespaces } = options;
    const parts = /^(https?):\/\/([^/:\s]+)(?::(\d+))?\/?$/.exec(lokiUrl);
    if (parts === null) {
      throw new Error(`LogCollection.fluentBitValues: lokiUrl is '${withoutTokens(lokiUrl)}' and must be a URL with a host and no path, such as 'http://loki-gateway.logging'. `
        + 'Fluent Bit adds the path itself.');
    }
    if (namespaces?.length === 0) {
      throw new Error('LogCollection.fluentBitValues: namespaces is [] and must be at least one namespace. Leave it out for all of them.');
    }
    const [, scheme, host, port] = parts;
    const tls = scheme === 'https';
    return constructFluentBitValues({ namespaces, destination: { host, port: port === undefined ? tls ? 443 : 80 : Number(port), tls, tenant } });
  }

  /**
   * Values of the chart `loki` (grafana-community/helm-charts, versions 6.55 to 18.11): one process that stores log lines in a bucket or on its
   * volume, and deletes old ones.
   */
  // As above.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  public static lokiValues(options: LokiOptions): { [name: string]: any } {
    const { retention, bucket, volumeSize, schemaFrom } = options;
    const hours = retention.toMilliseconds() / 3_600_000;
    if (!(Number.isInteger(hours) && hours >= 24)) {
      throw new Error(`LogCollection.lokiValues: retention is ${hours} h and must be whole hours, 24 or more: Loki deletes by periods of its index, which are days.`);
    }
    if (schemaFrom !== undefined && !/^\d{4}-\d{2}-\d{2}$/.test(schemaFrom)) {
      throw new Error(`LogCollection.lokiValues: schemaFrom is '${schemaFrom}' and must be a day, such as '2026-01-01'.`);
    }
    if (bucket?.region !== undefined && bucket.kind !== LokiBucketKind.S3) {
      throw new Error(`LogCollection.lokiValues: bucket.region is '${bucket.region}' and must be left out for '${bucket.kind}': only S3 has regions.`);
    }
    return lokiValues({ bucket, volumeSize: volumeSize?.asString(), retentionHours: hours, schemaFrom });
  }
}
