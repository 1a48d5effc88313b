/** Charts of the deliveries: what a person applies once, and what that leads to. */
import { Chart, Lazy, Yaml, type App, type Duration } from 'cdk8s';
import { ArgoCdLayout, type ArgoCdDeliveryOptions, type FluxDeliveryOptions, type ProgramRepository, type RepositoryCredentials } from './delivery';
import { locateChart, OUTPUT_FOLDER } from './output-files';
import { addManifest } from './program-charts';
import { ArgoCdCustomizations } from '../gitops/argo-cd/argo-cd-customizations';
import {
  CUSTOMIZATIONS_WAVE, constructAppProjects, constructApplicationSet, constructApplications, constructRootApplication, type ArgoCdSpec,
} from '../../manifests/platform/argo-cd';
import type { ProgramFiles, ToYaml } from '../../manifests/platform/delivery';
import { constructFluxComponent, constructFluxRoot, type FluxSpec } from '../../manifests/platform/flux';
import type { PlannedComponent, PlatformPlan } from '../../manifests/platform/plan';
import type { PlatformObject } from '../../manifests/platform/platform-object';
import { constructRepositorySecret } from '../../manifests/platform/repository-secret';

/** Component of the catalogue. */
const ARGO_CD = 'argo-cd';

/** YAML as cdk8s writes it. */
export const toYaml: ToYaml = (value) => Yaml.stringify(value);

/**
 * Argo CD's objects. The chart `NAME-platform` is the one that a person applies.
 * @param plan is asked again at synth, when charts of the program have their objects
 */
export function addArgoCd(app: App, name: string, plan: () => PlatformPlan, options: ArgoCdDeliveryOptions): void {
  const { layout = ArgoCdLayout.APP_OF_APPS, namespace = 'argocd', server = 'https://kubernetes.default.svc', selfHeal = true, retryLimit = 10, prune = true } = options;
  const spec: ArgoCdSpec = { platform: name, namespace, server, project: name, files: filesOf(app, options), prune, selfHeal, retryLimit };
  const root = new Chart(app, rootChart(name));
  addAtSynth(root, () => constructAppProjects(plan(), spec));
  addCredentials(root, name, namespace, options, CUSTOMIZATIONS_WAVE);
  // In Argo CD's own cluster, and there before the first wave. Where Argo CD is a component, its chart has them.
  if ((options.resourceCustomizations ?? true) && !plan().components.some((component) => component.name === ARGO_CD)) {
    new ArgoCdCustomizations(root, 'ArgoCd', { namespace, wave: CUSTOMIZATIONS_WAVE });
  }
  const files = [rootChart(name)];
  if (layout === ArgoCdLayout.APPLICATION_SET) {
    addAtSynth(root, () => [constructApplicationSet(plan(), spec, toYaml)]);
  } else {
    const applications = new Chart(app, `${name}-applications`);
    addAtSynth(applications, () => constructApplications(plan(), spec, toYaml));
    files.push(applications.node.id);
  }
  addManifest(root, constructRootApplication(plan(), spec, files));
}

/** Objects whose names are known now, and whose contents follow from all of the program. */
function addAtSynth(chart: Chart, construct: () => readonly PlatformObject[]): void {
  construct().forEach((object, index) => {
    const late: PlatformObject = { ...object, spec: Lazy.any({ produce: () => construct()[index].spec }) };
    addManifest(chart, late);
  });
}

/** Flux's objects: the chart `NAME-platform` is the one that a person applies, and each component has its own. */
export function addFlux(
  app: App, name: string, plan: PlatformPlan, options: FluxDeliveryOptions, chartOf: (component: PlannedComponent) => Chart,
): void {
  const { namespace = 'flux-system', interval, timeout, retries = 10, prune = true } = options;
  const spec: FluxSpec = {
    platform: name, namespace, files: filesOf(app, options), interval: fluxTime(interval, '10m'), timeout: fluxTime(timeout, '15m'), retries, prune,
    ...(options.credentials !== undefined && { secretName: secretName(name, options.credentials) }),
  };
  for (const component of plan.components.filter(({ parts }) => parts.length > 0)) {
    const chart = chartOf(component);
    constructFluxComponent(component, spec, toYaml).forEach((object) => addManifest(chart, object));
  }
  const root = new Chart(app, rootChart(name));
  addCredentials(root, name, namespace, options);
  constructFluxRoot(plan, spec).forEach((object) => addManifest(root, object));
}

/** The Secret by which the repository is read, where External Secrets makes it. */
function addCredentials(root: Chart, name: string, namespace: string, { credentials, repository }: ProgramRepository, wave?: number): void {
  const remote = credentials?._external;
  if (remote !== undefined) {
    addManifest(root, constructRepositorySecret({ name: secretName(name, credentials), namespace, url: repository, wave, ...remote }));
  }
}

function secretName(platform: string, credentials: RepositoryCredentials | undefined): string {
  return credentials?._existing ?? `${platform}-repository`;
}

/** The chart that a person applies. The platform's own name may be that of the construct, which is next to the charts. */
function rootChart(name: string): string {
  return `${name}-platform`;
}

function filesOf(app: App, { repository, path = OUTPUT_FOLDER, revision = 'main' }: ProgramRepository): ProgramFiles {
  return { repository, revision, locate: (chart) => locateChart(app, path, chart) };
}

function fluxTime(duration: Duration | undefined, byDefault: string): string {
  return duration === undefined ? byDefault : `${duration.toSeconds()}s`;
}
