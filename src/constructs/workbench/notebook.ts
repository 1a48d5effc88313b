import { ApiObject, Chart, Lazy, type ApiObjectMetadata } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import type { Construct } from 'constructs';
import { generatedName } from '../rendering/objects';
import { PlainApiObject } from '../rendering/plain-api-object';
import type { PodDefault } from './pod-default';
import { NOTEBOOK_API_VERSION, constructNotebook } from '../../manifests/workbench/kubeflow-objects';
import type { Toleration as PodToleration } from '../../manifests/kubernetes';
import type { TrainingJobSpec } from '../../model/training-job/spec';
import { NOTEBOOK_NAME_MAX_LENGTH, validateNotebook, type NotebookServerType, type NotebookSpec } from '../../model/workbench/notebook';
import { formatViolation, type Violation } from '../../model/violations';
import type { AcceleratorRequest } from '../accelerators/accelerator';
import type { CredentialUse } from '../credentials/credential-use';
import { dependOn, namespaceProblems, withCredentials } from '../credentials/with-credentials';
import { acceleratorProblems, withAccelerators } from '../training-job/job-accelerators';
import { envFromSource, envVars, mountSettings } from '../training-job/pods/kplus-values';
import { toleration } from '../training-job/pods/kubernetes-toleration';
import type { TrainingResources } from '../training-job/pods/resources';
import type { Toleration } from '../training-job/pods/toleration';
import { resources } from '../training-job/to-spec';
import type { IEnvFrom, IStorage, VolumeMount } from '../training-job/pods/kplus-types';
import { checkProps } from '../props/check-props';
import { reportAtSynth } from '../rendering/problems';

/** Properties of a `Notebook`. */
export interface NotebookProps extends kplus.ResourceProps {
  /** The server and its image. */
  readonly server: NotebookServer;

  /** Port that the server listens on. @default 8888 */
  readonly port?: number;

  /** Entry point of the container. @default - the image's */
  readonly command?: string[];

  /** Arguments of the entry point. @default - the image's */
  readonly args?: string[];

  /** Working directory. @default '/home/jovyan' */
  readonly workingDir?: string;

  /** Variables of the server. The controller sets `NB_PREFIX`. @default - none */
  readonly env?: { readonly [name: string]: kplus.EnvValue };

  /** ConfigMaps and Secrets whose keys become variables. @default - none */
  readonly envFrom?: IEnvFrom[];

  /** Tokens and keys for the server at run time. @default - none */
  readonly credentials?: CredentialUse[];

  /** Compute of the server. @default - no requests */
  readonly resources?: TrainingResources;

  /**
   * Accelerators of the server. Not together with `resources.gpu` and `resources.tpu`.
   * @default - what `resources` requests
   */
  readonly accelerator?: AcceleratorRequest;

  /** Volumes, such as a claim at `/home/jovyan`. @default - none: files are lost when the server stops */
  readonly volumeMounts?: VolumeMount[];

  /** Labels of nodes that the server may run on. @default - any */
  readonly nodeSelector?: { readonly [label: string]: string };

  /** Taints that the server tolerates. @default - those of its devices */
  readonly tolerations?: Toleration[];

  /** Service account of the server. @default - the namespace's default */
  readonly serviceAccount?: kplus.IServiceAccount;

  /** Registry credentials. @default - the service account's */
  readonly imagePullSecrets?: kplus.ISecret[];

  /** Kueue queue. Kueue must manage pods (integration `pod`). @default - no queue */
  readonly queueName?: string;

  /** Settings that Kubeflow's webhook adds to the pod. @default - none */
  readonly podDefaults?: PodDefault[];

  /**
   * Whether the server is stopped. Most programs do not set it, because Kubeflow's culler and dashboard stop and start servers too.
   * @default false
   */
  readonly stopped?: boolean;

  /** Additional fields of the pod; its containers are added after the server's. @default - none */
  readonly podSpec?: { readonly [field: string]: unknown };
}

/**
 * A notebook server of Kubeflow 26.03 (`kubeflow.org/v1`).
 *
 * The controller's culler stops idle notebooks. It is enabled for the whole cluster (`ENABLE_CULLING`, `CULL_IDLE_TIME`) and supports only Jupyter.
 * @example
 * import { Gpu } from 'trainyard';
 * import { Notebook, NotebookServer } from 'trainyard/workbench';
 *
 * new Notebook(chart, 'Lab', {
 *   metadata: { name: 'ada', namespace: 'team-a' },
 *   server: NotebookServer.jupyter('registry.example/jupyter-pytorch:1'),
 *   resources: { gpu: Gpu.nvidia(1) },
 * });
 */
export class Notebook extends kplus.Resource {
  /** Plural name of the kind, for RBAC rules. */
  public readonly resourceType: string = 'notebooks';

  /** The server and its image. */
  public readonly server: NotebookServer;

  protected readonly apiObject: ApiObject;

  private readonly props: NotebookProps;
  private _env: { readonly [name: string]: kplus.EnvValue };
  private mounts: VolumeMount[];
  private readonly _podDefaults: PodDefault[] = [];

  public constructor(scope: Construct, id: string, props: NotebookProps) {
    super(scope, id);
    checkProps(this, 'NotebookProps', props);
    this.props = props;
    this.server = props.server;
    const { env, volumeMounts } = withCredentials(`Notebook at '${this.node.path}'`, props, props.credentials);
    this._env = env;
    this.mounts = [...volumeMounts];
    this.apiObject = new PlainApiObject(this, 'Resource', {
      apiVersion: NOTEBOOK_API_VERSION,
      kind: 'Notebook',
      metadata: { ...props.metadata, name: props.metadata?.name ?? generatedName(this, { apiVersion: NOTEBOOK_API_VERSION, kind: 'Notebook' }, NOTEBOOK_NAME_MAX_LENGTH) },
      spec: Lazy.any({ produce: () => constructNotebook(this._toSpec()).spec }),
    });
    const { annotations = {}, labels = {} } = constructNotebook(this._toSpec()).metadata;
    Object.entries(annotations).forEach(([name, value]) => this.metadata.addAnnotation(name, value));
    Object.entries(labels).forEach(([name, value]) => this.metadata.addLabel(name, value));
    (props.podDefaults ?? []).forEach((podDefault) => this.addPodDefault(podDefault));
    dependOn(this, props.credentials ?? []);
    reportAtSynth(this, `Notebook '${this.name}'`, () => this.problems());
  }

  /** The server's environment, as a copy. */
  public get env(): { [name: string]: kplus.EnvValue } {
    return { ...this._env };
  }

  /** Settings that the webhook adds to the pod, as a copy. */
  public get podDefaults(): PodDefault[] {
    return [...this._podDefaults];
  }

  /**
   * Sets a variable of the server. A variable of the same name is replaced.
   * @param name name of the variable
   * @param value its value
   */
  public addEnv(name: string, value: kplus.EnvValue): void {
    this._env = { ...this._env, [name]: value };
  }

  /**
   * Mounts a volume into the server's container.
   * @param path absolute path in the container
   * @param storage a volume, a claim or a store
   */
  public addVolumeMount(path: string, storage: IStorage, options: kplus.MountOptions = {}): void {
    const volume = storage.asVolume();
    const samePath = this.mounts.find((mount) => mount.path === path);
    if (samePath) {
      throw new Error(`Notebook at '${this.node.path}': cannot mount volume '${volume.name}' at '${path}', because volume '${samePath.volume.name}' is already mounted there. Choose another path.`);
    }
    this.mounts = [...this.mounts, { path, volume, ...options }];
  }

  /** Adds settings for the pod. @param podDefault settings in the same namespace */
  public addPodDefault(podDefault: PodDefault): void {
    this._podDefaults.push(podDefault);
    Object.entries(podDefault.selector).forEach(([name, value]) => this.metadata.addLabel(name, value));
    this.node.addDependency(podDefault);
  }

  /** The compute as a spec, for the rules on accelerators. */
  private computeSpec(): TrainingJobSpec {
    const { props } = this;
    return {
      framework: 'plain', image: this.server.image, replicas: 1, env: envVars(this._env),
      ...(props.resources && { resources: resources(props.resources) }),
      scheduling: {
        ...(props.nodeSelector && { nodeSelector: props.nodeSelector }),
        ...(props.tolerations && { tolerations: props.tolerations.map(toleration) }),
      },
    };
  }

  private _toSpec(): NotebookSpec {
    const { props } = this;
    // Not there yet when the object is made.
    const metadata: ApiObjectMetadata = this.apiObject?.metadata.toJson() ?? {};
    const compute = withAccelerators(this.computeSpec(), { job: props.accelerator, roles: [], helpers: [] });
    return {
      name: this.apiObject?.name ?? '',
      labels: metadata.labels,
      annotations: metadata.annotations,
      namespace: props.metadata?.namespace ?? Chart.of(this).namespace,
      // Only the factories of NotebookServer set the type.
      type: this.server.type as NotebookServerType,
      image: this.server.image,
      port: props.port,
      command: props.command,
      args: props.args,
      workingDir: props.workingDir,
      env: compute.env ?? [],
      envFrom: (props.envFrom ?? []).map(envFromSource),
      resources: compute.resources ?? {},
      ...mountSettings(this.mounts),
      nodeSelector: compute.scheduling?.nodeSelector,
      tolerations: ((compute.scheduling?.tolerations ?? []) as readonly PodToleration[]).map((one) => ({ ...one })),
      serviceAccountName: props.serviceAccount?.name,
      imagePullSecrets: (props.imagePullSecrets ?? []).map(({ name }) => name),
      queueName: props.queueName,
      podDefaults: this._podDefaults.map((podDefault) => ({ name: podDefault.name, spec: podDefault._toSpec() })),
      stopped: props.stopped ?? false,
      podSpec: props.podSpec,
    };
  }

  private problems(): string[] {
    const { accelerator, credentials = [] } = this.props;
    const wrong: readonly Violation[] = accelerator === undefined ? []
      : acceleratorProblems(this.computeSpec(), { job: accelerator, roles: [], helpers: [] });
    const problems = [...wrong, ...validateNotebook(this._toSpec())].map(formatViolation);
    const foreign = this._podDefaults.filter(({ metadata }) => metadata.namespace !== this.metadata.namespace);
    return [
      ...problems, ...namespaceProblems(this.metadata.namespace, credentials),
      ...foreign.map(({ name, metadata }) => `podDefaults: ${JSON.stringify(name)}: is in namespace ${JSON.stringify(metadata.namespace)}, but the webhook looks in the pod's own namespace. Use one namespace for both.`),
    ];
  }
}

/**
 * Kind of a notebook server, which determines how Kubeflow handles the prefix `/notebook/NAMESPACE/NAME/` of its requests.
 */
export class NotebookServer {
  /**
   * JupyterLab, which serves under the prefix in `NB_PREFIX`. Kubeflow stops only this kind when it is idle.
   * @param image such as `registry.example/jupyter-pytorch-cuda-full:v1.10.0`
   */
  public static jupyter(image: string): NotebookServer {
    return new NotebookServer('jupyter', image);
  }

  /**
   * code-server, which gets requests without the prefix.
   * @param image such as `registry.example/codeserver-python:v1.10.0`
   */
  public static codeServer(image: string): NotebookServer {
    return new NotebookServer('group-one', image);
  }

  /**
   * RStudio, which gets requests without the prefix, which is in a header instead. Needs a namespace.
   * @param image such as `registry.example/rstudio-tidyverse:v1.10.0`
   */
  public static rStudio(image: string): NotebookServer {
    return new NotebookServer('group-two', image);
  }

  /**
   * @param type value of the annotation `notebooks.kubeflow.org/server-type`
   * @param image image of the server
   */
  private constructor(public readonly type: string, public readonly image: string) {}
}
