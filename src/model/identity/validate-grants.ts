/** Rules on grants: members in the right form, and no more rights than are needed. Nearly all of them would be accepted by Google and work badly. */
import { GRANT_RESOURCES, type GrantSpec, type WorkloadIdentitySpec } from './spec';
import { FindingCollector, rule, type Finding, type Rule } from '../findings';

const WORKLOAD_IDENTITY = 'https://cloud.google.com/kubernetes-engine/docs/concepts/workload-identity';
const LEAST_PRIVILEGE = 'https://cloud.google.com/iam/docs/using-iam-securely';
const ROLES = 'https://cloud.google.com/iam/docs/roles-overview';
const CONFIG_CONNECTOR = 'https://cloud.google.com/config-connector/docs/reference/resource-docs/iam/iampolicymember';

/** Rules on identities and their permissions. */
export const GRANT_RULES = {
  projectId: rule('grant-project-id', WORKLOAD_IDENTITY, 'The pool is named after the id of the cluster\'s project.'),
  projectNumber: rule('grant-project-number', WORKLOAD_IDENTITY, 'A principal names the number of the project, and then the pool, which has its id.'),
  namespace: rule('grant-namespace', WORKLOAD_IDENTITY, 'A member names the namespace of the service account.'),
  defaultAccount: rule('grant-default-account', LEAST_PRIVILEGE, 'The account default is used by every pod in the namespace that names none.'),
  email: rule('grant-email', 'https://cloud.google.com/iam/docs/service-account-overview', 'A Google service account is named by its e-mail.'),
  defaultServiceAccount: rule('grant-default-service-account', 'https://cloud.google.com/iam/docs/service-account-types', 'The default service account of Compute Engine may edit the project.'),
  roleForm: rule('grant-role-form', ROLES, 'A role is roles/SERVICE.NAME, or one of a project or an organization.'),
  basicRole: rule('grant-basic-role', LEAST_PRIVILEGE, 'Owner, editor and viewer cover a whole project and all of its services.'),
  adminRole: rule('grant-admin-role', LEAST_PRIVILEGE, 'Administrator roles can change permissions or delete data.'),
  impersonation: rule('grant-impersonation', 'https://cloud.google.com/iam/docs/service-account-permissions', 'An account that can create tokens for another account can act as it.'),
  wholeProject: rule('grant-whole-project', LEAST_PRIVILEGE, 'A role that can be granted on one resource is not granted on all of its kind.'),
  resourceForm: rule('grant-resource-form', CONFIG_CONNECTOR, 'A resource is named in the form that Config Connector reads.'),
  condition: rule('grant-condition', CONFIG_CONNECTOR, 'Policies of projects, buckets and service accounts have conditions, others have none.'),
  twice: rule('grant-twice', CONFIG_CONNECTOR, 'A grant is listed once.'),
  redundant: rule('grant-redundant', LEAST_PRIVILEGE, 'Write access includes read access: one role is enough.'),
} as const satisfies { readonly [name: string]: Rule };

/** @see https://cloud.google.com/resource-manager/docs/creating-managing-projects */
const PROJECT_ID = /^(?:[a-z0-9.-]+:)?[a-z][a-z0-9-]{4,28}[a-z0-9]$/;

const EMAIL = /^[a-z][a-z0-9-]{4,28}[a-z0-9]@(?:[a-z0-9.-]+:)?[a-z][a-z0-9-]{4,28}[a-z0-9]\.iam\.gserviceaccount\.com$/;
const COMPUTE_ACCOUNT = /^[0-9]+-compute@developer\.gserviceaccount\.com$|@appspot\.gserviceaccount\.com$/;

const BASIC_ROLES = ['roles/owner', 'roles/editor', 'roles/viewer'];
const ADMIN_ROLE = /(?:^|\.)(?:admin|[a-zA-Z]*Admin|owner)$|^roles\/storage\.legacy.*Owner$/;
const IMPERSONATION = /^roles\/iam\.(?:serviceAccountTokenCreator|serviceAccountUser|serviceAccountKeyAdmin|workloadIdentityUser)$/;

/** Services whose roles can be given on one resource, and the way to do it. */
const RESOURCE_SERVICES: { readonly [service: string]: string } = {
  storage: 'Grant.bucketReader or Grant.bucketWriter',
  pubsub: 'Grant.publisher or Grant.subscriber',
  secretmanager: 'Grant.secretReader',
  artifactregistry: 'Grant.imageReader',
};

const INCLUDES: { readonly [role: string]: readonly string[] } = {
  'roles/storage.objectUser': ['roles/storage.objectViewer', 'roles/storage.objectCreator'],
  'roles/bigquery.dataEditor': ['roles/bigquery.dataViewer'],
  'roles/artifactregistry.writer': ['roles/artifactregistry.reader'],
};

/** What admins are asked for instead. */
const LESSER: { readonly [role: string]: string } = {
  'roles/storage.admin': 'roles/storage.objectUser',
  'roles/storage.objectAdmin': 'roles/storage.objectUser',
  'roles/bigquery.admin': 'roles/bigquery.dataEditor',
  'roles/pubsub.admin': 'roles/pubsub.publisher or roles/pubsub.subscriber',
  'roles/secretmanager.admin': 'roles/secretmanager.secretAccessor',
  'roles/cloudsql.admin': 'roles/cloudsql.client',
  'roles/alloydb.admin': 'roles/alloydb.client',
  'roles/artifactregistry.admin': 'roles/artifactregistry.reader',
};

export function validateWorkloadIdentity(identity: WorkloadIdentitySpec): Finding[] {
  const findings = new FindingCollector();
  checkMember(identity, findings);
  identity.grants.forEach((grant, index) => checkGrant(grant, `grants[${index}]`, findings));
  checkTogether(identity.grants, findings);
  return findings.findings;
}

function checkMember({ account, namespace, pool, googleServiceAccount: email }: WorkloadIdentitySpec, findings: FindingCollector): void {
  if (/^[0-9]+$/.test(pool.projectId)) {
    findings.error(GRANT_RULES.projectId, 'pool.projectId', pool.projectId, 'is a number, but the pool is named after the id, such as ml-prod. Set the number as projectNumber.');
  } else if (!PROJECT_ID.test(pool.projectId)) {
    findings.error(GRANT_RULES.projectId, 'pool.projectId', pool.projectId, 'is not a valid project id: 6 to 30 lower-case letters, digits and \'-\', without .svc.id.goog at the end.');
  }
  if (pool.projectNumber === undefined && email === undefined) {
    findings.error(GRANT_RULES.projectNumber, 'pool.projectNumber', undefined, 'is required: IAM knows the principal by the number of the project (gcloud projects describe PROJECT --format \'value(projectNumber)\').');
  } else if (pool.projectNumber !== undefined && !/^[1-9][0-9]{5,18}$/.test(pool.projectNumber)) {
    findings.error(GRANT_RULES.projectNumber, 'pool.projectNumber', pool.projectNumber, 'is not a valid project number: digits only. A member with the id instead is accepted and never matches.');
  }
  if (namespace === undefined) {
    findings.error(GRANT_RULES.namespace, 'metadata.namespace', undefined, 'is required: the member names it. Give the namespace here or on the chart.');
  }
  if (account === 'default') {
    findings.error(GRANT_RULES.defaultAccount, 'metadata.name', account, 'is the namespace\'s default account: every pod without its own would get these permissions. Use another name.');
  }
  if (email !== undefined && COMPUTE_ACCOUNT.test(email)) {
    findings.error(GRANT_RULES.defaultServiceAccount, 'googleServiceAccount', email, 'is a default account, which may edit the whole project. Create one for this purpose.');
  } else if (email !== undefined && !EMAIL.test(email)) {
    findings.error(GRANT_RULES.email, 'googleServiceAccount', email, 'is not a service account e-mail: NAME@PROJECT.iam.gserviceaccount.com.');
  }
}

function checkGrant({ role, resource, condition, broadBecause }: GrantSpec, path: string, findings: FindingCollector): void {
  if (!/^(?:(?:projects|organizations)\/[^/]+\/)?roles\/[\w.]+$/.test(role)) {
    findings.error(GRANT_RULES.roleForm, `${path}.role`, role, 'is not a valid role: use roles/SERVICE.NAME, or projects/PROJECT/roles/NAME for a custom role.');
    return;
  }
  const { form, looks } = GRANT_RESOURCES[resource.kind];
  if (!form.test(resource.external)) {
    findings.error(GRANT_RULES.resourceForm, `${path}.resource`, resource.external, `is not a valid ${resource.kind} name: ${looks}.`);
  }
  if (condition !== undefined && !['Project', 'StorageBucket', 'IAMServiceAccount'].includes(resource.kind)) {
    findings.error(GRANT_RULES.condition, `${path}.condition`, condition.title, `cannot be set on a ${resource.kind}. Leave it out.`);
  }
  if (broadBecause === undefined) {
    checkBreadth({ role, resource, condition }, path, findings);
  }
}

/** What a program has to give a reason for. */
function checkBreadth({ role, resource, condition }: GrantSpec, path: string, findings: FindingCollector): void {
  const reason = 'or explain with broadBecause why it is needed.';
  const service = /^roles\/([a-z]+)\./.exec(role)?.[1];
  if (BASIC_ROLES.includes(role)) {
    findings.error(GRANT_RULES.basicRole, `${path}.role`, role, `covers the whole project and all of its services. Grant roles on what the job uses, ${reason}`);
  } else if (IMPERSONATION.test(role)) {
    findings.error(GRANT_RULES.impersonation, `${path}.role`, role, `lets the job act as another account, with all of its permissions. Grant what is needed directly, ${reason}`);
  } else if (ADMIN_ROLE.test(role)) {
    const lesser = Object.hasOwn(LESSER, role) ? LESSER[role] : 'a role that reads or writes';
    findings.error(GRANT_RULES.adminRole, `${path}.role`, role, `can delete the resource, or change who may use it. Grant ${lesser}, ${reason}`);
  } else if (resource.kind === 'Project' && condition === undefined && service !== undefined && Object.hasOwn(RESOURCE_SERVICES, service)) {
    findings.error(GRANT_RULES.wholeProject, `${path}.resource`, resource.external, `grants ${role} on all such resources in the project. Name what the job uses, with ${RESOURCE_SERVICES[service]}, ${reason}`);
  }
}

function checkTogether(grants: readonly GrantSpec[], findings: FindingCollector): void {
  const key = ({ role, resource, condition }: GrantSpec) => JSON.stringify([role, resource.kind, resource.external, condition?.expression]);
  const keys = grants.map(key);
  grants.forEach((grant, index) => {
    if (keys.indexOf(keys[index]) < index) {
      findings.error(GRANT_RULES.twice, `grants[${index}]`, grant.role, `is listed twice for ${grant.resource.external}. Remove one of the two.`);
    }
    const wider = grants.find((other) => (INCLUDES[other.role] ?? []).includes(grant.role) && key({ ...other, role: '' }) === key({ ...grant, role: '' }));
    if (wider !== undefined) {
      findings.error(GRANT_RULES.redundant, `grants[${index}]`, grant.role, `is part of ${wider.role}, which is granted on ${grant.resource.external} as well. Remove one of the two.`);
    }
  });
}
