/**
 * Monitors of the Prometheus Operator: what is scraped, through a Service or at the addresses of pods.
 * @see https://prometheus-operator.dev/docs/api-reference/api/
 */
import type { Manifest } from '../kubernetes';
import { isAlert, type RuleGroup, type Scrape, type ScrapeEndpoint } from '../../model/monitoring/monitored-system';

const MONITORING_VERSION = 'monitoring.coreos.com/v1';

/** Names of monitors and rules, and where they are. */
interface MonitoringObject {
  readonly name: string;
  /** @default - the chart's */
  readonly namespace?: string;
  readonly labels: { readonly [label: string]: string };
}

/** How often, and in which namespaces. */
export interface ScrapeOptions {
  /** Seconds between two scrapes. */
  readonly intervalSeconds: number;
  /** Namespaces, `any` for all. @default - that of the monitor */
  readonly namespaces?: readonly string[] | 'any';
}

/** An object of the Prometheus Operator without its spec. */
function monitoringObject(kind: string, { name, namespace, labels }: MonitoringObject): Manifest {
  return { apiVersion: MONITORING_VERSION, kind, metadata: { name, ...(namespace !== undefined && { namespace }), labels } };
}

/** A ServiceMonitor or PodMonitor. */
export function constructMonitor(
  object: MonitoringObject, scrape: Scrape, { intervalSeconds, namespaces }: ScrapeOptions,
): Manifest & { readonly spec: object } {
  const endpoints = scrape.endpoints.map((endpoint) => constructEndpoint(endpoint, scrape, intervalSeconds));
  const spec = {
    ...namespaceSelector(scrape.inNamespaces ?? namespaces),
    selector: {
      ...(Object.keys(scrape.matchLabels).length > 0 && { matchLabels: scrape.matchLabels }),
      ...(scrape.matchExpressions !== undefined && { matchExpressions: scrape.matchExpressions }),
    },
    ...(scrape.podLabels.length > 0 && { podTargetLabels: [...scrape.podLabels] }),
  };
  return scrape.of === 'services'
    ? { ...monitoringObject('ServiceMonitor', object), spec: { ...spec, endpoints } }
    : { ...monitoringObject('PodMonitor', object), spec: { ...spec, podMetricsEndpoints: endpoints } };
}

function namespaceSelector(namespaces: ScrapeOptions['namespaces']): object {
  return namespaces === undefined ? {} : { namespaceSelector: namespaces === 'any' ? { any: true } : { matchNames: [...namespaces] } };
}

function constructEndpoint({ port, path, scheme, honorLabels, fromAnnotations }: ScrapeEndpoint, { keep }: Scrape, intervalSeconds: number): object {
  const relabelings = [
    ...(keep === undefined ? [] : [{ action: 'keep', sourceLabels: [podLabel(keep.label)], regex: keep.regex }]),
    ...(fromAnnotations === undefined ? [] : annotated(fromAnnotations)),
  ];
  return {
    ...(port !== undefined && { port }),
    path,
    interval: `${intervalSeconds}s`,
    ...(scheme !== undefined && { scheme, tlsConfig: { insecureSkipVerify: true } }),
    ...(honorLabels && { honorLabels }),
    ...(relabelings.length > 0 && { relabelings }),
  };
}

/**
 * Takes port and path from annotations. Containers that declare no port are found too. The targets of a container with several ports become one,
 * because they then have the same address.
 */
function annotated({ container, port, path }: NonNullable<ScrapeEndpoint['fromAnnotations']>): object[] {
  const annotation = (name: string) => `__meta_kubernetes_pod_annotation_${name.replace(/[^A-Za-z0-9_]/g, '_')}`;
  return [
    { action: 'keep', sourceLabels: ['__meta_kubernetes_pod_container_name'], regex: container },
    { action: 'keep', sourceLabels: [annotation(port)], regex: '[0-9]+' },
    { action: 'replace', sourceLabels: ['__meta_kubernetes_pod_ip', annotation(port)], separator: ':', targetLabel: '__address__' },
    { action: 'replace', sourceLabels: [annotation(path)], regex: '(.+)', targetLabel: '__metrics_path__' },
  ];
}

function podLabel(name: string): string {
  return `__meta_kubernetes_pod_label_${name.replace(/[^A-Za-z0-9_]/g, '_')}`;
}

interface PrometheusRuleEntry {
  readonly alert?: string;
  readonly record?: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels?: { readonly [label: string]: string };
  readonly annotations?: { readonly [name: string]: string };
}

/** A group of rules as Prometheus reads it, also in a rules file. */
interface PrometheusRuleGroup {
  readonly name: string;
  readonly rules: readonly PrometheusRuleEntry[];
}

export function constructRuleGroups(groups: readonly RuleGroup[]): PrometheusRuleGroup[] {
  return groups.map(({ name, rules }) => ({
    name,
    rules: rules.map((rule): PrometheusRuleEntry => {
      if (!isAlert(rule)) {
        return { record: rule.record, expr: rule.expr };
      }
      const { alert, severity, labels, for: duration, expr, summary, description } = rule;
      const annotations = { summary, description };
      return { alert, expr, ...(duration !== undefined && { for: duration }), labels: { severity, ...labels }, annotations };
    }),
  }));
}

export function constructPrometheusRule(object: MonitoringObject, groups: readonly RuleGroup[]): Manifest & { readonly spec: object } {
  return { ...monitoringObject('PrometheusRule', object), spec: { groups: constructRuleGroups(groups) } };
}
