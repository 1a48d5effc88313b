/** Any cdk8s chart as resources of Pulumi: `pulumi up` applies what `cdk8s synth` writes, and shows each difference before. */
import { version } from '@pulumi/kubernetes/package.json';
import * as pulumi from '@pulumi/pulumi';
import {
  STEPS, checkChartObjects, objectId, selects, stepOf, waitAnnotations, type ChartObject, type IgnoredFields, type Step, type WaitCondition,
} from './chart-objects';
import { refuse } from '../support/validated';

/** What a cdk8s chart is here, so that this file needs no cdk8s. */
export interface ChartLike {
  /** The objects of the chart. */
  toJson(): unknown[];
}

/** Arguments of {@link ChartDeployment}. */
export interface ChartDeploymentArgs {
  /** A cdk8s chart, or plain objects. */
  readonly chart: ChartLike | readonly object[];
  /** Fields that others change, such as `spec.replicas` of what an autoscaler scales. @default - none */
  readonly ignoreFields?: readonly IgnoredFields[];
  /**
   * What to wait for beside what Pulumi waits for by itself (Deployments that are rolled out, Jobs that are complete, volumes that are bound).
   * @default - nothing
   */
  readonly waitFor?: readonly WaitCondition[];
}

/**
 * An object of any kind, under the type that `@pulumi/kubernetes` knows it by; its class for custom resources has another one for kinds of the core.
 */
class KubernetesObject extends pulumi.CustomResource {
  public constructor(name: string, object: ChartObject, opts: pulumi.CustomResourceOptions) {
    const { apiVersion, kind } = object;
    super(`kubernetes:${apiVersion.includes('/') ? apiVersion : `core/${apiVersion}`}:${kind}`, name, object, { version, ...opts });
  }
}

/**
 * Applies a chart: definitions of custom resources first, then namespaces, then the rest, webhooks last. An object waits for its own namespace, and
 * a custom resource for
 * the definitions. Objects are applied on the server's side, so that their fields can have other owners.
 */
export class ChartDeployment extends pulumi.ComponentResource {
  /** The objects by kind, namespace and name: `Deployment/ml/trainer`. */
  public readonly resources: ReadonlyMap<string, pulumi.CustomResource>;

  /**
   * @param name name in the program
   * @param args the chart
   * @param opts options of Pulumi; `provider` says which cluster
   * @throws InvalidArgsError for objects that cannot be applied, and for fields or conditions of objects that are not there
   */
  public constructor(name: string, { chart, ignoreFields = [], waitFor = [] }: ChartDeploymentArgs, opts?: pulumi.ComponentResourceOptions) {
    const objects = 'toJson' in chart ? chart.toJson() : [...chart];
    refuse({ type: 'ChartDeployment', name }, checkChartObjects(objects, { ignoreFields, waitFor }));
    super('trainyard:stacks:ChartDeployment', name, {}, opts);
    // A component's own dependencies do not reach its children by themselves.
    const { dependsOn = [] } = opts ?? {};
    const outer = Array.isArray(dependsOn) ? dependsOn : [dependsOn as pulumi.Input<pulumi.Resource>];
    const made = new Map<string, pulumi.CustomResource>();
    const byStep: { [step in Step]: pulumi.CustomResource[] } = { definitions: [], namespaces: [], objects: [], admission: [] };
    for (const step of STEPS) {
      for (const object of (objects as ChartObject[]).filter((each) => stepOf(each) === step)) {
        const namespace = made.get(`Namespace/${object.metadata.namespace}`);
        const before = {
          definitions: [],
          namespaces: [],
          objects: [...byStep.definitions, ...(namespace === undefined ? [] : [namespace])],
          // What these send requests to has to be there, or nothing could be applied any more.
          admission: [...byStep.definitions, ...byStep.objects],
        }[step];
        const resource = this.apply(name, object, { ignoreFields, waitFor }, [...outer, ...before]);
        byStep[step].push(resource);
        made.set(objectId(object), resource);
      }
    }
    this.resources = made;
    this.registerOutputs({ objects: [...made.keys()] });
  }

  private apply(
    name: string, object: ChartObject, { ignoreFields, waitFor }: Required<Omit<ChartDeploymentArgs, 'chart'>>, dependsOn: pulumi.Input<pulumi.Resource>[],
  ): pulumi.CustomResource {
    const ignored = ignoreFields.filter((rule) => selects(rule, object)).flatMap(({ fields }) => fields);
    const waits = waitFor.filter((rule) => selects(rule, object)).map(({ condition }) => waitAnnotations(condition));
    const metadata = waits.length === 0 ? object.metadata : {
      ...object.metadata, annotations: Object.assign({}, object.metadata.annotations, ...waits) as { [key: string]: string },
    };
    return new KubernetesObject(`${name}:${objectId(object)}`, { ...object, metadata }, {
      parent: this,
      dependsOn,
      ignoreChanges: ignored,
      // Values of Secrets are encrypted in the state.
      additionalSecretOutputs: object.kind === 'Secret' ? ['data', 'stringData'] : [],
    });
  }
}
