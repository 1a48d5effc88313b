/** The CustomResourceDefinition of NotificationRule. */
import { KEPT_ANNOTATIONS } from '../../model/argo-cd/annotations';
import { API_GROUP, API_VERSION } from '../../model/labels';
import { NOTIFICATION_RULE_KIND, NOTIFICATION_RULE_PLURAL } from '../../model/notifications/rule';
import { notificationRuleSchema } from '../../model/notifications/status';
import type { Manifest } from '../kubernetes';
import { plainObject } from '../plain-object';

/** Constructs the definition, which is always the same. */
export function constructNotificationRuleCrd(): Manifest & { readonly spec: object } {
  return plainObject({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${NOTIFICATION_RULE_PLURAL}.${API_GROUP}`, annotations: { ...KEPT_ANNOTATIONS } },
    spec: {
      group: API_GROUP,
      scope: 'Namespaced',
      names: {
        kind: NOTIFICATION_RULE_KIND, listKind: `${NOTIFICATION_RULE_KIND}List`, plural: NOTIFICATION_RULE_PLURAL, singular: NOTIFICATION_RULE_KIND.toLowerCase(),
      },
      versions: [{
        name: API_VERSION,
        served: true,
        storage: true,
        schema: { openAPIV3Schema: notificationRuleSchema() },
        subresources: { status: {} },
        additionalPrinterColumns: [
          { name: 'Events', type: 'string', jsonPath: '.spec.events' },
          { name: 'Waiting', type: 'string', jsonPath: '.status.waiting[*].job', description: 'Jobs whose messages not all receivers have' },
          { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
        ],
      }],
    },
  });
}
