import { Chart, type ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { constructNotificationRuleCrd } from '../../manifests/notifications/definition';
import {
  constructNotifierCode, constructNotifierDeployment, constructNotifierNetworkPolicy, constructNotifierRoles, constructNotifierServiceAccount,
} from '../../manifests/notifications/installation';
import { NOTIFIER_NAME } from '../../manifests/notifications/settings';
import { constructOperatorNamespace } from '../../manifests/operator/access';
import { OPERATOR_NAMESPACE } from '../../manifests/operator/settings';
import { isCidr } from '../../model/training-job/validation/security';
import { checkProps } from '../props/check-props';
import { bundleFile, checkImages, programInstallation, readBundle } from '../rendering/node-program';
import { addManifest } from '../rendering/objects';
import type { ProgramProps } from '../training-operator/program-props';

/** Default compute of the pod. */
const DEFAULT_RESOURCES = { requests: { cpu: '20m', memory: '96Mi' }, limits: { memory: '256Mi' } } as const;

/** Properties of a `TrainyardNotifier`. */
export interface TrainyardNotifierProps extends ProgramProps {
  /** Namespace that the notifier is installed into. @default - the chart's namespace, else trainyard-system */
  readonly namespace?: string;

  /**
   * Whether the namespace is created. A `TrainingOperator` creates the one that it shares with the notifier.
   * @default false
   */
  readonly createNamespace?: boolean;

  /**
   * Private address ranges to which messages may be sent, such as `10.8.0.0/16`. Users who write rules choose where the notifier connects: allow only
   * receivers, never the addresses of nodes, the API server or the cloud's metadata server.
   * @default - only public addresses
   */
  readonly allowedAddresses?: string[];

  /** Name of the cluster in messages. @default - messages do not name it */
  readonly clusterName?: string;
}

/**
 * The notifier, which sends the messages of all `NotificationRule`s of a cluster: their CRD, and a Deployment.
 * @example
 * import { TrainyardNotifier } from 'trainyard/notifications';
 *
 * new TrainyardNotifier(chart, 'Notifier', { clusterName: 'west' });
 */
export class TrainyardNotifier extends Construct {
  /** Namespace that the notifier is installed into. */
  public readonly namespace: string;

  /** Name of the notifier's service account, in `namespace`. */
  public readonly serviceAccountName: string;

  /** The Deployment, the default child. */
  public readonly deployment: ApiObject;

  public constructor(scope: Construct, id: string, props: TrainyardNotifierProps = {}) {
    super(scope, id);
    checkProps(this, 'TrainyardNotifierProps', props);
    this.namespace = props.namespace ?? Chart.of(this).namespace ?? OPERATOR_NAMESPACE;
    this.serviceAccountName = NOTIFIER_NAME;
    this.check(props);

    addManifest(this, 'Definition', constructNotificationRuleCrd());
    if (props.createNamespace ?? false) {
      addManifest(this, 'Namespace', constructOperatorNamespace(this.namespace));
    }
    addManifest(this, 'ServiceAccount', constructNotifierServiceAccount(this.namespace));
    constructNotifierRoles(this.namespace).forEach((role) => addManifest(this, `${role.kind}-${role.metadata.name}`, role));
    const code = () => constructNotifierCode(readBundle('TrainyardNotifier', 'the notifier', bundleFile('notifier.mjs.br')), this.namespace);
    this.deployment = addManifest(this, 'Resource', constructNotifierDeployment({
      ...programInstallation(this, this.namespace, props, DEFAULT_RESOURCES, code),
      allowedAddresses: props.allowedAddresses ?? [],
      clusterName: props.clusterName,
    }));
    addManifest(this, 'NetworkPolicy', constructNotifierNetworkPolicy(this.namespace));
  }

  private check(props: TrainyardNotifierProps): void {
    const { allowedAddresses = [] } = props;
    const where = `TrainyardNotifier at '${this.node.path}'`;
    checkImages(where, 'the notifier', props);
    const wrong = allowedAddresses.find((range) => !isCidr(range) || range.endsWith('/0'));
    if (wrong !== undefined) {
      throw new Error(`${where}: allowedAddresses: '${wrong}' is not a range of receivers. Use a range such as 10.8.0.0/16, or 10.8.0.7/32 for one address; `
        + 'all addresses (/0) would include the cloud\'s metadata server.');
    }
  }
}
