/** From props of a runtime to the model's terms. */
import { withServingAccelerator } from '../accelerators';
import { probe, volumesOf } from '../to-spec';
import type { ServingRuntimeProps } from './serving-runtime-props';
import type { ServingRuntimeSpec } from '../../../model/serving/runtime';
import { containerMount, envVars } from '../../training-job/pods/kplus-values';
import { toleration } from '../../training-job/pods/kubernetes-toleration';
import { resources } from '../../training-job/to-spec';

/** A runtime, of the cluster or of a namespace. */
export function runtimeSpec(props: ServingRuntimeProps): ServingRuntimeSpec {
  return withServingAccelerator(plainRuntimeSpec(props), props.accelerator);
}

/** A runtime without its accelerators. */
export function plainRuntimeSpec(props: ServingRuntimeProps): ServingRuntimeSpec {
  const { volumeMounts = [], worker } = props;
  return {
    formats: props.formats,
    protocols: props.protocols,
    image: props.image,
    command: props.command,
    args: props.args,
    port: props.port,
    env: envVars(props.env ?? {}),
    resources: props.resources && resources(props.resources),
    probes: { liveness: probe(props.liveness, props.port), readiness: probe(props.readiness, props.port), startup: probe(props.startup, props.port) },
    volumes: volumesOf(volumeMounts),
    volumeMounts: volumeMounts.map((mount) => ({ ...containerMount(mount) })),
    nodeSelector: props.nodeSelector,
    tolerations: (props.tolerations ?? []).map((one) => ({ ...toleration(one) })),
    imagePullSecrets: (props.imagePullSecrets ?? []).map(({ name }) => name),
    labels: props.podLabels,
    annotations: props.podAnnotations,
    disabled: props.disabled,
    worker: worker && { ...worker, resources: worker.resources && resources(worker.resources) },
  };
}
