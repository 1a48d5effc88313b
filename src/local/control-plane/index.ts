/** The embedded control plane. */
export { apiRequest } from './api-request';
export type { ApiAccess, ApiRequestOptions, ApiResponse } from './api-request';
export { findKubectl, resolveBinaries, resolveKubectl } from './binaries';
export { COMPONENT_NAMES, KUBERNETES_VERSION } from './components';
export type { ComponentName } from './components';
export { ControlPlane } from './control-plane';
export type { ControlPlaneOptions } from './control-plane-options';
export type { ControlPlaneUser } from './credentials';
export type { FakeNodesOptions } from './fake-nodes';
export { EXIT_CODE_ANNOTATION, RUN_FOR_ANNOTATION } from './fake-nodes';
