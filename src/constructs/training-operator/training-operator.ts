import { ApiObject, Chart } from 'cdk8s';
import { Construct } from 'constructs';
import { checkImages, NODE_IMAGE, programInstallation } from '../rendering/node-program';
import { addManifest, addNamed } from '../rendering/objects';
import { addMonitoring } from './add-monitoring';
import type { ProgramProps } from './program-props';
import type { OperatorMonitoring, OperatorTracing } from './monitoring';
import { readOperatorBundle } from './operator-bundle';
import { constructTrainingJobCrd } from '../../manifests/mltrainingjob-crd';
import {
  constructOperatorFlowSchema, constructOperatorNamespace, constructOperatorRoles, constructOperatorServiceAccount, constructUserRoles,
} from '../../manifests/operator/access';
import {
  constructOperatorCode, constructOperatorDeployment, constructOperatorNetworkPolicy, constructOperatorService,
} from '../../manifests/operator/deployment';
import { OPERATOR_LABELS, OPERATOR_MAX_SHARDS, OPERATOR_NAME, OPERATOR_NAMESPACE } from '../../manifests/operator/settings';
import { constructJobCreatorsPolicy } from '../../manifests/policy/job-creators';
import { constructProgramDisruptionBudget } from '../../manifests/program-deployment';
import { DNS_LABEL_MAX_LENGTH } from '../../model/names';
import { withoutTokens } from '../../model/secrets/recognise';
import { checkProps } from '../props/check-props';

/** Default compute of a replica. */
const DEFAULT_RESOURCES = { requests: { cpu: '50m', memory: '128Mi' }, limits: { memory: '512Mi' } } as const;

/** Name of a namespace (RFC 1123), which may start with a digit, unlike that of a service. */
const NAMESPACE_NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

/** Properties of a `TrainingOperator`. */
export interface TrainingOperatorProps extends ProgramProps {
  /** Namespace that the operator is installed into. @default - the chart's namespace, else trainyard-system */
  readonly namespace?: string;

  /** Whether the namespace is created. If not, it must exist. @default true */
  readonly createNamespace?: boolean;

  /**
   * Whether the MLTrainingJob CRD is installed too. A cluster has only one for all operators. With `false` and `watchNamespaces`, all objects of the
   * operator are in namespaces: it then also has no roles `trainyard-edit` and `trainyard-view`, admission policy and FlowSchema.
   * @default true
   */
  readonly installCrd?: boolean;

  /**
   * Whether the API server checks the permissions of users who create jobs (ValidatingAdmissionPolicy `trainyard-job-creators`, Kubernetes 1.30 or
   * later): a job that opens the namespace's firewall needs permission to create NetworkPolicies, a job with a service account or with access to the
   * node needs permission to create pods. Without the policy, permission to create jobs includes all of this.
   * @default true
   */
  readonly admissionPolicy?: boolean;

  /**
   * Whether a NetworkPolicy restricts connections to the operator's pods: all pods can connect to the port for progress reports, those in
   * `metricsNamespaces` to the port for metrics, and none to others. Probes of the kubelet are always allowed. Outgoing connections are not
   * restricted.
   * @default true
   */
  readonly networkPolicy?: boolean;

  /**
   * Namespaces whose pods may read the operator's metrics, such as that of Prometheus; none if the list is empty.
   * @default - with `monitoring`, all namespaces, because the namespace of Prometheus is unknown; else none
   */
  readonly metricsNamespaces?: string[];

  /**
   * Number of replicas. One of them acts, or all of them with `shards`; the others take over within seconds if one fails.
   * @default 2
   */
  readonly replicas?: number;

  /**
   * Number of shards, up to 32, into which jobs are divided, so that several replicas act, each on its own shards. Use it for more jobs than one
   * process can handle, with a few shards per replica, because they are distributed evenly. After the number changes, jobs wait until the last
   * replica with the old number has ended, and up to 15 seconds more.
   * @default 1 - one leader for all jobs
   */
  readonly shards?: number;

  /**
   * Namespaces whose jobs the operator runs. The operator then has no permissions in others.
   * @default - all namespaces
   */
  readonly watchNamespaces?: string[];

  /** Number of jobs that are processed at the same time. @default - the operator's own default */
  readonly workers?: number;

  /**
   * Whether training scripts can report their progress and checkpoints to the operator, on port 10443. Without it, the status of jobs has neither,
   * and a restart does not know the last checkpoint.
   * @default true
   */
  readonly progressEndpoint?: boolean;

  /**
   * Base URL of a Prometheus with the metrics of NVIDIA's DCGM exporter, for jobs with `idle` whose scripts do not report GPU utilization.
   * @default - only scripts report it
   */
  readonly prometheusUrl?: string;

  /**
   * Namespaces of NVIDIA's DCGM exporter. Do not let other users create pods in them: only exporters in these namespaces can report on the GPUs of
   * other pods, to the operator and to the alerts of `monitoring`, because any scraped pod could fake such metrics.
   * @default ['gpu-operator', 'nvidia-gpu-operator', 'gke-managed-system', 'gpu-monitoring']
   */
  readonly gpuExporterNamespaces?: string[];

  /**
   * Monitoring with Prometheus and Grafana; `true` for all defaults. The operator always exposes its metrics.
   * @default - none
   */
  readonly monitoring?: OperatorMonitoring | boolean;

  /** Destination of traces. @default - no traces */
  readonly tracing?: OperatorTracing;
}

/**
 * The operator that runs MLTrainingJobs, with all its objects: CRD, namespace, service account, minimal permissions, Deployment, Service,
 * NetworkPolicy and disruption budget. It needs no image of its own: its code is in ConfigMaps and runs on the official Node.js image.
 * @example
 * import { TrainingOperator } from 'trainyard';
 *
 * new TrainingOperator(chart, 'TrainingOperator', { replicas: 2 });
 */
export class TrainingOperator extends Construct {
  /** Namespace that the operator is installed into. */
  public readonly namespace: string;

  /** Name of the operator's service account, in `namespace`. */
  public readonly serviceAccountName: string;

  /** Number of replicas. */
  public readonly replicas: number;

  /** Image of the operator's container. */
  public readonly image: string;

  /** Namespaces whose jobs the operator runs; empty for all. */
  public readonly watchNamespaces: string[];

  /** The operator's Deployment, the default child. */
  public readonly deployment: ApiObject;

  public constructor(scope: Construct, id: string, props: TrainingOperatorProps = {}) {
    super(scope, id);
    checkProps(this, 'TrainingOperatorProps', props);
    this.namespace = props.namespace ?? Chart.of(this).namespace ?? OPERATOR_NAMESPACE;
    this.serviceAccountName = OPERATOR_NAME;
    this.replicas = props.replicas ?? 2;
    this.image = props.image ?? props.nodeImage ?? NODE_IMAGE;
    this.watchNamespaces = [...(props.watchNamespaces ?? [])];
    this.check(props);
    const monitoring = props.monitoring === true ? {} : props.monitoring === false ? undefined : props.monitoring;

    if (props.createNamespace ?? true) {
      addManifest(this, 'Namespace', constructOperatorNamespace(this.namespace));
    }
    if (props.installCrd ?? true) {
      addManifest(this, 'Crd', constructTrainingJobCrd());
    }
    addManifest(this, 'ServiceAccount', constructOperatorServiceAccount(this.namespace));
    const progress = props.progressEndpoint ?? true;
    const isOfCluster = installsForCluster(props);
    const userRoles = isOfCluster ? constructUserRoles() : [];
    for (const role of [...constructOperatorRoles(this.namespace, this.watchNamespaces, progress, props.shards), ...userRoles]) {
      addNamed(this, role);
    }
    if (isOfCluster) {
      addManifest(this, 'FlowSchema', constructOperatorFlowSchema(this.namespace, props.shards));
      if (props.admissionPolicy ?? true) {
        const [policy, binding] = constructJobCreatorsPolicy();
        addManifest(this, 'JobCreators', policy);
        addManifest(this, 'JobCreatorsBinding', binding);
      }
    }
    const code = () => constructOperatorCode(readOperatorBundle(), this.namespace);
    this.deployment = addManifest(this, 'Resource', constructOperatorDeployment({
      ...programInstallation(this, this.namespace, props, DEFAULT_RESOURCES, code),
      replicas: this.replicas,
      watchNamespaces: this.watchNamespaces,
      workers: props.workers,
      shards: props.shards,
      progress,
      prometheusUrl: props.prometheusUrl,
      gpuExporterNamespaces: props.gpuExporterNamespaces,
      v1MetricNames: monitoring?.trainingOperatorNames,
      traces: props.tracing,
    }));
    addManifest(this, 'Service', constructOperatorService(this.namespace, progress));
    if (props.networkPolicy ?? true) {
      const readers = props.metricsNamespaces ?? (monitoring ? undefined : []);
      addManifest(this, 'NetworkPolicy', constructOperatorNetworkPolicy(this.namespace, readers, progress));
    }
    addManifest(this, 'DisruptionBudget', constructProgramDisruptionBudget(this.namespace, { name: OPERATOR_NAME, labels: OPERATOR_LABELS }));
    if (monitoring) {
      addMonitoring(this, this.namespace, monitoring, props.gpuExporterNamespaces);
    }
  }

  /** Errors that no later call can fix. */
  private check(props: TrainingOperatorProps): void {
    const where = `TrainingOperator at '${this.node.path}'`;
    const fail = (message: string): never => {
      throw new Error(`${where}: ${message}`);
    };
    checkImages(where, 'the operator', props);
    for (const namespace of [this.namespace, ...this.watchNamespaces, ...props.gpuExporterNamespaces ?? [], ...props.metricsNamespaces ?? []]) {
      if (!NAMESPACE_NAME.test(namespace) || namespace.length > DNS_LABEL_MAX_LENGTH) {
        fail(`'${namespace}' is not a valid namespace name: at most 63 lower-case letters, digits and '-', starting and ending with a letter or digit.`);
      }
    }
    if (props.networkPolicy === false && props.metricsNamespaces !== undefined) {
      fail('metricsNamespaces applies only with a NetworkPolicy. Remove it, or networkPolicy: false.');
    }
    if (props.gpuExporterNamespaces?.length === 0) {
      fail('gpuExporterNamespaces is [] and must name at least one namespace. Remove it for the default.');
    }
    const twice = this.watchNamespaces.find((namespace, index) => this.watchNamespaces.indexOf(namespace) < index);
    if (twice !== undefined) {
      fail(`watchNamespaces names '${twice}' twice. Remove one of the two.`);
    }
    if (props.tracing && !/^https?:\/\/[^/\s]+/.test(props.tracing.endpoint)) {
      fail(`tracing.endpoint is '${withoutTokens(props.tracing.endpoint)}' and must be a URL that starts with http:// or https://.`);
    }
    const ratio = props.tracing?.sampleRatio ?? 1;
    if (!(ratio >= 0 && ratio <= 1)) {
      fail(`tracing.sampleRatio is ${ratio} and must be a share of the traces, from 0 to 1.`);
    }
    for (const [field, value] of [['replicas', this.replicas], ['workers', props.workers ?? 1], ['shards', props.shards ?? 1]] as const) {
      if (!Number.isInteger(value) || value < 1) {
        fail(`${field} is ${value} and must be a whole number, 1 or more.`);
      }
    }
    if ((props.shards ?? 1) > OPERATOR_MAX_SHARDS) {
      fail(`shards is ${props.shards} and must be at most ${OPERATOR_MAX_SHARDS}. Use fewer, a few for each replica.`);
    }
  }
}

/** User roles and FlowSchemas are cluster-scoped. An operator for namespaces without the CRD is installed without permission to create them. */
function installsForCluster({ installCrd = true, watchNamespaces = [] }: TrainingOperatorProps): boolean {
  return installCrd || watchNamespaces.length === 0;
}
