/** What a monitor of the Prometheus Operator finds. */

/** What an installation creates: its Service, or a pod that no Service leads to. */
export interface Recorded {
  readonly kind: 'Service' | 'Pod';
  readonly namespace: string;
  readonly labels: { readonly [label: string]: string };
  /** Names of its ports. */
  readonly ports: readonly string[];
}

/** A ServiceMonitor or PodMonitor, or another object, as far as it is read here. */
export interface ServiceMonitorLike {
  readonly kind: string;
  readonly spec?: {
    readonly namespaceSelector?: { readonly any?: boolean; readonly matchNames?: readonly string[] };
    readonly selector?: { readonly matchLabels?: { readonly [label: string]: string } };
    readonly endpoints?: readonly { readonly port?: string }[];
    readonly podMetricsEndpoints?: readonly { readonly port?: string }[];
  };
}

/** Whether one of the monitors scrapes it. */
export function finds(objects: readonly ServiceMonitorLike[], { kind, namespace, labels, ports }: Recorded): boolean {
  return objects.filter((object) => object.kind === (kind === 'Service' ? 'ServiceMonitor' : 'PodMonitor')).some(({ spec = {} }) => {
    const { namespaceSelector = {}, selector = {}, endpoints = [], podMetricsEndpoints = [] } = spec;
    return (namespaceSelector.any === true || namespaceSelector.matchNames?.includes(namespace) === true)
      && Object.entries(selector.matchLabels ?? {}).every(([label, value]) => labels[label] === value)
      && [...endpoints, ...podMetricsEndpoints].some(({ port }) => port !== undefined && ports.includes(port));
  });
}
