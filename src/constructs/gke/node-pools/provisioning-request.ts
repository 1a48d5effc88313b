import { ApiObject, type Duration } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import type { Construct } from 'constructs';
import { PlainApiObject } from '../../rendering/plain-api-object';
import {
  PROVISIONING_REQUEST_VERSION, constructProvisioningRequestSpec, consumingAnnotations,
} from '../../../manifests/node-pools/kueue';
import { QUEUED_PROVISIONING_CLASS, checkProvisioningRequest, type ProvisioningRequestSpec } from '../../../model/node-pools/provisioning-request';
import { errorLines } from './pool-choices';
import { checkProps } from '../../props/check-props';

/** Identical pods. */
export interface ProvisioningPods {
  /** Number of pods. */
  readonly count: number;

  /**
   * `spec` of each pod: its requests and where it may run. A PodTemplate is created from it.
   * @default - `podTemplate` names an existing PodTemplate
   */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly podSpec?: { readonly [field: string]: any };

  /** Name of an existing PodTemplate in the namespace. @default - one is created from `podSpec` */
  readonly podTemplate?: string;
}

/** Properties of a `ProvisioningRequest`. */
export interface ProvisioningRequestProps extends kplus.ResourceProps {
  /** Sets of pods for which machines are requested, at most 32. */
  readonly pods: ProvisioningPods[];
  /** Class of the request. @default - GKE's queued provisioning */
  readonly provisioningClass?: string;
  /** Lifetime of the machines: 10 minutes to 7 days. @default - 7 days */
  readonly maxRunDuration?: Duration;
}

/** As in Google's example: Autopilot then applies to the template what it changes in pods. */
const WARDEN_LABEL = { 'cloud.google.com/apply-warden-policies': 'true' };

/**
 * Requests machines for all pods at once, from a pool with `Capacity.QUEUED`: all of them are created, or none. Add `podAnnotations` to the pods.
 * With Kueue, use `QueuedProvisioningCheck`, which creates such requests.
 *
 * A request cannot change. For another request, use another name.
 * @see https://cloud.google.com/kubernetes-engine/docs/how-to/provisioningrequest
 * @example
 * import { Duration } from 'cdk8s';
 * import { ProvisioningRequest } from 'trainyard/gke';
 *
 * const request = new ProvisioningRequest(chart, 'Request', {
 *   metadata: { name: 'train' },
 *   pods: [{ count: 4, podTemplate: 'train-worker' }],
 *   maxRunDuration: Duration.days(2),
 * });
 * const annotations = request.podAnnotations;
 */
export class ProvisioningRequest extends kplus.Resource {
  /** Plural name of the rendered kind, for RBAC rules. */
  public readonly resourceType: string = 'provisioningrequests';

  protected readonly apiObject: ApiObject;

  private readonly spec: ProvisioningRequestSpec;

  public constructor(scope: Construct, id: string, props: ProvisioningRequestProps) {
    super(scope, id);
    checkProps(this, 'ProvisioningRequestProps', props);
    const problems: string[] = [];
    const podSets = props.pods.map((pods, index) => {
      if ((pods.podSpec === undefined) === (pods.podTemplate === undefined)) {
        problems.push(`pods[${index}]: needs either podSpec or podTemplate, but has ${pods.podSpec === undefined ? 'none' : 'both'}. Set one of the two.`);
      }
      return { podTemplate: pods.podTemplate ?? this.makeTemplate(index, pods, props), count: pods.count };
    });
    this.spec = { podSets, className: props.provisioningClass, maxRunSeconds: props.maxRunDuration?.toSeconds() };
    this.apiObject = new PlainApiObject(this, 'Resource', {
      apiVersion: PROVISIONING_REQUEST_VERSION,
      kind: 'ProvisioningRequest',
      metadata: props.metadata,
      spec: constructProvisioningRequestSpec(this.spec),
    });
    this.node.addValidation({
      validate: () => [...problems.map((problem) => `ProvisioningRequest '${this.name}': ${problem}`), ...errorLines('ProvisioningRequest', this.name, checkProvisioningRequest(this.spec))],
    });
  }

  /** Annotations of the pods that run on the machines. */
  public get podAnnotations(): { [name: string]: string } {
    return consumingAnnotations(this.name, this.spec.className ?? QUEUED_PROVISIONING_CLASS);
  }

  private makeTemplate(index: number, { podSpec }: ProvisioningPods, { metadata }: ProvisioningRequestProps): string {
    const template = new PlainApiObject(this, `Pods${index}`, {
      apiVersion: 'v1',
      kind: 'PodTemplate',
      metadata: { namespace: metadata?.namespace, labels: WARDEN_LABEL, ...(metadata?.name !== undefined && { name: `${metadata.name}-${index}` }) },
      template: { metadata: { labels: WARDEN_LABEL }, spec: podSpec ?? {} },
    });
    return template.name;
  }
}
