/** Systems that run the kinds of a program, and how their Deployments are recognized in any namespace. */
import { componentOf } from './fixes';
import type { ClusterSnapshot } from './snapshot';
import type { AnyObject } from '../jobs/objects';
import { component } from '../../model/catalogue/catalogue';
import type { CatalogueComponent } from '../../model/catalogue/types';
import { record, records, textIn } from '../../model/json-parts';
import { entryFor, entryOf } from '../../model/lists';

/** Names or images of Deployments by component. Other components are not checked. */
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
  /** The kinds or queues that need it. */
  readonly reasons: readonly string[];
}

/** Components of the program's kinds and queues, without our own operator. */
export function neededComponents({ program, kinds, kueue }: ClusterSnapshot): readonly NeededComponent[] {
  const needed = new Map<string, string[]>();
  const need = (name: string, reason: string) => entryFor(needed, name, () => []).push(reason);
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
  const pattern = entryOf(DEPLOYMENTS, name);
  const imagesOf = ({ spec }: AnyObject) => records(record(record(spec?.template).spec).containers).map(({ image }) => textIn(image));
  const texts = (deployment: AnyObject) => [deployment.metadata?.name, ...imagesOf(deployment)];
  return pattern === undefined ? [] : deployments.filter((deployment) => texts(deployment).some((text) => text !== undefined && pattern.test(text)));
}
