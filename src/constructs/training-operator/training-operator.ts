import { ApiObject, Chart } from 'cdk8s';
import { Construct } from 'constructs';
import { checkImages, NODE_IMAGE, programInstallation } from '../rendering/node-program';
import { addManifest } from '../rendering/objects';
import { addMonitoring } from './add-monitoring';
import type { LogLevel } from './log-level';
import type { OperatorMonitoring, OperatorTracing } from './monitoring';
import { readOperatorBundle } from './operator-bundle';
import type { Manifest } from '../../manifests/kubernetes';
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
import type { ComputeResources } from '../training-job/pods/resources';
import type { Toleration } from '../training-job/pods/toleration';
import { checkProps } from '../props/check-props';

/** Compute of a replica, for what the program does not give. */
const DEFAULT_RESOURCES = { requests: { cpu: '50m', memory: '128Mi' }, limits: { memory: '512Mi' } } as const;

/** A namespace's name (RFC 1123), which unlike a service's may start with a digit. */
const NAMESPACE_NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

/** Properties of a `TrainingOperator`. */
export interface TrainingOperatorProps {
  /** Namespace that the operator is installed into. @default - the chart's namespace, else trainyard-system */
  readonly namespace?: string;

  /** Whether the namespace is created. Leave it to others with `false`; it then has to exist. @default true */
  readonly createNamespace?: boolean;

  /**
   * Whether the MLTrainingJob definition is installed too. With `false` another party has to: a cluster has one for all operators. An operator
   * of namespaces (`watchNamespaces`) then comes without the roles `trainyard-edit` and `trainyard-view`, the admission policy and the FlowSchema
   * too, and nothing of it is outside of namespaces.
   * @default true
   */
  readonly installCrd?: boolean;

  /**
   * Whether the API server asks what those who create jobs may do by themselves (a ValidatingAdmissionPolicy `trainyard-job-creators`, Kubernetes
   * 1.30 or later): a job that opens the namespace's firewall needs the right to create NetworkPolicies, one with a service account or with access
   * to the node the right to create pods. Without it the right to create jobs is the right to all of this.
   *
   * @default true
   */
  readonly admissionPolicy?: boolean;

  /**
   * Whether a NetworkPolicy says who may connect to the operator's pods: all pods to the port for reports of progress, those of `metricsNamespaces`
   * to that of the metrics, and nobody to others. Kubelets (probes) are never shut out. Connections that the operator makes are not limited.
   * @default true
   */
  readonly networkPolicy?: boolean;

  /**
   * Namespaces whose pods may read the operator's metrics, such as that of Prometheus; none if the list is empty.
   * @default - with `monitoring` all namespaces, because nothing says where Prometheus is; else none
   */
  readonly metricsNamespaces?: string[];

  /**
   * Replicas of the operator. One of them acts, or with `shards` all of them; the others take over within seconds when one is gone.
   * @default 2
   */
  readonly replicas?: number;

  /**
   * Parts that the jobs are divided into, up to 32, so that several replicas act, each on the jobs of its shards: for more jobs than one process
   * has time for. Choose a few for each replica, because they are divided evenly and move as a whole. When the number changes, jobs wait until the
   * last replica with the old one has ended, and up to 15 seconds more.
   * @default 1, which is one leader for all jobs
   */
  readonly shards?: number;

  /**
   * Namespaces whose jobs the operator runs. The operator then gets no permission in others.
   * @default - all namespaces
   */
  readonly watchNamespaces?: string[];

  /** How many jobs are worked on at the same time. @default - the operator's own default */
  readonly workers?: number;

  /**
   * Whether training scripts can report their progress and checkpoints to the operator, on port 10443. Without it the status of jobs tells
   * neither, and a restart does not know the last checkpoint.
   * @default true
   */
  readonly progressEndpoint?: boolean;

  /**
   * Base URL of a Prometheus that has the metrics of NVIDIA's DCGM exporter: for jobs with `idle` whose scripts do not report the use of their GPUs.
   * @default - only scripts report it
   */
  readonly prometheusUrl?: string;

  /**
   * Namespaces of NVIDIA's DCGM exporter, in which nobody else may create pods. What the series of other namespaces say about the GPUs of a pod
   * that is not the one that was scraped is ignored, by the operator and by the alerts of `monitoring`: any pod that is scraped can claim it.
   * @default ['gpu-operator', 'nvidia-gpu-operator', 'gke-managed-system', 'gpu-monitoring']
   */
  readonly gpuExporterNamespaces?: string[];

  /**
   * What is installed for Prometheus and Grafana; `true` for all of it. The operator serves its metrics with and without it.
   * @default - nothing
   */
  readonly monitoring?: OperatorMonitoring | boolean;

  /** Where traces are sent. @default - there are none */
  readonly tracing?: OperatorTracing;

  /** How much the operator logs. @default LogLevel.INFO */
  readonly logLevel?: LogLevel;

  /**
   * Image that holds the operator's code (see the Dockerfile in the repository). Not together with `nodeImage`.
   * @default - the code is in ConfigMaps and runs on `nodeImage`
   */
  readonly image?: string;

  /**
   * Image with Node.js 20.16 or newer as `node`, for clusters with a registry of their own.
   * @default - Docker's official image, version 22 on Alpine
   */
  readonly nodeImage?: string;

  /**
   * Compute of each replica: request and limit, as in all constructs.
   * @default - requests 50m CPU and 128Mi memory, limit 512Mi memory; what is given here replaces the default of its kind
   */
  readonly resources?: ComputeResources;

  /** Labels that a node must have. @default - any node */
  readonly nodeSelector?: { readonly [label: string]: string };

  /** Taints that the pods tolerate. @default - none */
  readonly tolerations?: Toleration[];

  /** PriorityClass of the pods. @default - the cluster's */
  readonly priorityClassName?: string;
}

/**
 * The operator that runs MLTrainingJobs, with all its objects: definition, namespace, service account, minimal permissions, Deployment, Service,
 * NetworkPolicy and disruption budget. It needs no image of its own: its code is in ConfigMaps and runs on a stock Node.js image.
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

  /** Replicas of the operator. */
  public readonly replicas: number;

  /** Image that the operator runs on. */
  public readonly image: string;

  /** Namespaces whose jobs the operator runs; empty when that is all of them. */
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
      this.add('Namespace', constructOperatorNamespace(this.namespace));
    }
    if (props.installCrd ?? true) {
      this.add('Crd', constructTrainingJobCrd());
    }
    this.add('ServiceAccount', constructOperatorServiceAccount(this.namespace));
    const progress = props.progressEndpoint ?? true;
    const isOfCluster = installsForCluster(props);
    const userRoles = isOfCluster ? constructUserRoles() : [];
    for (const role of [...constructOperatorRoles(this.namespace, this.watchNamespaces, progress, props.shards), ...userRoles]) {
      const { namespace, name } = role.metadata;
      this.add([role.kind, namespace, name].filter((part) => part !== undefined).join('-'), role);
    }
    if (isOfCluster) {
      this.add('FlowSchema', constructOperatorFlowSchema(this.namespace, props.shards));
      if (props.admissionPolicy ?? true) {
        const [policy, binding] = constructJobCreatorsPolicy();
        this.add('JobCreators', policy);
        this.add('JobCreatorsBinding', binding);
      }
    }
    const code = () => constructOperatorCode(readOperatorBundle(), this.namespace);
    this.deployment = this.add('Resource', constructOperatorDeployment({
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
    this.add('Service', constructOperatorService(this.namespace, progress));
    if (props.networkPolicy ?? true) {
      const readers = props.metricsNamespaces ?? (monitoring ? undefined : []);
      this.add('NetworkPolicy', constructOperatorNetworkPolicy(this.namespace, readers, progress));
    }
    this.add('DisruptionBudget', constructProgramDisruptionBudget(this.namespace, { name: OPERATOR_NAME, labels: OPERATOR_LABELS }));
    if (monitoring) {
      addMonitoring(this, this.namespace, monitoring, props.gpuExporterNamespaces, (id, manifest) => this.add(id, manifest));
    }
  }

  /** Contradictions and values that no later call could mend. */
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
      fail('gpuExporterNamespaces is [] and must name at least one namespace. Leave it out for the default.');
    }
    const twice = this.watchNamespaces.find((namespace, index) => this.watchNamespaces.indexOf(namespace) < index);
    if (twice !== undefined) {
      fail(`watchNamespaces names '${twice}' twice. Remove one of the two.`);
    }
    if (props.tracing && !/^https?:\/\/[^/\s]+/.test(props.tracing.endpoint)) {
      fail(`tracing.endpoint is '${withoutTokens(props.tracing.endpoint)}' and must be a URL that begins with http:// or https://.`);
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

  private add(id: string, manifest: Manifest): ApiObject {
    return addManifest(this, id, manifest);
  }
}

/** Roles of users and FlowSchemas are the cluster's. Who installs an operator of namespaces without the definition may not create any. */
function installsForCluster({ installCrd = true, watchNamespaces = [] }: TrainingOperatorProps): boolean {
  return installCrd || watchNamespaces.length === 0;
}
