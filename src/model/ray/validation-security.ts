/** Rules on versions, tokens, TLS and the Ingress to the dashboard. */
import type { RayKind } from './names';
import { groupsOf, type RayClusterSpec } from './spec';
import { TLS_VARIABLES, TLS_VOLUME, TOKEN_VARIABLES } from './variables';
import { isBefore, KUBERNETES_TOKENS_SINCE, rayVersionOfImage, rayVersionText, tryParseRayVersion, TOKENS_SINCE, type RayVersion } from './versions';
import { ViolationCollector, type Violation } from '../violations';

const HOST = /^(\*\.)?[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** Checks versions, tokens, TLS and the way in. */
export function validateRaySecurity(kind: RayKind, cluster: RayClusterSpec, path: string): Violation[] {
  const violations = new ViolationCollector();
  validateVersions(cluster, path, violations);
  validateTokens(kind, cluster, path, violations);
  validateTls(cluster, path, violations);
  validateIngress(cluster, path, violations);
  return violations.violations;
}

function validateVersions(cluster: RayClusterSpec, path: string, violations: ViolationCollector): void {
  const { rayVersion } = cluster;
  if (rayVersion === undefined) {
    return;
  }
  const version = tryParseRayVersion(rayVersion);
  if (version === undefined) {
    violations.add(`${path}.rayVersion`, rayVersion, 'must be a version of Ray, such as 2.54.0: KubeRay derives the cluster\'s features from it.');
    return;
  }
  // Ray refuses to connect nodes of different releases.
  for (const { path: where, title, group: { image } } of groupsOf(cluster, path)) {
    const found = rayVersionOfImage(image);
    if (found !== undefined && found !== rayVersionText(version)) {
      violations.add(`${where}.template.spec.containers[0].image`, image, `has Ray ${found}, but the cluster uses ${rayVersion}: ${title} could not join it. Use one release everywhere.`);
    }
  }
}

function validateTokens(kind: RayKind, cluster: RayClusterSpec, path: string, violations: ViolationCollector): void {
  const { auth, rayVersion } = cluster;
  if (auth === undefined) {
    return;
  }
  const wanted: RayVersion = auth.kubernetes ? KUBERNETES_TOKENS_SINCE : TOKENS_SINCE;
  const version = tryParseRayVersion(rayVersion);
  if (rayVersion === undefined || (version !== undefined && isBefore(version, wanted))) {
    violations.add(`${path}.rayVersion`, rayVersion, `must be ${rayVersionText(wanted)} or later with authentication: older releases of Ray ${auth.kubernetes
      ? 'cannot let Kubernetes check tokens' : 'do not require a token'}, and KubeRay must know the version. Set the version of the image.`);
  }
  if (auth.kubernetes && kind !== 'RayCluster') {
    violations.add(`${path}.authOptions.enableK8sTokenAuth`, true, `is not supported for a ${kind}: KubeRay has no token to reach it with. Use RayAuthentication.token.`);
  }
  for (const { path: where, group: { env = [] } } of groupsOf(cluster, path)) {
    for (const { name, value } of env.filter((variable) => TOKEN_VARIABLES.includes(variable.name))) {
      violations.add(`${where}.template.spec.containers[0].env['${name}']`, value, 'is set by KubeRay from authentication. Remove it.');
    }
  }
}

function validateTls(cluster: RayClusterSpec, path: string, violations: ViolationCollector): void {
  if (!cluster.tls) {
    return;
  }
  const groups = groupsOf(cluster, path);
  const variables = [
    ...groups.flatMap(({ path: where, group: { env = [] } }) => env.map((variable) => ({ where: `${where}.template.spec.containers[0].env`, variable }))),
    ...(cluster.autoscaler?.env ?? []).map((variable) => ({ where: `${path}.autoscalerOptions.env`, variable })),
  ];
  for (const { where, variable } of variables.filter(({ variable: { name } }) => TLS_VARIABLES.includes(name))) {
    violations.add(`${where}['${variable.name}']`, variable.value, 'is set by KubeRay, which creates the certificates (tls: true). Remove one of the two.');
  }
  for (const { path: where, group: { volumeMounts = [] } } of groups) {
    for (const { name, mountPath } of volumeMounts.filter((mount) => mount.name === TLS_VOLUME.name || mount.mountPath === TLS_VOLUME.mountPath)) {
      violations.add(`${where}.template.spec.containers[0].volumeMounts`, mountPath, `is volume '${name}', but KubeRay mounts its certificates as ${TLS_VOLUME.name} at ${TLS_VOLUME.mountPath}. Choose another name and path.`);
    }
  }
}

function validateIngress({ head: { ingress } }: RayClusterSpec, path: string, violations: ViolationCollector): void {
  if (ingress === undefined) {
    return;
  }
  const where = `${path}.headGroupSpec.ingressOptions`;
  if (ingress.host !== undefined && !HOST.test(ingress.host)) {
    violations.add(`${where}.host`, ingress.host, 'must be a host name without scheme, port or path, such as ray.example.org.');
  }
  if (ingress.path !== undefined && !ingress.path.startsWith('/')) {
    violations.add(`${where}.path`, ingress.path, 'must start with \'/\'.');
  }
  if (ingress.tlsSecretName !== undefined && ingress.host === undefined) {
    violations.add(`${where}.tls`, ingress.tlsSecretName, 'is a host certificate, but no host is set. Set host.');
  }
}
