/** Web pages of a job: the URL in its status, pages that its pods serve, and its run in an experiment tracker. */
import { isRunning, type AnyObject, type PodObject } from '../objects';
import { namedPorts, portNumber } from '../streams/port-spec';
import { isFilled, record, records } from '../../../model/json-parts';

export interface Place {
  /** `dashboard`, `tensorboard`, `url`, `mlflow`. */
  readonly name: string;
  /** Address of a page outside the pods. */
  readonly url?: string;
  /** Port of a page that a pod serves. */
  readonly port?: { readonly namespace: string; readonly pod: string; readonly remote: number; readonly path: string };
}

/** A Service of the core group. */
export interface ServiceObject extends AnyObject {
  readonly spec?: {
    readonly selector?: { readonly [label: string]: string };
    readonly ports?: readonly { readonly name?: string; readonly port: number; readonly targetPort?: number | string }[];
    readonly [field: string]: unknown;
  };
}

/** Names of ports that serve pages. Names such as `http-metrics` are for Prometheus. */
const PAGES = /^(?:.+-)?(?:dashboard|tensorboard|notebook|jupyter|http|https|web|ui)(?:-ui)?$/;

/** The head of a Ray cluster serves the dashboard on this port even if its container declares no ports. */
const RAY_HEAD_LABEL = 'ray.io/node-type';
const RAY_DASHBOARD_PORT = 8265;

/** Paths of addresses in the status, the preferred one first. */
const STATUS_URLS = [['url'], ['address', 'url']];

/** Finds the pages of a job. @param services services of its namespace */
export function placesOf(job: AnyObject, pods: readonly PodObject[], services: readonly ServiceObject[]): readonly Place[] {
  const running = pods.filter(isRunning);
  return unique([...ownUrls(job), ...podPages(running), ...servicePages(running, services), ...trackerPages(job, pods)]);
}

/** Removes pages with the same address, and numbers pages with the same name. */
function unique(places: readonly Place[]): readonly Place[] {
  const keys = places.map(({ url, port }) => url ?? `${port!.pod}:${port!.remote}`);
  const kept = places.filter((_place, at) => keys.indexOf(keys[at]) === at);
  return kept.map((place, at) => {
    const earlier = kept.slice(0, at).filter(({ name }) => name === place.name).length;
    return earlier === 0 ? place : { ...place, name: `${place.name}-${earlier + 1}` };
  });
}

function ownUrls({ status }: AnyObject): Place[] {
  const urls = STATUS_URLS.map((path) => path.reduce<unknown>((value, field) => record(value)[field], status));
  const found = urls.find((url) => pageUrl(url) !== undefined);
  return found === undefined ? [] : [{ name: 'url', url: found as string }];
}

/** An address that is safe to open in a browser; undefined for schemes other than http and https. */
export function pageUrl(text: unknown): URL | undefined {
  const url = typeof text === 'string' && text.length < 2000 && URL.canParse(text) ? new URL(text) : undefined;
  return url !== undefined && ['http:', 'https:'].includes(url.protocol) ? url : undefined;
}

/** Pages of pods. Replicas often serve the same page: each name is listed once, for the first pod that has it. */
function podPages(pods: readonly PodObject[]): Place[] {
  const pages = pods.flatMap((pod) => {
    const ports = namedPorts(pod).filter(({ name }) => PAGES.test(name)).map(({ name, port }) => pagePlace(pod, name, port));
    const isHead = pod.metadata?.labels?.[RAY_HEAD_LABEL] === 'head';
    return [...ports, ...(isHead ? [pagePlace(pod, 'dashboard', RAY_DASHBOARD_PORT)] : [])];
  });
  return pages.filter(({ name }, at) => pages.findIndex((page) => page.name === name) === at);
}

function pagePlace({ metadata }: PodObject, name: string, remote: number): Place {
  return { name, port: { namespace: metadata?.namespace ?? 'default', pod: metadata?.name ?? '', remote, path: '/' } };
}

function servicePages(pods: readonly PodObject[], services: readonly ServiceObject[]): Place[] {
  return services.flatMap(({ metadata, spec }) => {
    const selector = Object.entries(spec?.selector ?? {});
    const isSelected = (pod: PodObject) => selector.length > 0 && selector.every(([label, value]) => pod.metadata?.labels?.[label] === value);
    const pod = pods.find(isSelected);
    return pod === undefined ? [] : (spec?.ports ?? []).flatMap(({ name = '', port, targetPort = port }) => {
      const isNamed = PAGES.test(name) || PAGES.test(metadata?.name ?? '');
      const remote = portNumber(pod, targetPort);
      return isNamed && remote !== undefined ? [pagePlace(pod, PAGES.test(name) ? name : metadata!.name!, remote)] : [];
    });
  });
}

/** Pages of trackers, from the variables of their clients. A run identity sets them (`model/runs/trackers.ts`), or the user does. */
function trackerPages(job: AnyObject, pods: readonly PodObject[]): Place[] {
  // An MLTrainingJob has `env` in its spec.
  const sources = [...pods.flatMap(({ spec }) => spec?.containers ?? []), job.spec];
  const variables = new Map(sources.flatMap((container) => records(record(container).env)).flatMap(({ name, value }): [string, string][] => (
    typeof name === 'string' && isFilled(value) ? [[name, value]] : [])).reverse());
  const mlflow = pageUrl(variables.get('MLFLOW_TRACKING_URI'));
  return [...(mlflow === undefined ? [] : [{ name: 'mlflow', url: mlflow.href }]), ...wandbPage(variables), ...vertexPage(variables)];
}

/** Address of the run if the entity is known, otherwise of the server. */
function wandbPage(variables: ReadonlyMap<string, string>): Place[] {
  const [project, entity, run] = ['WANDB_PROJECT', 'WANDB_ENTITY', 'WANDB_RUN_ID'].map((name) => variables.get(name));
  const server = pageUrl(variables.get('WANDB_BASE_URL') ?? 'https://wandb.ai');
  if (project === undefined || server === undefined || variables.get('WANDB_MODE') === 'offline') {
    return [];
  }
  // The address of the public API is not the address of the pages.
  const base = server.host === 'api.wandb.ai' ? new URL('https://wandb.ai') : server;
  const parts = entity === undefined ? [] : [entity, project, ...(run === undefined ? [] : ['runs', run])];
  return [{ name: 'wandb', url: new URL(parts.map(encodeURIComponent).join('/'), `${base.origin}/`).href }];
}

function vertexPage(variables: ReadonlyMap<string, string>): Place[] {
  const [project, region, experiment] = ['GOOGLE_CLOUD_PROJECT', 'GOOGLE_CLOUD_REGION', 'AIP_EXPERIMENT_NAME'].map((name) => variables.get(name));
  return project === undefined || region === undefined || experiment === undefined ? [] : [{
    name: 'vertex',
    url: `https://console.cloud.google.com/vertex-ai/experiments/locations/${encodeURIComponent(region)}/experiments/${encodeURIComponent(experiment)}/runs?project=${encodeURIComponent(project)}`,
  }];
}

/** A Service in an address such as `http://mlflow.tracking.svc:5000/x`, which is reachable only inside the cluster. */
interface ClusterAddress {
  readonly service: string;
  readonly namespace: string;
  readonly port: number;
  readonly path: string;
}

/** Parses such an address; undefined for an address outside the cluster. */
export function clusterAddress(text: string, ownNamespace: string): ClusterAddress | undefined {
  const url = pageUrl(text);
  const [, service, namespace = ownNamespace] = /^([a-z0-9-]{1,63})(?:\.([a-z0-9-]{1,63})(?:\.svc(?:\.cluster\.local)?)?)?$/.exec(url?.hostname ?? '') ?? [];
  // Names such as example.com are not Services, although NAME.NAMESPACE has the same form.
  const isOfCluster = service !== undefined && (/\.svc(?:\.|$)/.test(url!.hostname) || !url!.hostname.includes('.')) && url!.hostname !== 'localhost';
  return !isOfCluster ? undefined : {
    service, namespace, port: Number(url!.port || (url!.protocol === 'https:' ? 443 : 80)), path: `${url!.pathname}${url!.search}${url!.hash}`,
  };
}
