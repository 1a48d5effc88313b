/**
 * A platform as folders for kustomize: one for each component, in the order of waves, and a script that applies them in that order and waits for
 * each. kustomize also builds charts (`--enable-helm`), so nothing else has to run in the cluster.
 * @see https://kubectl.docs.kubernetes.io/references/kustomize/kustomization/helmcharts/
 */
import { hasParts, programNamespaces, writtenPatch, type ToYaml } from './delivery';
import type { PlannedComponent, PlannedPart, PlatformPlan } from './plan';
import { constructNamespace } from './platform-object';
import { programText } from '../../programs/program-text';

/** Namespaces that every cluster has. */
const EXISTING = ['default', 'kube-system', 'kube-public'];

/** Contents of files by their paths in the tree. */
export interface FileTree {
  readonly [path: string]: string;
}

/** Renders the tree. @param objectsOf the objects that the program writes for a component */
export function renderKustomizationTree(
  plan: PlatformPlan, objectsOf: (component: PlannedComponent) => readonly object[], toYaml: ToYaml,
  documents: (objects: readonly object[]) => string,
): FileTree {
  const files: { [path: string]: string } = {};
  const namespaces = new Set(EXISTING);
  const folders: string[] = [];
  for (const component of plan.components.filter(hasParts)) {
    const folder = folderOf(component);
    folders.push(folder);
    const objects = objectsOf(component);
    programNamespaces(...component.parts).forEach((namespace) => namespaces.add(namespace));
    const created = chartNamespaces(component).filter((namespace) => !namespaces.has(namespace));
    created.forEach((namespace) => namespaces.add(namespace));
    const own = Object.entries({ 'namespaces.yaml': created.map(constructNamespace), 'objects.yaml': objects }).filter(([, all]) => all.length > 0);
    own.forEach(([file, all]) => {
      files[`${folder}/${file}`] = documents(all);
    });
    files[`${folder}/kustomization.yaml`] = toYaml(kustomization(component, own.map(([file]) => file), toYaml));
  }
  // The script waits for definitions and Deployments, because a missing webhook would reject the next component, and retries kinds whose definition
  // the API server does not know yet.
  files['apply.sh'] = programText('platform/apply.sh');
  files['components.txt'] = folders.map((folder) => `${folder}\n`).join('');
  return files;
}

/** Such as `02-trainer`: with the wave first, so that folders are listed in an order in which they can be applied. */
function folderOf({ wave, name }: PlannedComponent): string {
  return `${String(wave).padStart(2, '0')}-${name}`;
}

/** Namespaces of charts, which kustomize does not create; kustomizations contain their own. */
function chartNamespaces({ parts }: PlannedComponent): string[] {
  return [...new Set(parts.flatMap((part) => (part.kind === 'helm' ? [part.namespace] : [])))];
}

function kustomization({ parts }: PlannedComponent, own: readonly string[], toYaml: ToYaml): object {
  const patches = parts.flatMap((part) => (part.kind === 'git' ? part.patches : []));
  const charts = parts.flatMap((part) => (part.kind === 'helm' ? [helmChart(part)] : []));
  const resources = [...own, ...parts.flatMap(remote)];
  return {
    apiVersion: 'kustomize.config.k8s.io/v1beta1', kind: 'Kustomization',
    ...(resources.length > 0 && { resources }),
    ...(charts.length > 0 && { helmCharts: charts }),
    ...(patches.length > 0 && { patches: patches.map((patch) => writtenPatch(patch, toYaml)) }),
  };
}

function remote(part: PlannedPart): string[] {
  return part.kind === 'git' ? [`${part.source.repository}//${part.source.path}?ref=${part.source.revision}`] : [];
}

function helmChart({ name, source, namespace, values }: Extract<PlannedPart, { readonly kind: 'helm' }>): object {
  return {
    name: source.chart, repo: source.repository, version: source.version, releaseName: name, namespace, includeCRDs: true,
    ...(Object.keys(values).length > 0 && { valuesInline: values }),
  };
}
