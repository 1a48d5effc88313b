/**
 * KServe's InferenceService. Candidates differ between the two modes: Standard has a list of predictors in addition to the one that serves, each a
 * Deployment of its own; in Knative the candidate takes the predictor's place, and `canaryTrafficPercent` says how much the revision before it
 * keeps.
 *
 * Annotations that KServe and Knative read on an InferenceService. The mode is always written: KServe's code and its shipped ConfigMap have
 * different defaults.
 * @see https://kserve.github.io/website/docs/model-serving/predictive-inference/rollout-strategies/canary
 */
import { constructComponent } from './component';
import type { Manifest } from '../kubernetes';
import { plainObject } from '../plain-object';
import { STORAGE_SECRET_ANNOTATIONS } from '../../model/serving/names';
import {
  DEFAULT_AUTOSCALER, canaryPredictor, type CanarySpec, type ComponentSpec, type Fields, type InferenceServiceSpec, type NamedInferenceService,
} from '../../model/serving/spec';

/** `apiVersion` of an InferenceService. */
export const INFERENCE_SERVICE_API_VERSION = 'serving.kserve.io/v1beta1';

/** The metadata besides the name. */
export interface ServingMetadata {
  readonly labels?: { readonly [name: string]: string };
  readonly annotations?: { readonly [name: string]: string };
}

/** The InferenceService. KServe's annotations win over the author's of the same name. */
export function constructInferenceService(
  { name, namespace, spec }: NamedInferenceService, metadata: ServingMetadata = {},
): Manifest & { readonly spec: Fields } {
  const { predictor, canaries } = rollOut(spec);
  return plainObject({
    apiVersion: INFERENCE_SERVICE_API_VERSION,
    kind: 'InferenceService',
    metadata: { name, namespace, labels: metadata.labels, annotations: { ...metadata.annotations, ...servingAnnotations(spec) } },
    spec: {
      predictor,
      canary: canaries,
      transformer: spec.transformer && constructComponent(spec.transformer, spec),
      explainer: spec.explainer && constructComponent(spec.explainer, spec),
    },
  });
}

interface Rollout {
  readonly predictor: Fields;
  readonly canaries?: Fields[];
}

/** Where the predictor and its candidates are written. */
function rollOut(spec: InferenceServiceSpec): Rollout {
  return spec.mode === 'Standard' ? rollOutInStandard(spec) : rollOutInKnative(spec);
}

function rollOutInStandard(spec: InferenceServiceSpec): Rollout {
  const all = spec.canaries ?? [];
  const promoted = all.find(({ phase }) => phase === 'promoted');
  const serving = all.filter(({ phase }) => phase === 'serving');
  // The promoted one's name makes KServe take over its Deployment as it is, without a restart.
  const predictor = promoted === undefined ? spec.predictor : canaryPredictor(spec.predictor, promoted);
  return {
    predictor: constructComponent(predictor, spec),
    canaries: serving.length === 0 ? undefined : serving.map((canary) => ({
      trafficPercent: canary.trafficPercent,
      predictor: constructComponent(ofFixedSize(canaryPredictor(spec.predictor, canary), canary), spec, true),
    })),
  };
}

/** KServe refuses autoscaling of a canary: its replicas are fixed, or follow from the share of traffic. */
function ofFixedSize(predictor: ComponentSpec, { replicas }: CanarySpec): ComponentSpec {
  return { ...predictor, scaling: replicas === undefined ? undefined : { minReplicas: replicas } };
}

function rollOutInKnative(spec: InferenceServiceSpec): Rollout {
  const [canary] = spec.canaries ?? [];
  if (canary === undefined) {
    return { predictor: constructComponent(spec.predictor, spec) };
  }
  // No variant's name here: revisions have numbers.
  const predictor = constructComponent({ ...canaryPredictor(spec.predictor, canary), name: spec.predictor.name }, spec);
  const percent = { 'serving': canary.trafficPercent, 'promoted': undefined, 'rolled-back': 0 }[canary.phase];
  return { predictor: { ...predictor, canaryTrafficPercent: percent } };
}

/** API group of KServe's resources. */
const KSERVE_GROUP = 'serving.kserve.io';

/** Which of KServe's modes runs the service. Read by its webhook and controller; cannot change once the service exists. */
export const DEPLOYMENT_MODE_ANNOTATION = `${KSERVE_GROUP}/deploymentMode`;

/** What scales the Deployments of Standard mode. */
export const AUTOSCALER_ANNOTATION = `${KSERVE_GROUP}/autoscalerClass`;

/** `"true"` removes the pods and keeps the object. */
const STOP_ANNOTATION = `${KSERVE_GROUP}/stop`;

/** Whether revisions of Knative get the addresses `latest-` and `prev-`. */
const TAG_ROUTING_ANNOTATION = `${KSERVE_GROUP}/enable-tag-routing`;

/** LocalModelNodeGroup whose cached model is used, where several hold it. */
const NODE_GROUP_ANNOTATION = `${KSERVE_GROUP}/nodegroup`;

/** `"true"` downloads although a LocalModelCache has the model. */
const DISABLE_LOCAL_MODEL_ANNOTATION = `${KSERVE_GROUP}/disable-localmodel`;

/** Knative's autoscaler of a revision. */
const KNATIVE_CLASS_ANNOTATION = 'autoscaling.knative.dev/class';

/** Knative's autoscaler by cpu and memory. */
const KNATIVE_HPA = 'hpa.autoscaling.knative.dev';

/** Annotations of the InferenceService itself. */
function servingAnnotations(spec: InferenceServiceSpec): { [name: string]: string } {
  const { mode, autoscaler = DEFAULT_AUTOSCALER, localModelCache } = spec;
  return {
    [DEPLOYMENT_MODE_ANNOTATION]: mode,
    ...(mode === 'Standard' && { [AUTOSCALER_ANNOTATION]: autoscaler }),
    ...(mode === 'Knative' && scalesByResources(spec) && { [KNATIVE_CLASS_ANNOTATION]: KNATIVE_HPA }),
    ...(spec.stopped && { [STOP_ANNOTATION]: 'true' }),
    ...(spec.tagRouting && { [TAG_ROUTING_ANNOTATION]: 'true' }),
    ...storageSecretAnnotations(spec.storageSecretName),
    ...(typeof localModelCache === 'string' && { [NODE_GROUP_ANNOTATION]: localModelCache }),
    ...(localModelCache === false && { [DISABLE_LOCAL_MODEL_ANNOTATION]: 'true' }),
  };
}

/** The annotation by which every installation of KServe finds the Secret with the storage credentials; none without a Secret. */
export function storageSecretAnnotations(secretName: string | undefined): { [name: string]: string } {
  return secretName === undefined ? {} : Object.fromEntries(STORAGE_SECRET_ANNOTATIONS.map((annotation) => [annotation, secretName]));
}

/** The webhook reads a single class for the whole service. */
function scalesByResources({ predictor, transformer, explainer }: InferenceServiceSpec): boolean {
  return [predictor, transformer, explainer].some((component) => (
    (component?.scaling?.metrics ?? []).some(({ kind }) => kind === 'cpu' || kind === 'memory')));
}
