/** Controllers and schedulers that the program needs. */
import { deploymentsOf, isRecognised, neededComponents, type NeededComponent } from '../components';
import type { Check, Fault } from '../finding';
import { install, installComponent, kubectl } from '../fixes';
import { isOnGke } from '../node-facts';
import type { ClusterSnapshot } from '../snapshot';
import { readiness } from '../../explain/job/operator';
import { listed } from '../../text';
import { GANG_RENDERERS } from '../../../manifests/gang';
import { compareVersions } from '../../../model/catalogue/versions';

/** Components of gang schedulers. */
const SCHEDULERS: { readonly [scheduler: string]: string } = { 'volcano': 'volcano', 'scheduler-plugins-scheduler': 'scheduler-plugins' };

export const CONTROLLERS: Check = {
  topic: 'controllers',
  run: (snapshot) => {
    const needed = neededComponents(snapshot);
    return {
      faults: [...needed.flatMap((each) => [...controller(snapshot, each), ...kubernetes(snapshot, each)]), ...schedulers(snapshot)],
      ...(needed.length > 0 && snapshot.deployments !== undefined && { passed: `The controllers run: ${listed(needed.map(({ component }) => component.name), 8)}.` }),
    };
  },
};

function controller({ deployments, kinds, nodes }: ClusterSnapshot, { component, reasons }: NeededComponent): Fault[] {
  // A missing definition is reported elsewhere, with the same fix.
  const isDefined = reasons.every((reason) => kinds.every(({ kind, isServed }) => kind !== reason || isServed));
  if (deployments === undefined || !isRecognised(component) || !isDefined) {
    return [];
  }
  const own = deploymentsOf(component, deployments);
  if (own.length === 0) {
    // Google runs some add-ons outside of the cluster.
    const isManaged = isOnGke(nodes);
    return [{
      id: 'ControllerMissing', severity: isManaged ? 'warning' : 'error', what: `No controller acts on ${listed(reasons, 5)}: ${component.title} is not installed, only its definitions are.`,
      evidence: [`No Deployment of ${component.name} was found in any namespace.`], fix: installComponent(component),
    }];
  }
  const running = own.filter(({ status }) => Number(status?.readyReplicas ?? 0) > 0);
  return running.length > 0 ? [] : [{
    id: 'ControllerNotReady', severity: 'error', what: `The controller of ${listed(reasons, 5)} does not run (${component.name}).`, evidence: own.map(readiness),
    fix: kubectl(own[0].metadata?.namespace, 'rollout', 'restart', `deployment/${own[0].metadata?.name}`),
  }];
}

function kubernetes({ kubernetes: version }: ClusterSnapshot, { component, reasons }: NeededComponent): Fault[] {
  const range = component.kubernetes;
  return range === undefined || compareVersions(version, range.from) >= 0 ? [] : [{
    id: 'KubernetesTooOldForController', severity: 'warning',
    what: `${component.name} ${component.version}, for ${listed(reasons, 5)}, needs Kubernetes ${range.from} or later, and the cluster runs ${version}. Upgrade the cluster, or install an older release.`,
    evidence: [`Source: ${range.source}`], fix: kubectl(undefined, 'version'),
  }];
}

function schedulers(snapshot: ClusterSnapshot): Fault[] {
  const named = new Map<string, string>();
  for (const { title, podSets } of snapshot.program?.workloads ?? []) {
    podSets.forEach(({ spec }) => (spec.schedulerName === undefined || spec.schedulerName === 'default-scheduler' ? undefined : named.set(spec.schedulerName, title)));
  }
  return [...named].flatMap(([scheduler, title]) => {
    const { deployments } = snapshot;
    if (deployments === undefined || deployments.some(({ metadata, spec }) => runsScheduler(JSON.stringify([metadata?.name, spec]), scheduler))) {
      return [];
    }
    const renderer = Object.values(GANG_RENDERERS).find(({ schedulerName }) => schedulerName === scheduler);
    const component = SCHEDULERS[scheduler] as string | undefined;
    return [{
      id: 'SchedulerMissing', severity: 'error', what: `${title} is scheduled by ${renderer?.title ?? scheduler}, which is not installed: its pods stay pending.`,
      evidence: [`No Deployment runs a scheduler ${scheduler}.`, ...(renderer === undefined ? [] : [renderer.needs])],
      fix: component === undefined ? kubectl(undefined, 'get', 'deployments', '-A') : install(component),
    } satisfies Fault];
  });
}

/** Whether the name of a scheduler is a word of a Deployment. */
function runsScheduler(text: string, scheduler: string): boolean {
  return text.split(/[^A-Za-z0-9-]+/).some((word) => word === scheduler || word.startsWith(`${scheduler}-`) || word.endsWith(`-${scheduler}`));
}
