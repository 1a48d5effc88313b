import { ApiObject, Lazy } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import type { Construct } from 'constructs';
import { PlainApiObject } from '../../rendering/plain-api-object';
import { servingAcceleratorProblems } from '../accelerators';
import { clusterObject } from '../cluster-object';
import { plainRuntimeSpec, runtimeSpec } from './runtime-to-spec';
import type { ServingRuntimeProps } from './serving-runtime-props';
import { KSERVE_V1ALPHA1 } from '../../../manifests/serving/inference-graph';
import { constructServingRuntimeSpec } from '../../../manifests/serving/serving-runtime';
import { validateServingRuntime, type ServingRuntimeSpec } from '../../../model/serving/runtime';
import { formatViolation } from '../../../model/violations';
import { checkProps } from '../../props/check-props';

/**
 * A server for models of some formats, for the services of its namespace.
 * @see https://kserve.github.io/website/docs/concepts/resources/servingruntime
 */
export class ServingRuntime extends kplus.Resource {
  /** Plural name of the rendered kind, for RBAC rules. */
  public readonly resourceType: string = 'servingruntimes';

  protected readonly apiObject: ApiObject;

  private readonly props: ServingRuntimeProps;

  public constructor(scope: Construct, id: string, props: ServingRuntimeProps) {
    super(scope, id);
    checkProps(this, 'ServingRuntimeProps', props);
    this.props = props;
    this.apiObject = new PlainApiObject(this, 'Resource', {
      apiVersion: KSERVE_V1ALPHA1,
      kind: 'ServingRuntime',
      metadata: props.metadata,
      spec: Lazy.any({ produce: () => constructServingRuntimeSpec(this._toSpec()) }),
    });
    this.node.addValidation({ validate: () => problemsOf(this, this.props) });
  }

  /**
   * In the model's terms.
   * @internal
   */
  public _toSpec(): ServingRuntimeSpec {
    return runtimeSpec(this.props);
  }
}

/**
 * A server for models of some formats, for the services of the whole cluster.
 * @see https://kserve.github.io/website/docs/concepts/resources/servingruntime
 */
export class ClusterServingRuntime extends kplus.Resource {
  /** Plural name of the rendered kind, for RBAC rules. */
  public readonly resourceType: string = 'clusterservingruntimes';

  protected readonly apiObject: ApiObject;

  private readonly props: ServingRuntimeProps;

  public constructor(scope: Construct, id: string, props: ServingRuntimeProps) {
    super(scope, id);
    checkProps(this, 'ServingRuntimeProps', props);
    this.props = props;
    this.apiObject = clusterObject(this, 'Resource', {
      apiVersion: KSERVE_V1ALPHA1,
      kind: 'ClusterServingRuntime',
      metadata: props.metadata,
      spec: Lazy.any({ produce: () => constructServingRuntimeSpec(this._toSpec()) }),
    });
    this.node.addValidation({ validate: () => problemsOf(this, this.props) });
  }

  /**
   * In the model's terms.
   * @internal
   */
  public _toSpec(): ServingRuntimeSpec {
    return runtimeSpec(this.props);
  }
}

interface Runtime extends kplus.Resource {
  _toSpec(): ServingRuntimeSpec;
}

/** Whether KServe can choose between it and others is a rule on the objects of the program. */
function problemsOf(self: Runtime, props: ServingRuntimeProps): string[] {
  const place = { props: '', path: 'spec', container: 'spec.containers[0]', nodes: 1 };
  return [
    ...servingAcceleratorProblems(props.accelerator, plainRuntimeSpec(props), place), ...validateServingRuntime(self.name, self._toSpec()),
  ].map((violation) => `${self.kind} '${self.name}': ${formatViolation(violation)}`);
}
