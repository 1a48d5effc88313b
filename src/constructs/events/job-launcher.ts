/**
 * Shared by `EventDrivenTraining` and `CronTraining`: the job in a tree of its own, which synth does not write, and the launcher's files, service
 * account, Role and pod.
 */
import { ApiObject, App, Chart, Lazy } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import type { Construct } from 'constructs';
import { PlainApiObject } from '../rendering/plain-api-object';
import type { LauncherOptions } from './launcher-options';
import { filesDigest, launcherBinding, launcherFiles, launcherPod, type LauncherKind, type LauncherPod } from '../../manifests/events/launcher';
import {
  launchRules, launchTemplate, launchViolations, withEvent, type LaunchSettings, type LaunchedJob,
} from '../../manifests/events/launch-template';
import type { EnvVar, Manifest, PodSpec } from '../../manifests/kubernetes';
import { templateName } from '../../model/events/spec';
import { formatViolation } from '../../model/violations';
import { SparkIdentity } from '../spark/identity';
import { toleration } from '../training-job/pods/kubernetes-toleration';
import { TrainingJob } from '../training-job/training-job';

/** Input of a launcher. */
export interface JobLauncherInput {
  readonly kind: LauncherKind;
  readonly name: string;
  readonly options: LauncherOptions;
  /** Whether jobs get a variable with their event. */
  readonly hasEvent: boolean;
  readonly settings: LaunchSettings;
}

/** See the top of this file. */
export class JobLauncher {
  /** The job, in a tree of its own. */
  public readonly job: TrainingJob;

  /** Service account of the launcher. */
  public readonly serviceAccount: kplus.IServiceAccount;

  private readonly namespace?: string;
  private readonly files: ApiObject;

  public constructor(scope: Construct, private readonly input: JobLauncherInput) {
    const { options, name } = input;
    const { job } = options;
    for (const field of ['name', 'namespace'] as const) {
      if (job.metadata?.[field] !== undefined) {
        throw new Error(`${scope.constructor.name} at '${scope.node.path}': sets 'job.metadata.${field}', but jobs are named after the object that starts them and are in its namespace. Set it in the metadata of the construct itself.`);
      }
    }
    if (job.elastic?.metrics?.length) {
      throw new Error(`${scope.constructor.name} at '${scope.node.path}': sets 'job.elastic.metrics', which create an autoscaler for one job, but many are started. Remove the metrics.`);
    }
    this.namespace = options.metadata?.namespace ?? Chart.of(scope).namespace;
    const given = { ...(this.namespace !== undefined && { namespace: this.namespace }) };
    // Jobs share one account: to create Roles, a launcher would need all permissions in them.
    const engine = job.engine?._withDriverAccount(() => new SparkIdentity(scope, 'Driver', { metadata: given }).serviceAccount.name);
    // Without a namespace, nothing is rendered and synth reports an error.
    this.job = new TrainingJob(new Chart(new App(), 'launched', { ...given, labels: Chart.of(scope).labels }), 'Job', { ...job, engine, metadata: { ...job.metadata, name: templateName(name), ...given } });
    job.code?._bind(scope, options.metadata?.namespace);
    this.serviceAccount = options.launcherServiceAccount ?? new kplus.ServiceAccount(scope, 'Account', { metadata: { ...given }, automountToken: true });
    this.files = new PlainApiObject(scope, 'Files', {
      apiVersion: 'v1', kind: 'ConfigMap', metadata: given, data: Lazy.any({ produce: () => this.fileContents() }),
    });
    const role = new PlainApiObject(scope, 'Role', {
      apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata: given, rules: Lazy.any({ produce: () => launchRules(this.launched(), input.settings) }),
    });
    new PlainApiObject(scope, 'Binding', {
      apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'RoleBinding', metadata: given,
      ...launcherBinding(role.name, { name: this.serviceAccount.name, namespace: this.namespace ?? '' }),
    });
  }

  /** The launcher's pod. */
  public pod(restartPolicy: 'Never' | 'Always', more: Pick<LauncherPod, 'env' | 'port'> = {}): PodSpec {
    const { launcherImage, launcherImagePullSecrets = [], launcherNodeSelector, launcherTolerations = [] } = this.input.options;
    return launcherPod({
      configMapName: this.files.name,
      serviceAccountName: this.serviceAccount.name,
      image: launcherImage,
      imagePullSecrets: launcherImagePullSecrets.map(({ name }) => name),
      nodeSelector: launcherNodeSelector,
      tolerations: launcherTolerations.map(toleration),
      ...more,
    }, restartPolicy);
  }

  /** Digest of the launcher's files. */
  public digest(): string {
    return filesDigest(this.fileContents());
  }

  /**
   * Errors of the job and its launcher.
   * @param own errors of the construct itself, which are reported first
   */
  public problems(own: readonly string[]): string[] {
    if (this.namespace === undefined) {
      return ['metadata.namespace: is required: the launcher\'s template and Role contain the namespace of its jobs. Set it on the chart or the construct.'];
    }
    if (own.length > 0) {
      return [...own];
    }
    const ofJob = this.job.node.validate().map((message) => message.replace(/^TrainingJob '[^']*': /, 'job: '));
    return ofJob.length > 0 ? ofJob : launchViolations(this.launched()).map(formatViolation);
  }

  private fileContents(): { readonly [name: string]: string } {
    return launcherFiles(this.input.kind, launchTemplate(this.launched(), this.input.settings));
  }

  private launched(): LaunchedJob {
    const { name, hasEvent } = this.input;
    const spec = this.job._toSpec();
    // With the labels of its run, if any, and of the chart.
    const { labels, annotations } = (ApiObject.of(this.job).toJson() as Manifest).metadata;
    return { launcher: name, namespace: this.namespace ?? '', labels, annotations, engine: this.job.engine._definition, spec: hasEvent ? withEvent(spec) : spec };
  }
}

/** Variables from keys of a Secret. */
export function secretEnv(secretName: string, keys: { readonly [variable: string]: string }): EnvVar[] {
  return Object.entries(keys).map(([name, key]) => ({ name, valueFrom: { secretKeyRef: { name: secretName, key } } }));
}
