/**
 * A platform as Argo CD keeps it: an Application for each component, with the number of its wave, and one Application of them all, or an
 * ApplicationSet that makes them step by step.
 * @see https://argo-cd.readthedocs.io/en/stable/user-guide/sync-waves/
 * @see https://argo-cd.readthedocs.io/en/stable/operator-manual/applicationset/Progressive-Syncs/
 */
import { componentLabels, hasObjects, hasParts, repositoriesOf, writtenPatch, type ProgramFiles, type ToYaml } from './delivery';
import type { PlannedComponent, PlannedPart, PlatformPlan } from './plan';
import { SYNC_WAVE_ANNOTATION } from '../../model/argo-cd/annotations';
import type { OwnedFields } from '../../model/catalogue/types';
import type { PlatformObject } from './platform-object';

const API_VERSION = 'argoproj.io/v1alpha1';

/** Label of an ApplicationSet's Applications that its steps select by. */
const WAVE_LABEL = 'trainyard.dev/wave';

/** Deletes what an Application made when the Application goes. */
const CASCADE_FINALIZER = 'resources-finalizer.argocd.argoproj.io/background';

/** What the Applications are told. */
export interface ArgoCdSpec {
  /** Name of the platform: of project and root, and the beginning of all others. */
  readonly platform: string;
  /** Namespace of Argo CD. */
  readonly namespace: string;
  /** API server of the cluster that the platform is for. */
  readonly server: string;
  readonly project: string;
  readonly files: ProgramFiles;
  /** Whether what left the program is deleted. */
  readonly prune: boolean;
  /** Whether changes of the cluster are undone. */
  readonly selfHeal: boolean;
  readonly retryLimit: number;
}

/** Name of the Application of a component. */
export function applicationName(platform: string, component: string): string {
  return `${platform}-${component}`;
}

/** The project: which repositories and namespaces the platform's Applications may use. */
export function constructAppProject(plan: PlatformPlan, spec: ArgoCdSpec): PlatformObject {
  const namespaces = new Set([...plan.components.flatMap((each) => [...each.namespaces, ...each.parts.flatMap((part) => (part.kind === 'helm' ? [part.namespace] : []))])]);
  // Roles for leader election and for metrics of several charts are here; Applications are in Argo CD's own namespace.
  ['kube-system', spec.namespace].forEach((namespace) => namespaces.add(namespace));
  return {
    apiVersion: API_VERSION, kind: 'AppProject', metadata: { name: spec.project, namespace: spec.namespace, labels: { 'app.kubernetes.io/managed-by': 'trainyard' } },
    spec: {
      description: `Components of the platform ${spec.platform}`,
      // Argo CD compares registries without their scheme.
      sourceRepos: [...new Set([spec.files.repository, ...repositoriesOf(plan)].map(argoRepository))],
      destinations: [...namespaces].sort().map((namespace) => ({ server: spec.server, namespace })),
      clusterResourceWhitelist: [{ group: '*', kind: '*' }],
      orphanedResources: { warn: false },
    },
  };
}

/** The one that a person applies: it makes the others, a wave after the other has become healthy. */
export function constructRootApplication(spec: ArgoCdSpec, chart: string): PlatformObject {
  return {
    apiVersion: API_VERSION, kind: 'Application',
    metadata: { name: spec.platform, namespace: spec.namespace, labels: { 'app.kubernetes.io/managed-by': 'trainyard' }, ...finalizers(spec) },
    spec: {
      project: spec.project,
      source: fileSource(spec.files, chart),
      destination: { server: spec.server, namespace: spec.namespace },
      syncPolicy: syncPolicy(spec, []),
    },
  };
}

/** An Application for each component. */
export function constructApplications(plan: PlatformPlan, spec: ArgoCdSpec, toYaml: ToYaml): PlatformObject[] {
  return plan.components.filter(hasParts).map((component): PlatformObject => ({
    apiVersion: API_VERSION, kind: 'Application',
    metadata: {
      name: applicationName(spec.platform, component.name), namespace: spec.namespace, labels: componentLabels(spec.platform, component),
      annotations: { [SYNC_WAVE_ANNOTATION]: String(component.wave) }, ...finalizers(spec),
    },
    spec: {
      ...applicationSpec(component, spec, toYaml),
      syncPolicy: syncPolicy(spec, COMPONENT_SYNC_OPTIONS),
    },
  }));
}

/** All components as one set, whose controller syncs a wave when the one before is healthy. Argo CD has to run with progressive syncs switched on. */
export function constructApplicationSet(plan: PlatformPlan, spec: ArgoCdSpec, toYaml: ToYaml): PlatformObject {
  const components = plan.components.filter(hasParts);
  const waves = [...new Set(components.map(({ wave }) => String(wave)))];
  return {
    apiVersion: API_VERSION, kind: 'ApplicationSet',
    metadata: { name: spec.platform, namespace: spec.namespace, labels: { 'app.kubernetes.io/managed-by': 'trainyard' } },
    spec: {
      goTemplate: true,
      goTemplateOptions: ['missingkey=error'],
      generators: [{ list: { elements: components.map((component) => ({
        component: component.name, wave: String(component.wave), spec: applicationSpec(component, spec, toYaml),
      })) } }],
      strategy: { type: 'RollingSync', rollingSync: { steps: waves.map((wave) => ({ matchExpressions: [{ key: WAVE_LABEL, operator: 'In', values: [wave] }] })) } },
      syncPolicy: { preserveResourcesOnDeletion: !spec.prune },
      template: {
        metadata: {
          name: `${spec.platform}-{{ .component }}`,
          labels: {
            'app.kubernetes.io/managed-by': 'trainyard', 'app.kubernetes.io/part-of': spec.platform, 'app.kubernetes.io/component': '{{ .component }}',
            [WAVE_LABEL]: '{{ .wave }}',
          },
        },
        spec: {
          project: spec.project,
          destination: { server: spec.server, namespace: spec.namespace },
          // The steps sync: of what is automated, only pruning and healing is left to say.
          syncPolicy: syncPolicy(spec, COMPONENT_SYNC_OPTIONS),
        },
      },
      // Sources and fields differ from component to component, and JSON is YAML.
      templatePatch: 'spec: {{ toJson .spec }}\n',
    },
  };
}

/** Definitions larger than an annotation need the server's side; fields of others are not written back. */
const COMPONENT_SYNC_OPTIONS = ['CreateNamespace=true', 'RespectIgnoreDifferences=true'];

function applicationSpec(component: PlannedComponent, spec: ArgoCdSpec, toYaml: ToYaml): { readonly [field: string]: unknown } {
  const chart = hasObjects(component) ? applicationName(spec.platform, component.name) : '';
  return {
    project: spec.project,
    sources: component.parts.map((part) => source(part, spec.files, chart, toYaml)),
    destination: { server: spec.server, namespace: component.namespace },
    ...(component.owned.length > 0 && { ignoreDifferences: ignoreDifferences(component.owned) }),
  };
}

/** Charts of registries are named without their scheme. */
function argoRepository(repository: string): string {
  return repository.replace(/^oci:\/\//, '');
}

function source(part: PlannedPart, files: ProgramFiles, chart: string, toYaml: ToYaml): object {
  switch (part.kind) {
    case 'helm':
      return {
        repoURL: argoRepository(part.source.repository), chart: part.source.chart, targetRevision: part.source.version,
        helm: {
          releaseName: part.name, namespace: part.namespace,
          ...(Object.keys(part.values).length > 0 && { valuesObject: part.values }),
        },
      };
    case 'git':
      return {
        repoURL: part.source.repository, path: part.source.path, targetRevision: part.source.revision,
        ...(part.patches.length > 0 && { kustomize: { patches: part.patches.map((patch) => writtenPatch(patch, toYaml)) } }),
      };
    case 'program':
      return fileSource(files, chart);
  }
}

function fileSource({ repository, revision, locate }: ProgramFiles, chart: string): object {
  const { path, include } = locate(chart);
  return { repoURL: repository, path, targetRevision: revision, ...(include !== undefined && { directory: { include } }) };
}

function finalizers({ prune }: ArgoCdSpec): { readonly finalizers?: string[] } {
  return prune ? { finalizers: [CASCADE_FINALIZER] } : {};
}

function syncPolicy({ prune, selfHeal, retryLimit }: ArgoCdSpec, options: readonly string[]): object {
  return {
    automated: { prune, selfHeal },
    syncOptions: [...options, 'ServerSideApply=true'],
    retry: { limit: retryLimit, backoff: { duration: '30s', factor: 2, maxDuration: '10m' } },
  };
}

function ignoreDifferences(owned: readonly OwnedFields[]): object[] {
  return owned.map(({ group, kind, name, pointers, jqPaths }) => ({
    ...(group !== '' && { group }), kind, ...(name !== undefined && { name }),
    ...(pointers !== undefined && { jsonPointers: [...pointers] }), ...(jqPaths !== undefined && { jqPathExpressions: [...jqPaths] }),
  }));
}
