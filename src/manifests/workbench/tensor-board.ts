/** Kubeflow's Tensorboard. */
import type { Manifest } from '../kubernetes';

/** `apiVersion` of a Tensorboard. */
export const TENSOR_BOARD_API_VERSION = 'tensorboard.kubeflow.org/v1alpha1';

/** The object that is applied. */
export function constructTensorBoard(name: string, logsPath: string): Manifest & { readonly spec: object } {
  return { apiVersion: TENSOR_BOARD_API_VERSION, kind: 'Tensorboard', metadata: { name }, spec: { logspath: logsPath } };
}
