/**
 * Sidecars of a service mesh in pods that have to end: a sidecar that is not a container of Kubernetes' own kind keeps them running after their work
 * is done. Pods of jobs ask for none, unless their author has said what they want.
 * @see https://istio.io/latest/docs/setup/additional-setup/sidecar-injection/#controlling-the-injection-policy
 */

/** Label by which a pod says whether it wants a sidecar; before Istio 1.10 it was an annotation, which still counts where there is no label. */
export const MESH_INJECTION_LABEL = 'sidecar.istio.io/inject';

/** Label of pods that want the sidecar of one revision of the mesh. */
export const MESH_REVISION_LABEL = 'istio.io/rev';

type Texts = { readonly [name: string]: string };

/** What pods say that want none. */
export const MESH_OFF: Texts = { [MESH_INJECTION_LABEL]: 'false' };

/** What metadata of pods says of labels and annotations. */
export interface LabelledMetadata {
  readonly labels?: Texts;
  readonly annotations?: Texts;
}

/** What an author says of sidecars, as labels; empty where they say nothing. An annotation becomes a label, because a label next to it would win. */
export function meshLabels({ labels = {}, annotations = {} }: LabelledMetadata = {}): Texts {
  const revision = labels[MESH_REVISION_LABEL];
  const said = labels[MESH_INJECTION_LABEL] ?? annotations[MESH_INJECTION_LABEL] ?? (revision === undefined ? undefined : 'true');
  return {
    ...(said !== undefined && { [MESH_INJECTION_LABEL]: said }),
    ...(revision !== undefined && { [MESH_REVISION_LABEL]: revision }),
  };
}

/** The labels of a pod that has to end: without a sidecar, unless its author has said something. */
export function labelsWithoutSidecar(metadata: LabelledMetadata = {}): Texts {
  return { ...MESH_OFF, ...metadata.labels, ...meshLabels(metadata) };
}
