/** Schema of `spec.security`. */
import { boolean, integer, list, object, objectName, text, word, type JsonSchema } from './json-schema';
import { EGRESS_MODES, type NetworkPolicySpec, type SecuritySpec } from '../security';

/** Largest id of users and groups that Kubernetes takes. */
const MAX_ID = 2_147_483_647;

/** Schema of SecuritySpec. */
export function securitySchema(): JsonSchema {
  return object<SecuritySpec>('Permissions and network access of the pods.', {
    restricted: boolean('Whether every container complies with the restricted Pod Security Standard.', { default: false }),
    runAsUser: integer('User that containers run as. The image\'s by default.', { minimum: 0, maximum: MAX_ID, format: 'int64' }),
    fsGroup: integer('Group that volumes belong to, so that a user other than root can write.', { minimum: 0, maximum: MAX_ID, format: 'int64' }),
    networkPolicy: networkPolicySchema(),
  }, {
    rules: [{
      rule: '!has(self.restricted) || !self.restricted || !has(self.runAsUser) || self.runAsUser > 0',
      message: 'is root, which a restricted pod must not run as. Use the number of another user of the image',
      fieldPath: '.runAsUser',
    }],
  });
}

function networkPolicySchema(): JsonSchema {
  return object<NetworkPolicySpec>('Firewall around the job: its pods accept connections only from each other.', {
    enabled: boolean('Whether the firewall is created.', { default: true }),
    fromNamespaces: list('Namespaces whose pods may connect to the job too.',
      objectName('Name of a namespace.'), 64),
    egress: word(
      'Where pods may connect to: everywhere, or only to each other, DNS, the progress endpoint, HTTPS servers, toCidrs, '
      + 'and metadata servers if a template names a service account.',
      EGRESS_MODES, { default: 'All' },
    ),
    toCidrs: list('Addresses that pods may connect to on every port if egress is limited.',
      text('Address range, such as 10.8.0.0/16.', { minLength: 1, maxLength: 64 }), 64),
  }, {
    rules: [{
      rule: '!has(self.toCidrs) || (has(self.egress) && self.egress == \'Limited\')',
      message: 'applies only if egress is limited. Set egress: Limited, or remove it',
      fieldPath: '.toCidrs',
    }],
  });
}
