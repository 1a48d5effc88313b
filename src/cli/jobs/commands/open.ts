/** `trainyard open`: opens dashboards and other pages of a job in a browser. */
import { Command } from 'commander';
import type { ClusterFlags } from '../../cluster';
import { CliError } from '../../cli-error';
import { openInBrowser } from '../open/browser';
import { clusterAddress, pageUrl, placesOf, type Place, type ServiceObject } from '../open/places';
import { openPorts, type PodPort } from '../streams/forward-job';
import { shownAddress } from '../streams/forward-port';
import { portNumber } from '../streams/port-spec';
import { isRunning, type PodObject } from '../objects';
import { podsOf, standingOfJob, titleOf, withJob, withJobOptions, type Target } from '../target';
import { Terminal } from '../../../local/output/terminal';
import { didYouMean } from '../../../model/violations';
import { PODS, SERVICES } from '../../../operator/runtime/resource-kind';

interface OpenFlags extends ClusterFlags {
  readonly browser: boolean;
}

const ADDRESS = '127.0.0.1';

const DETAILS = `Pages are the Ray dashboard, ports of pods and services with names such as dashboard, tensorboard, notebook or http, the URL of an
InferenceService, and the run in MLflow, Weights & Biases or Vertex AI. Pages inside the cluster are forwarded until Ctrl-C.`;

export function openCommand(): Command {
  return withJobOptions(new Command('open')
    .description('open the dashboard, TensorBoard, tracker or URL of a job')
    .argument('<job>', 'job of a cluster')
    .argument('[page]', 'only this page, such as dashboard, tensorboard or mlflow (default: all)')
    .option('--no-browser', 'only print the addresses (default if the output is not a terminal)'), DETAILS)
    .action(async (job: string, page: string | undefined, flags: OpenFlags) => {
      process.exitCode = await withJob(job, flags, async (target) => open(target, page, flags));
    });
}

async function open(target: Target, page: string | undefined, { browser }: OpenFlags): Promise<number> {
  const terminal = new Terminal();
  const { reader, namespace, job } = target;
  const pods = await podsOf(target, job);
  const services = await reader.list<ServiceObject>(SERVICES, namespace) ?? [];
  const places = placesOf(job, pods, services);
  const chosen = choose(target, places, page);
  const reached = await Promise.all(chosen.map(async (place) => forwarded(target, place)));
  const wanted = reached.flatMap(({ port }) => (port === undefined ? [] : [
    { namespace: port.namespace, pod: port.pod, ports: { local: 0, remote: port.remote } } satisfies PodPort]));
  const open = await openPorts(target, wanted, ADDRESS, terminal);
  const locals = open.ports.map(({ local }) => local);
  for (const { name, url, port } of reached) {
    const address = port === undefined ? pageUrl(url)! : new URL(port.path, `http://${shownAddress(ADDRESS)}:${locals.shift()}`);
    terminal.line(`${name}: ${address.href}`);
    if (browser && process.stdout.isTTY) {
      openInBrowser(address, (sentence) => terminal.warn(sentence));
    }
  }
  if (open.ports.length === 0) {
    return 0;
  }
  terminal.note('Forwarding until Ctrl-C.');
  return open.wait();
}

function choose(target: Target, places: readonly Place[], page: string | undefined): readonly Place[] {
  const names = places.map(({ name }) => name);
  if (places.length === 0) {
    const { phase, state } = standingOfJob(target.job);
    throw new CliError(`${titleOf(target)} has no page to open. It is ${phase ?? state}. Pages are the Ray dashboard, container ports with names such as dashboard, tensorboard, notebook or http, the URL of an InferenceService, and trackers. For another port, use trainyard port-forward.`);
  }
  const chosen = page === undefined ? places : places.filter(({ name }) => name === page);
  if (chosen.length === 0) {
    throw new CliError(`${titleOf(target)} has no page '${page}'. It has ${names.join(', ')}.${didYouMean(page!, names)}`);
  }
  return chosen;
}

/** Replaces an address inside the cluster with a port of a pod that serves it. If there is no such pod, the address stays. */
async function forwarded({ reader, namespace }: Target, place: Place): Promise<Place> {
  const address = place.url === undefined ? undefined : clusterAddress(place.url, namespace);
  if (address === undefined) {
    return place;
  }
  const service = await reader.get<ServiceObject>(SERVICES, address.namespace, address.service);
  const selector = Object.entries(service?.spec?.selector ?? {});
  const pods = selector.length === 0 ? [] : await reader.list<PodObject>(PODS, address.namespace, { labelSelector: selector.map(([label, value]) => `${label}=${value}`).join(',') });
  const pod = pods?.find(isRunning);
  const { targetPort = address.port } = service?.spec?.ports?.find(({ port }) => port === address.port) ?? {};
  const remote = pod && portNumber(pod, targetPort);
  return pod === undefined || remote === undefined ? place
    : { name: place.name, port: { namespace: address.namespace, pod: pod.metadata!.name!, remote, path: address.path } };
}
