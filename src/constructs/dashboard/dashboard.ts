import { existsSync } from 'node:fs';
import { Chart, Yaml, type ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { DashboardAuth } from './auth';
import type { DashboardEmbed, DashboardGateway, DashboardIngress, DashboardService } from './exposure';
import type { DashboardHistory } from './history';
import {
  constructDashboardCode, constructDashboardDeployment, constructDashboardPrices, constructDashboardRoles, constructDashboardServiceAccount,
} from '../../manifests/dashboard/deployment';
import {
  constructDashboardIngress, constructDashboardNetworkPolicy, constructDashboardRoute, constructDashboardService,
} from '../../manifests/dashboard/exposure';
import { constructRecorder } from '../../manifests/dashboard/recorder';
import { DASHBOARD_LABELS, DASHBOARD_NAME } from '../../manifests/dashboard/settings';
import { constructOperatorNamespace } from '../../manifests/operator/access';
import { OPERATOR_NAMESPACE } from '../../manifests/operator/settings';
import { constructProgramDisruptionBudget } from '../../manifests/program-deployment';
import { parsePrices } from '../../model/cost/parse-prices';
import type { PriceTable } from '../../model/cost/prices';
import { validateHistory } from '../../model/dashboard/history';
import { validateDashboard, type DashboardSpec } from '../../model/dashboard/dashboard';
import { isRecord } from '../../model/json-parts';
import { formatViolations } from '../../model/violations';
import { checkProps } from '../props/check-props';
import { bundleFile, checkImages, programInstallation, readBundle } from '../rendering/node-program';
import { addManifest } from '../rendering/objects';
import type { ProgramProps } from '../training-operator/program-props';

/** Default compute of a replica. */
const DEFAULT_RESOURCES = { requests: { cpu: '50m', memory: '128Mi' }, limits: { memory: '512Mi' } } as const;

/** Properties of a `TrainyardDashboard`. */
export interface TrainyardDashboardProps extends ProgramProps {
  /** Namespace that the dashboard is installed into. @default - the chart's namespace, else trainyard-system */
  readonly namespace?: string;

  /**
   * Whether the namespace is created. A `TrainingOperator` creates the one that it shares with the dashboard.
   * @default false
   */
  readonly createNamespace?: boolean;

  /** How the dashboard authenticates users. @default DashboardAuth.token() */
  readonly auth?: DashboardAuth;

  /** Whether users can suspend, resume, rerun and delete jobs, if they have the permissions. @default false */
  readonly allowChanges?: boolean;

  /**
   * Host names that the dashboard accepts, in addition to those of `ingress` and `gateway` and `localhost` of a forwarded port. Requests for other
   * names are rejected, because a malicious web site can point its name to the dashboard's address (DNS rebinding).
   * @default - none
   */
  readonly hosts?: string[];

  /** Prefix of the dashboard's paths, such as `/trainyard/`. @default / */
  readonly path?: string;

  /** Ingress to create. @default - none */
  readonly ingress?: DashboardIngress;

  /** Gateway that gets an HTTPRoute. @default - none */
  readonly gateway?: DashboardGateway;

  /** Pages that may show the dashboard in a frame. @default - none */
  readonly embed?: DashboardEmbed;

  /** Service of the pods. @default - of type ClusterIP, without annotations */
  readonly service?: DashboardService;

  /**
   * Where jobs are recorded, so that users can view them after they are deleted. A recorder runs in addition to the dashboard, with permission to
   * read all MLTrainingJobs, pods, events and logs of the cluster. Users see the recorded jobs that they could see in the cluster.
   * @default - nothing is recorded
   */
  readonly history?: DashboardHistory;

  /**
   * File with a price table (`docs/teams/cost.md`), read at synth, for the page Cost. A change of the table replaces the pods.
   * @default - the page shows device hours
   */
  readonly priceTable?: string;

  /**
   * Whether a NetworkPolicy restricts connections to the pods. With `DashboardAuth.token`, all pods can connect to the port of the pages; with
   * `DashboardAuth.headers`, only the proxy can, and the policy is required.
   * @default true
   */
  readonly networkPolicy?: boolean;

  /** Namespace whose jobs are shown first. @default - default */
  readonly firstNamespace?: string;

  /** Name of the cluster at the top of the pages. @default - the address of the API server */
  readonly clusterName?: string;

  /**
   * Number of replicas. More than one need a shared session key (`sessionKeySecretName` of `DashboardAuth.token`), and get a PodDisruptionBudget.
   * @default 1
   */
  readonly replicas?: number;
}

/**
 * The pages of `trainyard ui` in a cluster, as a Deployment, for everyone with an account there. Users can see and do only what their permissions in
 * the cluster allow.
 * @example
 * import { Duration, Size } from 'cdk8s';
 * import { DashboardHistory, TrainyardDashboard } from 'trainyard/dashboard';
 *
 * new TrainyardDashboard(chart, 'Dashboard', {
 *   allowChanges: true,
 *   history: DashboardHistory.sqlite({ size: Size.gibibytes(20), maxAge: Duration.days(365) }),
 * });
 */
export class TrainyardDashboard extends Construct {
  /** Namespace that the dashboard is installed into. */
  public readonly namespace: string;

  /** Name of the Service, in `namespace`; its port is 80. */
  public readonly serviceName: string;

  /** Name of the dashboard's service account, in `namespace`. */
  public readonly serviceAccountName: string;

  /** The Deployment, the default child. */
  public readonly deployment: ApiObject;

  public constructor(scope: Construct, id: string, props: TrainyardDashboardProps = {}) {
    super(scope, id);
    checkProps(this, 'TrainyardDashboardProps', props);
    const { ingress, gateway, embed = {}, path = '/', networkPolicy = true } = props;
    this.namespace = props.namespace ?? Chart.of(this).namespace ?? OPERATOR_NAMESPACE;
    this.serviceName = DASHBOARD_NAME;
    this.serviceAccountName = DASHBOARD_NAME;
    const auth = (props.auth ?? DashboardAuth.token())._spec;
    const spec: DashboardSpec = {
      namespace: this.namespace, replicas: props.replicas ?? 1, path, hosts: props.hosts ?? [],
      ingressHost: ingress?.host, gatewayHost: gateway?.host,
      frameOrigins: embed.origins ?? [], firstNamespace: props.firstNamespace, networkPolicy, auth,
    };
    this.check(spec, props);

    if (props.createNamespace ?? false) {
      addManifest(this, 'Namespace', constructOperatorNamespace(this.namespace));
    }
    addManifest(this, 'ServiceAccount', constructDashboardServiceAccount(this.namespace));
    if (auth.kind === 'headers') {
      const [role, binding] = constructDashboardRoles(this.namespace, auth);
      addManifest(this, 'Role', role);
      addManifest(this, 'RoleBinding', binding);
    }
    const code = () => constructDashboardCode(readBundle('TrainyardDashboard', 'the dashboard', bundleFile('dashboard.mjs.br')), this.namespace);
    const pods = programInstallation(this, this.namespace, props, DEFAULT_RESOURCES, code);
    this.deployment = addManifest(this, 'Resource', constructDashboardDeployment({
      ...spec, ...pods,
      allowChanges: props.allowChanges ?? false,
      clusterName: props.clusterName,
      frameSelf: embed.sameOrigin ?? false,
      hasHistory: props.history !== undefined,
      pricesConfigMap: props.priceTable === undefined ? undefined
        : addManifest(this, 'Prices', constructDashboardPrices(this.namespace, this.prices(props.priceTable))).name,
    }));
    if (props.history !== undefined) {
      Object.entries(constructRecorder({ ...props.history._spec, ...pods }))
        .forEach(([child, manifest]) => addManifest(this, child, manifest));
    }
    addManifest(this, 'Service', constructDashboardService(this.namespace, props.service ?? {}));
    if (networkPolicy) {
      addManifest(this, 'NetworkPolicy', constructDashboardNetworkPolicy(spec));
    }
    if (spec.replicas > 1) {
      addManifest(this, 'DisruptionBudget', constructProgramDisruptionBudget(this.namespace, { name: DASHBOARD_NAME, labels: DASHBOARD_LABELS }));
    }
    if (ingress !== undefined) {
      addManifest(this, 'Ingress', constructDashboardIngress(this.namespace, path, ingress));
    }
    if (gateway !== undefined) {
      addManifest(this, 'Route', constructDashboardRoute(this.namespace, path, gateway));
    }
  }

  /** Reads a price table. */
  private prices(file: string): PriceTable {
    const where = `TrainyardDashboard at '${this.node.path}': priceTable: ${JSON.stringify(file)}`;
    if (!existsSync(file)) {
      throw new Error(`${where}: there is no such file. It must be the path of a YAML or JSON file (docs/teams/cost.md).`);
    }
    const documents: readonly unknown[] = Yaml.load(file);
    const [given] = documents;
    // cdk8s reads a date in YAML as a time.
    const { table, violations } = parsePrices(isRecord(given) && typeof given.date === 'string' ? { ...given, date: given.date.replace(/T00:00:00\.000Z$/, '') } : given);
    if (table === undefined || documents.length > 1) {
      throw new Error(`${where}: ${documents.length > 1 ? `has ${documents.length} documents, and must have one` : formatViolations(violations)}`);
    }
    return table;
  }

  /** Errors that no later call can fix. */
  private check(spec: DashboardSpec, props: TrainyardDashboardProps): void {
    const { history } = props;
    const where = `TrainyardDashboard at '${this.node.path}'`;
    checkImages(where, 'the dashboard', props);
    const violations = [...validateDashboard(spec), ...(history === undefined ? [] : validateHistory(history._spec))];
    if (violations.length > 0) {
      throw new Error(`${where}: ${formatViolations(violations)}`);
    }
  }
}
