import { type ApiObjectMetadata } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import { Construct } from 'constructs';
import { addManifests } from '../rendering/plain-api-object';
import { constructDriverAccess } from '../../manifests/spark/driver-access';
import { checkProps } from '../props/check-props';

/** Properties of a `SparkIdentity`. */
export interface SparkIdentityProps {
  /**
   * Metadata of the service account; the role and its binding have the same name. With annotations such as `iam.gke.io/gcp-service-account`, it acts
   * as a cloud account.
   * @default - a generated name
   */
  readonly metadata?: ApiObjectMetadata;
}

/**
 * The identity of drivers: a service account that may create, watch and delete executors in its own namespace, and nothing else.
 * @example
 * import { SparkIdentity } from 'trainyard/spark';
 *
 * const spark = new SparkIdentity(chart, 'Spark', { metadata: { name: 'spark', namespace: 'ml' } });
 * const account = spark.serviceAccount;
 */
export class SparkIdentity extends Construct {
  /** The service account. */
  public readonly serviceAccount: kplus.ServiceAccount;

  public constructor(scope: Construct, id: string, props: SparkIdentityProps = {}) {
    super(scope, id);
    checkProps(this, 'SparkIdentityProps', props);
    // The driver needs the token to call the API server.
    this.serviceAccount = new kplus.ServiceAccount(this, 'Account', { metadata: props.metadata, automountToken: true });
    const { name, metadata } = this.serviceAccount;
    addManifests(this, constructDriverAccess({ name, namespace: metadata.namespace }));
    this.node.addValidation({
      validate: () => (metadata.namespace !== undefined ? [] : [
        `SparkIdentity '${name}': subjects[0].namespace: is required: a binding needs the namespace of its account. Set the namespace on the chart or in the metadata.`,
      ]),
    });
  }
}
