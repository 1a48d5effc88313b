/**
 * A platform for Argo CD: an Application for each component, with the number of its wave, or an ApplicationSet that syncs them step by step, and a
 * root Application for all of them, which also syncs itself.
 * @see https://argo-cd.readthedocs.io/en/stable/user-guide/sync-waves/
 * @see https://argo-cd.readthedocs.io/en/stable/operator-manual/applicationset/Progressive-Syncs/
 */
import { componentLabels, hasObjects, hasParts, repositoriesOf, writtenPatch, type ProgramFiles, type ToYaml } from './delivery';
import type { PlannedComponent, PlannedPart, PlatformPlan } from './plan';
import { KEPT_SYNC_OPTIONS, SYNC_OPTIONS_ANNOTATION, SYNC_WAVE_ANNOTATION } from '../../model/argo-cd/annotations';
import type { OwnedFields } from '../../model/catalogue/types';
import type { PlatformObject } from './platform-object';

const API_VERSION = 'argoproj.io/v1alpha1';

/** Label of Applications that the steps of an ApplicationSet select. */
const WAVE_LABEL = 'trainyard.dev/wave';

/** Deletes the objects of an Application with it. */
const CASCADE_FINALIZER = 'resources-finalizer.argocd.argoproj.io/background';

/** Settings of the Applications. */
export interface ArgoCdSpec {
  /** Name of the platform, its project and its root, and prefix of all other names. */
  readonly platform: string;
  /** Namespace of Argo CD. */
  readonly namespace: string;
  /** API server of the platform's cluster. */
  readonly server: string;
  readonly project: string;
  readonly files: ProgramFiles;
  /** Whether objects that are no longer in the program are deleted. */
  readonly prune: boolean;
  /** Whether changes in the cluster are reverted. */
  readonly selfHeal: boolean;
  readonly retryLimit: number;
}

function applicationName(platform: string, component: string): string {
  return `${platform}-${component}`;
}

/** Projects: one for the platform's components and, if the program has its own charts, one for them. */
export function constructAppProjects(plan: PlatformPlan, spec: ArgoCdSpec): PlatformObject[] {
  const charts = plan.components.filter(isOfProgram);
  const components = plan.components.filter((component) => !isOfProgram(component));
  return [
    project(spec, spec.project, `Components of the platform ${spec.platform}`, {
      // Argo CD compares registries without their scheme.
      sourceRepos: [...new Set([spec.files.repository, ...repositoriesOf(plan)].map(argoRepository))],
      // Several charts have roles for leader election and metrics in kube-system; Applications are in Argo CD's own namespace.
      destinations: [
        ...inNamespaces(spec, [...namespacesOf(plan.components), 'kube-system', spec.namespace, ANY_NAMESPACE]),
        ...(spec.server === OWN_CLUSTER ? [] : [{ server: OWN_CLUSTER, namespace: spec.namespace }]),
      ],
      clusterResourceWhitelist: [{ group: '*', kind: '*' }],
    }),
    ...(charts.length === 0 ? [] : [project(spec, chartsProject(spec), `Charts of the program behind the platform ${spec.platform}`, {
      sourceRepos: [spec.files.repository],
      destinations: inNamespaces(spec, [...namespacesOf(charts), ANY_NAMESPACE, ...notInNamespaces(components, charts, spec)]),
      clusterResourceWhitelist: clusterKinds(charts),
    })]),
  ];
}

/** Wave of the objects that Applications need. */
const FOUNDATION_WAVE = -10;

/** Address of Argo CD's own cluster in a project. */
const OWN_CLUSTER = 'https://kubernetes.default.svc';

/** Needed to empty a namespace that is no longer in the program, because Argo CD prunes only permitted objects. */
const ANY_NAMESPACE = '*';

/** Cluster-scoped kinds of teams and their queues. Always permitted, so that they can be pruned. */
const TEAM_KINDS: readonly { readonly group: string; readonly kind: string }[] = [
  { group: '', kind: 'Namespace' },
  { group: 'kueue.x-k8s.io', kind: '*' },
  { group: 'scheduling.k8s.io', kind: 'PriorityClass' },
  { group: 'admissionregistration.k8s.io', kind: 'ValidatingAdmissionPolicy' },
  { group: 'admissionregistration.k8s.io', kind: 'ValidatingAdmissionPolicyBinding' },
  { group: 'kubeflow.org', kind: 'Profile' },
];

function isOfProgram({ clusterKinds: kinds }: PlannedComponent): boolean {
  return kinds !== undefined;
}

/** Name of the project of the program's own charts. */
function chartsProject({ project: name }: ArgoCdSpec): string {
  return `${name}-charts`;
}

function projectOf(component: PlannedComponent, spec: ArgoCdSpec): string {
  return isOfProgram(component) ? chartsProject(spec) : spec.project;
}

/** A project is kept longer than its Applications, which could not be deleted without it. */
function project(spec: ArgoCdSpec, name: string, description: string, rules: object): PlatformObject {
  return {
    apiVersion: API_VERSION, kind: 'AppProject',
    metadata: { name, namespace: spec.namespace, labels: { 'app.kubernetes.io/managed-by': 'trainyard' }, annotations: foundation(FOUNDATION_WAVE) },
    spec: { description, ...rules, orphanedResources: { warn: false } },
  };
}

/** Annotations of other objects that the root syncs, which are kept when the root is deleted. */
function foundation(wave: number): { readonly [annotation: string]: string } {
  return { [SYNC_WAVE_ANNOTATION]: String(wave), [SYNC_OPTIONS_ANNOTATION]: KEPT_SYNC_OPTIONS };
}

function namespacesOf(components: readonly PlannedComponent[]): string[] {
  return components.flatMap(({ namespaces, parts }) => [...namespaces, ...parts.flatMap((part) => (part.kind === 'helm' ? [part.namespace] : []))]);
}

function inNamespaces({ server }: ArgoCdSpec, namespaces: readonly string[]): { readonly server: string; readonly namespace: string }[] {
  return [...new Set(namespaces)].sort().map((namespace) => ({ server, namespace }));
}

/** Namespaces of the system and of components, unless charts name them. */
function notInNamespaces(components: readonly PlannedComponent[], charts: readonly PlannedComponent[], { namespace }: ArgoCdSpec): string[] {
  const used = namespacesOf(charts);
  return ['kube-system', namespace, ...namespacesOf(components)].filter((each) => !used.includes(each)).map((each) => `!${each}`);
}

function clusterKinds(charts: readonly PlannedComponent[]): { readonly group: string; readonly kind: string }[] {
  const permitted = new Set(TEAM_KINDS.map(({ group, kind }) => `${group}/${kind}`));
  const more = [...new Set(charts.flatMap(({ clusterKinds: kinds = [] }) => kinds))]
    .map((name) => ({ group: name.slice(0, name.indexOf('/')), kind: name.slice(name.indexOf('/') + 1) }));
  return [...TEAM_KINDS, ...more.filter(({ group, kind }) => !permitted.has(`${group}/${kind}`) && !permitted.has(`${group}/*`))];
}

/**
 * The Application that a person applies: it creates the others, one wave after the other is healthy, and then also syncs what that person applied:
 * the projects, the customizations and itself. It is in the last wave, for which Argo CD does not wait, because the root becomes healthy last.
 * @param charts charts of its files
 */
export function constructRootApplication(plan: PlatformPlan, spec: ArgoCdSpec, charts: readonly string[]): PlatformObject {
  return {
    apiVersion: API_VERSION, kind: 'Application',
    metadata: {
      name: spec.platform, namespace: spec.namespace, labels: { 'app.kubernetes.io/managed-by': 'trainyard' },
      annotations: foundation(Math.max(0, ...plan.components.map(({ wave }) => wave))), ...finalizers(spec),
    },
    spec: {
      project: spec.project,
      sources: charts.map((chart) => fileSource(spec.files, chart)),
      // Applications are always in Argo CD's own cluster.
      destination: { server: OWN_CLUSTER, namespace: spec.namespace },
      syncPolicy: syncPolicy(spec, []),
    },
  };
}

/** Wave of the customizations, which the root also syncs. */
export const CUSTOMIZATIONS_WAVE = FOUNDATION_WAVE;

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

/** All components as one set, whose controller syncs a wave when the previous one is healthy. Needs progressive syncs in Argo CD. */
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
        component: component.name, wave: String(component.wave), project: projectOf(component, spec), spec: applicationSpec(component, spec, toYaml),
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
          project: '{{ .project }}',
          destination: { server: spec.server, namespace: spec.namespace },
          // The steps sync, so only pruning and healing are automated here.
          syncPolicy: syncPolicy(spec, COMPONENT_SYNC_OPTIONS),
        },
      },
      // Sources and fields differ between components. JSON is YAML.
      templatePatch: 'spec: {{ toJson .spec }}\n',
    },
  };
}

/**
 * Fields of other controllers are not written back. Only objects of missing kinds fail: without the last option, Argo CD would apply nothing of an
 * Application with such an object.
 */
const COMPONENT_SYNC_OPTIONS = ['CreateNamespace=true', 'RespectIgnoreDifferences=true', 'SkipDryRunOnMissingResource=true'];

function applicationSpec(component: PlannedComponent, spec: ArgoCdSpec, toYaml: ToYaml): { readonly [field: string]: unknown } {
  const chart = hasObjects(component) ? applicationName(spec.platform, component.name) : '';
  return {
    project: projectOf(component, spec),
    sources: component.parts.map((part) => source(part, spec.files, chart, toYaml)),
    destination: { server: spec.server, namespace: component.namespace },
    ...(component.owned.length > 0 && { ignoreDifferences: ignoreDifferences(component.owned) }),
  };
}

/** Argo CD names registries without their scheme. */
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
