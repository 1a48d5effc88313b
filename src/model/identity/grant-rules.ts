/** The rules on who is granted what, each with its source. `validate-grants.ts` applies them. */

export interface GrantRule {
  /** The rule as a sentence, for tables. */
  readonly says: string;
  /** Where it is read. */
  readonly source: string;
}

const WORKLOAD_IDENTITY = 'https://cloud.google.com/kubernetes-engine/docs/concepts/workload-identity';
const LEAST_PRIVILEGE = 'https://cloud.google.com/iam/docs/using-iam-securely';
const ROLES = 'https://cloud.google.com/iam/docs/roles-overview';
const CONFIG_CONNECTOR = 'https://cloud.google.com/config-connector/docs/reference/resource-docs/iam/iampolicymember';

/** Rules on who somebody is and on what he may do. */
export const GRANT_RULES = {
  projectId: { says: 'The pool is named after the id of the cluster\'s project.', source: WORKLOAD_IDENTITY },
  projectNumber: { says: 'A principal names the number of the project, and then the pool, which has its id.', source: WORKLOAD_IDENTITY },
  namespace: { says: 'A member names the namespace of the service account.', source: WORKLOAD_IDENTITY },
  defaultAccount: { says: 'The account default is used by every pod in the namespace that names none.', source: LEAST_PRIVILEGE },
  email: { says: 'A Google service account is named by its e-mail.', source: 'https://cloud.google.com/iam/docs/service-account-overview' },
  defaultServiceAccount: { says: 'The default service account of Compute Engine may edit the project.', source: 'https://cloud.google.com/iam/docs/service-account-types' },
  roleForm: { says: 'A role is roles/SERVICE.NAME, or one of a project or an organization.', source: ROLES },
  basicRole: { says: 'Owner, editor and viewer cover a whole project and all of its services.', source: LEAST_PRIVILEGE },
  adminRole: { says: 'Administrator roles can change permissions or delete data.', source: LEAST_PRIVILEGE },
  impersonation: { says: 'An account that can create tokens for another account can act as it.', source: 'https://cloud.google.com/iam/docs/service-account-permissions' },
  wholeProject: { says: 'A role that can be granted on one resource is not granted on all of its kind.', source: LEAST_PRIVILEGE },
  resourceForm: { says: 'A resource is named in the form that Config Connector reads.', source: CONFIG_CONNECTOR },
  condition: { says: 'Policies of projects, buckets and service accounts have conditions, others have none.', source: CONFIG_CONNECTOR },
  twice: { says: 'A grant is listed once.', source: CONFIG_CONNECTOR },
  redundant: { says: 'Write access includes read access: one role is enough.', source: LEAST_PRIVILEGE },
} as const satisfies { readonly [name: string]: GrantRule };
