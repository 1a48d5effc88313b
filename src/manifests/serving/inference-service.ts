/**
 * KServe's InferenceService. Candidates look different in the two modes: Standard has a list of predictors beside the one that serves, each a
 * Deployment of its own; in Knative the candidate takes the predictor's place, and `canaryTrafficPercent` says how much the revision before it keeps.
 * @see https://kserve.github.io/website/docs/model-serving/predictive-inference/rollout-strategies/canary
 */
import { servingAnnotations } from './annotations';
import { constructComponent } from './component';
import {
  canaryPredictor, type CanarySpec, type ComponentSpec, type Fields, type InferenceServiceSpec, type NamedInferenceService,
} from '../../model/serving/spec';
import type { Manifest } from '../kubernetes';
import { plainObject } from '../plain-object';

/** `apiVersion` of an InferenceService. */
export const INFERENCE_SERVICE_API_VERSION = 'serving.kserve.io/v1beta1';

/** What stands in the metadata besides the name. */
export interface ServingMetadata {
  readonly labels?: { readonly [name: string]: string };
  readonly annotations?: { readonly [name: string]: string };
}

/** The object that is applied. Annotations of KServe win over the author's of the same name. */
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

/** Where the predictor and its candidates stand. */
function rollOut(spec: InferenceServiceSpec): Rollout {
  return spec.mode === 'Standard' ? rollOutInStandard(spec) : rollOutInKnative(spec);
}

function rollOutInStandard(spec: InferenceServiceSpec): Rollout {
  const all = spec.canaries ?? [];
  const promoted = all.find(({ phase }) => phase === 'promoted');
  const serving = all.filter(({ phase }) => phase === 'serving');
  // The promoted one's name makes KServe take its Deployment over as it stands, without a restart.
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
