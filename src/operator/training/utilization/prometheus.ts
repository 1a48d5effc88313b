/**
 * Use of GPUs as Prometheus has it from NVIDIA's DCGM exporter: one slow query for all pods, and only while a job has `spec.idle`. What a scraper
 * calls `pod` may be the exporter's own pod, with the one that is measured under `exported_pod`; that depends on its `honorLabels`.
 *
 * Any pod that is scraped can show this metric with any labels, and those come under `exported_*` then: they count only from namespaces of exporters,
 * which `namespace`, set by the scraper, tells. What an exporter says of a pod counts more than what the pod says itself.
 * @see https://prometheus.io/docs/prometheus/latest/querying/api/#instant-queries
 * @see https://docs.nvidia.com/datacenter/cloud-native/gpu-telemetry/latest/dcgm-exporter.html
 */
import { readFile } from 'node:fs/promises';
import { sleep, type Clock } from '../../runtime/process/clock';
import type { Logger } from '../../runtime/process/logger';
import type { Utilization } from '../plan/types';
import { trimmedEnd } from '../../../model/text/trim';

/** Settings, from the operator's environment. */
export interface PrometheusConfig {
  /** Base URL, such as `http://prometheus-server.monitoring`. */
  readonly url: string;
  /** File with a bearer token; read for each query, because tokens are renewed. @default - none is sent */
  readonly tokenFile?: string;
  /** Seconds between two queries. */
  readonly pollSeconds: number;
  /** Namespaces of exporters: `exported_*` labels of what is scraped elsewhere are not believed. */
  readonly exporterNamespaces: readonly string[];
}

const QUERY = 'avg by (namespace, pod, exported_namespace, exported_pod) (DCGM_FI_DEV_GPU_UTIL)';

/** Longest wait for an answer, milliseconds. */
const ANSWER_MS = 20_000;

/** What it works with. */
export interface PrometheusUtilizationOptions {
  readonly config: PrometheusConfig;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Whether anybody wants to know. */
  readonly isWanted: () => boolean;
}

interface Answer {
  readonly data?: {
    readonly result?: readonly { readonly metric: { readonly [label: string]: string }; readonly value: readonly [number, string] }[];
  };
}

/** See the top of this file. */
export class PrometheusUtilization {
  private readonly percents = new Map<string, number>();
  private measuredAt = 0;
  private complaint?: string;

  public constructor(private readonly options: PrometheusUtilizationOptions) {}

  /** Asks again and again until the signal aborts. */
  public async run(signal: AbortSignal): Promise<void> {
    const { clock, config, isWanted } = this.options;
    while (!signal.aborted) {
      if (isWanted()) {
        await this.poll(signal);
      }
      await sleep(clock, config.pollSeconds * 1000, signal);
    }
  }

  /** Mean use over those of the pods that Prometheus knows; undefined when it knows none. */
  public of(namespace: string, pods: readonly string[]): Utilization | undefined {
    const known = pods.map((pod) => this.percents.get(`${namespace}/${pod}`)).filter((percent) => percent !== undefined);
    return known.length > 0 ? { percent: known.reduce((sum, percent) => sum + percent, 0) / known.length, time: this.measuredAt } : undefined;
  }

  /** One query. A failure is told once, and what was known before grows old. */
  public async poll(signal?: AbortSignal): Promise<void> {
    const { clock, logger } = this.options;
    try {
      const answer = await this.ask(signal);
      this.take(answer);
      this.measuredAt = clock.now();
      this.complaint = undefined;
    } catch (error) {
      const complaint = String(error);
      if (!signal?.aborted && complaint !== this.complaint) {
        logger.warn('Prometheus does not report GPU utilization; jobs with spec.idle count as busy unless their scripts report it', { error });
      }
      this.complaint = complaint;
    }
  }

  /** Of several exporters that know a pod the highest value counts: what is busy for one of them is not idle. */
  private take(answer: Answer): void {
    this.percents.clear();
    const exported = new Map<string, number>();
    for (const { metric, value } of answer.data?.result ?? []) {
      const percent = Number(value[1]);
      if (!Number.isFinite(percent)) {
        continue;
      }
      const { namespace, pod, exported_namespace: measuredNamespace, exported_pod: measuredPod } = metric;
      if (measuredNamespace && measuredPod && this.options.config.exporterNamespaces.includes(namespace)) {
        const key = `${measuredNamespace}/${measuredPod}`;
        exported.set(key, Math.max(percent, exported.get(key) ?? 0));
      } else if (namespace && pod && !measuredNamespace && !measuredPod) {
        this.percents.set(`${namespace}/${pod}`, percent);
      }
    }
    exported.forEach((percent, key) => this.percents.set(key, percent));
  }

  private async ask(signal?: AbortSignal): Promise<Answer> {
    const { url, tokenFile } = this.options.config;
    const token = tokenFile === undefined ? undefined : (await readFile(tokenFile, 'utf8')).trim();
    const response = await fetch(`${trimmedEnd(url, '/')}/api/v1/query?query=${encodeURIComponent(QUERY)}`, {
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
      signal: AbortSignal.any([AbortSignal.timeout(ANSWER_MS), ...(signal ? [signal] : [])]),
    });
    if (!response.ok) {
      throw new Error(`GET ${url}/api/v1/query: ${response.status} ${(await response.text()).slice(0, 200)}`);
    }
    return await response.json() as Answer;
  }
}
