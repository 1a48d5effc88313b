/** The service account that nodes run as, with no more than they need: the default one may edit the whole project. */
import * as projects from '@pulumi/gcp/projects';
import * as serviceaccount from '@pulumi/gcp/serviceaccount';
import type { CustomResourceOptions, Input, Output } from '@pulumi/pulumi';
import * as pulumi from '@pulumi/pulumi';
import { trimmedEnd } from '../../model/text/trim';

/**
 * What nodes need: logs, metrics, and images.
 * @see https://cloud.google.com/kubernetes-engine/docs/how-to/hardening-your-cluster#use_least_privilege_sa
 */
const NODE_ROLES = [
  'roles/logging.logWriter',
  'roles/monitoring.metricWriter',
  'roles/monitoring.viewer',
  'roles/stackdriver.resourceMetadata.writer',
  'roles/artifactregistry.reader',
] as const;

/** Makes the account and returns its e-mail, which is known when the roles are granted. */
export function createNodeServiceAccount(name: string, project: Input<string>, opts: CustomResourceOptions): Output<string> {
  const account = new serviceaccount.Account(`${name}-nodes`, {
    project,
    accountId: accountId(name),
    displayName: `Nodes of ${name}`,
  }, opts);
  const member = pulumi.interpolate`serviceAccount:${account.email}`;
  const grants = NODE_ROLES.map((role) => (
    new projects.IAMMember(`${name}-nodes-${role.slice('roles/'.length)}`, { project, role, member }, opts)
  ));
  return pulumi.all([account.email, ...grants.map(({ id }) => id)]).apply(([email]) => email);
}

/** An id of 6 to 30 characters from a name. Two stacks of one project need two accounts, so the stack is part of it. */
function accountId(name: string): string {
  const text = `${name}-${pulumi.getStack()}`.toLowerCase().replace(/[^a-z0-9-]/g, '-').replace(/^[^a-z]+/, '');
  return `${trimmedEnd(text.slice(0, 24), '-')}-nodes`;
}
