/** Charts of the deliveries: the one that the user applies once, and those that it delivers. */
import { Chart, Lazy, Yaml, type App, type Duration } from 'cdk8s';
import { ArgoCdLayout, type ArgoCdDeliveryOptions, type FluxDeliveryOptions, type ProgramRepository, type RepositoryCredentials } from './delivery';
import { locateChart, OUTPUT_FOLDER } from './output-files';
import { addNamed } from '../rendering/objects';
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
 * Argo CD's objects. The user applies the chart `NAME-platform`.
 * @param plan called again at synth, when charts of the program have their objects
 */
export function addArgoCd(app: App, name: string, plan: () => PlatformPlan, options: ArgoCdDeliveryOptions): void {
  const { layout = ArgoCdLayout.APP_OF_APPS, namespace = 'argocd', server = 'https://kubernetes.default.svc', selfHeal = true, retryLimit = 10, prune = true } = options;
  const spec: ArgoCdSpec = { platform: name, namespace, server, project: name, files: filesOf(app, options), prune, selfHeal, retryLimit };
  const root = new Chart(app, rootChart(name));
  addAtSynth(root, () => constructAppProjects(plan(), spec));
  addCredentials(root, name, namespace, options, CUSTOMIZATIONS_WAVE);
  // In Argo CD's own cluster, before the first wave. If Argo CD is a component, its chart includes them.
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
  addNamed(root, constructRootApplication(plan(), spec, files));
}

/** Objects with names that are known now, and contents that depend on the whole program. */
function addAtSynth(chart: Chart, construct: () => readonly PlatformObject[]): void {
  construct().forEach((object, index) => {
    const late: PlatformObject = { ...object, spec: Lazy.any({ produce: () => construct()[index].spec }) };
    addNamed(chart, late);
  });
}

/** Flux's objects: the user applies the chart `NAME-platform`, and each component has its own chart. */
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
    constructFluxComponent(component, spec, toYaml).forEach((object) => addNamed(chart, object));
  }
  const root = new Chart(app, rootChart(name));
  addCredentials(root, name, namespace, options);
  constructFluxRoot(plan, spec).forEach((object) => addNamed(root, object));
}

/** The Secret with the repository's credentials, if External Secrets creates it. */
function addCredentials(root: Chart, name: string, namespace: string, { credentials, repository }: ProgramRepository, wave?: number): void {
  const remote = credentials?._external;
  if (remote !== undefined) {
    addNamed(root, constructRepositorySecret({ name: secretName(name, credentials), namespace, url: repository, wave, ...remote }));
  }
}

function secretName(platform: string, credentials: RepositoryCredentials | undefined): string {
  return credentials?._existing ?? `${platform}-repository`;
}

/** The chart that the user applies. Not the platform's own name, which can be the id of the construct in the same app. */
function rootChart(name: string): string {
  return `${name}-platform`;
}

function filesOf(app: App, { repository, path = OUTPUT_FOLDER, revision = 'main' }: ProgramRepository): ProgramFiles {
  return { repository, revision, locate: (chart) => locateChart(app, path, chart) };
}

function fluxTime(duration: Duration | undefined, byDefault: string): string {
  return duration === undefined ? byDefault : `${duration.toSeconds()}s`;
}
