/**
 * Applications of Ray Serve, and the rules of its configuration. Fields that have no property here pass through in `more`, as Ray spells them.
 * @see https://docs.ray.io/en/latest/serve/production-guide/config.html
 */
import { checkAmounts, validateMore, validateRuntimeEnv, type RuntimeEnvSpec } from './runtime-env';
import type { Fields } from './spec';
import { ViolationCollector, type Violation } from '../violations';

/** How many replicas a deployment has by the requests that it gets. */
export interface ServeAutoscalingSpec {
  readonly minReplicas?: number;
  readonly maxReplicas?: number;
  readonly initialReplicas?: number;
  readonly targetOngoingRequests?: number;
  readonly upscaleDelaySeconds?: number;
  readonly downscaleDelaySeconds?: number;
}

/** One deployment: a class of the program, with its replicas. */
export interface ServeDeploymentSpec {
  readonly name: string;
  readonly replicas?: number;
  readonly autoscaling?: ServeAutoscalingSpec;
  readonly maxOngoingRequests?: number;
  readonly maxQueuedRequests?: number;
  readonly cpus?: number;
  readonly gpus?: number;
  readonly memoryBytes?: number;
  readonly customResources?: { readonly [name: string]: number };
  readonly acceleratorType?: string;
  readonly userConfig?: Fields;
  readonly healthCheckPeriodSeconds?: number;
  readonly healthCheckTimeoutSeconds?: number;
  readonly gracefulShutdownTimeoutSeconds?: number;
  readonly more?: Fields;
}

/** One application: deployments behind a path. */
export interface ServeApplicationSpec {
  readonly name: string;
  readonly importPath: string;
  /** @default / */
  readonly routePrefix?: string;
  readonly runtimeEnv?: RuntimeEnvSpec;
  readonly args?: Fields;
  readonly deployments?: readonly ServeDeploymentSpec[];
  readonly more?: Fields;
}

/** `serveConfigV2`. */
export interface ServeConfigSpec {
  readonly proxyLocation?: 'EveryNode' | 'HeadOnly';
  readonly httpPort?: number;
  readonly requestTimeoutSeconds?: number;
  readonly keepAliveSeconds?: number;
  readonly more?: Fields;
  readonly applications: readonly ServeApplicationSpec[];
}

/** `module:app` or `package.module:app`; the older form has a dot instead of the colon. */
const IMPORT_PATH = /^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*[:.][A-Za-z_]\w*$/;

/** Fields that have properties. */
const CONFIG_FIELDS: readonly string[] = ['proxy_location', 'applications'];
const APPLICATION_FIELDS: readonly string[] = ['name', 'route_prefix', 'import_path', 'runtime_env', 'args', 'deployments'];
const DEPLOYMENT_FIELDS: readonly string[] = [
  'name', 'num_replicas', 'autoscaling_config', 'max_ongoing_requests', 'max_queued_requests', 'user_config', 'health_check_period_s', 'health_check_timeout_s',
  'graceful_shutdown_timeout_s', 'ray_actor_options',
];

export function validateServeConfig(config: ServeConfigSpec, path: string): Violation[] {
  const violations = new ViolationCollector();
  const { applications, httpPort, requestTimeoutSeconds, keepAliveSeconds, more } = config;
  const hasHttp = [httpPort, requestTimeoutSeconds, keepAliveSeconds].some((value) => value !== undefined);
  validateMore(more, [...CONFIG_FIELDS, ...(hasHttp ? ['http_options'] : [])], path, violations);
  if (applications.length === 0) {
    violations.add(`${path}.applications`, [], 'must have at least one application. Add one.');
  }
  violations.whole(`${path}.http_options.port`, httpPort, 1, 65_535);
  applications.forEach((application, index) => validateApplication(config, application, index, `${path}.applications[${index}]`, violations));
  return violations.violations;
}

function validateApplication(
  { applications }: ServeConfigSpec, application: ServeApplicationSpec, index: number, path: string, violations: ViolationCollector,
): void {
  const { name, importPath, runtimeEnv, deployments = [] } = application;
  const route = application.routePrefix ?? '/';
  validateMore(application.more, APPLICATION_FIELDS, path, violations);
  if (name.trim() === '') {
    violations.add(`${path}.name`, name, 'must not be empty. Give the application a name.');
  }
  if (applications.findIndex((other) => other.name === name) < index) {
    violations.add(`${path}.name`, name, 'is the name of another application. Use unique names.');
  }
  violations.form(`${path}.import_path`, importPath, IMPORT_PATH, 'must be MODULE:NAME, such as app.main:deployment.');
  if (!route.startsWith('/') || (route !== '/' && route.endsWith('/')) || /[{}]/.test(route)) {
    violations.add(`${path}.route_prefix`, route, 'must start with \'/\' and not end with it, and has no wildcards, such as /translate.');
  }
  if (applications.findIndex((other) => (other.routePrefix ?? '/') === route) < index) {
    violations.add(`${path}.route_prefix`, route, 'is already used by another application. Route prefixes must be unique.');
  }
  if (runtimeEnv !== undefined) {
    violations.addAll(validateRuntimeEnv(runtimeEnv, `${path}.runtime_env`, 'net'));
  }
  deployments.forEach((deployment, position) => {
    const where = `${path}.deployments[${position}]`;
    if (deployments.findIndex((other) => other.name === deployment.name) < position) {
      violations.add(`${where}.name`, deployment.name, 'is the name of another deployment of the application. Remove one of the two.');
    }
    validateDeployment(deployment, where, violations);
  });
}

function validateDeployment(deployment: ServeDeploymentSpec, path: string, violations: ViolationCollector): void {
  const { name, replicas, autoscaling, maxOngoingRequests, maxQueuedRequests, cpus, gpus } = deployment;
  validateMore(deployment.more, DEPLOYMENT_FIELDS, path, violations);
  if (name.trim() === '') {
    violations.add(`${path}.name`, name, 'must not be empty: the name of the class or function.');
  }
  if (replicas !== undefined && autoscaling !== undefined) {
    violations.add(`${path}.num_replicas`, replicas, 'is a fixed number, and autoscaling changes it. Remove one of the two.');
  } else {
    violations.whole(`${path}.num_replicas`, replicas, 1, Infinity, '. To have none without requests, use autoscaling with minReplicas: 0.');
  }
  violations.whole(`${path}.max_ongoing_requests`, maxOngoingRequests, 1);
  violations.whole(`${path}.max_queued_requests`, maxQueuedRequests, -1, Infinity, '; -1 means no limit.');
  checkAmounts({ num_cpus: cpus, num_gpus: gpus }, `${path}.ray_actor_options`, violations);
  if (autoscaling !== undefined) {
    validateAutoscaling(deployment, autoscaling, `${path}.autoscaling_config`, violations);
  }
}

function validateAutoscaling(
  { maxOngoingRequests }: ServeDeploymentSpec, autoscaling: ServeAutoscalingSpec, path: string, violations: ViolationCollector,
): void {
  const { minReplicas = 1, maxReplicas = 1, initialReplicas, targetOngoingRequests } = autoscaling;
  violations.whole(`${path}.min_replicas`, minReplicas, 0);
  violations.whole(`${path}.max_replicas`, maxReplicas, 1);
  if (maxReplicas < minReplicas) {
    violations.add(`${path}.max_replicas`, maxReplicas, `is less than min_replicas (${minReplicas})${autoscaling.maxReplicas === undefined ? ', because Ray\'s default is 1' : ''}. Give more.`);
  } else if (initialReplicas !== undefined && (initialReplicas < minReplicas || initialReplicas > maxReplicas)) {
    violations.add(`${path}.initial_replicas`, initialReplicas, `must be between min_replicas (${minReplicas}) and max_replicas (${maxReplicas}).`);
  }
  if (targetOngoingRequests !== undefined && !(targetOngoingRequests > 0)) {
    violations.add(`${path}.target_ongoing_requests`, targetOngoingRequests, 'must be more than 0.');
  } else if (targetOngoingRequests !== undefined && maxOngoingRequests !== undefined && targetOngoingRequests > maxOngoingRequests) {
    violations.add(`${path}.target_ongoing_requests`, targetOngoingRequests, `is never reached: a replica accepts ${maxOngoingRequests} requests at a time (max_ongoing_requests). Use less.`);
  }
}
