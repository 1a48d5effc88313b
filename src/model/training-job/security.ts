/** `spec.security`: what the pods of a job may do, and whom they talk to. */
import * as field from './schema/field';

/** Largest id of users and groups that Kubernetes takes. */
const MAX_ID = 2_147_483_647;

const EGRESS = field.words('Egress', 'Where pods of a job may connect to.', {
  All: 'Everywhere.',
  Limited: 'Only to each other, DNS, the operator\'s progress endpoint, HTTPS servers, `toCidrs`, and with a service account metadata servers.',
});

const NETWORK_POLICY = field.block('the network policy', 'Firewall around the job: its pods accept connections only from each other.', {
  enabled: field.boolean('Whether the firewall is created.', { default: true, property: false }),
  fromNamespaces: field.list('Namespaces whose pods may connect to the job too, such as that of Prometheus.', field.objectName('Name of a namespace.'), {
    maxItems: 64, otherwise: 'none',
  }),
  egress: field.word('Where pods of the job may connect to.', EGRESS, { default: 'All' }),
  toCidrs: field.list('Addresses that pods may connect to on every port if egress is limited, such as `10.8.0.0/16`.',
    field.text('Address range, such as 10.8.0.0/16.', { minLength: 1, maxLength: 64 }), { maxItems: 64, otherwise: 'none' }),
}, {
  struct: 'JobNetworkPolicy',
  otherwise: 'none: the job\'s pods accept the same connections as other pods of the namespace',
  rules: [{
    rule: '!has(self.toCidrs) || (has(self.egress) && self.egress == \'Limited\')',
    message: 'applies only if egress is limited. Set egress: Limited, or remove it',
    fieldPath: '.toCidrs',
  }],
});

/** `spec.security`. */
export const SECURITY = field.block('security', 'What the pods of the job may do, and whom they may connect to.', {
  restricted: field.boolean('Whether every container complies with Kubernetes\' restricted Pod Security Standard: no root, no privilege escalation, no capabilities.', {
    default: false,
  }),
  runAsUser: field.integer('User that containers run as.', { maximum: MAX_ID, format: 'int64', otherwise: 'the image\'s' }),
  fsGroup: field.integer('Group that volumes belong to, so that a user other than root can write checkpoints.', { maximum: MAX_ID, format: 'int64', otherwise: 'none' }),
  networkPolicy: NETWORK_POLICY,
}, {
  struct: 'JobSecurity',
  otherwise: 'the image\'s user, no firewall',
  rules: [{
    rule: '!has(self.restricted) || !self.restricted || !has(self.runAsUser) || self.runAsUser > 0',
    message: 'is root, which a restricted pod must not run as. Use the number of another user of the image',
    fieldPath: '.runAsUser',
  }],
});

export type SecuritySpec = field.ValueOf<typeof SECURITY>;

export function hasNetworkPolicy(security: SecuritySpec | undefined): boolean {
  return security?.networkPolicy !== undefined && security.networkPolicy.enabled !== false;
}
