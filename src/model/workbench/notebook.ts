/**
 * A notebook server of Kubeflow, and the rules on it.
 * @see https://github.com/kubeflow/notebooks/tree/notebooks-v1/components/notebook-controller
 */
import { validatePodDefaultsTogether, type ChangedPod, type PodAdditions, type PodDefaultSpec } from './pod-default';
import { checkBaseName } from '../names';
import type { PodSettings } from '../pod-settings';
import { ViolationCollector, type Violation } from '../violations';

/** The kinds of servers that Kubeflow's dashboard distinguishes: by what is done with the path of a request. */
export type NotebookServerType = 'jupyter' | 'group-one' | 'group-two';

export interface NotebookSpec
  extends Pick<PodSettings, 'command' | 'args' | 'nodeSelector' | 'serviceAccountName' | 'podSpec'>, Required<Pick<PodSettings, 'image' | 'resources'>>,
  PodAdditions, Pick<ChangedPod, 'labels' | 'annotations'> {
  readonly name: string;
  readonly namespace?: string;
  readonly type: NotebookServerType;
  readonly port?: number;
  readonly workingDir?: string;
  readonly queueName?: string;
  readonly podDefaults: readonly { readonly name: string; readonly spec: PodDefaultSpec }[];
  readonly stopped: boolean;
}

/** A StatefulSet of the name puts a hash of ten characters and a dash behind it, into a label of its pods. */
export const NOTEBOOK_NAME_MAX_LENGTH = 52;

/** Set by the controller behind all others. */
const PREFIX_VARIABLE = 'NB_PREFIX';

export function validateNotebook(notebook: NotebookSpec): Violation[] {
  const violations = new ViolationCollector();
  const { name, namespace, type, port, env, podSpec, podDefaults } = notebook;
  const because = `the pods of its StatefulSet have room for ${NOTEBOOK_NAME_MAX_LENGTH}`;
  checkBaseName(name, 'its Service has the same name', violations, { length: NOTEBOOK_NAME_MAX_LENGTH, because });
  violations.whole('spec.template.spec.containers[0].ports', port, 1, 65_535);
  if (env.some((variable) => variable.name === PREFIX_VARIABLE)) {
    violations.add('spec.template.spec.containers[0].env', PREFIX_VARIABLE, 'is set by the controller to the path of the server. Remove it.');
  }
  if (type === 'group-two' && namespace === undefined) {
    violations.add('metadata.namespace', undefined, 'is required: the server\'s path contains it. Set it on the notebook or its chart.');
  }
  const others = (podSpec?.containers ?? []) as readonly { readonly name?: string }[];
  if (others.some((container) => container.name === name)) {
    violations.add('spec.template.spec.containers', name, 'is the server container, which the construct creates. Use its props, and give additional containers other names.');
  }
  violations.addAll(validatePodDefaultsTogether(podDefaults, { ...notebook, ...podMetadata(notebook) }));
  return violations.violations;
}

/** Labels and annotations of the pod: the controller copies those of the notebook. */
function podMetadata({ name, labels, annotations = {} }: NotebookSpec): Pick<ChangedPod, 'labels' | 'annotations'> {
  return {
    labels: { 'statefulset': name, 'notebook-name': name, ...labels },
    annotations: Object.fromEntries(Object.entries(annotations).filter(([key]) => !key.includes('kubectl') && !key.includes('notebook'))),
  };
}
