import { Names, type Duration } from 'cdk8s';
import { Construct } from 'constructs';
import { errorLines } from './pool-choices';
import { KUEUE_GROUP, KUEUE_VERSION } from '../../../model/kueue-names';
import { constructAdmissionCheckSpec, constructProvisioningConfigSpec } from '../../../manifests/node-pools/kueue';
import { FindingCollector } from '../../../model/findings';
import { GPU_RESOURCE } from '../../../model/accelerators/labels';
import { checkProvisioningClass, checkRetries, checkRunSeconds } from '../../../model/node-pools/provisioning-request';
import type { IAdmissionCheck } from '../../queues/admission-check';
import { clusterObject } from '../../rendering/objects';
import { checkProps } from '../../props/check-props';

/** Properties of a `QueuedProvisioningCheck`. */
export interface QueuedProvisioningCheckProps {
  /** Name of the admission check, and of its config. @default - derived from the id of the construct */
  readonly name?: string;

  /** Resources for which machines are requested. Workloads without any of them do not wait. @default ['nvidia.com/gpu'] */
  readonly managedResources?: string[];

  /** Lifetime of the machines: 10 minutes to 7 days. Only with GKE's class. @default - 7 days */
  readonly maxRunDuration?: Duration;

  /**
   * Class of the requests, which determines the controller that handles them. The cluster autoscaler has
   * `check-capacity.autoscaling.x-k8s.io` and `best-effort-atomic-scale-up.autoscaling.x-k8s.io`.
   * @default - GKE's queued provisioning: queued-provisioning.gke.io
   */
  readonly className?: string;

  /** How failed requests are retried. @default - 3 times, after a minute and then longer */
  readonly retries?: ProvisioningRetries;
}

/** How failed requests for machines are retried. Between retries, the workload releases its quota. */
export interface ProvisioningRetries {
  /** Number of retries. @default 3 */
  readonly limit?: number;
  /** Time before the first retry. It doubles with each retry. @default Duration.minutes(1) */
  readonly firstPause?: Duration;
  /** Maximum time between retries. @default Duration.minutes(30) */
  readonly longestPause?: Duration;
}

/**
 * An admission check of Kueue that requests all machines of a workload at once before it starts. A ClusterQueue names the check for the flavors of
 * queued pools.
 * @see https://kueue.sigs.k8s.io/docs/concepts/admission_check/provisioning_request/
 * @example
 * import { Duration } from 'cdk8s';
 * import { QueuedProvisioningCheck } from 'trainyard/gke';
 *
 * new QueuedProvisioningCheck(chart, 'Check', { name: 'dws', maxRunDuration: Duration.days(7) });
 */
export class QueuedProvisioningCheck extends Construct implements IAdmissionCheck {
  /** Name of the admission check. */
  public readonly name: string;

  public readonly admissionCheckName: string;

  public constructor(scope: Construct, id: string, props: QueuedProvisioningCheckProps = {}) {
    super(scope, id);
    checkProps(this, 'QueuedProvisioningCheckProps', props);
    this.name = props.name ?? Names.toDnsLabel(this, { includeHash: false });
    this.admissionCheckName = this.name;
    const seconds = props.maxRunDuration?.toSeconds();
    const { limit, firstPause, longestPause } = props.retries ?? {};
    const retries = { limit, firstSeconds: firstPause?.toSeconds(), longestSeconds: longestPause?.toSeconds() };
    const apiVersion = `${KUEUE_GROUP}/${KUEUE_VERSION}`;
    clusterObject(this, 'Config', {
      apiVersion, kind: 'ProvisioningRequestConfig', metadata: { name: this.name }, spec: constructProvisioningConfigSpec(props.managedResources ?? [GPU_RESOURCE], seconds, { className: props.className, retries }),
    });
    clusterObject(this, 'Check', { apiVersion, kind: 'AdmissionCheck', metadata: { name: this.name }, spec: constructAdmissionCheckSpec(this.name) });
    this.node.addValidation({
      validate: () => {
        const findings = new FindingCollector();
        checkRunSeconds(seconds, 'maxRunDuration', findings);
        checkProvisioningClass(props.className, seconds, findings);
        checkRetries(retries, findings);
        return errorLines('QueuedProvisioningCheck', this.name, findings.findings);
      },
    });
  }
}
