import { ApiObject, Lazy } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import type { Construct } from 'constructs';
import type { ServingRuntimeProps } from './serving-runtime-props';
import { servingAcceleratorProblems, withServingAccelerator } from '../accelerators';
import { clusterObject } from '../../rendering/objects';
import { probe } from '../to-spec';
import { checkProps } from '../../props/check-props';
import { PlainApiObject } from '../../rendering/plain-api-object';
import { podSettings } from '../../training-job/pods/pod-settings';
import { resources } from '../../training-job/to-spec';
import { KSERVE_V1ALPHA1 } from '../../../manifests/serving/inference-graph';
import { constructServingRuntimeSpec } from '../../../manifests/serving/platform-objects';
import { validateServingRuntime, type ServingRuntimeSpec } from '../../../model/serving/runtime';
import { reportAtSynth } from '../../rendering/problems';

/**
 * A server for models in some formats, for the services in its namespace.
 * @see https://kserve.github.io/website/docs/concepts/resources/servingruntime
 * @example
 * import { ServingProtocol, ServingRuntime } from 'trainyard/serving';
 *
 * new ServingRuntime(chart, 'Scorer', {
 *   metadata: { name: 'scorer' },
 *   formats: [{ name: 'scorer', version: '1', autoSelect: true, priority: 1 }],
 *   protocols: [ServingProtocol.V2],
 *   image: 'registry.example/scorer:1',
 *   args: ['--model-name={{.Name}}', '--model-dir=/mnt/models'],
 * });
 */
export class ServingRuntime extends kplus.Resource {
  /** Plural name of the rendered kind, for RBAC rules. */
  public readonly resourceType: string = 'servingruntimes';

  protected readonly apiObject: ApiObject;

  public constructor(scope: Construct, id: string, props: ServingRuntimeProps) {
    super(scope, id);
    this.apiObject = addRuntime(this, 'ServingRuntime', props);
  }
}

/**
 * A server for models in some formats, for the services in all namespaces.
 * @see https://kserve.github.io/website/docs/concepts/resources/servingruntime
 * @example
 * import { ClusterServingRuntime, ServingProtocol } from 'trainyard/serving';
 *
 * new ClusterServingRuntime(chart, 'Everywhere', {
 *   metadata: { name: 'scorer' },
 *   formats: [{ name: 'scorer' }],
 *   protocols: [ServingProtocol.V2],
 *   image: 'registry.example/scorer:1',
 * });
 */
export class ClusterServingRuntime extends kplus.Resource {
  /** Plural name of the rendered kind, for RBAC rules. */
  public readonly resourceType: string = 'clusterservingruntimes';

  protected readonly apiObject: ApiObject;

  public constructor(scope: Construct, id: string, props: ServingRuntimeProps) {
    super(scope, id);
    this.apiObject = addRuntime(this, 'ClusterServingRuntime', props);
  }
}

/** Adds the object of a runtime with its checks. Whether KServe can select between several runtimes is a rule for the objects of the program. */
function addRuntime(self: Construct, kind: 'ServingRuntime' | 'ClusterServingRuntime', props: ServingRuntimeProps): ApiObject {
  checkProps(self, 'ServingRuntimeProps', props);
  const toSpec = (): ServingRuntimeSpec => withServingAccelerator(plainRuntimeSpec(props), props.accelerator);
  const object = {
    apiVersion: KSERVE_V1ALPHA1, kind, metadata: props.metadata, spec: Lazy.any({ produce: () => constructServingRuntimeSpec(toSpec()) }),
  };
  const apiObject = kind === 'ServingRuntime' ? new PlainApiObject(self, 'Resource', object) : clusterObject(self, 'Resource', object);
  const place = { props: '', path: 'spec', container: 'spec.containers[0]', nodes: 1 };
  reportAtSynth(self, `${kind} '${apiObject.name}'`, () => [
    ...servingAcceleratorProblems(props.accelerator, plainRuntimeSpec(props), place), ...validateServingRuntime(apiObject.name, toSpec()),
  ]);
  return apiObject;
}

/** A runtime without its accelerators. */
function plainRuntimeSpec(props: ServingRuntimeProps): ServingRuntimeSpec {
  const { worker } = props;
  return {
    ...podSettings('a ServingRuntime', props),
    formats: props.formats,
    protocols: props.protocols,
    image: props.image,
    port: props.port,
    probes: { liveness: probe(props.liveness, props.port), readiness: probe(props.readiness, props.port), startup: probe(props.startup, props.port) },
    disabled: props.disabled,
    worker: worker && { ...worker, resources: worker.resources && resources(worker.resources) },
  };
}
