/** Systems that run the kinds of a program, and how their Deployments are found, whatever their namespace and the name of their release. */
import { componentOf } from './fixes';
import type { ClusterSnapshot } from './snapshot';
import type { AnyObject } from '../jobs/objects';
import { component } from '../../model/catalogue/catalogue';
import type { CatalogueComponent } from '../../model/catalogue/types';
import { record, records, textIn } from '../../model/json-parts';

/** By the component: what name or image one of its Deployments has. Those that are not here are not looked for. */
const DEPLOYMENTS: { readonly [component: string]: RegExp } = {
  'jobset': /\bjobset\b/,
  'kueue': /\bkueue\b/,
  'lws': /\blws\b|leaderworkerset/,
  'trainer': /trainer-controller|kubeflow-trainer/,
  'training-operator-v1': /(?<!trainyard-)\btraining-operator\b/,
  'mpi-operator': /mpi-operator/,
  'kuberay': /kuberay|ray-operator/,
  'volcano': /volcano-controllers?\b|vc-controller/,
  'spark-operator': /spark-operator/,
  'kserve': /kserve-controller/,
  'kserve-llm': /kserve-controller|llmisvc/,
  'katib': /katib-controller/,
  'keda': /keda-operator/,
  'notebooks': /notebook-controller/,
  'scheduler-plugins': /scheduler-plugins/,
};

/** A component that the program needs. */
export interface NeededComponent {
  readonly component: CatalogueComponent;
  /** What needs it: kinds, or a scheduler. */
  readonly reasons: readonly string[];
}

/** Components of the kinds of the program, its queues included; our own operator is looked at more closely elsewhere. */
export function neededComponents({ program, kinds, kueue }: ClusterSnapshot): readonly NeededComponent[] {
  const needed = new Map<string, string[]>();
  const need = (name: string, reason: string) => needed.set(name, [...needed.get(name) ?? [], reason]);
  for (const { kind } of program?.workloads ?? []) {
    const facts = kinds.find((candidate) => candidate.kind === kind.kind && candidate.apiVersion.startsWith(`${kind.group}/`));
    const source = componentOf(`${kind.plural}.${kind.group}`, facts?.apiVersion.split('/').at(-1) ?? kind.versions[0]);
    if (source !== undefined && source.name !== 'training-operator' && needed.get(source.name)?.includes(kind.kind) !== true) {
      need(source.name, kind.kind);
    }
  }
  if (kueue?.isInstalled === true) {
    need('kueue', 'queues');
  }
  return [...needed].map(([name, reasons]) => ({ component: component(name), reasons }));
}

/** Whether Deployments of a component can be recognized. */
export function isRecognised({ name }: CatalogueComponent): boolean {
  return Object.hasOwn(DEPLOYMENTS, name);
}

export function deploymentsOf({ name }: CatalogueComponent, deployments: readonly AnyObject[]): AnyObject[] {
  const pattern = DEPLOYMENTS[name] as RegExp | undefined;
  const imagesOf = ({ spec }: AnyObject) => records(record(record(spec?.template).spec).containers).map(({ image }) => textIn(image));
  const texts = (deployment: AnyObject) => [deployment.metadata?.name, ...imagesOf(deployment)];
  return pattern === undefined ? [] : deployments.filter((deployment) => texts(deployment).some((text) => text !== undefined && pattern.test(text)));
}
