/** Deploys any cdk8s chart as Pulumi resources: `pulumi up` applies the objects that `cdk8s synth` writes, and shows the changes first. */
import { version } from '@pulumi/kubernetes/package.json';
import * as pulumi from '@pulumi/pulumi';
import {
  STEPS, checkChartObjects, objectId, selects, stepOf, waitAnnotations, type ChartObject, type IgnoredFields, type Step, type WaitCondition,
} from './chart-objects';
import { throwErrors } from '../support/validated';

/** The part of a cdk8s chart that is used here, so that this file does not depend on cdk8s. */
export interface ChartLike {
  /** The objects of the chart. */
  toJson(): unknown[];
}

/** Arguments of {@link ChartDeployment}. */
export interface ChartDeploymentArgs {
  /** A cdk8s chart, or plain objects. */
  readonly chart: ChartLike | readonly object[];
  /** Fields that other programs change, such as `spec.replicas` of a Deployment with an autoscaler. @default - none */
  readonly ignoreFields?: readonly IgnoredFields[];
  /**
   * Conditions to wait for, in addition to those that Pulumi waits for by itself (Deployments are rolled out, Jobs are complete, volumes are bound).
   * @default - nothing
   */
  readonly waitFor?: readonly WaitCondition[];
}

/**
 * An object of any kind, with the type that `@pulumi/kubernetes` uses for it. Its class for custom resources has a different type for core kinds.
 */
class KubernetesObject extends pulumi.CustomResource {
  public constructor(name: string, object: ChartObject, opts: pulumi.CustomResourceOptions) {
    const { apiVersion, kind } = object;
    super(`kubernetes:${apiVersion.includes('/') ? apiVersion : `core/${apiVersion}`}:${kind}`, name, object, { version, ...opts });
  }
}

/**
 * Applies a chart: first CRDs, then namespaces, then the other objects, and webhooks last. An object waits for its own namespace, and a custom
 * resource for the CRDs. Objects are applied with server-side apply, so that other programs can own some of their fields.
 */
export class ChartDeployment extends pulumi.ComponentResource {
  /** The objects by kind, namespace and name: `Deployment/ml/trainer`. */
  public readonly resources: ReadonlyMap<string, pulumi.CustomResource>;

  /**
   * @param name name in the program
   * @param args the chart
   * @param opts Pulumi options; `provider` sets the cluster
   * @throws InvalidArgsError for objects that cannot be applied, and for fields or conditions of objects that are not in the chart
   */
  public constructor(name: string, { chart, ignoreFields = [], waitFor = [] }: ChartDeploymentArgs, opts?: pulumi.ComponentResourceOptions) {
    const objects = 'toJson' in chart ? chart.toJson() : [...chart];
    throwErrors({ type: 'ChartDeployment', name }, checkChartObjects(objects, { ignoreFields, waitFor }));
    super('trainyard:stacks:ChartDeployment', name, {}, opts);
    // Pulumi does not pass a component's dependencies on to its children.
    const { dependsOn = [] } = opts ?? {};
    const outer = Array.isArray(dependsOn) ? dependsOn : [dependsOn as pulumi.Input<pulumi.Resource>];
    const created = new Map<string, pulumi.CustomResource>();
    const byStep: { [step in Step]: pulumi.CustomResource[] } = { definitions: [], namespaces: [], objects: [], admission: [] };
    for (const step of STEPS) {
      for (const object of (objects as ChartObject[]).filter((each) => stepOf(each) === step)) {
        const namespace = created.get(`Namespace/${object.metadata.namespace}`);
        const before = {
          definitions: [],
          namespaces: [],
          objects: [...byStep.definitions, ...(namespace === undefined ? [] : [namespace])],
          // The services that webhooks call must exist first, or the API server would reject all objects.
          admission: [...byStep.definitions, ...byStep.objects],
        }[step];
        const resource = this.apply(name, object, { ignoreFields, waitFor }, [...outer, ...before]);
        byStep[step].push(resource);
        created.set(objectId(object), resource);
      }
    }
    this.resources = created;
    this.registerOutputs({ objects: [...created.keys()] });
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
      // The values of Secrets are encrypted in the state.
      additionalSecretOutputs: object.kind === 'Secret' ? ['data', 'stringData'] : [],
    });
  }
}
