/**
 * Objects of Kubeflow's workbench: Notebook, PodDefault and Tensorboard.
 *
 * Kubeflow's Notebook. The first container is the server: it has the notebook's name, by which the controller finds its state.
 */
import type { Manifest, PodSpec } from '../kubernetes';
import { plainObject, nonEmptyObject } from '../plain-object';
import { withPodDefaults } from '../pod/pod-defaults';
import { constructResources, deviceTolerations } from '../pod/resources';
import { sharedMemoryParts } from '../pod/shared-memory';
import { typedPodSpec } from '../pod/typed-pod';
import { sharedMemoryFor } from '../../model/accelerators/shared-memory';
import { QUEUE_NAME_LABEL } from '../../model/kueue-names';
import type { NotebookSpec } from '../../model/workbench/notebook';
import type { PodDefaultSpec } from '../../model/workbench/pod-default';

/** `apiVersion` of a Notebook. */
export const NOTEBOOK_API_VERSION = 'kubeflow.org/v1';

/** Annotation that stops the server. The culler sets it to the time, and people can set it too. */
const STOPPED_ANNOTATION = 'kubeflow-resource-stopped';

const SERVER_TYPE_ANNOTATION = 'notebooks.kubeflow.org/server-type';
const REWRITE_ANNOTATION = 'notebooks.kubeflow.org/http-rewrite-uri';
const HEADERS_ANNOTATION = 'notebooks.kubeflow.org/http-headers-request-set';

/** The object that is applied. */
export function constructNotebook(notebook: NotebookSpec): Manifest & { readonly spec: object } {
  const { name, namespace, port, resources, podSpec = {}, volumes, volumeMounts } = notebook;
  const { containers: others = [], volumes: otherVolumes = [], tolerations: otherTolerations = [], ...rest } = podSpec;
  const sharedMemory = sharedMemoryParts(sharedMemoryFor(notebook), 'dshm');
  const allMounts = [...volumeMounts, ...sharedMemory.volumeMounts];
  const allVolumes = [...volumes, ...sharedMemory.volumes, ...otherVolumes as object[]];
  const tolerations = [...deviceTolerations(resources), ...notebook.tolerations, ...otherTolerations as object[]];
  return plainObject({
    apiVersion: NOTEBOOK_API_VERSION,
    kind: 'Notebook',
    metadata: { name, namespace, labels: nonEmptyObject(notebookLabels(notebook)), annotations: notebookAnnotations(notebook) },
    spec: {
      template: {
        // Images of servers start as root or by setuid programs, and people install packages, so nothing else is restricted.
        spec: typedPodSpec(withPodDefaults({
          ...rest,
          serviceAccountName: notebook.serviceAccountName ?? rest.serviceAccountName as string | undefined,
          imagePullSecrets: notebook.imagePullSecrets.length > 0 ? notebook.imagePullSecrets.map((secret) => ({ name: secret })) : undefined,
          nodeSelector: notebook.nodeSelector,
          tolerations: tolerations.length > 0 ? tolerations : undefined,
          containers: [{
            name,
            image: notebook.image,
            command: notebook.command,
            args: notebook.args,
            workingDir: notebook.workingDir,
            ports: port === undefined ? undefined : [{ containerPort: port, name: 'notebook-port', protocol: 'TCP' }],
            env: notebook.env.length > 0 ? notebook.env : undefined,
            envFrom: notebook.envFrom.length > 0 ? notebook.envFrom : undefined,
            resources: constructResources(resources),
            volumeMounts: allMounts.length > 0 ? allMounts : undefined,
          }, ...others as object[]],
          volumes: allVolumes.length > 0 ? allVolumes : undefined,
        } as Partial<PodSpec>)),
      },
    },
  });
}

/** Labels, which the controller copies to the pod: there Kueue and the webhook of PodDefaults look at them. */
function notebookLabels({ queueName, podDefaults }: NotebookSpec): { readonly [name: string]: string } {
  return {
    ...Object.assign({}, ...podDefaults.map(({ spec: { selector } }) => selector)) as object,
    ...(queueName !== undefined && { [QUEUE_NAME_LABEL]: queueName }),
  };
}

/** How the controller and the dashboard route requests, and whether the server runs. */
function notebookAnnotations({ type, name, namespace, stopped }: NotebookSpec): { readonly [name: string]: string } {
  return {
    [SERVER_TYPE_ANNOTATION]: type,
    // Servers that do not know their path prefix get requests without it.
    ...(type !== 'jupyter' && { [REWRITE_ANNOTATION]: '/' }),
    ...(type === 'group-two' && { [HEADERS_ANNOTATION]: JSON.stringify({ 'X-RStudio-Root-Path': `/notebook/${namespace}/${name}/` }) }),
    ...(stopped && { [STOPPED_ANNOTATION]: 'true' }),
  };
}

/** `apiVersion` of a PodDefault. */
export const POD_DEFAULT_API_VERSION = 'kubeflow.org/v1alpha1';

/** The object that is applied. */
export function constructPodDefault(name: string, spec: PodDefaultSpec): Manifest & { readonly spec: object } {
  const { description, selector, imagePullSecrets, ...rest } = spec;
  return plainObject({
    apiVersion: POD_DEFAULT_API_VERSION,
    kind: 'PodDefault',
    metadata: { name },
    spec: {
      // The dashboard shows this text in its list of PodDefaults.
      desc: description ?? name,
      selector: { matchLabels: selector },
      imagePullSecrets: imagePullSecrets.length > 0 ? imagePullSecrets.map((secret) => ({ name: secret })) : undefined,
      ...Object.fromEntries(Object.entries(rest).filter(([, value]) => !(Array.isArray(value) && value.length === 0))),
    },
  });
}

/** `apiVersion` of a Tensorboard. */
export const TENSOR_BOARD_API_VERSION = 'tensorboard.kubeflow.org/v1alpha1';

/** The object that is applied. */
export function constructTensorBoard(name: string, logsPath: string): Manifest & { readonly spec: object } {
  return { apiVersion: TENSOR_BOARD_API_VERSION, kind: 'Tensorboard', metadata: { name }, spec: { logspath: logsPath } };
}
