/** Kubeflow's PodDefault. */
import type { Manifest } from '../kubernetes';
import { plainObject } from '../plain-object';
import type { PodDefaultSpec } from '../../model/workbench/pod-default';

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
      // The dashboard lists PodDefaults by this text.
      desc: description ?? name,
      selector: { matchLabels: selector },
      imagePullSecrets: imagePullSecrets.length > 0 ? imagePullSecrets.map((secret) => ({ name: secret })) : undefined,
      ...Object.fromEntries(Object.entries(rest).filter(([, value]) => !(Array.isArray(value) && value.length === 0))),
    },
  });
}
