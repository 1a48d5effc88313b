/**
 * Annotations that KServe and Knative read on an InferenceService. The mode always stands there: KServe's code and its shipped ConfigMap have
 * different defaults.
 */
import { STORAGE_SECRET_ANNOTATIONS } from '../../model/serving/storage-secret';
import { DEFAULT_AUTOSCALER, type InferenceServiceSpec } from '../../model/serving/spec';

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
export function servingAnnotations(spec: InferenceServiceSpec): { [name: string]: string } {
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

/** What names the Secret with the credentials of the storage to every installation of KServe; none without a Secret. */
export function storageSecretAnnotations(secretName: string | undefined): { [name: string]: string } {
  return secretName === undefined ? {} : Object.fromEntries(STORAGE_SECRET_ANNOTATIONS.map((annotation) => [annotation, secretName]));
}

/** The webhook reads one class for the whole service. */
function scalesByResources({ predictor, transformer, explainer }: InferenceServiceSpec): boolean {
  return [predictor, transformer, explainer].some((component) => (
    (component?.scaling?.metrics ?? []).some(({ kind }) => kind === 'cpu' || kind === 'memory')));
}
